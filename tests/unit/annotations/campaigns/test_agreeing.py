"""Agreement question by question: on what scales, by which error types, and why a figure is missing."""

from __future__ import annotations

import pytest

from annotations.campaigns.campaign import NewTask
from annotations.campaigns.label_agreement import OVERALL, Agreement
from annotations.campaigns.manage import ManagerActions
from annotations.campaigns.people import Role
from annotations.dataset_import import DatasetSource
from annotations.samples import load_samples
from annotations.store import Store
from core.types import ErrorType, Example, Item, Verdict
from tests.unit.annotations.campaigns.desks import Hall, hall

BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}


def agreed(opened: Hall) -> dict[tuple[str, str], Agreement]:
    boss = ManagerActions(opened.store, opened.person("ada", Role.MANAGER))
    return {(one.question, one.slice): one for one in boss.agreements(opened.campaign.id)}


@pytest.fixture
def labelled(store: Store) -> Hall:
    """Three items of two documents' worth of labels: ben calls one of them inconsistent, cem none."""
    opened = hall(store, items=3, overlap=2)
    ben, cem = opened.desk("ben"), opened.desk("cem")
    opened.send(ben, opened.work(ben), answers=BAD)
    opened.label(ben, 2)
    opened.label(cem, 3)
    return opened


def test_answers_are_taken_for_what_they_are_and_for_less(labelled: Hall) -> None:
    found = agreed(labelled)
    verdict, confidence = found["verdict", OVERALL], found["confidence", OVERALL]
    assert (list(verdict.alphas), list(confidence.alphas)) == (
        ["nominal", "ordinal"],
        ["nominal", "ordinal", "interval"],
    )
    assert verdict.alpha == verdict.alphas["ordinal"]
    # two answers in use: five of one, one of the other, one pair apart
    assert confidence.alpha.value == pytest.approx(1 - (6 - 1) * 2 / (2 * 5 * 1))


def test_one_person_alone_agrees_with_nobody_and_is_told_so(store: Store) -> None:
    opened = hall(store, items=2)
    opened.label(opened.desk("ben"), 2)
    verdict = agreed(opened)["verdict", OVERALL]
    assert (verdict.raw.value, verdict.alpha.value, verdict.ac1.value) == (None, None, None)
    assert verdict.alpha.why
    assert verdict.kappas == {}


def test_what_was_imported_counts_under_its_error_type(store: Store) -> None:
    kinds = (ErrorType.COREFERENCE, ErrorType.EXTRINSIC_ENTITY)
    items = [
        Item(Example(kind.value, f"Document {kind}.", "It says so."), intended=Verdict.INCONSISTENT, error_type=kind)
        for kind in kinds
    ]
    store.import_dataset(DatasetSource("typed", "pairs", "typed.jsonl", "0"), items, dict)
    opened = hall(store, items=1)
    opened.add([NewTask(sample.stored) for sample in load_samples(store, "typed")])
    opened.label(opened.desk("ben"), 3)
    labels = {slice: one.labels for (question, slice), one in agreed(opened).items() if question == "verdict"}
    assert labels == {OVERALL: 3, "Coreference": 1, "Extrinsic Entity": 1}
