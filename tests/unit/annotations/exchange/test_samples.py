"""A campaign as a dataset: which label each item gets, and what has none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlmodel import select

from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.samples import (
    campaign_datasets,
    count_texts,
    format_description,
    load_description,
    load_samples,
    load_texts,
)
from annotations.labelling.labelling import AnnotatorActions, load_revealed_scores
from annotations.management.candidates import tasks_for_candidate
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.results.resolution import Resolution
from annotations.store.campaign_tables import Task
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import RecordError
from annotations.store.response_tables import Adjudication
from annotations.store.store import Store
from core.types import Edit, Example, Grade, GradedExplanation, Item, Result, Sample, Seen, Span, Verdict
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign

BOATS = "campaign: Boats"
GOOD = {"verdict": "consistent", "confidence": 4}
BAD = {"verdict": "inconsistent", "confidence": 4, "reason": "It was a boat."}


def label(opened: CampaignFixture, person: str, answers: Mapping[str, Mapping[str, Any]]) -> list[ShownTask]:
    """Answer every item by the number of its boat."""
    annotator, works = opened.annotator(person), []
    for _ in answers:
        works.append(opened.next_task(annotator))
        opened.send(annotator, works[-1], answers=answers[works[-1].document[5]])
    return works


def decide(opened: CampaignFixture, answers: Mapping[str, Any]) -> None:
    """Settle the only task."""
    with opened.store.writing() as session:
        task = session.exec(select(Task.id)).one()
        when = datetime(2026, 1, 1, tzinfo=UTC)
        values: dict[str, Any] = {
            "cause": "annotator slip",
            "note": "",
            "settles": [1, 2],
            "by": "dia",
            "event_id": "decided",
        }
        session.add(Adjudication(task_id=task, revision=1, answers=dict(answers), created_at=when, **values))


def labels(store: Store) -> dict[str, Verdict | None]:
    """Boat number → label of its edited summary."""
    return {
        sample.item.example.summary[5]: sample.item.intended for sample in load_samples(store, BOATS) if changed(sample)
    }


def changed(sample: Sample) -> bool:
    return sample.item.parent is not None


def test_what_most_people_say_is_the_label_and_a_draw_has_none(store: Store) -> None:
    opened = make_campaign(store, items=3, overlap=3)
    label(opened, "ben", {"0": BAD, "1": BAD, "2": GOOD})
    label(opened, "cem", {"0": BAD, "1": BAD, "2": BAD})
    label(opened, "dia", {"0": BAD, "1": GOOD, "2": {"verdict": "borderline", "confidence": 1, "reason": "Unclear."}})
    assert labels(store) == {"0": Verdict.INCONSISTENT, "1": Verdict.INCONSISTENT, "2": None}
    assert campaign_datasets(store) == [BOATS]
    sentences = " ".join(format_description(load_description(store, BOATS)))
    assert "Labels: 1 unanimous, 1 by majority, 1 unresolved." in sentences
    assert "3 people gave 9 first blind labels; Krippendorff's alpha (ordinal)" in sentences


def test_a_decision_takes_precedence_over_labels(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=2)
    label(opened, "ben", {"0": BAD})
    label(opened, "cem", {"0": GOOD})
    assert labels(store) == {"0": None}
    decide(opened, BAD)
    assert labels(store) == {"0": Verdict.INCONSISTENT}
    assert load_description(store, BOATS).counts == {Resolution.ADJUDICATED: 1}


def test_one_person_is_enough_and_a_changed_mind_counts(store: Store) -> None:
    opened = make_campaign(store, items=1)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    opened.send(annotator, work, answers=GOOD)
    opened.send(annotator, work, answers=BAD)
    assert labels(store) == {"0": Verdict.INCONSISTENT}
    assert load_description(store, BOATS).counts == {Resolution.SINGLE: 1}


def test_labels_given_after_a_score_was_seen_do_not_count(store: Store) -> None:
    opened = make_campaign(store, items=1, reveal=True)
    person = opened.person("ben")
    annotator = AnnotatorActions(store, person)
    work = opened.next_task(annotator)
    opened.send(annotator, work, answers=GOOD)
    load_revealed_scores(store, person, work.reservation)
    opened.send(annotator, work, answers=BAD)
    assert labels(store) == {"0": Verdict.CONSISTENT}


def test_a_decision_that_a_later_label_contradicts_is_open_again(store: Store) -> None:
    opened = make_campaign(store, items=1, overlap=3)
    label(opened, "ben", {"0": BAD})
    label(opened, "cem", {"0": GOOD})
    decide(opened, BAD)
    label(opened, "eva", {"0": GOOD})
    assert labels(store) == {"0": None}


@pytest.mark.parametrize(
    ("side", "original", "edited"),
    [
        ("right", Verdict.CONSISTENT, Verdict.INCONSISTENT),
        ("left", Verdict.INCONSISTENT, Verdict.CONSISTENT),
        ("both", Verdict.INCONSISTENT, Verdict.INCONSISTENT),
        ("neither", Verdict.CONSISTENT, Verdict.CONSISTENT),
        ("cannot tell", Verdict.BORDERLINE, Verdict.BORDERLINE),
    ],
)
def test_the_answer_to_a_pair_labels_both_sides(store: Store, side: str, original: Verdict, edited: Verdict) -> None:
    opened = make_campaign(store, "label-pairs", items=1)
    annotator = opened.annotator("ben")
    work = opened.next_task(annotator)
    mirrored = {"left": "right", "right": "left"} if work.right == "Boat 0 took crates." else {}
    details = (
        {"error_type": "Coreference", "explanation": "Raft is wrong."} if side in {"left", "right", "both"} else {}
    )
    opened.send(annotator, work, answers={"unfaithful": mirrored.get(side, side), **details})
    before, after = load_samples(store, BOATS)
    assert (before.item.intended, after.item.intended) == (original, edited)
    assert after.item.error_type == details.get("error_type")


def test_a_graded_explanation_has_its_author_and_agreed_grade(store: Store) -> None:
    opened = make_campaign(store, "judge-explanations", items=1, overlap=2)
    for person in ("ben", "cem"):
        annotator = opened.annotator(person)
        opened.send(annotator, opened.next_task(annotator), answers={"grade": "partially", "cause": "vague"})
    [sample] = filter(changed, load_samples(store, BOATS))
    [given] = sample.item.explanations
    assert (given.text, given.by, given.grade, given.judge) == ("It was a boat.", "ada", "partially", "unanimous")
    assert sample.item.intended is Verdict.INCONSISTENT


def test_the_grade_of_an_explanation_of_a_summary_without_an_edit_is_one_that_scores_know(store: Store) -> None:
    for name, text in bundled_question_sets().items():
        asked = read_questions(text)
        if asked.measure == "grade":
            assert {*asked.by_id["grade"].values} == {grade.value for grade in Grade}, name
    opened = make_campaign(store, "judge-summary-explanations", items=0)
    alone = Item(Example("c", "It ran.", "It flew."), explanations=(GradedExplanation("It ran.", "a model"),))
    store.import_dataset(DatasetSource("alone", "pairs", "alone.jsonl", "0"), [alone], dict)
    manager = ManagerActions(store, opened.person("boss", Role.MANAGER))
    [candidate] = manager.candidates("alone")
    opened.add_tasks(tasks_for_candidate(candidate, opened.campaign.questions))
    annotator = opened.annotator("ben")
    opened.send(annotator, opened.next_task(annotator), answers={"grade": "not"})
    [sample] = load_samples(store, BOATS)
    assert [(one.text, one.by, one.grade) for one in sample.item.explanations] == [("It ran.", "a model", "not")]


def test_who_wrote_an_explanation_that_was_imported_is_known_again(store: Store) -> None:
    opened = make_campaign(store, "judge-explanations", items=1)
    edit = Edit(Span(0, 4), "Raft", "It was a boat.")
    original = Item(Example("a", "Boat 0 took 0 crates to the mill.", "Boat 0 took crates."))
    edited = Item(Example("b", original.example.document, "Raft 0 took crates."), parent="a", edits=(edit,))
    graded = GradedExplanation("It was a boat.", "a model", verdict=Verdict.INCONSISTENT)
    answer = Item(Example("b", "", ""), explanations=(graded,))  # which came later, without the texts
    for number, items in enumerate(([original, edited], [answer])):
        store.import_dataset(DatasetSource("boats", "pairs", f"boats-{number}.jsonl", str(number)), items, dict)
    annotator = opened.annotator("ben")
    opened.send(annotator, opened.next_task(annotator), answers={"grade": "entirely"})
    [sample] = filter(changed, load_samples(store, BOATS))
    assert [(given.by, given.grade) for given in sample.item.explanations] == [("a model", "entirely")]


def test_what_was_written_for_a_campaign_is_a_pair_of_it(store: Store) -> None:
    opened = make_campaign(store, "write-free", items=1)
    annotator = opened.annotator("ben")
    edit = [{"original_text": "crates", "replace_text": "barrels"}]
    opened.send(
        annotator,
        opened.next_task(annotator),
        answers={"possible": "yes", "edit": edit, "explanation": "They were crates."},
    )
    [written] = [sample for sample in load_samples(store, BOATS) if "barrels" in sample.item.example.summary]
    assert (written.item.intended, changed(written)) == (Verdict.INCONSISTENT, True)


def test_a_campaign_without_a_label_is_no_dataset(store: Store) -> None:
    make_campaign(store)
    assert campaign_datasets(store) == []
    with pytest.raises(RecordError, match="There are: Boats"):
        load_samples(store, "campaign: Boots")


def test_scores_of_the_texts_come_with_the_labels(store: Store) -> None:
    opened = make_campaign(store, items=1)
    label(opened, "ben", {"0": BAD})
    texts = list(load_texts(store, BOATS))
    assert count_texts(store, BOATS) == len(texts)
    scores = [Result(text.id, "rouge2", "rouge2|v1", 0.5, (), Seen(), 0.01, "cpu") for text in texts]
    store.save_outcomes(scores)
    assert len(texts) == 2
    assert [sample.kept[0].value for sample in load_samples(store, BOATS)] == [0.5, 0.5]


def test_no_import_takes_the_name_of_a_campaign() -> None:
    with pytest.raises(RecordError, match="another name"):
        DatasetSource(BOATS, "pairs", "f", "00")
