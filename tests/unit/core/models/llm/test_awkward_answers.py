"""Answers as servers send them: where they end, what they cost, and the reasoning in front of them."""

from __future__ import annotations

from typing import Any

import pytest

from core.edits.editing.editor import EditedSummaries
from core.errors import UnreadableAnswerError
from core.models.llm.chat import answer_text
from core.models.llm.client.completions import Completion, read_completion, read_first_token, read_stream
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.structured import read_structured
from core.scoring.metrics.bespoke_minicheck import yes_probability
from core.scoring.metrics.direct_assessment import Mark
from core.types import Answer

HERE = Endpoint("http://one.example/v1", "")


def read(message: object, ended: object = "stop", usage: object = None) -> Completion:
    choice = {"index": 0, "finish_reason": ended, "message": message}
    return read_completion({"choices": [choice], "usage": usage}, HERE)


def said(message: object, ended: object = "stop") -> str:
    found = read(message, ended)
    return answer_text(Answer(texts=(found.text, found.finish_reason)))


@pytest.mark.parametrize("ended", ["stop", "eos", "eos_token", "STOP", "end_turn"])
def test_a_natural_end_is_whole(ended: str) -> None:
    assert said({"content": "Rain fell."}, ended) == "Rain fell."


@pytest.mark.parametrize(
    "ended", ["error", "abort", "model_length", "length", "content_filter", "tool_calls", "unknown", "", None, 7]
)
def test_any_other_end_is_no_answer(ended: object) -> None:
    with pytest.raises(UnreadableAnswerError, match="Rain fe"):
        said({"content": "Rain fe"}, ended)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, (0, 3)),
        ({}, (0, 3)),
        ("many", (0, 3)),
        ([], (0, 3)),
        ({"prompt_tokens": None, "completion_tokens": None}, (0, 3)),
        ({"prompt_tokens": -5, "completion_tokens": -9}, (0, 3)),
        ({"prompt_tokens": "12", "completion_tokens": "4"}, (12, 4)),
        ({"prompt_tokens": 12.0, "completion_tokens": 4.0}, (12, 4)),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, (0, 3)),
        ({"prompt_tokens": 10**30, "completion_tokens": True}, (0, 3)),
        ({"prompt_tokens": 12, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 3}}, (12, 4)),
        (
            {"prompt_tokens": 12, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 90}},
            (12, 94),
        ),
        ({"prompt_tokens": 12, "completion_tokens": 4, "completion_tokens_details": None}, (12, 4)),
    ],
    ids=str,
)
def test_an_odd_usage_costs_no_answer_and_is_never_negative(usage: object, tokens: tuple[int, int]) -> None:
    found = read({"content": "Rain fell."}, usage=usage)
    assert (found.text, found.prompt_tokens, found.completion_tokens) == ("Rain fell.", *tokens)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "Rain "}, {"type": "text", "text": "fell."}], "Rain fell."),
        (["Rain ", "fell."], "Rain fell."),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Rain."}],
            "Rain.",
        ),
        ("A half \ud83d and a \x00.", "A half \N{REPLACEMENT CHARACTER} and a \N{REPLACEMENT CHARACTER}."),
        ("A pair \ud83d\ude00.", "A pair 😀."),
    ],
    ids=["parts", "texts", "thinking part", "surrogate and NUL", "pair"],
)
def test_content_is_read_in_every_form(content: object, text: str) -> None:
    assert said({"content": content}) == text


@pytest.mark.parametrize(
    "text",
    [
        "<think>It rained.</think>\n\nYes.",
        "<thinking>It rained.</thinking>Yes.",
        "<THINK>It rained.</THINK> <think></think> Yes.",
        "It rained, I think.\nSo it did.\n</think>\n\nYes.",
        "[THINK]It rained.[/THINK]Yes.",
        "<|channel|>analysis<|message|>It rained.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
        "<|start|>assistant<|channel|>final<|message|>Yes.<|end|>",
        "analysisThe summary says it rained.assistantfinalYes.",
        "analysisIt rained.assistantcommentaryNothing.assistantfinalYes.",
    ],
)
def test_reasoning_is_no_part_of_an_answer(text: str) -> None:
    assert said({"content": text}) == "Yes."


