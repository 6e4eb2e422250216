"""Audit question: where does the metric stop reading? Errors with evidence early, midway or late in a long document, cuts, windows, density."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Literal

from core.assessment.audit.evidence import Evidence
from core.assessment.audit.question import (
    QUESTIONS,
    AuditAnswer,
    AuditFigure,
    AuditQuestion,
    FigureCase,
    Level,
    ShownPair,
    VerdictScale,
)
from core.edits import PERTURBATIONS, Intent
from core.evaluation import BINS, WindowEffect, bins_by_density, window_effects, window_families
from core.results import ELSEWHERE, MOST_PLACED, PlacedPair, PlaceEffect, place_effects, score_shifts
from core.scoring import METRICS
from core.stats import Estimate, format_signed
from core.types import Result

_EDITS: Mapping[Intent, str] = MappingProxyType(
    {"preserving": "harmless edits", "breaking": "errors", "gaming": "phrases that game metrics"}
)
SCALE = VerdictScale(good=0.8, fails=0.6)
"""Of the pairs that it orders rightly beside their own document, those that it still does in a long one."""
_CHANCE = 0.5


@QUESTIONS.add
class ReadingQuestion(AuditQuestion):
    """Pairs of a summary and its broken variant beside a document of 2,000 words that holds their own."""

    name: ClassVar[str] = "reading"
    title: ClassVar[str] = "Where does it stop reading?"
    axis: ClassVar[str] = "long texts"
    place: ClassVar[int] = 11
    scores: ClassVar[bool] = True
    page: ClassVar[Literal["", "evaluate", "stress"]] = "stress"
    tab: ClassVar[str] = "readings[view=windows]"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        effects = place_effects(evidence.placed, METRICS.parse(metric), evidence.seed)
        measured = [effect for effect in effects if effect.place != ELSEWHERE and effect.consistency.value is not None]
        if len(measured) < 2:
            return self.not_measured("No summary could be broken by rule, or it has no score of long documents.")
        alone, *placed = measured
        worst = min(placed, key=lambda effect: effect.consistency.value or 0.0)
        figure = AuditFigure(
            f"pairs ordered rightly, evidence {worst.place} in a long document", worst.consistency, "share"
        )
        windows = _window_effects(evidence, metric)
        sentence = _sentence(alone, placed, worst)
        errors = [window for window in windows if window.intent == "breaking" and window.shift.value is not None]
        if errors:
            shifts = [
                f"{format_signed(replace(window.shift, low=None, high=None))} at w = {window.w}" for window in errors
            ]
            sentence += f" With w sentences read around each passage an error moves its mean by {', '.join(shifts)}."
        # the audit itself for the long documents, and the commands of a stress run for windows and density
        swept = ["python cli.py sweep run.jsonl -o windows.jsonl"] if metric in evidence.sweeps else []
        binned = ["python cli.py study readings run.jsonl --view density"] if evidence.densities.get(metric) else []
        run = [evidence.stress_command(metric)] if (swept or binned) and evidence.data.stress_options else []
        command = "\n".join([evidence.audit_command(metric), *(run and [*run, *swept, *binned])])
        window_figures = [
            AuditFigure(
                f"mean shift by {_EDITS[window.intent]}, w = {window.w}",
                window.shift,
                "score",
                f"score {AuditFigure('', window.variant)}",
            )
            for window in windows
        ]
        seen = [
            outcome.seen for outcome in evidence.outcomes if isinstance(outcome, Result) and outcome.metric == metric
        ]
        share = sum(extent.cut > 0 for extent in seen) / len(seen) if seen else None
        cut_share = AuditFigure("texts of the data that were cut", Estimate(share, None, None, len(seen)), "share")
        return replace(
            self.found(_level(alone, worst), sentence, figure, _scale(alone), MOST_PLACED),
            details=(
                *(
                    AuditFigure(f"pairs ordered rightly, {effect.place}", effect.consistency, "share")
                    for effect in measured
                ),
                *(
                    AuditFigure(f"mean gain of the faithful side, {effect.place}", effect.gain, "score")
                    for effect in measured
                ),
                cut_share,
                *window_figures,
                *_density_figures(evidence, metric),
            ),
            command=command,
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every pair beside its own document and at each place of a long one."""
        by_pair: dict[tuple[str, str], list[PlacedPair]] = {}
        for pair in evidence.placed:
            if pair.metric == metric and pair.place != ELSEWHERE:
                by_pair.setdefault((pair.source, pair.kind), []).append(pair)
        cases = []
        for (name, kind), pairs in by_pair.items():
            source, variant = evidence.run.sources[name], evidence.run.variants[name, kind]
            cells: dict[str, str | float | None] = {"edit": PERTURBATIONS.parse(kind).card.title}
            for pair in pairs:
                cells |= {f"faithful, {pair.place}": pair.faithful, f"broken, {pair.place}": pair.broken}
            summaries = (source.example.summary, variant.summary or "")
            cases.append(FigureCase(cells, ShownPair(name, kind, *summaries, pairs[0].faithful, pairs[0].broken)))
        return cases


def _level(alone: PlaceEffect, worst: PlaceEffect) -> Level:
    """Level by the share that is left of the pairs ordered rightly alone; none where that share may be chance.

    It fails too where the rest may be chance, and is below all that the pairs alone can be.
    """
    low = alone.consistency.low
    if low is None or low <= _CHANCE:
        return Level.MEASURED
    level = _scale(alone).level(worst.consistency)
    placed = worst.consistency
    guesses = placed.low is not None and placed.high is not None and placed.low <= _CHANCE and placed.high < low
    return Level.FAILS if guesses else level


def _scale(alone: PlaceEffect) -> VerdictScale:
    rightly = alone.consistency.value or 0.0
    return VerdictScale(SCALE.good * rightly, SCALE.fails * rightly)


def _sentence(alone: PlaceEffect, placed: list[PlaceEffect], worst: PlaceEffect) -> str:
    by_place = ", ".join(f"{effect.place} {100 * (effect.consistency.value or 0.0):.0f} %" for effect in placed)
    apart = len({effect.consistency.value for effect in placed}) > 1
    lowest = f": lowest where the evidence stands {worst.place}" if apart else ""
    chance = (
        "" if (alone.consistency.low or 0.0) > _CHANCE else " Where that may be chance, no place can cost anything."
    )
    return (
        f"Beside its own document it orders {100 * (alone.consistency.value or 0.0):.0f} % of pairs rightly; in a document of "
        f"2,000 words {by_place}{lowest}.{chance}"
    )


def _window_effects(evidence: Evidence, metric: str) -> list[WindowEffect]:
    """Those of `cli.py sweep`; none of a metric that does not retrieve."""
    run = evidence.sweeps.get(metric)
    if run is None:
        return []
    shifts = score_shifts(run)
    families = window_families(run.plan.metrics).values()
    return [effect for windows in families for effect in window_effects(run, windows, shifts)]


def _density_figures(evidence: Evidence, metric: str) -> list[AuditFigure]:
    """The mean scores of `cli.py study readings --view density`."""
    bins = bins_by_density(evidence.densities.get(metric, ()), BINS, evidence.seed)
    return [
        AuditFigure(
            f"mean score of sentences of density {density_bin.low:.3f} to {density_bin.high:.3f}",
            density_bin.score,
            "score",
            f"{density_bin.documents} documents",
        )
        for density_bin in bins
    ]
