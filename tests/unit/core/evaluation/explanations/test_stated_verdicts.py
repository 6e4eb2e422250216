"""Which verdict the words of an explanation speak for, and when they contradict the verdict that was given."""

from __future__ import annotations

import pytest

from core.evaluation.explanations.checks import contradicts_itself, stated_verdict
from core.types import Verdict


@pytest.mark.parametrize(
    "words",
    [
        "The summary is consistent with the document.",
        "The summary is factually accurate because it tells what the document says.",
        "There is no error in the summary.",
        "The claim is supported by the document.",
    ],
)
def test_words_that_call_a_summary_right(words: str) -> None:
    assert stated_verdict(words) is Verdict.CONSISTENT


@pytest.mark.parametrize(
    "words",
    [
        "The summary is not consistent with the document.",
        "The statement is incorrect: it was Tuesday.",
        "This contradicts the document.",
        "No, the summary is inaccurate.",
        "It isn’t mentioned in the document.",
    ],
)
def test_words_that_call_a_summary_wrong(words: str) -> None:
    assert stated_verdict(words) is Verdict.INCONSISTENT


@pytest.mark.parametrize(
    "words",
    [
        "",
        "It was Tuesday, not Friday.",
        "The summary is partially correct.",
        "The first statement is correct. The second statement is false.",
    ],
    ids=["nothing", "the facts alone", "qualified", "both"],
)
def test_words_that_decide_nothing_contradict_no_verdict(words: str) -> None:
    assert stated_verdict(words) is None
    assert not any(contradicts_itself(verdict, words) for verdict in Verdict)


def test_an_explanation_contradicts_the_verdict_that_it_was_given_for() -> None:
    words = "The summary is consistent with the document."
    assert contradicts_itself(Verdict.INCONSISTENT, words)
    assert not contradicts_itself(Verdict.CONSISTENT, words)
