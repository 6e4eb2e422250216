"""D&E and E|D: what is asked, how answers are read, and what becomes of those that cannot be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from core.errors import UnscorableError
from core.evaluation.explanations.detect import ExplainFunction, detect_and_explain, explain_given_detection
from core.types import Verdict
from tests.unit.core.evaluation.explanations.scenes import DOCUMENT, PAIR, SAMPLING, SUMMARY, Asked, told
from tests.unit.core.models.llm.scripted import Reply, text

WHY = "The harbour master said so."
ANSWERS = {
    detect_and_explain: f'{{"consistent": "no", "explanation": "{WHY}"}}',
    explain_given_detection: f'{{"explanation": "{WHY}"}}',
}
both = pytest.mark.parametrize("explain", list(ANSWERS), ids=lambda explain: explain.__name__)


def found(monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction, *answers: str | Reply) -> tuple[Any, Asked]:
    return told(monkeypatch, partial(explain, PAIR, SAMPLING), *answers)


@both
def test_an_explanation_comes_with_its_verdict_and_its_signature(
    monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction
) -> None:
    finding, [(_, body)] = found(monkeypatch, explain, ANSWERS[explain])
    assert (finding.verdict, finding.explanation) == (Verdict.INCONSISTENT, WHY)
    for part in ("|model:tiny|temperature:0|top_p:1|", "|sample:0|", "explain", "|endpoint:", "@1#"):
        assert part in finding.by
    assert [DOCUMENT in body["messages"][1]["content"], SUMMARY in body["messages"][1]["content"]] == [True, True]


@both
def test_who_thinks_signs_without_a_temperature(monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_REASONING_TOKENS", "500")
    finding, _ = found(monkeypatch, explain, ANSWERS[explain])
    assert "|model:tiny|temperature:its own|top_p:its own|max_tokens:2048+500|sample:0|" in finding.by


def test_a_consistent_summary_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    finding, _ = found(monkeypatch, detect_and_explain, '{"consistent": "yes", "explanation": "All is said."}')
    assert finding.verdict is Verdict.CONSISTENT


def test_only_who_explains_a_given_detection_is_told_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    _, [(_, open_question)] = found(monkeypatch, detect_and_explain, ANSWERS[detect_and_explain])
    _, [(_, given)] = found(monkeypatch, explain_given_detection, ANSWERS[explain_given_detection])
    assert "is inconsistent with the document" in given["messages"][1]["content"]
    assert "is inconsistent with the document" not in open_question["messages"][1]["content"]


@both
@pytest.mark.parametrize(
    "wrap", ["```json\n{}\n```", "Here it is: {}\nI hope this helps."], ids=["fenced", "trailing prose"]
)
def test_an_answer_is_found_in_a_fence_and_among_prose(
    monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction, wrap: str
) -> None:
    finding, asked = found(monkeypatch, explain, wrap.replace("{}", ANSWERS[explain]))
    assert (finding.explanation, len(asked)) == (WHY, 1)


@both
@pytest.mark.parametrize(
    "malformed",
    [
        "No.",
        '{"explanation": "The harb',
        '{"explanation": " "}',
        '{"consistent": "perhaps", "explanation": 5}',
        "[]",
    ],
    ids=["prose", "cut off", "blank", "neither yes nor no", "a list"],
)
def test_what_cannot_be_read_is_asked_for_once_more(
    monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction, malformed: str
) -> None:
    finding, asked = found(monkeypatch, explain, malformed, ANSWERS[explain])
    assert (finding.explanation, len(asked)) == (WHY, 2)


@both
def test_after_a_second_attempt_it_is_a_failure_with_the_raw_answer_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction
) -> None:
    with pytest.raises(UnscorableError, match=r"The model said: “Es ist falsch\.”"):
        found(monkeypatch, explain, "Das ist so.", "Es ist falsch.")


@both
@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (text(None, refused="I must not."), "The model refused. The model said: “I must not.”"),
        (text("{", ended="length"), "cut at its limit"),
        (text(""), "The model said nothing."),
    ],
    ids=["refused", "truncated", "empty"],
)
def test_what_is_no_answer_is_a_failure_at_once(
    monkeypatch: pytest.MonkeyPatch, explain: ExplainFunction, reply: Reply, message: str
) -> None:
    with pytest.raises(UnscorableError, match=message):
        found(monkeypatch, explain, reply)


def test_another_temperature_is_another_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = ANSWERS[detect_and_explain]
    cold, _ = found(monkeypatch, detect_and_explain, answer)
    warm, _ = told(monkeypatch, partial(detect_and_explain, PAIR, replace(SAMPLING, temperature=1.0)), answer)
    assert cold.by != warm.by
