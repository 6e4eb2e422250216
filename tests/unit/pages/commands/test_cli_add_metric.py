"""A checkpoint of a hub becomes a metric by one command: guessed, tried on five pairs, kept, and used by its name."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.errors import TouchstoneError
from core.scoring.metric import METRICS
from tests.conftest import Weights
from tests.doubles.model_hub import COMMIT, ModelHub
from tests.probe_checkpoints import pair_classifier, with_config
from tests.unit.command_line import done, run
from tests.unit.core.models.hub import Hub, serving

NLI = ("contradiction", "entailment", "neutral")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    """A hub without repositories, an empty cache of it, and a folder for metrics."""
    (tmp_path / "published").mkdir()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path / "metrics"))
    with serving(ModelHub(tmp_path / "published")) as found:
        ask(found.address, monkeypatch)
        yield found
    for name in [name for name in METRICS.names() if METRICS.get(name).card.family == "Checkpoint"]:
        METRICS.remove(name)


def ask(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr("huggingface_hub.hf_api.ENDPOINT", address, raising=False)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")


def problem(*arguments: object) -> str:
    error = run("add-metric", *arguments).exception
    assert isinstance(error, TouchstoneError), error
    return str(error)


@pytest.mark.slow
@pytest.mark.usefixtures("database")
def test_a_named_classifier_is_added_pinned_and_scores_by_its_name(
    hub: ModelHub, weights: Weights, tmp_path: Path
) -> None:
    repository = with_config(weights(pair_classifier, NLI, 1, 0), hub.repository("owner/nli"))
    (repository / "README.md").write_text("---\nlicense: mit\nlanguage: en\n---\n", encoding="utf-8")
    (repository / "modeling.py").write_text("raise SystemExit", encoding="utf-8")
    record = json.loads(done("add-metric", "owner/nli", "--name", "own-nli", "--set", "over_sentences=min", "--json"))
    assert (record["right"], record["table"]["label"], record["revision"]) == (5, "entailment", COMMIT)
    table = tomllib.loads((tmp_path / "metrics" / "own-nli.toml").read_text(encoding="utf-8"))["own-nli"]
    assert (table["revision"], table["licence"], table["over_sentences"]) == (COMMIT, "Weights: mit.", "min")
    assert "owner/nli/modeling.py" not in hub.asked
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "a", "document": "The tug came.", "summary": "It came. It sank."}', encoding="utf-8")
    metrics = ("--metric", "own-nli", "--metric", "own-nli[over_sentences=max]")
    done("score", pairs, *metrics, "-o", tmp_path / "scores.jsonl")
    scores = [
        json.loads(line)["score"] for line in (tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert 0 <= scores[0] < scores[1] <= 1
    assert "already" in problem("owner/nli", "--name", "own-nli")


@pytest.mark.slow
@pytest.mark.usefixtures("database")
def test_labels_without_names_are_chosen_by_the_pairs_and_that_is_said(
    hub: ModelHub, weights: Weights, tmp_path: Path
) -> None:
    named = weights(pair_classifier, NLI, 1, 0)
    ids = {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
    with_config(named, hub.repository("owner/unnamed"), id2label=ids, label2id=None)
    shown = done("add-metric", "owner/unnamed", "-o", tmp_path / "given.toml")
    assert 'label = "LABEL_1"' in shown
    assert "Guessed from the probe pairs: which label" in shown
    assert 'label = "LABEL_1"' in (tmp_path / "given.toml").read_text(encoding="utf-8")
    assert not (tmp_path / "metrics").exists()


@pytest.mark.usefixtures("database")
def test_a_model_whose_labels_are_swapped_is_not_kept_unless_asked_for(
    hub: ModelHub, weights: Weights, tmp_path: Path
) -> None:
    swapped = {"id2label": {"0": "entailment", "1": "contradiction", "2": "neutral"}}
    swapped["label2id"] = {"entailment": 0, "contradiction": 1, "neutral": 2}  # type: ignore[dict-item]
    with_config(weights(pair_classifier, NLI, 1, 0), hub.repository("owner/swapped"), **swapped)
    refused = run("add-metric", "owner/swapped")
    assert refused.exit_code == 1
    assert "the wrong way round" in refused.output
    assert "Nothing was kept" in refused.output
    assert not (tmp_path / "metrics").exists()
    done("add-metric", "owner/swapped", "--anyway")
    assert (tmp_path / "metrics" / "swapped.toml").is_file()


@pytest.mark.slow
@pytest.mark.usefixtures("database")
def test_a_folder_with_one_reversed_logit_is_found_out(hub: ModelHub, weights: Weights) -> None:
    folder = weights(pair_classifier, ("LABEL_0",), 0, 1)
    record = json.loads(done("add-metric", folder, "--name", "reversed", "--json"))
    assert (record["table"]["form"], record["table"]["reverse"], record["right"]) == ("regressor", True, 5)
    assert record["table"]["checkpoint"] == str(folder)
    assert not hub.asked


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (403, "GatedRepo", "is gated. Accept its terms at"),
        (401, "RepoNotFound", "or it is private: log in"),
        (404, "RevisionNotFound", "has no revision 'v9'"),
        (503, "", "with status 503"),
    ],
)
def test_a_refusal_of_the_hub_is_a_sentence(
    status: int, error: str, words: str, tmp_path: Path, hub: ModelHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    del hub
    with serving(Hub(tmp_path, status, error)) as refusing:
        ask(refusing.address, monkeypatch)
        assert words in problem("owner/name", "--revision", "v9")


def test_what_is_no_repository_or_setting_is_a_sentence(hub: ModelHub, tmp_path: Path) -> None:
    assert "neither a folder" in problem("http://169.254.169.254/latest")
    assert "neither a folder" in problem("owner/../name")
    assert "has no repository 'owner/absent'" in problem("owner/absent")
    assert "does not exist" in problem(tmp_path / "absent")
    hub.repository("owner/empty").mkdir(parents=True)
    assert "has no model.safetensors" in problem("owner/empty")
    assert "write FIELD=VALUE" in problem("owner/empty", "--set", "checkpoint=other/name")
