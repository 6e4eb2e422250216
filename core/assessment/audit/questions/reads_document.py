"""Audit question: does it read the document? The same pairs beside the document of another one, where nothing can tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
)
from core.edits import PERTURBATIONS
from core.results import ELSEWHERE, STRESS_RESAMPLES, document_array, score_array
from core.scoring import METRICS
from core.stats import MIN_TEST_DOCUMENTS, Estimate, Resamples, ScorePairs, difference, order_share

_CHANCE = 0.5
_MOST_LOST = 0.25  # of the lead over chance beside their own document, where a metric is said not to read it


@QUESTIONS.add
@dataclass(frozen=True)
class ReadsDocumentQuestion(AuditQuestion):
    """Pairs of a summary and its broken variant beside their own document and beside another."""

    name: ClassVar[str] = "reads-document"
    title: ClassVar[str] = "Does it read the document?"
    axis: ClassVar[str] = "reads"
    place: ClassVar[int] = 4
    scores: ClassVar[bool] = True
    page: ClassVar[Literal["", "evaluate", "stress"]] = ""
    less_is_better: ClassVar[bool] = True

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        own, other, fall = _orders(evidence, metric)
        if own.value is None or other.value is None:
            return self.not_measured("No summary could be broken by rule, or it has no score beside another document.")
        figure = AuditFigure("pairs ordered rightly beside another document", other, "share")
        beside_own = AuditFigure("pairs ordered rightly beside their own document", own, "share")
        lost = AuditFigure("of these lost beside another document", fall, "share")
        level = _level(own, other, fall)
        verdicts = {
            Level.GOOD: "What it tells comes from the document",
            Level.WEAK: "A part of what it tells does not come from the document",
            Level.FAILS: "It orders pairs without reading their document",
            Level.MEASURED: "It is not shown to order pairs better than chance, even beside their own document, so there is nothing to lose beside another",
        }
        return replace(
            self.found(
                level,
                f"{verdicts.get(level, 'Whether it reads the document cannot be told')}: beside their own it orders {beside_own} of "
                f"pairs rightly, ties counting half, beside another {figure}.",
                figure,
            ),
            brief="does not read the document" if level is Level.FAILS else "",
            details=(beside_own, lost),
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every pair beside its own document and beside another."""
        by_pair: dict[tuple[str, str], dict[str, tuple[float | None, float | None]]] = {}
        for pair in evidence.placed:
            if pair.metric == metric and pair.place in ("alone", ELSEWHERE):
                by_pair.setdefault((pair.source, pair.kind), {})[pair.place] = (pair.faithful, pair.broken)
        cases = []
        for (name, kind), scores in by_pair.items():
            source, variant = evidence.run.sources[name], evidence.run.variants[name, kind]
            cells: dict[str, str | float | None] = {"edit": PERTURBATIONS.parse(kind).card.title}
            for place, title in (("alone", "own document"), (ELSEWHERE, "another document")):
                faithful, broken = scores.get(place, (None, None))
                cells |= {f"faithful, {title}": faithful, f"broken, {title}": broken}
            summaries = (source.example.summary, variant.summary or "")
            cases.append(FigureCase(cells, ShownPair(name, kind, *summaries, *scores.get("alone", (None, None)))))
        return cases


def _orders(evidence: Evidence, metric: str) -> tuple[Estimate, Estimate, Estimate]:
    """Shares of pairs ordered rightly beside their own document and beside another, and the first minus the second."""
    of_metric = [pair for pair in evidence.placed if pair.metric == metric]
    numbers = {group: place for place, group in enumerate(dict.fromkeys(pair.group for pair in of_metric))}
    if not numbers:
        missing = Estimate(None, None, None, 0)
        return missing, missing, missing
    resamples = Resamples.draw(len(numbers), STRESS_RESAMPLES, evidence.seed)
    sides = []
    for place in ("alone", ELSEWHERE):
        here = [pair for pair in of_metric if pair.place == place]
        pairs = ScorePairs(
            score_array(pair.faithful for pair in here),
            score_array(pair.broken for pair in here),
            document_array((pair.group for pair in here), numbers),
            METRICS.parse(metric).card.direction,
        )
        sides.append(resamples.of(order_share(pairs)))
    own, other = sides
    return own.estimate(), other.estimate(), difference(own, other)


def _level(own: Estimate, other: Estimate, fall: Estimate) -> Level:
    """Fails where pairs are told apart without their document and next to nothing is lost by that; weak where something is."""
    if min(own.documents, other.documents) < MIN_TEST_DOCUMENTS or own.value is None or other.value is None:
        return Level.TOO_FEW
    if own.low is None or own.low <= _CHANCE:
        return Level.MEASURED
    falls = fall.low is not None and fall.low > 0
    tells = other.low is not None and other.low > _CHANCE
    if not falls:
        is_kept = fall.value is not None and fall.value <= _MOST_LOST * (own.value - _CHANCE)
        return Level.FAILS if tells and is_kept else Level.TOO_FEW
    return Level.WEAK if tells else Level.GOOD
