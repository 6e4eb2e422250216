"""Contract of a metric as a user's test asks for it: each check gives a sentence on what is wrong, or none."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from core.errors import Problem
from core.models import ModelPool
from core.scoring import METRICS, AnswerCache, Engine, Metric, bundled_pairs, constant_remarks, direction_remarks
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result

_TOLERANCE = 1e-5  # of models, whose sums depend on the batch
_WORDS = 20_000
_RAIN = "It rained in York all night."

EMPTY = (
    Example("empty document", "", "It rained."),
    Example("empty summary", _RAIN, ""),
    Example("blank document", " \n\t\u3000", "It rained."),
    Example("blank summary", _RAIN, "\u00a0 \n"),
)
LONG = (
    Example("a document of 20,000 words", "It rained. " * (_WORDS // 2), "It rained."),
    Example("20,000 words without a full stop", "rain " * _WORDS, "It rained."),
    Example("a summary of 2,000 words", _RAIN, "It rained. " * 1_000),
)
UNUSUAL = (
    Example("one letter", "a", "b"),
    Example("only a full stop", ".", "."),
    Example("Chinese", "港口因风暴关闭。没有人受伤。", "港口关闭了。"),
    Example("Arabic", "أُغلق الميناء بعد العاصفة. لم يصب أحد.", "أُغلق الميناء."),
    Example("emoji", "👩‍👩‍👧‍👦 😀. 🇳🇴! ✅", "😀 ✅. 👩‍👩‍👧‍👦"),
    Example("combining marks", "a\u0308\u0323 e\u0301. u\u030a!", "a\u0323\u0308. e\u0301"),
    Example("half of a character", "rain \ud83d", "rain \ud83d"),
    Example("markup", "<script>alert(1)</script> </s> [SEP] &amp;", "<b>alert</b> </s><s> [CLS]"),
    Example("no letters", "\x00\x01\ufeff", "\u200b\u200b!"),
)


class MetricContract:
    """A metric and its outcomes for bundled pairs, asked three times by engines of their own that remember nothing."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.pairs = bundled_pairs()
        self.texts = list(dict.fromkeys(example for pair in self.pairs for example in pair))

    @cached_property
    def first(self) -> Mapping[Example, Outcome]:
        """The outcomes of all bundled texts, asked for together."""
        return self.outcomes(self.texts)

    @cached_property
    def second(self) -> Mapping[Example, Outcome]:
        """The same in a process and engine of its own."""
        return self.outcomes(self.texts)

    @cached_property
    def alone(self) -> Mapping[Example, Outcome]:
        """The same in the opposite order, one at a time."""
        with _fresh_engine() as engine:
            return {
                example: outcome
                for text in reversed(self.texts)
                for example, outcome in engine.run([self.metric], [text])
            }

    def outcomes(self, examples: Sequence[Example]) -> dict[Example, Outcome]:
        with _fresh_engine() as engine:
            return dict(engine.run([self.metric], examples))


def _in_its_direction(contract: MetricContract) -> str:
    pairs = [(_value(contract.first[faithful]), _value(contract.first[wrong])) for faithful, wrong in contract.pairs]
    return " ".join(direction_remarks(pairs, contract.metric.card.direction))


def _survives_pickling(contract: MetricContract) -> str:
    restored = pickle.loads(pickle.dumps(contract.metric))  # our own bytes
    return "" if restored == contract.metric else f"Sent to another process it is {restored}."


def _survives_its_spec(contract: MetricContract) -> str:
    read = METRICS.parse(contract.metric.spec)
    return "" if read == contract.metric else f"Its spec {contract.metric.spec!r} is read as {read}."


CHECKS: Mapping[str, Callable[[MetricContract], str]] = MappingProxyType(
    {
        "bundled texts have scores within the range": lambda contract: _first_problem(
            contract, contract.first, failures=()
        ),
        "the same twice": lambda contract: _difference(contract.first, contract.second, "asked again by a new process"),
        "the same alone and in any order": lambda contract: _difference(
            contract.first, contract.alone, "asked for alone, the last text first"
        ),
        "not a constant": lambda contract: " ".join(
            constant_remarks([_value(outcome) for outcome in contract.first.values()])
        ),
        "its direction on ten pairs": _in_its_direction,
        "empty texts": lambda contract: _first_problem(
            contract, contract.outcomes(EMPTY), failures=(FailureKind.INPUT,)
        ),
        "long texts": lambda contract: _first_problem(contract, contract.outcomes(LONG), failures=(FailureKind.INPUT,)),
        "unusual characters": lambda contract: _first_problem(
            contract, contract.outcomes(UNUSUAL), failures=(FailureKind.INPUT,)
        ),
        "sent to another process": _survives_pickling,
        "read back from its spec": _survives_its_spec,
    }
)
"""The checks by what they ask for."""


@contextmanager
def _fresh_engine() -> Iterator[Engine]:
    settings = Settings.read()
    with TemporaryDirectory(prefix="touchstone-contract-") as folder:
        pool = ModelPool.open(settings)
        with closing(Engine(pool, AnswerCache(Path(folder)))) as engine:
            yield engine


def _value(outcome: Outcome) -> float | Problem:
    return outcome.score if isinstance(outcome, Result) else Problem(outcome.kind, outcome.error)


def _first_problem(
    contract: MetricContract, outcomes: Mapping[Example, Outcome], failures: Sequence[FailureKind]
) -> str:
    """A sentence on the first text that has neither a score as the card says nor a failure of these kinds."""
    problems = (_problem(contract.metric, example, outcome, failures) for example, outcome in outcomes.items())
    return next(filter(None, problems), "")


def _problem(metric: Metric, example: Example, outcome: Outcome, failures: Sequence[FailureKind]) -> str:
    if isinstance(outcome, Failure):
        if outcome.kind in failures:
            return ""
        return f"{example.id}: {outcome.error}"
    low = -math.inf if metric.card.low is None else metric.card.low
    high = math.inf if metric.card.high is None else metric.card.high
    for number in (outcome.score, *(part.score for part in outcome.parts)):
        if not low - _TOLERANCE <= number <= high + _TOLERANCE:
            return f"{example.id}: {number:g} is outside the range from {low:g} to {high:g} of its card."
    spans = [part.span for part in outcome.parts]
    if spans != sorted(set(spans)) or any(not 0 <= span.start < span.end <= len(example.summary) for span in spans):
        return f"{example.id}: its sentences are out of order or outside the summary."
    return ""


def _difference(first: Mapping[Example, Outcome], second: Mapping[Example, Outcome], when: str) -> str:
    for example, outcome in first.items():
        value, other = _value(outcome), _value(second[example])
        if isinstance(value, Problem) or isinstance(other, Problem):
            if type(value) is not type(other):
                return f"{example.id}: {_shown(value)} at first and {_shown(other)} {when}."
        elif not math.isclose(value, other, abs_tol=_TOLERANCE):
            return f"{example.id}: {value:g} at first and {other:g} {when}."
    return ""


def _shown(value: float | Problem) -> str:
    return "no score" if isinstance(value, Problem) else f"{value:g}"
