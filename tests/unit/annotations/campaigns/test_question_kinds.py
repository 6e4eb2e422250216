"""Sliders, rankings, best-worst and soft labels: which answers fit, how they are turned, exported and compared."""

from __future__ import annotations

import io
import json
import time
import zipfile
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent
from annotations.campaigns.questions import (
    MarkedPassage,
    bundled_question_sets,
    check_answers,
    check_text_answers,
    parse_answer_edits,
    read_passage,
    read_questions,
    unswap_answers,
)
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.results.label_agreement import compute_agreements
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, save_items

ADA = Member("0", "ada", Role.MANAGER)
OPTIONS = "[{value: left, text: Left}, {value: right, text: Right}, {value: neither, text: Neither}]"
QUESTIONS = f"""
name: kinds
title: Every kind
unit: summary
measure: verdict
questions:
  - {{id: verdict, ask: Consistent, kind: choice, options: [{{value: "yes", text: "Yes"}}, {{value: "no", text: "No"}}]}}
  - {{id: quality, ask: How good, kind: slider, low: 0, high: 100}}
  - {{id: order, ask: In which order, kind: ranking, options: {OPTIONS}}}
  - {{id: ends, ask: Best and worst, kind: best-worst, options: {OPTIONS}}}
  - {{id: shares, ask: How likely, kind: soft, options: {OPTIONS}, required: false, when: {{verdict: ["no"]}}}}
"""
GIVEN = {
    "verdict": "no",
    "quality": 70,
    "order": ["right", "left", "neither"],
    "ends": ["left", "neither"],
    "shares": [70, 30, 0],
}


def test_answers_of_every_kind_are_kept_as_they_are_and_turned_with_the_sides() -> None:
    questions = read_questions(QUESTIONS)
    assert check_answers(questions, GIVEN) == GIVEN
    turned = unswap_answers(questions, GIVEN, swapped=True)
    assert turned == {
        **GIVEN,
        "order": ["left", "right", "neither"],
        "ends": ["right", "neither"],
        "shares": [30, 70, 0],
    }
    assert unswap_answers(questions, turned, swapped=True) == GIVEN


