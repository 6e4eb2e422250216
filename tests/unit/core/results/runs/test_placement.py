"""The place of the evidence in a long document."""

from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.studies.gaming import lifted_share
from core.results.runs.placement import ELSEWHERE, PLACES, PlacedPair, place_effects, placed_examples
from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun, Variant
from core.scoring.metric import METRICS
from core.stats.bootstrap import Resamples
from core.stats.discrimination import Threshold
from core.stats.score_pairs import ScorePairs
from core.types import Example

METRIC = "rouge2"
BREAKING, HARMLESS = "negation", "shuffled"


def stressed(broken: float, harmless: float, documents: int = 12) -> StressRun:
    """A run whose broken summaries all fall to one score, its harmless ones to another; originals have 1."""
    run = StressRun(Plan(name="toy", kinds=(BREAKING, HARMLESS), metrics=(METRIC,)))
    for number in range(documents):
        id = f"s{number}"
        run.add(Source(Example(id, f"Document {number}. " + "word " * 400, f"Summary {number}."), f"d{number}"))
        run.add(ScoreRecord(id, "", METRIC, 1.0))
        for kind, score in ((BREAKING, broken), (HARMLESS, harmless)):
            run.add(Variant(id, kind, summary=f"Variant {kind} {number}."))
            run.add(ScoreRecord(id, kind, METRIC, score))
    return run


def test_beside_another_document_nothing_of_its_own_is_left() -> None:
    run = stressed(0.2, 0.9)
    elsewhere = [
        (source, faithful, broken) for source, _, place, faithful, broken in placed_examples(run) if place == ELSEWHERE
    ]
    assert len(elsewhere) == 12
    for source, faithful, broken in elsewhere:
        assert faithful.document == broken.document
        assert faithful.document in {other.example.document for other in run.sources.values()} - {
            source.example.document
        }


def test_a_run_of_one_document_has_no_other_one() -> None:
    places = [place for _, _, place, *_ in placed_examples(stressed(0.2, 0.9, documents=1))]
    assert places == ["alone", "early", "midway", "late"]


def test_its_own_document_stands_whole_at_every_other_place() -> None:
    run = stressed(0.2, 0.9)
    placed = placed_examples(run, most=3)
    assert [place for _, _, place, *_ in placed] == list(PLACES) * 3
    for source, variant, place, faithful, broken in placed:
        if place == ELSEWHERE:
            continue
        own = source.example.document
        assert faithful.document == broken.document
        assert (faithful.summary, broken.summary) == (source.example.summary, variant.summary)
        assert {
            "alone": faithful.document == own,
            "early": faithful.document.startswith(own) and len(faithful.document) > 3 * len(own),
            "midway": not faithful.document.startswith(own) and not faithful.document.endswith(own),
            "late": faithful.document.endswith(own) and len(faithful.document) > 3 * len(own),
        }[place]
        assert own in faithful.document


def test_one_pair_of_each_document_is_placed() -> None:
    run = stressed(0.2, 0.9)
    run.add(Source(Example("twin", run.sources["s0"].example.document, "Another."), "d0"))
    run.add(Variant("twin", BREAKING, summary="Not another."))
    groups = [source.group for source, *_ in placed_examples(run)]
    assert len(groups) == len(PLACES) * 12


def test_a_place_where_nothing_is_read_orders_no_pair() -> None:
    scores = {"alone": 0.1, "early": 0.1, "midway": 0.9, "late": 0.9}
    found = [
        PlacedPair(METRIC, place, f"s{number}", BREAKING, f"d{number}", 0.9, broken)
        for number in range(12)
        for place, broken in scores.items()
    ]
    effects = place_effects(found, METRICS.parse(METRIC), resamples=50)
    assert [one.consistency.value for one in effects] == [1.0, 1.0, 0.0, 0.0, None]
    assert effects[0].gain.value == pytest.approx(0.8)


def test_only_summaries_that_were_refused_can_be_lifted() -> None:
    pairs = ScorePairs(
        np.array([0.1, 0.2, 0.9, 0.3, np.nan]), np.array([0.6, 0.4, 0.95, np.nan, 0.9]), np.arange(5, dtype=np.intp)
    )
    found = Resamples.draw(5, 50).estimate(lifted_share(pairs, Threshold(0.5, 10, frozenset())))
    assert (found.value, found.n) == (0.5, 2)
