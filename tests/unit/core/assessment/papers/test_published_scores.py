"""Published scores are compared with ours on whatever weights are here; the packaged MiniLM always is."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli import app
from core.assessment.papers.published_scores import PUBLISHED, PublishedScore
from core.scoring.metric import METRICS


@pytest.fixture(autouse=True)
def small_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")


def verify(*names: str) -> Result:
    return CliRunner().invoke(app, ["verify", *names])


def test_ten_metrics_have_published_scores_and_each_score_a_source() -> None:
    assert len({one.metric for one in PUBLISHED}) >= 10
    assert not [one for one in PUBLISHED if not one.source or not 0 < one.tolerance <= 0.02]
    assert [METRICS.parse(one.spec).spec for one in PUBLISHED] == [one.spec for one in PUBLISHED]


def test_the_packaged_encoder_gives_the_published_cosines() -> None:
    result = verify("semantic-similarity")
    assert result.exit_code == 0, result.output
    assert result.output.count("agrees") == 3
    assert "3 of 3 compared, 0 beyond the tolerance." in result.output


def test_a_score_that_differs_is_told_and_leaves_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PublishedScore("semantic-similarity", "It rained.", "It rained.", 0.5, "nobody")
    monkeypatch.setattr("pages.commands.metrics.verify.PUBLISHED", (wrong,))
    result = verify()
    assert result.exit_code == 1
    assert "difference +0.50000" in result.output
    assert "DIFFERS" in result.output


def test_weights_that_are_not_here_are_named_and_nothing_is_downloaded() -> None:
    result = verify("bartscore", "rouge2")
    assert result.exit_code == 0
    assert "facebook/bart-large-cnn: not here. Run: cli.py doctor bartscore" in result.output
    assert "rouge2: its authors print no score" in result.output
    assert "0 of 2 compared" in result.output
