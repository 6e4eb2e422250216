"""A panel of language models that grade the same explanation: each by itself, and the grade of more than half of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from core.errors import BadSettingError
from core.evaluation.explanations.judge import (
    ExplanationCase,
    ExplanationGrade,
    JudgeSetup,
    converse_in_order,
    judge_conversation,
)
from core.evaluation.explanations.panel_weights import JudgeWeights
from core.model_reference import EndpointModel
from core.models import Sampling, configured_endpoint, is_local_model, model_title, resolve_model
from core.scoring import Conversation, Engine
from core.types import GRADE_VALUES, Failure, Grade

JudgeFunction = Callable[[ExplanationCase, JudgeSetup, Sampling], Conversation[ExplanationGrade]]
"""Question to a judge: for the grade, or for more."""

_PANEL = "panel|model:"


@dataclass(frozen=True, slots=True)
class PanelVote:
    """Number of times that each grade was given to one explanation, and the number of judges that gave none.

    With fewer grades than the quorum the panel says nothing; at least more than half of the judges are needed.
    `probabilities` are those of each grade, where judges have weights.
    """

    counts: Mapping[Grade, int]
    failed: int = 0
    quorum: int = 0
    probabilities: Mapping[Grade, float] | None = None

    @property
    def majority(self) -> Grade | None:
        """The grade by more than half of the whole panel, failed judges included; None if there is none.

        With weights: the grade that is more probable than all others together.
        """
        if not self._is_quorate:
            return None
        if self.probabilities is not None:
            return next((grade for grade, share in self.probabilities.items() if 2 * share > 1), None)
        return next((grade for grade, count in self.counts.items() if 2 * count > self._judges), None)

    @property
    def score(self) -> float | None:
        """The mean worth of the grades, 0 to 1."""
        if not self._is_quorate:
            return None
        return fsum(GRADE_VALUES[grade] * count for grade, count in self.counts.items()) / self._graded

    @property
    def _graded(self) -> int:
        return sum(self.counts.values())

    @property
    def _judges(self) -> int:
        return self._graded + self.failed

    @property
    def _is_quorate(self) -> bool:
        return 2 * self._graded > self._judges and self._graded >= self.quorum

    @property
    def unequal_share(self) -> float | None:
        """The share of pairs of judges that differ; None with fewer than two grades."""
        graded = sum(self.counts.values())
        pairs = graded * (graded - 1)
        return 1 - sum(count * (count - 1) for count in self.counts.values()) / pairs if pairs else None

    def __str__(self) -> str:
        counts = [f"{grade} {count}" for grade, count in self.counts.items()]
        return ", ".join([*counts, *([f"failed {self.failed}"] if self.failed else [])])

    @property
    def error(self) -> str:
        """Reason that there is no majority; empty where there is one."""
        if self.majority:
            return ""
        if not self.counts:
            return f"No judge gave a grade: {self}."
        if not self._is_quorate:
            least = max(self.quorum, self._judges // 2 + 1)
            return f"{self._graded} of {self._judges} judges gave a grade, and {least} are needed: {self}."
        if self.probabilities is not None:
            shares = ", ".join(f"{grade} {share:.2f}" for grade, share in self.probabilities.items())
            return f"No grade is more probable than the others: {shares}."
        if len(self.counts) == 2 and len(set(self.counts.values())) == 1:
            return f"The judges are tied: {self}."
        return f"No grade is that of more than half of the {self._judges} judges: {self}."


def count_votes(outcomes: Iterable[ExplanationGrade | Failure], quorum: int = 0) -> PanelVote:
    """The vote of a panel; the grades in the order of their worth."""
    results = list(outcomes)
    counts = Counter(result.grade for result in results if isinstance(result, ExplanationGrade))
    return PanelVote(
        {grade: counts[grade] for grade in GRADE_VALUES if counts[grade]},
        sum(isinstance(result, Failure) for result in results),
        quorum,
    )


@dataclass(frozen=True)
class PanelRule:
    """Rule by which the grades of judges become that of the panel: one vote each, or by weights."""

    quorum: int = 0
    weights: JudgeWeights | None = None

    def vote(self, signatures: Sequence[str], outcomes: Sequence[ExplanationGrade | Failure]) -> PanelVote:
        """The vote of judges of these signatures on one explanation."""
        vote = count_votes(outcomes, self.quorum)
        if not self.weights or not vote.counts:
            return vote
        named = zip(signatures, outcomes, strict=True)
        grades = {signature: outcome.grade for signature, outcome in named if isinstance(outcome, ExplanationGrade)}
        return replace(vote, probabilities=self.weights.probabilities(grades))


ONE_VOTE_EACH = PanelRule()


class GradeCounts:
    """Number of times that each judge, by its signature, gave each grade, and the panel where there is one."""

    def __init__(self, signatures: Sequence[str], panel: str = "", rule: PanelRule = ONE_VOTE_EACH) -> None:
        self._signatures, self._panel, self._rule = signatures, panel, rule
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in (*signatures, *filter(None, [panel]))}

    def add(self, outcomes: Sequence[ExplanationGrade | Failure]) -> None:
        """Count what every judge said of one explanation."""
        for signature, outcome in zip(self._signatures, outcomes, strict=True):
            self._counts[signature]["failed" if isinstance(outcome, Failure) else outcome.grade] += 1
        if self._panel:
            vote = self._rule.vote(self._signatures, outcomes)
            self._counts[self._panel][vote.majority or ("no majority" if vote.counts else "failed")] += 1

    @property
    def failed(self) -> int:
        """Number of explanations without a grade, counted for each judge."""
        return sum(self._counts[signature]["failed"] for signature in self._signatures)

    def sentences(self) -> list[str]:
        """Sentences with the number of explanations by grade, for each judge and for the panel."""
        sentences = []
        for name, counts in self._counts.items():
            grades = ", ".join(f"{grade} {count}" for grade, count in counts.most_common()) or "none"
            by = f" by {name.split('|sample:')[0]}" if self._panel else ""
            sentences.append(f"Explanations judged{by}: {grades}.")
        return sentences


def parse_judge(text: str, temperature: float = 0.0, sample: int = 0) -> Sampling:
    """Parse a judge: MODEL@ENDPOINT, MODEL, @ENDPOINT or local:FOLDER.

    Raises TouchstoneError for a judge without a model or endpoint.
    """
    named = text.strip()
    if not named:
        raise BadSettingError(
            "A judge has no name. Write MODEL@ENDPOINT, @ENDPOINT for its own model, or local:FOLDER."
        )
    model, _, endpoint = (named, "", "") if is_local_model(named) or "@" not in named else named.rpartition("@")
    sampling = Sampling(resolve_model(model, endpoint), temperature, sample=sample, endpoint=endpoint)
    if isinstance(sampling.asked, EndpointModel):
        configured_endpoint(endpoint)
    return sampling


def judge_title(sampling: Sampling) -> str:
    """The shortest name of a judge."""
    return "@".join(filter(None, [model_title(sampling.model), sampling.endpoint]))


def require_panel(judges: Sequence[Sampling], quorum: int = 0) -> None:
    """Raise BadSettingError for fewer than two judges, the same judge twice, or a quorum above their number."""
    if len(set(judges)) < max(2, len(judges)):
        raise BadSettingError(
            f"A panel has two judges or more, each once; got {', '.join(map(judge_title, judges)) or 'none'}."
        )
    if not 0 <= quorum <= len(judges):
        raise BadSettingError(f"The quorum must be 0 to {len(judges)}, the number of judges; got {quorum}.")


def judge_by_panel(
    engine: Engine,
    cases: Iterable[ExplanationCase],
    setup: JudgeSetup,
    judges: Sequence[Sampling],
    ask: JudgeFunction = judge_conversation,
) -> Iterator[tuple[ExplanationCase, tuple[ExplanationGrade | Failure, ...]]]:
    """Each case with the outcome of every judge, in order."""
    pairs = ((case, judge) for case in cases for judge in judges)
    judged = converse_in_order(engine, pairs, lambda pair: ask(pair[0], setup, pair[1]))
    for of_case in zip(*[judged] * len(judges), strict=True):
        (case, _), _ = of_case[0]
        yield case, tuple(outcome for _, outcome in of_case)


def panel_signature(judges: Sequence[Sampling], signatures: Sequence[str], rule: PanelRule = ONE_VOTE_EACH) -> str:
    """Signature of a panel; another judge, prompt, sampling, quorum or weight gives another signature."""
    weights = rule.weights
    parts = [*sorted(signatures), *([weights.digest] if weights else [])]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    how = f"weighted by {weights.graded} grades of people" if weights else f"majority of {len(judges)}"
    needed = f", quorum {rule.quorum}" if rule.quorum else ""
    return f"{_PANEL}{'+'.join(map(judge_title, judges))}|{how}{needed}#{digest}"


def is_panel_signature(name: str) -> bool:
    """True if a name is the signature of a panel, whose judges have signatures of their own."""
    return name.startswith(_PANEL)