@pytest.mark.parametrize(
    "wrong",
    [
        {"quality": 101},
        {"quality": 1.5},
        {"order": ["left", "right"]},
        {"order": ["left", "left", "right"]},
        {"order": [{}, "left", "right"]},
        {"ends": ["left"]},
        {"ends": ["left", "left"]},
        {"shares": [50, 49, 0]},
        {"shares": [-10, 110, 0]},
        {"shares": [100]},
        {"shares": [True, 99, 0]},
    ],
)
def test_an_answer_that_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="no answer"):
        check_answers(read_questions(QUESTIONS), {**GIVEN, **wrong})


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("high: 100", "high: 1001", "up to 1000 steps"),
        ("kind: slider, low", f"kind: slider, options: {OPTIONS}, low", "has no options"),
        (f"best-worst, options: {OPTIONS}", "best-worst", "needs options"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(old: str, new: str, says: str) -> None:
    with pytest.raises(RecordError, match=says):
        read_questions(QUESTIONS.replace(old, new, 1))


def labelled(store: Store) -> CampaignFixture:
    made = ManagerActions(store, ADA).create("Kinds", VersionContent(QUESTIONS, "", CampaignRules(overlap=2, apart=0)))
    opened = CampaignFixture(store, made)
    opened.add_tasks([NewTask(save_items(store, number)[0]) for number in range(2)])
    for name, quality in (("ben", 70), ("cem", 60)):
        annotator = opened.annotator(name)
        for _ in range(2):
            opened.send(annotator, opened.next_task(annotator), answers={**GIVEN, "quality": quality})
    return opened


def test_every_kind_has_an_agreement_and_exports_hold_it(store: Store) -> None:
    opened = labelled(store)
    with read_session(store.engine) as session:
        found = {one.question: one for one in compute_agreements(session, opened.campaign)}
    scales = {"verdict": "nominal", "quality": "interval", "order": "ranks", "ends": "scores", "shares": "shares"}
    assert {name: one.scale for name, one in found.items()} == scales
    assert found["order"].raw.value == 1
    assert "All 4 answers are the same" in found["order"].alpha.error
    assert found["ends"].reliability is not None
    exports = ExportActions(store, ADA)

    def archive(name: str) -> zipfile.ZipFile:
        return zipfile.ZipFile(io.BytesIO(exports.file(opened.campaign.id, name, ExportTerms())))

    with archive("label-studio") as files:
        config, tasks = ElementTree.fromstring(files.read("config.xml")), json.loads(files.read("tasks.json"))
    assert {one.get("name"): one.get("required") for one in config.iter() if one.get("required")} == {
        "verdict": "true",
        "quality": "true",
        "order": "true",
        "ends": "true",
        "shares": "false",
    }
    [hidden] = [one for one in config.iter("View") if one.get("visibleWhen")]
    assert (hidden.get("whenTagName"), hidden.get("whenChoiceValue")) == ("verdict", "no")
    assert [one.get("name") for one in hidden.iter("TextArea")] == ["shares"]
    values = {one["from_name"]: one["value"] for one in tasks[0]["annotations"][0]["result"]}
    assert values["order"] == {"text": ["right", "left", "neither"]}
    assert values["shares"] == {"text": ["left: 70 %", "right: 30 %", "neither: 0 %"]}
    with archive("hf-dataset") as files:
        [table] = [name for name in files.namelist() if name.endswith(".parquet") and "label" in name] or [
            next(name for name in files.namelist() if name.endswith(".parquet"))
        ]
        rows = pq.read_table(io.BytesIO(files.read(table))).to_pylist()
        tasks = pq.read_table(io.BytesIO(files.read("tasks.parquet"))).to_pylist()
    # as Argilla asks: an id once, a label and a ranking of all values as they are
    assert len({task["item_id"] for task in tasks}) == len(tasks) == 2
    assert {(task["answer.verdict"], *task["answer.order"]) for task in tasks} == {("no", "right", "left", "neither")}
    assert sorted(rows[0]["answer_shares"][:2]) == [30, 70] if "answer_shares" in rows[0] else rows
    assert (
        "per cent of each of left, right, neither"
        in exports.file(opened.campaign.id, "data-statement", ExportTerms()).decode()
    )


@pytest.mark.parametrize("added", ["x" * 1_000_000, "the boat sank " * 70_000])
def test_the_length_of_an_edit_is_checked_before_its_differences(added: str) -> None:
    summary = "The ferry left the harbour at nine with forty crates of apples."
    edit = {"original_text": "ferry", "replace_text": added}
    began = time.perf_counter()
    with pytest.raises(RecordError, match="Keep it about as long as it was"):
        parse_answer_edits([edit], summary, "Because.")
    assert time.perf_counter() - began < 1


WITH_CATEGORIES = f"""
name: marks
title: Marks.
unit: pair
measure: verdict
questions:
  - {{id: verdict, ask: "Which side?", kind: choice, options: {OPTIONS}}}
  - id: errors
    ask: "Which words?"
    kind: span
    of: summary
    required: false
    options: [{{value: entity, text: Entity}}, {{value: number, text: Number}}]
"""


def test_a_marked_passage_has_one_of_the_categories_and_its_side() -> None:
    questions = read_questions(WITH_CATEGORIES)
    errors = questions.by_id["errors"]
    answers = {"verdict": "left", "errors": [[0, 4, "left", "number"], [5, 7, "right", "entity"]]}
    assert check_answers(questions, answers) == answers
    check_text_answers(questions, answers, "A document.", "Four came.", "Five came.")
    assert unswap_answers(questions, answers, swapped=True)["errors"] == [
        [0, 4, "right", "number"],
        [5, 7, "left", "entity"],
    ]
    assert read_passage(errors, [5, 7, "right", "entity"]) == MarkedPassage(5, 7, "right", "entity")
    for piece in ([0, 4, "left"], [0, 4, "left", "verb"], [0, 4, "number", "left"]):
        with pytest.raises(RecordError, match="is no answer"):
            check_answers(questions, {"verdict": "left", "errors": [piece]})
    with pytest.raises(RecordError, match="which side"):
        check_text_answers(questions, {"errors": [[0, 4, "number"]]}, "A document.", "Four came.", "Five came.")
    many = ", ".join(f"{{value: k{number}, text: K{number}}}" for number in range(10))
    with pytest.raises(RecordError, match="up to 9 categories"):
        read_questions(
            WITH_CATEGORIES.replace("[{value: entity, text: Entity}, {value: number, text: Number}]", f"[{many}]")
        )


def test_categories_of_passages_are_in_the_exports(store: Store) -> None:
    text = bundled_question_sets()["mark-errors"]
    made = ManagerActions(store, ADA).create("Marks", VersionContent(text, "", CampaignRules(overlap=1)))
    opened = CampaignFixture(store, made)
    opened.add_tasks([NewTask(save_items(store, 1)[0])])
    annotator = opened.annotator("ben")
    given = {"verdict": "inconsistent", "errors": [[0, 4, "number"]], "severity": "major"}
    opened.send(annotator, opened.next_task(annotator), answers=given)
    exports = ExportActions(store, ADA)
    with zipfile.ZipFile(io.BytesIO(exports.file(opened.campaign.id, "label-studio", ExportTerms()))) as files:
        config, [task] = ElementTree.fromstring(files.read("config.xml")), json.loads(files.read("tasks.json"))
    labels = [label.get("value") for label in config.iter("Label")]
    assert labels == ["entity", "number", "predicate", "circumstance", "reference", "invented", "other"]
    [region] = [one for one in task["annotations"][0]["result"] if one["type"] == "labels"]
    assert (region["value"]["labels"], region["value"]["start"], region["value"]["end"]) == (["number"], 0, 4)
    with zipfile.ZipFile(io.BytesIO(exports.file(opened.campaign.id, "hf-dataset", ExportTerms()))) as files:
        [row] = pq.read_table(io.BytesIO(files.read("tasks.parquet"))).to_pylist()
    assert row["answer.errors"] == [{"start": 0, "end": 4, "side": "summary", "category": "number"}]
