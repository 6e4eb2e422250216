"""What was kept and labelled here, as a dataset."""

from __future__ import annotations

import pytest

from annotations.exchange.samples import load_samples, load_texts
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import LOCAL_LABELS, RecordError
from annotations.store.store import Store
from core.types import ErrorType, Verdict
from tests.unit.annotations.pair_samples import PAIR, record


def edited(store: Store) -> tuple[Verdict | None, ErrorType | None]:
    [item] = [sample.item for sample in load_samples(store, LOCAL_LABELS) if sample.item.parent]
    return item.intended, item.error_type


def test_a_kept_pair_is_an_original_and_its_edit_with_what_was_intended_and_scored(store: Store) -> None:
    store.save_pair(PAIR)
    original, changed = load_samples(store, LOCAL_LABELS)
    assert (original.item.parent, changed.item.parent) == (None, original.stored)
    assert edited(store) == (PAIR.intended, PAIR.error_type)
    assert ([score.value for score in original.kept], changed.kept[0].value) == ([0.75], 0.25)


def test_labels_count_before_what_was_intended_and_most_people_decide(store: Store) -> None:
    store.save_pair(PAIR)
    for place, verdict in enumerate((Verdict.CONSISTENT, Verdict.CONSISTENT, Verdict.INCONSISTENT)):
        store.save_label(record(f"e{place}", annotator=f"person {place}", verdict=verdict))
    assert edited(store)[0] is Verdict.CONSISTENT


def test_a_tie_is_borderline(store: Store) -> None:
    for place, verdict in enumerate((Verdict.CONSISTENT, Verdict.INCONSISTENT)):
        store.save_label(record(f"e{place}", annotator=f"person {place}", verdict=verdict))
    assert edited(store)[0] is Verdict.BORDERLINE


def test_the_first_blind_label_of_a_person_counts_and_else_the_newest(store: Store) -> None:
    store.save_label(record("e1", verdict=Verdict.CONSISTENT, blind=False))
    store.save_label(record("e2", verdict=Verdict.BORDERLINE, blind=False))
    assert edited(store)[0] is Verdict.BORDERLINE
    store.save_label(record("e3", verdict=Verdict.INCONSISTENT, blind=True))
    store.save_label(record("e4", verdict=Verdict.CONSISTENT, blind=True))
    assert edited(store)[0] is Verdict.INCONSISTENT


def test_the_texts_of_what_was_labelled_can_be_scored(store: Store) -> None:
    store.save_pair(PAIR)
    assert {example.summary for example in load_texts(store, LOCAL_LABELS)} == {PAIR.original, PAIR.edited}


def test_no_import_takes_the_name_of_our_labels() -> None:
    with pytest.raises(RecordError, match="another name"):
        DatasetSource(LOCAL_LABELS, "pairs", "f", "00")
