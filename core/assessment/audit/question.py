"""The contract of a question of the audit: from what was scored to a finding with a verdict, a figure and the pairs behind it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal

from core.assessment.audit.audit_judge import JudgeModel
from core.models import format_money
from core.registry import Registry
from core.stats import MIN_TEST_DOCUMENTS, Estimate, format_in_units, format_percent, format_ratio, format_unsigned

if TYPE_CHECKING:
    from core.assessment.audit.evidence import Evidence

MOST_SHOWN_PAIRS = 8
_ALSO_ON_CARD = ("answers", "sees-errors", "threshold", "repetition")
"""Questions asked of every metric that stand on the card of a judge too."""


class Level(StrEnum):
    """Verdict of a finding on a metric; a figure of few documents, or none, gives no verdict."""

    GOOD = "good"
    WEAK = "weak"
    FAILS = "fails"
    TOO_FEW = "too few pairs"
    MEASURED = "measured"
    NOT_MEASURED = "not measured"
    NOT_ASKED = "not asked"


JUDGED_LEVELS = (Level.GOOD, Level.WEAK, Level.FAILS)

LEVEL_MARKS = {
    Level.GOOD: ("good", "✓"),
    Level.WEAK: ("weak", "~"),
    Level.FAILS: ("fails", "✗"),
    Level.TOO_FEW: ("none", "?"),
    Level.MEASURED: ("none", "·"),
    Level.NOT_MEASURED: ("none", "–"),
    Level.NOT_ASKED: ("none", "–"),
}
"""The class of a level in the style sheet, and the sign that says the same without colour."""

Needs = Literal["scores", "runs", "all"]
"""Part of the evidence that a question needs."""

Unit = Literal["area", "share", "quotient", "deviations", "score", "seconds", "megabytes", "count", "money"]


@dataclass(frozen=True, slots=True)
class AuditFigure:
    """A number with its interval, n and unit: areas and shares lie in 0..1, deviations are those of the metric's scores.

    Of a mean shift `edge` is the distance in units of that to the edge of its noise, None where that is unknown.
    """

    label: str
    estimate: Estimate
    unit: Unit = "area"
    remark: str = ""
    edge: float | None = None

    def __str__(self) -> str:
        return format_figure(self.estimate, self.unit)


def format_figure(estimate: Estimate, unit: Unit) -> str:
    """The value with its interval, a dash for none."""
    if unit == "share":
        return f"{format_percent(estimate)} %" if estimate.value is not None else "–"
    if unit == "quotient":
        return f"× {format_ratio(estimate)}" if estimate.value is not None else "–"
    if unit in ("deviations", "score"):
        return format_in_units(estimate)
    if unit == "area" or estimate.value is None:
        return format_unsigned(estimate)
    if unit == "money":
        return format_money(estimate.value)
    return {"seconds": "{:,.1f} s", "megabytes": "{:,.0f} MB", "count": "{:,.0f}"}[unit].format(estimate.value)


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair of summaries behind a finding, with both scores."""

    source: str
    """Id of the summary before."""
    kind: str
    """Spec of the perturbation that made the summary after; empty where the data have both."""
    before: str
    """The summary before."""
    after: str
    """The summary after."""
    score_before: float | None
    """Score before; None where scoring failed."""
    score_after: float | None
    """Score after; None where scoring failed."""
    remark: str = ""
    """Title of the edit, or another note to show beside the pair."""
    stored: str = ""
    """Id in the database, to open the pair on Probe; empty where the data are not stored."""


@dataclass(frozen=True, slots=True)
class FigureCase:
    """One text or pair that a figure was counted from: what counts, by column, and its summaries."""

    cells: Mapping[str, str | float | None]
    pair: ShownPair


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """The answer to one question of one metric."""

    question: str
    """Name of the question."""
    title: str
    """The question as a heading."""
    axis: str
    """The question in one or two words, for narrow cells."""
    level: Level
    """Verdict."""
    sentence: str
    """Verdict in words."""
    figure: AuditFigure | None = None
    """Figure that the verdict rests on; None without a measurement."""
    brief: str = ""
    """Clause for the one-line summary of the metric; empty if it adds none."""
    details: tuple[AuditFigure, ...] = ()
    """Further figures."""
    pairs: tuple[ShownPair, ...] = ()
    """Examples behind the figure."""
    command: str = ""
    """Command that prints the same figure in full."""
    warning: str = ""
    """Limit of the figure that readers must know; empty without one."""
    by: str = ""
    """Field whose values are the slices of the figures, as Evaluate offers it; empty without slices."""


