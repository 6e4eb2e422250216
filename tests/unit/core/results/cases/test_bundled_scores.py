"""The scores that come with the bundled examples are those that our metrics give, and a dataset before anything was imported."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotations.store.dataset_import import DatasetSource
from annotations.store.records import RecordError
from annotations.store.writes import text_id
from cli import app
from core.base.signatures import apart_from_code
from core.data.datasets.bundled import bundled_items
from core.evaluation.studies.surface import missing_features
from core.models.words.shallow import SHALLOW_FEATURES
from core.results.cases.bundled_scores import OFFLINE_METRICS, bundled_samples, compute_scores, precomputed_scores
from core.results.cases.pooling import pool_cases
from core.results.runs.stress_run import run_from_lines
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.text.segmentation import splitter_name
from core.types import PRECOMPUTED

OUTDATED = "Run: make demo-data"
ENCODED = [spec for spec in OFFLINE_METRICS if METRICS.parse(spec).checkpoints()]
QUICKEST = "word-novelty"
SAMPLED = 7
LEXICAL = [spec for spec in OFFLINE_METRICS if spec not in ENCODED]
same_splitter = pytest.mark.skipif(
    any(f"|split:{splitter_name()}|" not in one.signature for one in precomputed_scores()),
    reason=f"the scores were computed with other sentences than those of {splitter_name()}, which is on this machine",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with closing(Engine.open(Settings(device="cpu", cache_dir=tmp_path_factory.mktemp("cache")))) as opened:
        yield opened


def test_every_example_has_an_outcome_of_every_offline_metric() -> None:
    ids = {item.example.id for item in bundled_items()}
    assert [one.metric for one in precomputed_scores()] == list(OFFLINE_METRICS), OUTDATED
    assert all(one.scores.keys() | one.failures.keys() == ids for one in precomputed_scores()), OUTDATED


@same_splitter
def test_the_lexical_scores_are_exactly_those_of_today(engine: Engine) -> None:
    """By the quickest metric of all examples, whose texts it knows again, and by every metric of one in seven."""
    stored = {one.metric: one for one in precomputed_scores()}
    texts = [item.example for item in bundled_items()]
    [quick] = compute_scores(engine.run, [QUICKEST], texts)
    assert quick == replace(stored[QUICKEST], signature=quick.signature), OUTDATED
    some = texts[::SAMPLED]
    for now in compute_scores(engine.run, LEXICAL, some):
        before = stored[now.metric]
        assert apart_from_code(now.signature) == apart_from_code(before.signature), OUTDATED
        assert now.scores == {text.id: before.scores[text.id] for text in some if text.id in before.scores}, OUTDATED
        assert now.failures == {text.id: before.failures[text.id] for text in some if text.id in before.failures}


@pytest.mark.slow
@same_splitter
def test_the_scores_of_the_packaged_encoder_are_those_of_today(engine: Engine) -> None:
    texts = [item.example for item in bundled_items() if item.group == bundled_items()[0].group]
    ours = [one for one in precomputed_scores() if one.metric in ENCODED]
    for now, before in zip(compute_scores(engine.run, ENCODED, texts), ours, strict=True):
        assert apart_from_code(now.signature) == apart_from_code(before.signature), OUTDATED
        assert now.scores == pytest.approx({text.id: before.scores[text.id] for text in texts}, abs=1e-5), OUTDATED


def test_the_surface_of_the_examples_can_be_compared_at_once() -> None:
    assert set(SHALLOW_FEATURES) <= set(OFFLINE_METRICS)
    assert missing_features(pool_cases([bundled_samples()])) == []


@pytest.mark.slow
def test_it_is_a_dataset_with_the_documents_of_the_store_and_nobody_imports_under_its_name() -> None:
    samples = bundled_samples()
    assert [sample.document for sample in samples] == [text_id(item.example.document) for item in bundled_items()]
    assert [sample.stored for sample in samples] == [item.example.id for item in bundled_items()]
    assert {score.metric for sample in samples for score in sample.kept} == set(OFFLINE_METRICS)
    with pytest.raises(RecordError, match="come with Touchstone"):
        DatasetSource(PRECOMPUTED, "bundled", "examples", "0" * 64)


@pytest.mark.slow
def test_the_terminal_evaluates_lists_and_packs_it_without_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")
    told = CliRunner().invoke(app, ["study", "measures", "--dataset", PRECOMPUTED, "--resamples", "50"])
    assert told.exit_code == 0, told.output
    assert "rouge2" in told.output
    assert PRECOMPUTED in CliRunner().invoke(app, ["datasets"]).output
    pack = tmp_path / "pack.zip"
    command = ["pack", "--dataset", PRECOMPUTED, "--metric", "rouge2", "--resamples", "50", "-o", str(pack)]
    packed = CliRunner().invoke(app, command)
    assert packed.exit_code == 0, packed.output
    with zipfile.ZipFile(pack) as files:
        told, card = files.read("README.md").decode(), files.read("data-card.md").decode()
    assert [line.split()[2] for line in told.split("```")[1].splitlines() if line] == ["pack"]
    assert "Comes with Touchstone, scored beforehand." in card


@pytest.mark.slow
def test_commands_read_its_texts_and_none_scores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path))
    output = tmp_path / "run.jsonl"
    command = ["stress", "--dataset", PRECOMPUTED, "--most", "2", "--metric", "rouge2", "--kind", "number"]
    found = CliRunner().invoke(app, [*command, "-o", str(output)])
    assert found.exit_code == 0, found.output
    documents = {item.example.id: item.example.document for item in bundled_items()}
    sources = list(run_from_lines(output.read_text("utf-8").splitlines()).sources.values())
    assert len(sources) == 2
    assert all(source.example.document == documents[source.example.id] for source in sources)
    refused = CliRunner().invoke(app, ["score-dataset", PRECOMPUTED, "--metric", "rouge2"])
    assert "Import the examples first: cli.py import bundled" in str(refused.exception)
