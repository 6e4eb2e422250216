"""A network behind the score paths of vLLM or Text Embeddings Inference (TEI): the questions of a metric, asked in batches.

Forms after their references: vLLM, OpenAI-Compatible Server, Score API and Re-rank API; TEI, OpenAPI description 1.8.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

from core.errors import BadSettingError, EndpointUnusableError, Problem, TouchstoneError
from core.model_reference import Checkpoint
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.endpoints.endpoints import configured_endpoint
from core.types import Answer, FailureKind, Question

_BATCH = 32  # pairs of a request, the most that TEI takes by default
_REGRESSOR, _CLASSIFIER = "sequence_regressor", "sequence_classifier"

Pair = tuple[str, str]
LabelShares = Mapping[str, float]
"""The number of each label of a pair; of a network with one label by the name ""."""


@dataclass(frozen=True, slots=True)
class NetworkForm:
    """A form of such a server: its path, the request for some pairs, and their numbers in its answer."""

    path: str
    request: Callable[[Sequence[Pair]], Mapping[str, object]]
    # what is not of the form raises KeyError, TypeError, ValueError or AttributeError
    read: Callable[[Any, int], list[LabelShares]]
    together: bool = True
    """True if a request takes pairs of different first texts."""
    kinds: frozenset[str] = frozenset({_REGRESSOR})
    """Kinds of networks that it answers for."""


def _numbers(rows: Any, number: int, name: str) -> list[LabelShares]:
    """Numbers of rows that name their place."""
    by_place = {row["index"]: row[name] for row in rows}
    return [{"": float(by_place[place])} for place in range(number)]


def _predictions(rows: Any, number: int) -> list[LabelShares]:
    shares = [{_spelling(label["label"]): float(label["score"]) for label in row} for row in rows]
    if len(shares) != number:
        raise ValueError(f"{len(shares)} predictions for {number} pairs")
    return [{"": next(iter(row.values()))} if len(row) == 1 else row for row in shares]


def _spelling(label: str) -> str:
    return label.lower().replace("_", " ").replace("-", " ")


NETWORK_FORMS: Mapping[str, NetworkForm] = MappingProxyType(
    {
        "vllm-score": NetworkForm(
            "score",
            lambda pairs: {"text_1": [first for first, _ in pairs], "text_2": [second for _, second in pairs]},
            lambda answer, number: _numbers(answer["data"], number, "score"),
        ),
        "vllm-rerank": NetworkForm(
            "rerank",
            lambda pairs: {"query": pairs[0][0], "documents": [second for _, second in pairs]},
            lambda answer, number: _numbers(answer["results"], number, "relevance_score"),
            together=False,
        ),
        "tei-rerank": NetworkForm(
            "rerank",
            lambda pairs: {"query": pairs[0][0], "texts": [second for _, second in pairs]},
            lambda answer, number: _numbers(answer, number, "score"),
            together=False,
        ),
        "tei-predict": NetworkForm(
            "predict",
            lambda pairs: {"inputs": [list(pair) for pair in pairs]},
            _predictions,
            kinds=frozenset({_REGRESSOR, _CLASSIFIER}),
        ),
    }
)
"""Forms by the name that `score --executor` takes."""


class NetworkServer:
    """A server that computes the questions of a network, `FORM=URL` or `FORM=NAME` with the name of an endpoint.

    Safe among threads. Raises BadSettingError for an executor that is not of that form.
    """

    def __init__(self, executor: str) -> None:
        self.form_name, _, place = executor.partition("=")
        if self.form_name not in NETWORK_FORMS or not place:
            raise BadSettingError(
                f"{executor!r} names no executor. Name a form and a URL, or the name of an endpoint, as vllm-score=http://localhost:8000; forms: "
                f"{', '.join(NETWORK_FORMS)}."
            )
        self._form = NETWORK_FORMS[self.form_name]
        self._endpoint = Endpoint(place.rstrip("/"), "") if "://" in place else configured_endpoint(place)

    @property
    def url(self) -> str:
        return f"{self._endpoint.base_url}/{self._form.path}"

    def require(self, name: str, models: Sequence[object]) -> None:
        """Raise BadSettingError where a metric asks other models than one network that this form answers for."""
        kinds = {model.kind for model in models if isinstance(model, Checkpoint)}
        if len(models) != 1 or not kinds <= self._form.kinds or not kinds:
            kinds_named = " and ".join(str(getattr(model, "kind", model)) for model in models) or "no model"
            raise BadSettingError(
                f"{name} asks {kinds_named}, and {self.form_name} answers for one {' or '.join(sorted(self._form.kinds))} alone. Score it here."
            )

    def answers(self, questions: Sequence[Question]) -> list[Answer | Problem]:
        """The answers in the order of the questions, or the reason why a text has none.

        Raises EndpointUnusableError where the server refuses every question.
        """
        batches = list(self._batches(dict.fromkeys(questions)))
        answers_by_question: dict[Question, Answer | Problem] = {}
        with ThreadPoolExecutor(self._endpoint.at_once) as pool:
            for batch, answers in zip(batches, pool.map(self._ask, batches), strict=True):
                answers_by_question |= dict(zip(batch, answers, strict=True))
        return [answers_by_question[question] for question in questions]

    def _batches(self, questions: Mapping[Question, None]) -> Iterator[list[Question]]:
        groups: dict[str, list[Question]] = {}
        for question in questions:
            groups.setdefault("" if self._form.together else question.inputs[0], []).append(question)
        for group in groups.values():
            rest = iter(group)
            while batch := list(islice(rest, _BATCH)):
                yield batch

    def _ask(self, batch: list[Question]) -> list[Answer | Problem]:
        """One request; where it is refused, one for each of its texts, of which one may be too long."""
        try:
            return list(self._send(batch))
        except EndpointUnusableError:
            raise
        except TouchstoneError as error:
            if len(batch) == 1:
                return [Problem(FailureKind.INPUT, str(error))]
            return [answer for question in batch for answer in self._ask([question])]

    def _send(self, batch: list[Question]) -> Iterator[Answer]:
        # as for other endpoints: openai takes a second to import
        from core.models.llm.client.client import client_for

        pairs = [(question.inputs[0], question.inputs[1]) for question in batch]
        body = self._form.request(pairs)
        sent = client_for(self._endpoint).call(lambda library: library.post(self.url, cast_to=object, body=body))
        try:
            rows = self._form.read(json.loads(sent) if isinstance(sent, str) else sent, len(pairs))
            for question, row in zip(batch, rows, strict=True):
                yield _answer(question, row)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise EndpointUnusableError(
                f"{self.url} does not answer as {self.form_name}: {type(error).__name__} {error}. Look at what the server sends."
            ) from None


def _answer(question: Question, shares: LabelShares) -> Answer:
    """The answer that the network gives here. Raises ValueError for labels that are not those of the metric."""
    weights = question.weights
    if weights.kind == _REGRESSOR:
        [share] = shares.values()
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"{share} is no number from 0 to 1")
        inner = min(max(share, 1e-12), 1 - 1e-12)  # the sigmoid of any further number is the same
        return Answer((math.log(inner / (1 - inner)),))
    expected = weights.expects.labels if weights.expects else ()
    named = [[shares[name] for name in names if name in shares] for names in expected]
    if len(named) != len(shares) or any(len(numbers) != 1 for numbers in named):
        expected_names = ", ".join(names[0] for names in expected) or "labels with names"
        raise ValueError(f"the labels are {', '.join(shares)}, and the metric reads {expected_names}")
    return Answer(tuple(numbers[0] for numbers in named))
