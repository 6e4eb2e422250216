"""What could be labelled, which of it fits the questions, and the tasks that it becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotations.campaigns.questions import QuestionSet, bundled_question_sets, read_questions
from annotations.management.candidates import (
    Candidate,
    candidate_from_pair,
    candidates_from_items,
    draw_candidates,
    fits_questions,
    likely_answer,
    parse_known_task,
    tasks_for_candidate,
)
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import LOCAL_LABELS, RecordError
from annotations.store.store import Store
from core.types import Edit, ErrorType, Example, GradedExplanation, Item, Span, Verdict
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.annotations.pair_samples import DOCUMENT, EDITED, EDITS, ORIGINAL, PAIR, record

SETS: dict[str, QuestionSet] = {name: read_questions(text) for name, text in bundled_question_sets().items()}


@pytest.fixture
def manager(store: Store) -> ManagerActions:
    return ManagerActions(store, Member("0", "ada", Role.MANAGER))


def an_import(store: Store) -> None:
    items = [
        Item(Example("a", DOCUMENT, ORIGINAL), intended=Verdict.CONSISTENT),
        Item(
            Example("a/edited", DOCUMENT, EDITED),
            parent="a",
            edits=EDITS,
            intended=Verdict.INCONSISTENT,
            explanations=(
                GradedExplanation("It sold none.", "a model"),
                GradedExplanation("All of it is said.", "another", verdict=Verdict.CONSISTENT),
            ),
        ),
        Item(Example("b", "", "A summary whose document is missing.")),
    ]
    store.import_dataset(DatasetSource("tugs", "pairs", "tugs.jsonl", "0"), items, dict)


def test_what_was_imported_can_be_labelled_where_its_document_is_there(store: Store, manager: ManagerActions) -> None:
    an_import(store)
    original, edited = manager.candidates("tugs")
    assert (original.name, original.edited, original.explanations) == ("a", False, ())
    assert (edited.name, edited.edited, edited.intended) == ("a/edited", True, Verdict.INCONSISTENT)
    assert [reason.text for reason in edited.explanations] == ["It sold none.", EDITS[0].explanation]


def test_saved_and_explained_pairs_can_be_labelled(store: Store, manager: ManagerActions) -> None:
    store.save_pair(PAIR)
    store.save_label(record())
    [edited] = [one for one in manager.candidates(LOCAL_LABELS) if one.edited]
    known = {reason.text: bool(reason.id) for reason in edited.explanations}
    assert known == {EDITS[0].explanation: False, "The board sold them.": True}


def test_pairs_need_an_original_and_explanations_a_text() -> None:
    edited, alone = (
        candidate_from_pair("x", PAIR),
        candidate_from_pair("y", replace(PAIR, edited=ORIGINAL, edits=(), outcomes=())),
    )
    silent = candidate_from_pair("z", replace(PAIR, edits=(Edit(Span(10, 16), "sold"),)))
    assert [fits_questions(one, SETS["label-summaries"]) for one in (edited, alone, silent)] == [True, True, True]
    assert [fits_questions(one, SETS["label-pairs"]) for one in (edited, alone, silent)] == [True, False, True]
    assert [fits_questions(one, SETS["judge-explanations"]) for one in (edited, alone, silent)] == [True, False, False]


def test_questions_about_one_edit_are_not_asked_of_several_nor_those_about_any_of_none_explained() -> None:
    single = candidate_from_pair("x", PAIR)
    several = replace(single, edit_count=2)
    unedited = replace(single, edited=False, edit_count=0)
    asked = {name: [fits_questions(one, SETS[name]) for one in (single, several, unedited)] for name in SETS}
    assert asked["edit-quality"] == [True, False, False]
    assert asked["judge-explanations"] == [True, True, False]
    assert asked["judge-summary-explanations"] == [True, True, True]
    assert not fits_questions(replace(unedited, explanations=()), SETS["judge-summary-explanations"])


def test_the_explanation_of_a_summary_without_an_edit_becomes_a_task(store: Store, manager: ManagerActions) -> None:
    explained = Item(
        Example("c", DOCUMENT, EDITED), explanations=(GradedExplanation("The board sold them.", "a model"),)
    )
    store.import_dataset(DatasetSource("alone", "pairs", "alone.jsonl", "0"), [explained], dict)
    [candidate] = manager.candidates("alone")
    assert (candidate.edited, candidate.edit_count) == (False, 0)
    opened = make_campaign(store, "judge-summary-explanations", items=0)
    assert opened.add_tasks(tasks_for_candidate(candidate, opened.campaign.questions)) == 1
    shown = opened.next_task(opened.annotator("bo"))
    assert (shown.left, shown.right, shown.explanation) == (EDITED, None, "The board sold them.")
    opened.campaign = replace(opened.campaign, questions=SETS["judge-explanations"])
    with pytest.raises(RecordError, match="Choose items that were edited"):
        opened.add_tasks(tasks_for_candidate(candidate, opened.campaign.questions))


def test_each_error_type_is_to_be_written_once() -> None:
    candidate = candidate_from_pair("x", PAIR)
    made = tasks_for_candidate(candidate, SETS["write-typed"], [ErrorType.COREFERENCE, ErrorType.EXTRINSIC_ENTITY])
    assert [task.asked["error_type"] for task in made] == ["Coreference", "Extrinsic Entity"]
    assert len(tasks_for_candidate(candidate, SETS["label-pairs"])) == 1


def test_where_any_error_may_be_written_a_summary_is_one_item() -> None:
    [task] = tasks_for_candidate(candidate_from_pair("x", PAIR), SETS["write-free"], list(ErrorType))
    assert task.asked == {}


@pytest.mark.parametrize("name", [name for name, questions in SETS.items() if questions.unit == "explanation"])
def test_what_is_said_of_a_harmless_edit_is_no_explanation_of_an_error(name: str) -> None:
    broken = candidate_from_pair("x", PAIR)
    assert fits_questions(replace(broken, intended=Verdict.INCONSISTENT), SETS[name])
    assert fits_questions(replace(broken, intended=None), SETS[name])
    assert not fits_questions(replace(broken, intended=Verdict.CONSISTENT), SETS[name])


def test_each_explanation_is_judged_by_itself(store: Store, manager: ManagerActions) -> None:
    an_import(store)
    *_, edited = manager.candidates("tugs")
    made = tasks_for_candidate(edited, SETS["judge-explanations"])
    assert [task.asked["explanation"] for task in made] == ["It sold none.", EDITS[0].explanation]


def test_a_draw_is_the_same_for_the_same_seed_and_keeps_the_order() -> None:
    pool = [Candidate(f"n{number:02}", "A summary.", edited=True) for number in range(40)]
    some = draw_candidates(pool, 10, seed=3)
    assert (some, len(some)) == (draw_candidates(pool, 10, seed=3), 10)
    assert some == sorted(some, key=lambda one: one.name)
    assert some != draw_candidates(pool, 10, seed=4)
    assert draw_candidates(pool, 100, seed=3) == pool


@pytest.mark.parametrize(
    ("name", "intended", "answer"),
    [
        ("label-summaries", Verdict.INCONSISTENT, "inconsistent"),
        ("label-summaries", Verdict.BORDERLINE, "borderline"),
        ("label-pairs", Verdict.INCONSISTENT, "right"),
        ("label-pairs", Verdict.CONSISTENT, "neither"),
        ("label-pairs", Verdict.BORDERLINE, ""),
        ("label-pairs", None, ""),
        ("judge-explanations", Verdict.INCONSISTENT, ""),
    ],
)
def test_the_likely_answer_is_what_was_meant(name: str, intended: Verdict | None, answer: str) -> None:
    assert likely_answer(replace(candidate_from_pair("x", PAIR), intended=intended), SETS[name]) == answer


TEXTS = {"document": "The quay was shut.", "summary": "It was open."}


def test_texts_with_answers_become_a_task_of_their_part() -> None:
    row = {**TEXTS, "part": "training", "original": "It was shut.", "feedback": "Shut, not open."}
    task = parse_known_task({**row, "answers": {"verdict": "inconsistent"}}, SETS["label-summaries"], "ada")
    assert (task.part, task.key, task.feedback) == ("training", {"verdict": "inconsistent"}, "Shut, not open.")
    assert task.pair is not None
    assert (task.pair.original, [edit.new for edit in task.pair.edits]) == ("It was shut.", ["open"])


def test_an_item_of_the_store_is_named_by_its_id() -> None:
    task = parse_known_task({"item": "0123", "answers": '{"verdict": "consistent"}'}, SETS["label-summaries"], "ada")
    assert (task.item_id, task.pair, task.part, task.key) == ("0123", None, "gold", {"verdict": "consistent"})


def test_a_table_has_a_column_for_each_answer() -> None:
    cells = {"answers.verdict": "consistent", "answers.confidence": "4", "answers.reason": ""}
    assert parse_known_task({**TEXTS, **cells}, SETS["label-summaries"], "ada").key == {
        "verdict": "consistent",
        "confidence": 4,
    }


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({**TEXTS, "verdict": "consistent"}, "There is no field 'verdict'. The fields are part, item"),
        ({**TEXTS, "part": "exam"}, "The part is 'exam'. It is one of training, qualification, work, gold"),
        ({"document": "The quay was shut."}, "neither an item nor a document with its summary"),
        ({**TEXTS, "answers": {"verdict": "maybe"}}, "'maybe' is no answer"),
        ({**TEXTS, "answers": {"mood": "good"}}, "There is no question 'mood'"),
        ({**TEXTS, "answers": "verdict=consistent"}, "are no JSON"),
        ({**TEXTS, "answers": ["consistent"]}, "no object of question ids"),
        ({**TEXTS, "document": 7}, "The field 'document' is no text"),
    ],
)
def test_a_record_that_is_none_is_refused_with_its_field(row: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        parse_known_task(row, SETS["label-summaries"], "ada")


def test_rows_with_the_same_texts_are_one_item_with_the_cells_of_all() -> None:
    rows = [("1", "north", ""), ("2", "south", "x"), ("3", "north", "")]
    items = [
        Item(Example(id, "A boat came.", "A boat came."), columns=(("id", id), ("system", system), ("note", note)))
        for id, system, note in rows
    ]
    other = Item(Example("4", "", "It came."), columns=(("id", "4"),))
    [candidate], missing = candidates_from_items([*items, other], "boats.csv")
    assert dict(candidate.columns) == {"id": "1; 2; 3", "system": "north; south", "note": "x"}
    assert missing == 1


def test_a_cell_with_semicolons_is_not_doubled_by_a_row_with_the_same_texts() -> None:
    rows = [("1", "fog; night"), ("2", "fog; night"), ("3", "fog")]
    items = [
        Item(Example(id, "A boat came.", "A boat came."), columns=(("id", id), ("tags", tags))) for id, tags in rows
    ]
    [candidate], _ = candidates_from_items(items, "boats.csv")
    assert candidate.columns["tags"] == "fog; night; fog"


def test_an_edited_item_of_a_file_comes_with_its_original() -> None:
    edit = Edit(Span(0, 1), "No", "")
    plain = Item(Example("1", "A boat came.", "A boat came."))
    edited = Item(Example("1/edited", "A boat came.", "No boat came."), parent="1", edits=(edit,))
    _, candidate = candidates_from_items([plain, edited], "boats.csv")[0]
    assert candidate.pair is not None
    assert (candidate.pair.original, candidate.pair.edited) == ("A boat came.", "No boat came.")
    assert candidate.columns == {"id": "1/edited"}
