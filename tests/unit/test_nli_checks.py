"""Does a variant contradict its original? Marks of an entailment model and of a language model."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from core.errors import UnscorableError
from core.nli_check import NLI_CHECKS, NliResult
from core.types import Answer, Question
from tests.drive import drive
from tests.unit.llm.scripted import serving, text

ORIGINAL = "A storm closed the harbour on Tuesday. Nobody was hurt in the storm."
ENTAILMENT = NLI_CHECKS.parse("entailment")
VARIANT = "On Tuesday the harbour was closed. Nobody was hurt in the storm."


def entailed(variant: str, contradictions: Mapping[str, float]) -> NliResult:
    """The mark where a model gives these probabilities of contradiction to the sentences of a variant."""
    rounds: Generator[list[Question], list[Answer], NliResult] = ENTAILMENT.rounds(ORIGINAL, variant)
    shares = [contradictions[question.inputs[1]] for question in next(rounds)]
    with pytest.raises(StopIteration) as end:
        rounds.send([Answer(values=(0.9 * (1 - share), share, 0.1 * (1 - share))) for share in shares])
    mark: NliResult = end.value.value
    return mark


def test_the_most_contradicting_sentence_decides() -> None:
    first, second = "On Tuesday the harbour was closed.", "Nobody was hurt in the storm."
    mark = entailed(VARIANT, {first: 0.8, second: 0.1})
    assert (mark.contradicts, mark.by) == (True, ENTAILMENT.spec)
    assert mark.probability == pytest.approx(0.8)
    assert not entailed(VARIANT, {first: 0.4, second: 0.3}).contradicts


def test_every_sentence_is_read_against_the_whole_original() -> None:
    questions = next(ENTAILMENT.rounds(ORIGINAL, VARIANT))
    assert [question.inputs for question in questions] == [
        (ORIGINAL, "On Tuesday the harbour was closed."),
        (ORIGINAL, "Nobody was hurt in the storm."),
    ]
    assert {question.checkpoint.source for question in questions} == {"tals/albert-xlarge-vitaminc-mnli"}


def test_what_cannot_be_read_is_not_marked_as_harmless() -> None:
    with pytest.raises(UnscorableError, match="long enough"):
        next(ENTAILMENT.rounds(ORIGINAL, "It closed."))


def test_a_sentence_that_was_not_read_is_noted() -> None:
    mark = entailed("On Tuesday the harbour was closed. All well.", {"On Tuesday the harbour was closed.": 0.1})
    assert "Sentences of ten characters or fewer do not count: 1 in the summary." in mark.notes


def judged(monkeypatch: pytest.MonkeyPatch, *texts: str) -> tuple[NliResult, list[Any]]:
    replies = iter(texts)
    with serving(lambda _path, _body: text(next(replies))) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        return drive(NLI_CHECKS.parse("language-model[model=tiny]").rounds(ORIGINAL, VARIANT)), endpoint.asked


@pytest.mark.parametrize("contradicts", ["true", "false"])
def test_a_language_model_marks_with_its_reason(monkeypatch: pytest.MonkeyPatch, contradicts: str) -> None:
    mark, [(_, body)] = judged(monkeypatch, f'{{"contradicts": {contradicts}, "because": "The harbour closed."}}')
    assert (mark.contradicts, mark.probability, mark.said) == (contradicts == "true", None, "The harbour closed.")
    assert mark.by.startswith("tiny|prompt:contradiction@1#")
    user = body["messages"][1]["content"]
    assert f">\n{ORIGINAL}\n</original-" in user
    assert f">\n{VARIANT}\n</variant-" in user
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["contradicts", "because"]


def test_a_mark_that_cannot_be_read_is_asked_for_once_more_and_then_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    mark, asked = judged(monkeypatch, "No.", '```json\n{"contradicts": false, "because": "Same."}\n```\nDone.')
    assert (mark.contradicts, len(asked)) == (False, 2)
    with pytest.raises(UnscorableError, match=r"no complete JSON object; one is expected\. The model said: “No, no\.”"):
        judged(monkeypatch, "No.", "No, no.")


def test_another_model_is_a_setting_of_the_guard() -> None:
    own = NLI_CHECKS.parse("entailment[nli=mnli,checkpoint=here]")
    assert (own.spec, own.checkpoints()[0].source) == ("entailment[nli=mnli,checkpoint=here]", "here")
