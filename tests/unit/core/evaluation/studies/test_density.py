"""Scores by information density: bins over chosen numbers, and densities that are known by the shape of the document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.evaluation.studies.density import (
    DensityScores,
    density_bins,
    equal_width_edges,
    original_summaries,
    quantile_edges,
    score_sentences,
    variant_summaries,
)
from core.evaluation.studies.readings import Readings
from core.evaluation.study import StudyData
from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Example, Item
from tests.unit.core.results.runs.stressed import run_of

WAIT_S = 60.0
BOATS = "The boat left the harbour."


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def texts(*found: tuple[str, list[tuple[float, float | None]]]) -> list[DensityScores]:
    """What a metric said of some texts: their documents, and (density, score) of each sentence."""
    return [
        DensityScores("m", group, tuple(density for density, _ in pairs), tuple(score for _, score in pairs))
        for group, pairs in found
    ]


def test_a_metric_that_is_the_density_rises_from_bin_to_bin() -> None:
    densities = [place / 100 for place in range(100)]
    found = texts(*((f"d{place}", [(density, density)]) for place, density in enumerate(densities)))
    made = density_bins(found, quantile_edges(densities, 4), seed=0, resamples=200)
    assert [one.score.n for one in made] == [25, 25, 25, 25]
    assert [one.score.value for one in made] == pytest.approx([0.12, 0.37, 0.62, 0.87])
    for one in made:
        assert one.score.low is not None
        assert one.score.high is not None
        assert one.low <= one.score.low < one.score.high <= one.high


def test_bins_of_the_same_width_may_be_empty() -> None:
    made = density_bins(
        texts(("a", [(0.0, 1.0), (0.1, 3.0)]), ("b", [(1.0, 5.0)])), equal_width_edges([0.0, 0.1, 1.0], 4), 0, 200
    )
    assert [(one.low, one.high) for one in made] == [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)]
    assert [one.score.n for one in made] == [2, 0, 0, 1]
    assert [one.score.value for one in made] == [2.0, None, None, 5.0]
    assert [one.documents for one in made] == [1, 0, 0, 1]


def test_densities_that_are_all_the_same_make_one_bin() -> None:
    edges = quantile_edges([0.3, 0.3, 0.3], 4)
    assert edges == equal_width_edges([0.3, 0.3], 4) == [0.3]
    [one] = density_bins(texts(("a", [(0.3, 1.0)]), ("b", [(0.3, 0.0)])), edges, 0, 200)
    assert (one.low, one.high, one.score.value, one.documents) == (0.3, 0.3, 0.5, 2)


def test_a_sentence_without_a_score_does_not_count() -> None:
    [one] = density_bins(texts(("a", [(0.3, 1.0), (0.3, None)])), [0.3], 0, 200)
    assert (one.score.value, one.score.n) == (1.0, 1)


def test_a_sentence_of_which_the_whole_document_speaks_has_density_one(engine: Engine) -> None:
    example = Example("pair", " ".join([BOATS] * 4), f"{BOATS} Penguins eat fish in Antarctica.")
    [found] = score_sentences(engine, [METRICS.parse("coverage")], [Item(example, group="one")])
    assert found.densities[0] == pytest.approx(1.0, abs=1e-5)
    assert found.densities[1] < 0.5
    assert found.scores == (1.0, 0.0)


def test_a_metric_that_fails_or_says_nothing_of_sentences_tells_why(engine: Engine) -> None:
    metrics = [METRICS.parse("coverage"), METRICS.parse("bartscore[checkpoint=nobody/nothing]")]
    found = list(
        score_sentences(
            engine,
            metrics,
            [Item(Example("a", BOATS, "..."), group="a"), Item(Example("b", BOATS, BOATS), group="b")],
        )
    )
    assert [(text.group, text.metric.partition("[")[0], bool(text.error)) for text in found] == [
        ("a", "coverage", True),
        ("a", "bartscore", True),
        ("b", "coverage", False),
        ("b", "bartscore", True),
    ]


def test_the_texts_of_a_run_are_its_sources_or_the_variants_of_one_intent() -> None:
    run = run_of({"shuffled": [0.1, 0.2], "negation": [0.1, 0.2]})
    assert [text.group for text in original_summaries(run)] == ["s0", "s1"]
    assert {text.example.summary for text in variant_summaries(run, "breaking")} == {
        run.variants["s0", "negation"].summary
    }
    assert variant_summaries(run, "gaming") == []
    assert [text.group for text in variant_summaries(run, "breaking", among={("s1", "negation")})] == ["s1"]


def test_the_report_bins_the_sentences_of_the_texts_that_count(engine: Engine) -> None:
    run = run_of({"shuffled": [0.1, 0.2], "negation": [0.1, 0.2]}, metric="coverage")
    counting = frozenset({("s1", "negation")})
    report = Readings(view="density", texts="breaking", bins=1).run(
        StudyData(run=run, counting=counting, engine=engine)
    )
    [row] = report.table().records()
    assert (row["metric"], row["sentences"], row["documents"]) == ("coverage", 2, 1)
    [chart] = report.charts
    assert [(series.name, len(series.x)) for series in chart.series] == [("sentence", 2), ("mean of a bin", 1)]
    assert Readings(view="density").choices(StudyData(run=run))["texts"] == ["original", "preserving", "breaking"]
    with pytest.raises(TouchstoneError, match="no gaming text"):
        Readings(view="density", texts="gaming").run(StudyData(run=run, engine=engine))


def test_a_metric_that_scores_no_sentence_is_a_problem_and_no_row(engine: Engine) -> None:
    run = run_of({"shuffled": [0.1]}, metric="bartscore[checkpoint=nobody/nothing]")
    report = Readings(view="density").run(StudyData(run=run, engine=engine))
    assert report.empty
    assert report.sentences == ("No metric scores a sentence.",)
    assert report.problems[0].startswith("bartscore[checkpoint=nobody/nothing]: 1 of 1 texts: ")
