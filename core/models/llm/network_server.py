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
from core.models.llm.endpoints.endpoint import EXECUTOR_OPTION, Endpoint
from core.models.llm.endpoints.endpoints import configured_endpoint
from core.types import Answer, FailureKind, Question

_BATCH = 32  # pairs of a request, the most that TEI takes by default
_REFUSALS_OF_A_TEXT = frozenset({"too long", "filter", "question", "parameter", "schema", "unreadable"})
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
    """Numbers of rows that name their place, in any order."""
    _require_length(rows, number)
    by_place = {row["index"]: _share(row[name]) for row in rows}
    if by_place.keys() != set(range(number)):
        places = sorted(str(row["index"]) for row in rows)
        raise ValueError(f"the places of {number} scores are {', '.join(places)}, not 0 to {number - 1}")
    return [{"": by_place[place]} for place in range(number)]


def _predictions(rows: Any, number: int) -> list[LabelShares]:
    """Numbers of rows of labels, in the order of the pairs."""
    _require_length(rows, number)
    shares = [{_spelling(label["label"]): _share(label["score"]) for label in row} for row in rows]
    for row, own in zip(rows, shares, strict=True):
        if len(row) != len(own) or not own:
            raise ValueError(f"the labels of a pair are {', '.join(label['label'] for label in row) or 'none'}")
    return [{"": next(iter(row.values()))} if len(row) == 1 else row for row in shares]


def _require_length(rows: Any, number: int) -> None:
    if len(rows) != number:
        raise ValueError(f"{len(rows)} scores for {number} pairs")


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{json.dumps(value)} where a number from 0 to 1 belongs")
    return float(value)


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
        address = Endpoint(place.rstrip("/"), "", name=EXECUTOR_OPTION)
        self._endpoint = address if "://" in place else configured_endpoint(place)

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
        # as for other endpoints: openai takes a second to import
        from core.models.llm.client.pacing import CALLER, Caller

        caller = Caller()
        token = CALLER.set(caller)
        try:
            return list(self._send(batch))
        except EndpointUnusableError:
            raise
        except TouchstoneError as error:
            if len(batch) == 1:
                kind = FailureKind.INPUT if caller.sent[-1] in _REFUSALS_OF_A_TEXT else FailureKind.ERROR
                return [Problem(kind, str(error))]
            return [answer for question in batch for answer in self._ask([question])]
        finally:
            CALLER.reset(token)

    def _send(self, batch: list[Question]) -> Iterator[Answer]:
        from core.models.llm.client.client import client_for

        pairs = [(question.inputs[0], question.inputs[1]) for question in batch]
        body = self._form.request(pairs)
        sent = client_for(self._endpoint).call(lambda library: library.post(self.url, cast_to=str, body=body))
        try:
            rows = self._form.read(json.loads(sent), len(pairs))
            for question, row in zip(batch, rows, strict=True):
                yield _answer(question, row)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__} {error}"
            raise EndpointUnusableError(
                f"{self.url} does not answer as {self.form_name}: {words}. Look at what the server sends."
            ) from None


def _answer(question: Question, shares: LabelShares) -> Answer:
    """The answer that the network gives here. Raises ValueError for labels that are not those of the metric."""
    weights = question.weights
    if weights.kind == _REGRESSOR:
        if len(shares) != 1:
            raise ValueError(f"a pair has the labels {', '.join(shares)}, and the metric reads one number")
        [share] = shares.values()
        inner = min(max(share, 1e-12), 1 - 1e-12)  # the sigmoid of any further number is the same
        return Answer((math.log(inner / (1 - inner)),))
    expected = weights.expects.labels if weights.expects else ()
    named = [[shares[name] for name in names if name in shares] for names in expected]
    if len(named) != len(shares) or any(len(numbers) != 1 for numbers in named):
        expected_names = ", ".join(names[0] for names in expected) or "labels with names"
        raise ValueError(f"the labels are {', '.join(shares)}, and the metric reads {expected_names}")
    return Answer(tuple(numbers[0] for numbers in named))
