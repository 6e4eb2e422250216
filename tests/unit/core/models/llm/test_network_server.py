"""Answers of a server that computes a network: by their place, or refused with the words for what is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from core.errors import EndpointUnusableError, Problem
from core.model_reference import Checkpoint, ExpectedModel
from core.models import NetworkServer
from core.types import Answer, FailureKind, Question
from tests.unit.core.models.llm.scripted import Body, Reply, refusal, serving

NUMBER = Checkpoint("owner/number", "sequence_regressor")
LABELS = Checkpoint(
    "owner/labels", "sequence_classifier", expects=ExpectedModel((("contradiction",), ("entailment", "entails")), ())
)
SCORES = (0.125, 0.5, 0.875)


def asked(form: str, content: object, checkpoint: Checkpoint = NUMBER) -> list[Answer]:
    """The answers to three questions of one document from a server that sends `content`."""
    questions = [Question(checkpoint, ("The tug came.", text)) for text in ("It came.", "It left.", "It sank.")]
    raw = content.encode() if isinstance(content, str) else None
    with serving(lambda _path, _body: Reply(content, raw=raw)) as endpoint:
        answers = NetworkServer(f"{form}={endpoint.url}").answers(questions)
    return [answer for answer in answers if isinstance(answer, Answer)]


def error(form: str, content: object, checkpoint: Checkpoint = NUMBER) -> str:
    with pytest.raises(EndpointUnusableError) as raised:
        asked(form, content, checkpoint)
    return str(raised.value)


def score_rows(name: str = "score", places: Sequence[Any] = (0, 1, 2), scores: Sequence[Any] = SCORES) -> list[Any]:
    return [{"index": place, name: score} for place, score in zip(places, scores, strict=True)]


WRAPPERS: Mapping[str, tuple[str, str]] = {
    "vllm-score": ("data", "score"),
    "vllm-rerank": ("results", "relevance_score"),
    "tei-rerank": ("", "score"),
}


def wrapped(form: str, rows: list[Any]) -> object:
    field, _ = WRAPPERS[form]
    return {field: rows} if field else rows


@pytest.mark.parametrize("form", WRAPPERS)
def test_shuffled_scores_are_put_in_their_places(form: str) -> None:
    rows = score_rows(WRAPPERS[form][1], (2, 0, 1), (SCORES[2], SCORES[0], SCORES[1]))
    logits = [answer.values[0] for answer in asked(form, wrapped(form, rows))]
    assert [1 / (1 + math.exp(-logit)) for logit in logits] == pytest.approx(SCORES)


@pytest.mark.parametrize("form", WRAPPERS)
@pytest.mark.parametrize(
    ("places", "scores", "words"),
    [
        ((0, 1), (0.1, 0.2), "2 scores for 3 pairs"),
        ((0, 1, 2, 3), (0.1, 0.2, 0.3, 0.4), "4 scores for 3 pairs"),
        ((0, 1, 1), SCORES, "the places of 3 scores are 0, 1, 1, not 0 to 2"),
        ((1, 2, 3), SCORES, "the places of 3 scores are 1, 2, 3, not 0 to 2"),
        (("0", "1", "2"), SCORES, "the places of 3 scores"),
        ((0, 1, None), SCORES, "the places of 3 scores"),
        ((0, 1, 2), (0.1, None, 0.2), "null where a number from 0 to 1 belongs"),
        ((0, 1, 2), (0.1, math.nan, 0.2), "NaN where a number from 0 to 1 belongs"),
        ((0, 1, 2), (0.1, 7.5, 0.2), "7.5 where a number from 0 to 1 belongs"),
        ((0, 1, 2), (0.1, True, 0.2), "true where a number from 0 to 1 belongs"),
        ((0, 1, 2), (0.1, "0.5", 0.2), '"0.5" where a number from 0 to 1 belongs'),
    ],
)
def test_scores_without_a_place_of_their_own_are_refused(
    form: str, places: Sequence[Any], scores: Sequence[Any], words: str
) -> None:
    message = error(form, wrapped(form, score_rows(WRAPPERS[form][1], places, scores)))
    assert f"does not answer as {form}: {words}" in message


@pytest.mark.parametrize(
    "content", [{"data": [{"score": 0.1}] * 3}, {"object": "list"}, [], "<html>ready</html>", None]
)
def test_other_forms_are_refused(content: object) -> None:
    assert "does not answer as vllm-score: " in error("vllm-score", content)


def labels(contradiction: object, entailment: object) -> list[dict[str, object]]:
    return [{"label": "ENTAILS", "score": entailment}, {"label": "CONTRADICTION", "score": contradiction}]


def test_labels_are_read_by_their_names() -> None:
    [first, *_] = asked("tei-predict", [labels(0.25, 0.75)] * 3, LABELS)
    assert first.values == (0.25, 0.75)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([labels(0.25, 0.75)] * 2, "2 scores for 3 pairs"),
        ([labels(0.25, math.nan)] * 3, "NaN where a number"),
        ([labels(None, 0.75)] * 3, "null where a number"),
        ([labels(0.25, 0.75), [], labels(0.25, 0.75)], "the labels of a pair are none"),
        ([[{"label": "ENTAILS", "score": 0.5}] * 2] * 3, "the labels of a pair are ENTAILS, ENTAILS"),
        ([[{"label": "ENTAILS", "score": 0.5}]] * 3, "the metric reads contradiction, entailment"),
    ],
)
def test_labels_that_are_not_those_of_the_metric_are_refused(content: object, words: str) -> None:
    assert words in error("tei-predict", content, LABELS)


def test_one_number_is_not_read_from_several_labels() -> None:
    assert "the metric reads one number" in error("tei-predict", [labels(0.25, 0.75)] * 3)


def test_questions_of_a_server_that_stops_in_the_middle_are_not_moved() -> None:
    """A request of 32 and one of 8 of which the second has an answer too few."""
    questions = [Question(NUMBER, ("The tug came.", f"It came {place} times.")) for place in range(40)]

    def reply(_path: str, body: Body) -> Reply:
        texts: list[str] = body["text_2"]
        rows = [{"index": place, "score": 0.5} for place in range(len(texts))]
        return Reply({"data": rows if len(texts) == 32 else rows[:-1]})

    with serving(reply) as endpoint, pytest.raises(EndpointUnusableError, match="7 scores for 8 pairs"):
        NetworkServer(f"vllm-score={endpoint.url}").answers(questions)


@pytest.mark.parametrize(
    ("status", "kind"), [(400, FailureKind.INPUT), (422, FailureKind.INPUT), (500, FailureKind.ERROR)]
)
def test_a_refusal_is_the_texts_and_an_error_the_servers(
    status: int, kind: FailureKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.llm.client.client.backoff_s", lambda _: 0.0)
    questions = [Question(NUMBER, ("The tug came.", text)) for text in ("It came.", "It left.")]

    def reply(_path: str, body: Body) -> Reply:
        if "It left." in body["text_2"]:
            return refusal(status, "No.")
        return Reply({"data": [{"index": 0, "score": 0.5}]})

    with serving(reply) as endpoint:
        first, second = NetworkServer(f"vllm-score={endpoint.url}").answers(questions)
    assert isinstance(first, Answer)
    assert isinstance(second, Problem)
    assert second.kind is kind


def test_a_server_that_is_not_reached_is_named_with_the_option_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.llm.client.client.backoff_s", lambda _: 0.0)
    with serving(lambda *_: Reply({})) as endpoint:
        url = endpoint.url
    with pytest.raises(EndpointUnusableError) as raised:  # it has ended
        NetworkServer(f"vllm-score={url}").answers([Question(NUMBER, ("The tug came.", "It came."))])
    assert str(raised.value) == f"{url} cannot be reached. Start the server, or set the URL of --executor."


def test_what_an_address_does_not_set_is_of_an_endpoint_whose_name_follows_the_option() -> None:
    with serving(lambda *_: refusal(401, "No key.")) as endpoint, pytest.raises(EndpointUnusableError) as raised:
        NetworkServer(f"vllm-score={endpoint.url}").answers([Question(NUMBER, ("The tug came.", "It came."))])
    assert "key_from of an endpoint in the file of TOUCHSTONE_ENDPOINTS whose name follows --executor FORM=" in str(
        raised.value
    )
