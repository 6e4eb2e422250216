"""Stability of a judge: its answers on one text in samples that are each requested separately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.evaluation.explanations.detect import Detection
from core.evaluation.explanations.judge import ExplanationGrade
from core.models import Sampling
from core.types import Failure, FailureKind


@dataclass(frozen=True, slots=True)
class JudgeSample:
    """One sample: its verdict or grade with the reason; "" and the problem for an answer that could not be read."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class SampleStrip:
    """The samples of one judge on one text, in the order in which they were drawn."""

    samples: tuple[JudgeSample, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of times that each label was given, the most frequent first; unreadable answers are not among them."""
        return dict(Counter(sample.label for sample in self.samples if sample.label).most_common())

    @property
    def unreadable(self) -> int:
        return sum(not sample.label for sample in self.samples)

    @property
    def flip_rate(self) -> float | None:
        """The chance that two samples differ: the share of unequal pairs among readable ones, 0 to 1.

        None with fewer than two. It does not grow with their number, as a share of samples off the majority would.
        """
        counts = self.counts.values()
        readable = sum(counts)
        pairs = readable * (readable - 1)
        return 1 - sum(count * (count - 1) for count in counts) / pairs if pairs else None


def fresh_samplings(sampling: Sampling, first: int, number: int) -> list[Sampling]:
    """Samplings numbered from `first` on, each requested separately, so that no cached answer counts as a new sample."""
    return [replace(sampling, sample=first + place) for place in range(number)]


def sample_strip(outcomes: Sequence[Detection | ExplanationGrade | Failure]) -> SampleStrip:
    """The strip of all answers, readable or not; a request that the endpoint did not answer is not a sample."""
    return SampleStrip(tuple(map(_read_sample, filter(_is_answer, outcomes))))


def unanswered_failures(outcomes: Sequence[Detection | ExplanationGrade | Failure]) -> list[Failure]:
    """The questions that the endpoint did not answer, or was not asked."""
    return [outcome for outcome in outcomes if isinstance(outcome, Failure) and not _is_answer(outcome)]


def _is_answer(outcome: Detection | ExplanationGrade | Failure) -> bool:
    return not isinstance(outcome, Failure) or outcome.kind is FailureKind.INPUT


def _read_sample(outcome: Detection | ExplanationGrade | Failure) -> JudgeSample:
    if isinstance(outcome, Failure):
        return JudgeSample("", outcome.error)
    if isinstance(outcome, Detection):
        return JudgeSample(outcome.verdict.value, outcome.explanation)
    return JudgeSample(outcome.grade, outcome.because)
