"""Records with known answers become tasks, or a sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest

from annotations.campaigns.candidates import parse_known_task
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.records import RecordError

SUMMARIES = read_questions(bundled_question_sets()["label-summaries"])
TEXTS = {"document": "The quay was shut.", "summary": "It was open."}


def test_texts_with_answers_become_a_task_of_their_part() -> None:
    row = {**TEXTS, "part": "training", "original": "It was shut.", "feedback": "Shut, not open."}
    task = parse_known_task({**row, "answers": {"verdict": "inconsistent"}}, SUMMARIES, "ada")
    assert (task.part, task.key, task.feedback) == ("training", {"verdict": "inconsistent"}, "Shut, not open.")
    assert task.pair is not None
    assert (task.pair.original, [edit.new for edit in task.pair.edits]) == ("It was shut.", ["open"])


def test_an_item_of_the_store_is_named_by_its_id() -> None:
    task = parse_known_task({"item": "0123", "answers": '{"verdict": "consistent"}'}, SUMMARIES, "ada")
    assert (task.item_id, task.pair, task.part, task.key) == ("0123", None, "gold", {"verdict": "consistent"})


def test_a_table_has_a_column_for_each_answer() -> None:
    cells = {"answers.verdict": "consistent", "answers.confidence": "4", "answers.reason": ""}
    assert parse_known_task({**TEXTS, **cells}, SUMMARIES, "ada").key == {"verdict": "consistent", "confidence": 4}


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
        parse_known_task(row, SUMMARIES, "ada")
