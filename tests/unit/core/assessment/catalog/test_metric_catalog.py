"""What is said of a metric before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.assessment.catalog.metric_catalog import (
    MetricFilter,
    availability_of,
    closest_metrics,
    format_direction,
    format_range,
    list_metrics,
    ready_first,
)
from core.assessment.catalog.metric_setup import format_megabytes
from core.models.model_pool import ModelPool
from core.scoring.metric import METRICS


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelPool]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    opened = ModelPool("cpu", 1_000_000, tmp_path)
    yield opened
    opened.close()


def test_every_metric_is_listed_with_its_family_together(pool: ModelPool) -> None:
    lines = list_metrics(pool)
    assert sorted(line.name for line in lines) == METRICS.names()
    assert [line.card.family for line in lines] == sorted(line.card.family for line in lines)


def test_what_needs_no_download_is_ready(pool: ModelPool) -> None:
    states = {line.name: line.state for line in list_metrics(pool)}
    assert states["rouge2"] == states["semantic-similarity"] == "ready"


def test_what_needs_a_download_says_from_where_and_how_much(pool: ModelPool) -> None:
    [line] = [line for line in list_metrics(pool) if line.name == "minicheck-roberta"]
    assert line.state == "needs download (lytang/MiniCheck-RoBERTa-Large, 1.4 GB)"
    assert "Press Download" in line.error


@pytest.mark.parametrize(
    ("wanted", "inside", "outside"),
    [
        (MetricFilter(availability="ready"), "rouge2", "bartscore"),
        (MetricFilter(availability="needs set-up"), "bartscore", "direct-assessment"),
        (MetricFilter(availability="endpoint"), "direct-assessment", "rouge2"),
        (MetricFilter(speed="no model"), "bleu", "semantic-similarity"),
        (MetricFilter(speed="small model"), "semantic-similarity", "bartscore"),
        (MetricFilter(family="Overlap"), "rouge2", "density"),
        (MetricFilter(memory_mb=600), "alignscore-base", "minicheck-roberta"),
        (MetricFilter("ENTAILS zha"), "alignscore-large", "hhem"),
    ],
)
def test_a_filter_keeps_what_is_asked_for(pool: ModelPool, wanted: MetricFilter, inside: str, outside: str) -> None:
    names = {row.name for row in list_metrics(pool) if wanted.accepts(row)}
    assert inside in names
    assert outside not in names


def test_what_scores_at_once_comes_first_and_endpoints_last(pool: ModelPool) -> None:
    found = [availability_of(row) for row in ready_first(list_metrics(pool))]
    assert found == sorted(found, key=("ready", "needs set-up", "endpoint").index)


def test_a_name_with_a_mistake_finds_its_metric(pool: ModelPool) -> None:
    assert closest_metrics(list_metrics(pool), "quest-evl")[0] == "QuestEval"
    assert closest_metrics(list_metrics(pool), "zzzz") == []


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.0, 1.0, "[0, 1]"),
        (None, 0.0, "(-∞, 0]"),
        (0.0, None, "[0, ∞)"),
        (None, None, "(-∞, ∞)"),
        (-1.0, 0.5, "[-1, 0.5]"),
    ],
)
def test_a_range_is_written_as_in_the_literature(low: float | None, high: float | None, words: str) -> None:
    assert format_range(low, high) == words


def test_a_direction_is_said_in_words() -> None:
    assert format_direction("higher") == "higher = more consistent"
    assert format_direction("neutral") == "describes the surface"


def test_a_size_is_written_in_gigabytes_from_a_thousand_megabytes_on() -> None:
    assert [format_megabytes(size) for size in (90, 999, 1000, 3133)] == ["90 MB", "999 MB", "1.0 GB", "3.1 GB"]
