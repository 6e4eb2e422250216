"""Grades, places and verdicts are read in the words that models use for them."""

from __future__ import annotations

import json

import pytest

from core.errors import UnreadableAnswerError
from core.evaluation.explanations.detect import Detected
from core.evaluation.explanations.judge import Graded
from core.evaluation.explanations.pairwise import Compared
from core.models.llm.structured import read_structured


@pytest.mark.parametrize(
    ("words", "grade"),
    [
        ("entirely", "entirely"),
        ("Entirely", "entirely"),
        ("entirely correct", "entirely"),
        ("Entirely Correct.", "entirely"),
        ("**partially**", "partially"),
        ("partially_correct", "partially"),
        ("Not", "not"),
        ("not correct", "not"),
        ("Incorrect", "not"),
    ],
)
def test_a_grade_is_read_however_it_is_spelled(words: str, grade: str) -> None:
    assert read_structured(json.dumps({"because": "It is so.", "grade": words}), Graded).grade == grade


@pytest.mark.parametrize("words", ["entirely not", "3", "good", ""])
def test_other_words_are_no_grade(words: str) -> None:
    with pytest.raises(UnreadableAnswerError, match="grade"):
        read_structured(json.dumps({"because": "It is so.", "grade": words}), Graded)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("First", "first"),
        ("the second summary", "second"),
        ("Summary 2", "second"),
        ("tie", "same"),
        ("Both", "same"),
        ("same", "same"),
    ],
)
def test_a_place_is_read_however_it_is_spelled(words: str, place: str) -> None:
    answer = json.dumps({"because": "It is so.", "more_consistent": words})
    assert read_structured(answer, Compared).more_consistent == place


def test_other_words_are_no_place() -> None:
    with pytest.raises(UnreadableAnswerError, match="more_consistent"):
        read_structured('{"because": "x", "more_consistent": "third"}', Compared)


@pytest.mark.parametrize("answer", ['{"consistent": "yes"}', '{"consistent": "Yes.", "explanation": null}'])
def test_a_yes_needs_no_explanation(answer: str) -> None:
    found = read_structured(answer, Detected)
    assert (found.consistent, found.explanation) == ("yes", "")


@pytest.mark.parametrize("answer", ['{"consistent": "no"}', '{"consistent": "no", "explanation": " "}'])
def test_a_no_needs_one(answer: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=r"explanation|it is empty"):
        read_structured(answer, Detected)
