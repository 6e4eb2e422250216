"""Does a variant contradict its original? Marks of an entailment model and of a language model."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import pytest

from core.errors import BadSettingError, UnscorableError
from core.scoring.nli_check import NLI_CHECKS, NliResult
from core.types import Answer, Question
from tests.drive import drive
from tests.unit.core.models.llm.scripted import serving, text

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


def labelled(rows: Mapping[str, list[tuple[float, float, float]]], check: str = "entailment-label") -> NliResult:
    """The result where a model gives these probabilities, entailment first, to a sentence and each chunk of the original."""
    rounds = NLI_CHECKS.parse(check).rounds(ORIGINAL, " ".join(rows))
    left = {claim: list(answers) for claim, answers in rows.items()}
    given = [Answer(values=left[question.inputs[1]].pop(0)) for question in next(rounds)]
    with pytest.raises(StopIteration) as end:
        rounds.send(given)
    mark: NliResult = end.value.value
    return mark


def test_the_predicted_label_decides_where_a_threshold_of_one_half_would_not() -> None:
    """The largest of three probabilities: .4 of contradiction is a contradiction, .45 of it beside .5 of entailment is none."""
    mark = labelled(
        {"It was open.": [(0.3, 0.3, 0.4)], "Nobody was hurt.": [(0.5, 0.05, 0.45)], "It rained.": [(0.2, 0.6, 0.2)]}
    )
    assert mark.labels == ("contradiction", "entailment", "neutral")
    assert (mark.contradicts, mark.probability) == (True, 0.45)


def test_the_original_is_read_in_chunks_and_what_one_of_them_entails_is_entailed() -> None:
    chunked = NLI_CHECKS.parse("entailment-label[chunk_words=7]")
    assert [question.inputs[0] for question in next(chunked.rounds(ORIGINAL, "It closed."))] == [
        "A storm closed the harbour on Tuesday.",
        "Nobody was hurt in the storm.",
    ]
    mark = labelled(
        {"It closed.": [(0.1, 0.2, 0.7), (0.8, 0.1, 0.1)], "All sank.": [(0.1, 0.8, 0.1), (0.1, 0.2, 0.7)]},
        chunked.spec,
    )
    assert mark.labels == ("entailment", "contradiction")


def test_the_default_model_is_that_of_the_paper_and_another_entailment_model_a_setting() -> None:
    [weights] = NLI_CHECKS.parse("entailment-label").checkpoints()
    assert weights.source == "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli"
    assert NLI_CHECKS.parse("entailment-label[checkpoint=here]").checkpoints()[0].source == "here"
    with pytest.raises(BadSettingError, match="chunk_words must be at least 1"):
        NLI_CHECKS.parse("entailment-label[chunk_words=0]")
