"""An export of everything comes back: the same rows from another database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotations.exchange.campaign_files import is_campaign_file, is_store_file, store_lines
from annotations.exchange.export import EXPORT_COLUMNS, all_rows, to_csv, to_jsonl
from annotations.exchange.samples import load_samples
from annotations.exchange.store_import import format_store_import, import_store
from annotations.people.people import Role, add_person
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import LOCAL_LABELS, RecordError
from annotations.store.store import Store
from annotations.store.writes import content_id
from core.models import COST_COLUMNS
from core.types import Context, Edit, Example, Item, Span, Verdict
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.annotations.pair_samples import DOCUMENT, EDITED, EDITS, ORIGINAL, PAIR, record

AGAIN = (Edit(Span(4, 4), "old ", "no age is given", "ada"), Edit(Span(15, 18), "=3", "=SUM(A1)", "ben"))
COST = {"kind": "cost", "item_id": "", "created_at": "2026-11-02T08:00:00+00:00"} | dict.fromkeys(COST_COLUMNS[1:])


@pytest.fixture
def full(store: Store) -> Store:
    """Pairs by two people, texts with contexts, a label of an imported edit of an edit, scores, judgements and a campaign."""
    store.save_pair(replace(PAIR, reaction="0 of 9 metrics noticed."))
    store.save_pair(replace(PAIR, by="cem"))
    store.save_pair(replace(PAIR, contexts=(Context("Board", Span(0, 32)),), question="What did it buy?", domain=""))
    for saved in (record("a"), record("b", confidence=2, note='=SUM(A1)\u2028\r\n"two"'), record("c", annotator="cem")):
        store.save_label(saved)
    twice = "The old board sold =3 tugs."
    items = [
        Item(Example("t", DOCUMENT, ORIGINAL), intended=Verdict.CONSISTENT, group="t"),
        Item(Example("e", DOCUMENT, EDITED), parent="t", edits=EDITS, group="t"),
        Item(Example("f", DOCUMENT, twice), parent="e", edits=AGAIN, group="t"),
        Item(Example("u", "Nobody labelled this text.", "It stays."), group="u"),
    ]
    store.import_dataset(DatasetSource("tugs", "generic", "tugs.csv", "0"), items, dict)
    store.save_label(record("d", edited=twice, edits=AGAIN, original=EDITED))
    opened = make_campaign(store, items=2)
    opened.label(opened.annotator("Benedict"), 2)
    return store


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    yield store
    store.close()


def written(store: Store, folder: Path, form: str) -> Path:
    rows = [*all_rows(store), COST]
    lines = to_csv(rows, (*EXPORT_COLUMNS, *COST_COLUMNS[1:])) if form == "csv" else to_jsonl(rows)
    file = folder / "everything.file"
    file.write_bytes(("\ufeff" * (form == "csv") + "".join(lines)).encode())
    return file


def sorted_rows(store: Store) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in all_rows(store))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_every_row_comes_back(full: Store, other: Store, tmp_path: Path, form: str) -> None:
    file = written(full, tmp_path, form)
    assert is_store_file(file)
    assert not is_campaign_file(file)
    added = import_store(other, store_lines(file))
    assert added["labels"] == 4
    assert added["scores"] == full.counts()["score"]
    assert sorted_rows(other) == sorted_rows(full)
    assert [sample.item for sample in load_samples(other, LOCAL_LABELS)] == [
        sample.item for sample in load_samples(full, LOCAL_LABELS)
    ]


def test_an_import_says_by_name_what_the_file_does_not_carry(full: Store, other: Store, tmp_path: Path) -> None:
    sentence = format_store_import(import_store(other, store_lines(written(full, tmp_path, "jsonl"))))
    assert "4 labels" in sentence
    assert "does not carry imported datasets, campaigns, names of people" in sentence


def test_importing_twice_adds_nothing(full: Store, other: Store, tmp_path: Path) -> None:
    file = written(full, tmp_path, "jsonl")
    import_store(other, store_lines(file))
    assert not any(import_store(other, store_lines(file)).values())
    assert not any(import_store(full, store_lines(file)).values())


def test_people_who_are_known_here_keep_their_names(full: Store, tmp_path: Path) -> None:
    with full.writing() as session:
        for name in ("ada", "ben", "cem"):
            add_person(session, name, Role.ANNOTATOR)
    file, before = written(full, tmp_path, "jsonl"), sorted_rows(full)
    assert not any(import_store(full, store_lines(file)).values())
    assert sorted_rows(full) == before


def test_a_label_in_the_place_of_another_is_refused(full: Store, other: Store, tmp_path: Path) -> None:
    other.save_label(record("z"))
    before = other.counts()
    with pytest.raises(RecordError, match="Some labels of the file have the place of others here"):
        import_store(other, store_lines(written(full, tmp_path, "jsonl")))
    assert other.counts() == before


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("two tugs", "two cats", "is not what it was when it was exported"),
        ('"kind": "label"', '"kind": "lable"', "is no row of an export of everything"),
        ('"confidence": 4', '"confidence": "four"', "is no row of an export of everything"),
    ],
)
def test_a_file_that_was_changed_leaves_nothing(
    full: Store, other: Store, tmp_path: Path, before: str, after: str, error: str
) -> None:
    file = written(full, tmp_path, "jsonl")
    file.write_text(file.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(RecordError, match=error):
        import_store(other, store_lines(file))
    assert not other.counts()["item"]


def test_explanations_by_pseudonym_have_ids_of_the_pseudonym(full: Store, other: Store, tmp_path: Path) -> None:
    with full.writing() as session:
        add_person(session, "some model", Role.ANNOTATOR)
    import_store(other, store_lines(written(full, tmp_path, "jsonl")))
    [row] = [row for row in all_rows(other) if row["kind"] == "explanation"][:1]
    assert row["explanation_id"] == content_id(row["item_id"], row["explanation"], row["by"])
    assert row["by"].startswith("p-")