@pytest.mark.parametrize(
    "text", ['{"because": "The page says </think>, not more."}', "It says analysis.", "Its finals are <think>."]
)
def test_an_answer_that_speaks_of_such_marks_stays_whole(text: str) -> None:
    assert said({"content": text}) == text


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": "It rained."},
        {"content": "", "reasoning": "It rained."},
        {"content": "<think>It rained."},
        {"content": "<think>It rained.</think>"},
        {"content": "<|channel|>analysis<|message|>It rained."},
    ],
)
def test_reasoning_without_an_answer_is_named(message: object) -> None:
    with pytest.raises(UnreadableAnswerError, match=r"^Only reasoning came, and no answer.*It rained"):
        said(message)


def test_reasoning_beside_the_answer_is_counted_and_left_out() -> None:
    found = read({"content": "Yes.", "reasoning_content": "x" * 396})
    assert (found.text, found.completion_tokens) == ("Yes.", 100)
    pieces = [{"choices": [{"delta": {"reasoning": "x" * 396}}]}, {"choices": [{"delta": {"content": "Yes."}}]}]
    end: dict[str, Any] = {"choices": [{"delta": None, "finish_reason": "stop"}], "usage": {}}
    assert read_stream([*pieces, end], HERE) == Completion("Yes.", "stop", 0, 100, reasoned=True)


def first_tokens(*top: object) -> float:
    answer = {"choices": [{"logprobs": {"content": [{"token": "x", "top_logprobs": list(top)}]}}], "usage": None}
    found = read_first_token(answer, HERE)
    return yes_probability(Answer(values=found.probabilities, texts=found.tokens))


@pytest.mark.parametrize("token", ["Yes", "yes", " Yes", "▁Yes", "ĠYes", "YES", "\nYes"])
def test_yes_is_found_behind_blanks_and_marks(token: str) -> None:
    assert first_tokens({"token": token, "logprob": -0.0}, {"token": "No", "logprob": -9}) == 1.0


def test_where_no_is_found_and_yes_is_not_the_score_is_0() -> None:
    assert first_tokens({"token": " No", "logprob": -0.1}, {"token": "Maybe", "logprob": -9}) == 0.0


@pytest.mark.parametrize(
    "top",
    [
        [],
        [{"token": "<think>", "logprob": -0.1}],
        [{"token": "Yes", "logprob": None}],
        [{"token": None, "logprob": -0.1}],
        [None],
        [{"token": "The", "logprob": -0.1}, {"token": "Yesterday", "logprob": -2}],
        [{"token": "Yes", "logprob": float("nan")}],
    ],
    ids=["none", "reasoning", "no number", "no token", "null", "other words", "nan"],
)
def test_neither_yes_nor_no_is_no_score(top: list[object]) -> None:
    with pytest.raises(UnreadableAnswerError, match="neither Yes nor No"):
        first_tokens(*top)


@pytest.mark.parametrize("score", ["73", 73, "73.0", " 73 ", "73%", "73/100", 73.0])
def test_a_mark_may_be_written_as_a_text(score: object) -> None:
    assert read_structured(f'{{"score": {score!r}}}'.replace("'", '"'), Mark).score == 73


@pytest.mark.parametrize("score", ['"high"', "true", "null", '"173"', "-1", '"7-3"', "NaN", "[73]"])
def test_what_is_no_mark_is_refused(score: str) -> None:
    with pytest.raises(UnreadableAnswerError, match="score"):
        read_structured(f'{{"score": {score}}}', Mark)


@pytest.mark.parametrize("name", ["summaries", "edits", "edited_summaries"])
def test_edited_summaries_may_be_called_edits(name: str) -> None:
    found = read_structured(f'{{"{name}": [{{"edited_summary": "It rained.", "explanation": "x"}}]}}', EditedSummaries)
    assert found.summaries[0].edited_summary == "It rained."