@dataclass(frozen=True)
class AuditQuestion(ABC):
    """One question of the audit."""

    name: ClassVar[str]
    """Name in the registry and in reports."""
    title: ClassVar[str]
    """The question as a heading."""
    axis: ClassVar[str]
    """The question in one or two words, for narrow cells."""
    place: ClassVar[int]
    """Rank in the report, from 1."""
    page: ClassVar[Literal["", "evaluate", "stress"]] = ""
    """Page with the same figures and the data behind them; empty where only the audit has them."""
    tab: ClassVar[str] = ""
    """Study on that page."""
    less_is_better: ClassVar[bool] = False
    """True if a lower figure is better."""
    zero_is_best: ClassVar[bool] = False
    """True if a figure is worse the further it is from 0 on either side."""
    scores: ClassVar[bool] = False
    """True if it scores further texts, so that it cannot be answered from scores that came with the data."""
    asked_of: ClassVar[Literal["all", "judges"]] = "all"
    """Metrics that it applies to: all, or only those that ask a language model."""

    needs: ClassVar[Needs] = "all"
    """Part of the evidence that is enough: scores of the labelled summaries, these and the stress runs, or all of it."""

    @abstractmethod
    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        """Finding that the evidence gives for the metric of that spec."""

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:  # noqa: ARG002  # most figures are on another page
        """Every text or pair that the figures which no other page has were counted from; none where all are there."""
        return ()

    def found(
        self,
        level: Level,
        sentence: str,
        figure: AuditFigure | None = None,
        scale: VerdictScale | None = None,
        most: int | None = None,
    ) -> AuditAnswer:
        """A finding of this question, with a warning where its figure gives no verdict; by the scale it says how many documents would do.

        `most` is the number of documents beyond which an audit takes no more, None where it takes all.
        """
        warning = ""
        if figure is not None and figure.estimate.value is None:
            warning = figure.estimate.error
        elif figure is not None and figure.estimate.documents < MIN_TEST_DOCUMENTS:
            warning = f"{figure.estimate.n} cases of {figure.estimate.documents} documents: too few for a verdict, which takes {MIN_TEST_DOCUMENTS} documents."
        elif figure is not None and scale is not None and level is Level.TOO_FEW:
            warning = scale.untold(figure.estimate, most)
        elif figure is not None and figure.estimate.of_few_documents:
            warning = f"Few documents ({figure.estimate.documents})."
        return AuditAnswer(self.name, self.title, self.axis, level, sentence, figure, warning=warning)

    def not_measured(self, error: str) -> AuditAnswer:
        """Finding for data, or a metric, that give no answer."""
        return self.found(Level.NOT_MEASURED, error)

    def not_asked(self, error: str = "It needs new scores, and those of this metric were given.") -> AuditAnswer:
        """Finding for scores that were given, where the question takes scores of other texts, or for data that it has no sense for."""
        return self.found(Level.NOT_ASKED, error)


QUESTIONS: Registry[AuditQuestion] = Registry("question of the audit", f"{__package__}.questions")


def ordered_questions() -> list[AuditQuestion]:
    """Those asked of every metric, in the order of the report."""
    return [plugin() for plugin in sorted(QUESTIONS, key=lambda plugin: plugin.place) if plugin.asked_of == "all"]


def judge_questions() -> list[AuditQuestion]:
    """Those asked of judges besides, in the order of their card."""
    return [plugin() for plugin in sorted(QUESTIONS, key=lambda plugin: plugin.place) if plugin.asked_of == "judges"]


@dataclass(frozen=True, slots=True)
class MetricAudit:
    """Findings of the audit about one metric; `summary` is one line for people in a hurry, `judge` the model behind one that is a judge."""

    metric: str
    signature: str
    summary: str
    findings: tuple[AuditAnswer, ...]
    judge: JudgeModel | None = None

    @property
    def common(self) -> list[AuditAnswer]:
        """Findings on what every metric is asked."""
        of_judges = {question.name for question in judge_questions()}
        return [finding for finding in self.findings if finding.question not in of_judges]

    @property
    def on_card(self) -> list[AuditAnswer]:
        """Findings on what judges alone are asked, and on what counts for them among the others; none of other metrics."""
        names = {*_ALSO_ON_CARD, *(question.name for question in judge_questions())}
        return [finding for finding in self.findings if finding.question in names] if self.judge else []

    def finding(self, question: str) -> AuditAnswer | None:
        return next((finding for finding in self.findings if finding.question == question), None)


