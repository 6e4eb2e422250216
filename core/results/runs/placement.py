"""Place where a metric stops reading: a pair with its document alone, with a long one that holds it early, midway or late, and with another.

The long document is made of other documents of the run, so that only the place of the evidence changes.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from core.results.runs.shifts import STRESS_RESAMPLES, document_array, score_array
from core.results.runs.stress_run import Source, StressRun, Variant, intent_of
from core.scoring import Metric, ScoringEngine
from core.stats import Estimate, Resamples, ScorePairs, consistency_share, mean_correction
from core.text import words
from core.types import Example, Result

ELSEWHERE = "elsewhere"
"""Place of a pair beside the document of another one, which cannot tell its sides apart."""
PLACES = ("alone", "early", "midway", "late", ELSEWHERE)
"""Places of its own document in the long one; alone is without other text, elsewhere without its own."""

_LONG_WORDS = 2000
MOST_PLACED = 24


@dataclass(frozen=True, slots=True)
class PlacedPair:
    """Both scores of one metric on a summary and its broken variant, the document at one place; None where it failed."""

    metric: str
    place: str
    source: str
    kind: str
    group: str
    faithful: float | None
    broken: float | None


@dataclass(frozen=True, slots=True)
class PlaceEffect:
    """A metric with the evidence at one place: the share of pairs whose faithful side scores higher, and its mean gain."""

    place: str
    consistency: Estimate
    gain: Estimate


def placed_examples(run: StressRun, most: int = MOST_PLACED) -> list[tuple[Source, Variant, str, Example, Example]]:
    """Broken variants of different documents up to this number, each at every place: the faithful and the broken example."""
    sources = list(run.sources.values())
    several = len({source.group for source in sources}) > 1
    broken = {
        source.example.id: variant
        for source in sources
        if (variant := broken_variant(run, source.example.id)) is not None
    }
    by_document = {source.group: source for source in reversed(sources) if source.example.id in broken}
    sample = list(reversed(by_document.values()))[:most]
    placed = []
    for source in sample:
        original, variant = source.example, broken[source.example.id]
        for place in PLACES if several else PLACES[:-1]:
            document = _long_document(run, source, place)
            faithful = Example(f"{original.id}\0{place}", document, original.summary)
            wrong = Example(f"{original.id}\0{variant.kind}\0{place}", document, variant.summary or "")
            placed.append((source, variant, place, faithful, wrong))
    return placed


def planned_examples(run: StressRun, most: int = MOST_PLACED) -> list[Example]:
    """As many texts of the same length, before any variant is made, for an estimate of what they will cost."""
    sources = list({source.group: source for source in run.sources.values()}.values())[:most]
    return [
        Example(
            f"{source.example.id}\0{place}\0{side}",
            _long_document(run, source, place),
            f"{source.example.summary} {side}",
        )
        for source in sources
        for place in PLACES
        for side in ("faithful", "broken")
    ]


def score_placed(engine: ScoringEngine, run: StressRun, metric: Metric) -> Generator[PlacedPair]:
    """One metric on all of them; closing it cancels what is under way."""
    placed = placed_examples(run)
    texts = [text for *_, faithful, broken in placed for text in (faithful, broken)]
    scores = (outcome.score if isinstance(outcome, Result) else None for _, outcome in engine.run([metric], texts))
    for (source, variant, place, *_), faithful, broken in zip(placed, scores, scores, strict=True):
        yield PlacedPair(metric.spec, place, source.example.id, variant.kind, source.group, faithful, broken)


def place_effects(
    placed_pairs: Sequence[PlacedPair], metric: Metric, seed: int = 0, resamples: int = STRESS_RESAMPLES
) -> list[PlaceEffect]:
    """The places in their order, on the same pairs; intervals by document."""
    of_metric = [pair for pair in placed_pairs if pair.metric == metric.spec]
    numbers = {group: place for place, group in enumerate(dict.fromkeys(pair.group for pair in of_metric))}
    if not numbers:
        return []
    bootstrap = Resamples.draw(len(numbers), resamples, seed)
    effects = []
    for place in PLACES:
        here = [pair for pair in of_metric if pair.place == place]
        pairs = ScorePairs(
            score_array(pair.faithful for pair in here),
            score_array(pair.broken for pair in here),
            document_array((pair.group for pair in here), numbers),
            metric.card.direction,
        )
        effects.append(
            PlaceEffect(place, bootstrap.estimate(consistency_share(pairs)), bootstrap.estimate(mean_correction(pairs)))
        )
    return effects


def broken_variant(run: StressRun, source: str) -> Variant | None:
    """The variant of the first breaking kind that could be made, beginning with another kind for each source."""
    kinds = [kind for kind in run.plan.kinds if intent_of(kind) == "breaking"]
    start = random.Random(f"{run.plan.seed}\0{source}").randrange(len(kinds)) if kinds else 0
    made = (run.variants.get((source, kind)) for kind in [*kinds[start:], *kinds[:start]])
    return next((variant for variant in made if variant and variant.summary is not None), None)


def _long_document(run: StressRun, source: Source, place: str) -> str:
    """The document of a source between others of the run, drawn by its seed, up to about 2,000 words."""
    own = source.example.document
    if place == "alone":
        return own
    others = list(
        dict.fromkeys(other.example.document for other in run.sources.values() if other.group != source.group)
    )
    random.Random(f"{run.plan.seed}\0{source.example.id}").shuffle(others)
    if place == ELSEWHERE:
        return others[0] if others else ""
    taken: list[str] = []
    room = _LONG_WORDS - len(words(own))
    while others and room > 0:
        taken.append(others.pop())
        room -= len(words(taken[-1]))
    before = {"early": 0, "midway": len(taken) // 2, "late": len(taken)}[place]
    return "\n\n".join([*taken[:before], own, *taken[before:]])
