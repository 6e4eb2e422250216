"""Effects of an experiment against its control: a verdict on their size, and none on what may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.assessment.audit.question import AuditFigure, Level, VerdictScale
from core.stats import Estimate

_ORDER = (Level.TOO_FEW, Level.GOOD, Level.MEASURED, Level.WEAK, Level.FAILS)


@dataclass(frozen=True, slots=True)
class Effect:
    """Figure of an effect beyond its control, its size where it is bad, and the verdict on that; `brief` says it where it is bad."""

    figure: AuditFigure
    size: Estimate
    scale: VerdictScale
    brief: str

    @property
    def level(self) -> Level:
        """Verdict on the size: weak or failing only where its interval is above 0, or where every document has the same effect."""
        level = self.scale.observed_level(self.size)
        # an effect has no interval where all documents have the same: by a sign test that is no chance with as many as a verdict takes
        may_be_chance = self.size.low is not None and self.size.low <= 0
        return Level.MEASURED if level in (Level.WEAK, Level.FAILS) and may_be_chance else level

    @property
    def claim(self) -> str:
        """The brief where the verdict is bad, else empty."""
        return self.brief if self.level in (Level.WEAK, Level.FAILS) else ""

    @property
    def remark(self) -> str:
        """The claim as a sentence after others, or the reason why there is none; empty where the effect is good."""
        if self.level is Level.MEASURED:
            return " The interval holds 0: that may be chance, and nothing is claimed."
        return f" Claim: {self.claim}." if self.claim else ""


def rise(figure: AuditFigure, scale: VerdictScale, brief: str) -> Effect:
    """An effect of which only a rise is bad."""
    return Effect(figure, figure.estimate, scale, brief)


def bias(figure: AuditFigure, scale: VerdictScale, briefs: tuple[str, str]) -> Effect:
    """An effect that is bad in either direction; `briefs` are for above and below 0."""
    estimate = figure.estimate
    # the size of the figure, with the sizes that its interval allows
    if estimate.value is None or estimate.low is None or estimate.high is None:
        size = replace(estimate, value=None if estimate.value is None else abs(estimate.value))
    else:
        sizes = sorted(map(abs, (estimate.low, estimate.high)))
        holds_zero = estimate.low <= 0 <= estimate.high
        size = replace(estimate, value=abs(estimate.value), low=0.0 if holds_zero else sizes[0], high=sizes[1])
    return Effect(figure, size, scale, briefs[(estimate.value or 0.0) < 0])


def worst_effect(effects: Sequence[Effect]) -> Effect:
    """The effect with the worst verdict, of equal ones the largest; one that may be chance is worse than none at all."""
    return max(effects, key=lambda effect: (_ORDER.index(effect.level), effect.size.value or 0.0))