@dataclass(frozen=True, slots=True)
class VerdictScale:
    """Values from which on a figure is good, and up to which it fails; with the smaller `good`, less is better."""

    good: float
    fails: float

    def level(self, estimate: Estimate) -> Level:
        """Verdict on what the texts were drawn from, which the whole interval has to allow; too few where it reaches into another one."""
        if not _has_enough_documents(estimate) or estimate.ends is None:
            return Level.TOO_FEW
        worst, best = sorted(self._sign * end for end in estimate.ends)
        good, fails = self._sign * self.good, self._sign * self.fails
        if best <= fails:
            return Level.FAILS
        if worst >= good:
            return Level.GOOD
        return Level.WEAK if fails < worst and best < good else Level.TOO_FEW

    def observed_level(self, estimate: Estimate) -> Level:
        """Verdict on the texts at hand, by the value; good only where the interval also keeps clear of failing."""
        if not _has_enough_documents(estimate) or estimate.value is None:
            return Level.TOO_FEW
        worst = min(self._sign * end for end in estimate.ends or (estimate.value,))
        value, good, fails = (self._sign * number for number in (estimate.value, self.good, self.fails))
        if value <= fails:
            return Level.FAILS
        return Level.GOOD if value >= good and worst > fails else Level.WEAK

    def untold(self, estimate: Estimate, most: int | None = None) -> str:
        """Sentence on a figure whose interval allows several verdicts: which are ruled out, and how many documents would do.

        Where these are more than `most`, it says that no more are taken.
        """
        if self.level(estimate) is not Level.TOO_FEW or not _has_enough_documents(estimate) or estimate.ends is None:
            return ""
        worst, best = sorted(self._sign * end for end in estimate.ends)
        ruled_out = "It is not good. " if best < self._sign * self.good else ""
        ruled_out = "It does not fail. " if worst > self._sign * self.fails else ruled_out
        needed = self._documents_needed(estimate)
        if most is not None and (needed is None or needed > most):
            more = f", and at most {most} are taken"
        elif needed:
            more = f"; about {needed:,} would"
        else:
            more = "; the value lies at a limit, and many times as many might not do either"
        return (
            f"{ruled_out}{'More cannot' if ruled_out else 'Cannot'} be told with {estimate.documents} documents{more}."
        )

    def _documents_needed(self, estimate: Estimate) -> int | None:
        """Documents whose interval around the same value would allow one verdict, to two digits; None of more than a hundred times as many."""
        value, (low, high) = estimate.value or 0.0, estimate.ends or (0.0, 0.0)
        limits = [limit for limit in (self.good, self.fails) if low <= limit <= high]
        times = [
            math.inf if limit == value else ((high if limit > value else low) - value) / (limit - value)
            for limit in limits
        ]
        # the interval of a share of none or all narrows as the number of cases grows, others as its root does
        power = 1 if value in (0.0, 1.0) else 2
        largest = max(times, default=1.0) ** power
        if largest > _MOST_TIMES:
            return None
        documents = math.ceil(largest * estimate.documents - _ROUNDING)
        digits: int = 10 ** max(0, len(str(documents)) - 2)
        return -(-documents // digits) * digits

    @property
    def _sign(self) -> float:
        return 1.0 if self.good > self.fails else -1.0


_MOST_TIMES = 100.0
_ROUNDING = 1e-6  # of a document


def _has_enough_documents(estimate: Estimate) -> bool:
    return estimate.value is not None and estimate.documents >= MIN_TEST_DOCUMENTS


def worst_level(levels: Sequence[Level]) -> Level:
    """The worst verdict of several: too few where one that cannot be told might be worse, or where none is a verdict."""
    if Level.FAILS in levels:
        return Level.FAILS
    if Level.TOO_FEW in levels:
        return Level.TOO_FEW
    judged = [level for level in levels if level in JUDGED_LEVELS]
    return max(judged, key=JUDGED_LEVELS.index, default=Level.TOO_FEW)
