"""Where the metric stops reading: an error whose evidence stands early, midway or late in a long document, and what is cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from core.audit.evidence import Evidence
from core.audit.question import QUESTIONS, Figure, Finding, Level, Question, Scale
from core.metric import METRICS
from core.stats.statistic import Estimate
from core.stress.placement import PlaceEffect, place_effects
from core.types import Result

SCALE = Scale(good=0.8, fails=0.6)
"""Of the pairs that it orders rightly beside their own document, those that it still does in a long one."""


@QUESTIONS.add
@dataclass(frozen=True)
class Reading(Question):
    """Pairs of a summary and its broken variant beside a document of 2,000 words that holds their own."""

    name: ClassVar[str] = "reading"
    title: ClassVar[str] = "Where does it stop reading?"
    axis: ClassVar[str] = "long texts"
    place: ClassVar[int] = 7

    def finding(self, evidence: Evidence, metric: str) -> Finding:
        effects = place_effects(evidence.placed, METRICS.parse(metric), evidence.seed)
        known = [one for one in effects if one.consistency.value is not None]
        if len(known) < 2:
            return self.not_measured("No summary could be broken by rule, or it has no score of long documents.")
        alone, *placed = known
        worst = min(placed, key=lambda one: one.consistency.value or 0.0)
        figure = Figure(f"pairs ordered rightly, evidence {worst.place} in a long document", worst.consistency, "share")
        return replace(
            self.found(_level(alone, worst), _sentence(alone, placed, worst), figure),
            details=(
                *(Figure(f"pairs ordered rightly, {one.place}", one.consistency, "share") for one in known),
                *(Figure(f"mean gain of the faithful side, {one.place}", one.gain, "score") for one in known),
                _cut_share(evidence, metric),
            ),
            command=evidence.audit_command(metric),
        )


def _level(alone: PlaceEffect, worst: PlaceEffect) -> Level:
    """By what is left of the pairs that it orders rightly alone; what orders hardly more than half has little to lose."""
    rightly = alone.consistency.value or 0.0
    level = Scale(SCALE.good * rightly, SCALE.fails * rightly).level(worst.consistency)
    return Level.WEAK if level is Level.GOOD and rightly < SCALE.fails else level


def _sentence(alone: PlaceEffect, placed: list[PlaceEffect], worst: PlaceEffect) -> str:
    by_place = ", ".join(f"{one.place} {100 * (one.consistency.value or 0.0):.0f} %" for one in placed)
    return (
        f"Beside its own document it orders {100 * (alone.consistency.value or 0.0):.0f} % of pairs rightly; in a document of "
        f"2,000 words {by_place}: it is worst where the evidence stands {worst.place}."
    )


def _cut_share(evidence: Evidence, metric: str) -> Figure:
    """The share of summaries of which the metric says that tokens were cut."""
    seen = [one.seen for one in evidence.outcomes if isinstance(one, Result) and one.metric == metric]
    share = sum(one.cut > 0 for one in seen) / len(seen) if seen else None
    return Figure("texts of the data that were cut", Estimate(share, None, None, len(seen)), "share")
