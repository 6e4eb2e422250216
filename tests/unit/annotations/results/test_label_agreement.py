"""Agreement question by question: on what scales, by which error types, and why a figure is missing."""

from __future__ import annotations

import pytest
from sklearn.metrics import cohen_kappa_score

from annotations.campaigns.campaign import NewTask
from annotations.exchange.samples import load_samples
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.results.label_agreement import OVERALL, LabelAgreement
from annotations.store.dataset_import import DatasetSource
from annotations.store.store import Store
from core.types import ErrorType, Example, Item, Verdict
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

BAD = {"verdict": "inconsistent", "confidence": 2, "reason": "It was a boat."}


def agreed(opened: CampaignFixture) -> dict[tuple[str, str], LabelAgreement]:
    manager = ManagerActions(opened.store, opened.person("ada", Role.MANAGER))
    return {(one.question, one.slice): one for one in manager.agreements(opened.campaign.id)}


@pytest.fixture
def labelled(store: Store) -> CampaignFixture:
    """Three items of two documents' worth of labels: ben calls one of them inconsistent, cem none."""
    opened = make_campaign(store, items=3, overlap=2)
    ben, cem = opened.annotator("ben"), opened.annotator("cem")
    opened.send(ben, opened.next_task(ben), answers=BAD)
    opened.label(ben, 2)
    opened.label(cem, 3)
    return opened


def test_answers_are_taken_for_what_they_are_and_for_less(labelled: CampaignFixture) -> None:
    found = agreed(labelled)
    verdict, confidence = found["verdict", OVERALL], found["confidence", OVERALL]
    assert (list(verdict.alphas), list(confidence.alphas)) == (
        ["nominal", "ordinal"],
        ["nominal", "ordinal", "interval"],
    )
    assert verdict.alpha == verdict.alphas["ordinal"]
    # two answers in use: five of one, one of the other, one pair apart
    assert confidence.alpha.value == pytest.approx(1 - (6 - 1) * 2 / (2 * 5 * 1))


def test_agreement_of_one_person_has_no_value_and_a_reason(store: Store) -> None:
    opened = make_campaign(store, items=2)
    opened.label(opened.annotator("ben"), 2)
    verdict = agreed(opened)["verdict", OVERALL]
    assert (verdict.raw.value, verdict.alpha.value, verdict.ac1.value) == (None, None, None)
    assert verdict.alpha.error
    assert verdict.kappas == {}


def test_what_was_imported_counts_under_its_error_type(store: Store) -> None:
    kinds = (ErrorType.COREFERENCE, ErrorType.EXTRINSIC_ENTITY)
    items = [
        Item(Example(kind.value, f"Document {kind}.", "It says so."), intended=Verdict.INCONSISTENT, error_type=kind)
        for kind in kinds
    ]
    store.import_dataset(DatasetSource("typed", "pairs", "typed.jsonl", "0"), items, dict)
    opened = make_campaign(store, items=1)
    opened.add_tasks([NewTask(sample.stored) for sample in load_samples(store, "typed")])
    opened.label(opened.annotator("ben"), 3)
    labels = {slice: one.labels for (question, slice), one in agreed(opened).items() if question == "verdict"}
    assert labels == {OVERALL: 3, "Coreference": 1, "Extrinsic Entity": 1}


def test_kappa_of_ordered_answers_has_the_quadratic_weights_of_scikit_learn(store: Store) -> None:
    verdicts = ["consistent", "borderline", "inconsistent"]
    rows = [(0, 0)] * 9 + [(0, 1)] * 3 + [(1, 0), (1, 1), (1, 2), (2, 1), (0, 2)] + [(2, 2)] * 3
    opened = make_campaign(store, items=len(rows), overlap=2, apart=0)
    given: dict[str, int] = {}
    answers: dict[str, list[int]] = {}
    for column, name in enumerate(("ben", "cem")):
        annotator, answers[name] = opened.annotator(name), [0] * len(rows)
        for _ in rows:
            work = opened.next_task(annotator)
            place = given.setdefault(work.left, len(given))
            verdict = verdicts[rows[place][column]]
            reason = {} if verdict == "consistent" else {"reason": "It was a boat."}
            opened.send(annotator, work, answers={"verdict": verdict, "confidence": 3, **reason})
            answers[name][place] = rows[place][column]
    agreement = agreed(opened)["verdict", OVERALL]
    [kappa] = agreement.kappas.values()
    expected = cohen_kappa_score(answers["ben"], answers["cem"], weights="quadratic")
    assert kappa.value == pytest.approx(expected)
    assert agreement.kappa_weights == "quadratic weights"


def test_the_answers_of_two_people_are_counted_against_each_other(labelled: CampaignFixture) -> None:
    verdict = agreed(labelled)["verdict", OVERALL]
    assert verdict.confusions == {("ben", "cem"): {("inconsistent", "consistent"): 1, ("consistent", "consistent"): 2}}
