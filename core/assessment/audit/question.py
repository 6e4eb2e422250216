"""The contract of a question of the audit: from what was scored to a finding with a verdict, a figure and the pairs behind it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal

from core.assessment.audit.judge import JudgeModel
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

Unit = Literal["area", "share", "quotient", "deviations", "score", "seconds", "megabytes", "count", "money"]


@dataclass(frozen=True, slots=True)
class Figure:
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
    """A pair behind a finding: the summary before and after, and both scores, None where one failed.

    `source` is the id of the summary before; `kind` the perturbation that made the one after, "" where the data have both.
    `stored` opens it on Probe where the data lie in the database.
    """

    source: str
    kind: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    remark: str = ""
    stored: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One text or pair that a figure was counted from: what counts, by column, and its summaries."""

    cells: Mapping[str, str | float | None]
    pair: ShownPair


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question of one metric.

    `sentence` is the verdict in words and `brief` its part of the one-line summary, "" where it has none. `command` shows
    the same figure in full; `warning` says what it must not be taken for. `details` are further figures, `pairs` examples.
    `by` is the field whose values are the slices of the figures, as Evaluate offers it.
    """

    question: str
    title: str
    axis: str
    level: Level
    sentence: str
    figure: Figure | None = None
    brief: str = ""
    details: tuple[Figure, ...] = ()
    pairs: tuple[ShownPair, ...] = ()
    command: str = ""
    warning: str = ""
    by: str = ""


@dataclass(frozen=True)
class Question(ABC):
    """One question of the audit; `place` orders them, and `axis` names it where there is room for two words.

    `page` is the page that shows its figures with what is behind them, "" where only the audit has it, and `tab` the study there.
    `less_is_better` is of its figure, and `zero_is_best` where either side is bad. One that `scores` further texts is not asked of scores that were given. `asked_of` says
    whom it is for: every metric, or judges alone, whose scores are answers of a language model.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    axis: ClassVar[str]
    place: ClassVar[int]
    page: ClassVar[Literal["", "evaluate", "stress"]] = ""
    tab: ClassVar[str] = ""
    less_is_better: ClassVar[bool] = False
    zero_is_best: ClassVar[bool] = False
    scores: ClassVar[bool] = False
    asked_of: ClassVar[Literal["all", "judges"]] = "all"

    @abstractmethod
    def finding(self, evidence: Evidence, metric: str) -> Finding:
        """Finding that the evidence gives for the metric of that spec."""

    def cases(self, evidence: Evidence, metric: str) -> Sequence[Case]:  # noqa: ARG002  # most figures are on another page
        """Every text or pair that the figures which no other page has were counted from; none where all are there."""
        return ()

    def found(self, level: Level, sentence: str, figure: Figure | None = None) -> Finding:
        """A finding of this question, with a warning where its interval is likely too narrow."""
        warning = ""
        if figure is not None and figure.estimate.value is None:
            warning = figure.estimate.why
        elif figure is not None and figure.estimate.documents < MIN_TEST_DOCUMENTS:
            warning = f"{figure.estimate.n} cases of {figure.estimate.documents} documents: too few for a verdict, which takes {MIN_TEST_DOCUMENTS} documents."
        elif figure is not None and figure.estimate.of_few_documents:
            warning = f"Few documents ({figure.estimate.documents}): the interval is likely too narrow."
        return Finding(self.name, self.title, self.axis, level, sentence, figure, warning=warning)

    def not_measured(self, why: str) -> Finding:
        """Finding for data, or a metric, that give no answer."""
        return self.found(Level.NOT_MEASURED, why)

    def not_asked(self, why: str = "It needs new scores, and those of this metric were given.") -> Finding:
        """Finding for scores that were given, where the question takes scores of other texts, or for data that it has no sense for."""
        return self.found(Level.NOT_ASKED, why)


QUESTIONS: Registry[Question] = Registry("question of the audit", f"{__package__}.questions")


def ordered_questions() -> list[Question]:
    """Those asked of every metric, in the order of the report."""
    return [plugin() for plugin in sorted(QUESTIONS, key=lambda plugin: plugin.place) if plugin.asked_of == "all"]


def judge_questions() -> list[Question]:
    """Those asked of judges besides, in the order of their card."""
    return [plugin() for plugin in sorted(QUESTIONS, key=lambda plugin: plugin.place) if plugin.asked_of == "judges"]


@dataclass(frozen=True, slots=True)
class MetricAudit:
    """Findings of the audit about one metric; `summary` is one line for people in a hurry, `judge` the model behind one that is a judge."""

    metric: str
    signature: str
    summary: str
    findings: tuple[Finding, ...]
    judge: JudgeModel | None = None

    @property
    def common(self) -> list[Finding]:
        """Findings on what every metric is asked."""
        of_judges = {question.name for question in judge_questions()}
        return [finding for finding in self.findings if finding.question not in of_judges]

    @property
    def on_card(self) -> list[Finding]:
        """Findings on what judges alone are asked, and on what counts for them among the others; none of other metrics."""
        names = {*_ALSO_ON_CARD, *(question.name for question in judge_questions())}
        return [finding for finding in self.findings if finding.question in names] if self.judge else []

    def finding(self, question: str) -> Finding | None:
        return next((finding for finding in self.findings if finding.question == question), None)


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from which on a figure is good, and up to which it fails; with the smaller `good`, less is better."""

    good: float
    fails: float

    def level(self, estimate: Estimate) -> Level:
        """Good where the interval also keeps clear of failing; too few below ten documents or without a value."""
        if estimate.value is None or estimate.documents < MIN_TEST_DOCUMENTS:
            return Level.TOO_FEW
        sign = 1.0 if self.good > self.fails else -1.0
        bounds = [bound for bound in (estimate.low, estimate.high) if bound is not None]
        worst = min((sign * bound for bound in bounds), default=sign * estimate.value)
        if sign * estimate.value <= sign * self.fails:
            return Level.FAILS
        return Level.GOOD if sign * estimate.value >= sign * self.good and worst > sign * self.fails else Level.WEAK


def worst_level(levels: Sequence[Level]) -> Level:
    """The worst verdict of several; too few where none is a verdict."""
    judged = [level for level in levels if level in JUDGED_LEVELS]
    return max(judged, key=JUDGED_LEVELS.index, default=Level.TOO_FEW)
