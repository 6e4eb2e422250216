"""Training the shallow model, and scoring with it, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import TouchstoneError, UnknownNameError
from core.models.words.shallow import read_model
from tests.unit.command_line import run

NAMES = ["Ana Brekke", "Olaf Vik", "Marit Moen", "Per Dahl", "Kari Lund", "Nils Berg"]


def pairs_file(path: Path) -> Path:
    """Forty documents, each with a copied and an invented summary that both name somebody."""
    lines = []
    for number in range(40):
        name = NAMES[number % len(NAMES)]
        document = f"On day {number} {name} sailed north with {number + 3} crates. The sea was calm. {name} came home."
        for label, summary in ((1, f"{name} came home."), (0, f"Angry pirates robbed {name} at gunpoint.")):
            lines.append({"id": f"{number}-{label}", "document": document, "summary": summary, "label": label})
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")


@pytest.mark.slow
@pytest.mark.usefixtures("own_settings")
def test_a_model_is_trained_on_labels_and_scores_the_file_by_the_command_line(tmp_path: Path) -> None:
    pairs, model, output = pairs_file(tmp_path / "in.jsonl"), tmp_path / "model.json", tmp_path / "out.jsonl"
    trained = run("train-shallow", pairs, "-o", model)
    assert trained.exit_code == 0, trained.stderr
    assert trained.stdout.startswith("Learned label from 60 pairs of 30 documents. Held out: 20 pairs of 10 documents")
    assert read_model(model).facts.agreement == 1.0
    assert run("score", pairs, "--metric", f"shallow[model={model}]", "-o", output).exit_code == 0
    scores = [json.loads(line)["score"] for line in output.read_text(encoding="utf-8").splitlines()]
    assert all(copied > 0.5 > invented for copied, invented in zip(scores[::2], scores[1::2], strict=True))


@pytest.mark.slow
@pytest.mark.usefixtures("own_settings")
def test_how_much_of_a_metric_the_surface_explains_is_told_as_json(tmp_path: Path) -> None:
    pairs, scores = pairs_file(tmp_path / "in.jsonl"), tmp_path / "scores.jsonl"
    assert run("score", pairs, "--metric", "coverage", "--metric", "bleu", "-o", scores).exit_code == 0
    trained = run("train-shallow", pairs, "-o", tmp_path / "m.json", "--target", f"{scores}:coverage", "--json")
    assert trained.exit_code == 0, trained.stderr
    told = json.loads(trained.stdout)
    assert (told["target"], told["measure"], told["held_out_pairs"]) == ("coverage", "Spearman", 20)
    assert told["agreement"] > 0.8
    unknown = run("train-shallow", pairs, "-o", tmp_path / "m.json", "--target", f"{scores}:covrage")
    assert isinstance(unknown.exception, UnknownNameError)
    assert "Did you mean 'coverage'?" in str(unknown.exception)


@pytest.mark.slow
@pytest.mark.usefixtures("own_settings")
def test_a_broken_line_is_named_and_the_rest_is_learned_from(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl")
    pairs.write_text('{"id": "broken"\n' + pairs.read_text(encoding="utf-8"), encoding="utf-8")
    done = run("train-shallow", pairs, "-o", tmp_path / "model.json")
    assert (done.exit_code, read_model(tmp_path / "model.json").facts.documents) == (2, 30)
    assert f"{pairs}, line 1: This is not JSON" in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("own_settings")
def test_an_imported_dataset_is_learned_from_as_its_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'touchstone.db'}")
    assert run("import", "pairs", pairs_file(tmp_path / "in.jsonl"), "--name", "own").exit_code == 0
    trained = run("train-shallow", "--dataset", "own", "-o", tmp_path / "model.json")
    assert trained.exit_code == 0, trained.stderr
    facts = read_model(tmp_path / "model.json").facts
    assert (facts.dataset, facts.pairs, facts.documents, facts.agreement) == ("own", 60, 30, 1.0)
    neither = run("train-shallow", "-o", tmp_path / "model.json")
    assert "--dataset: one of the two." in str(neither.exception)


@pytest.mark.slow
@pytest.mark.usefixtures("own_settings")
def test_several_datasets_are_learned_from_and_their_own_test_split_is_held_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'touchstone.db'}")
    lines = [json.loads(line) for line in pairs_file(tmp_path / "in.jsonl").read_text(encoding="utf-8").splitlines()]
    for name, part in (("one", lines[:40]), ("two", lines[40:])):
        split = [{**line, "split": "test" if number < 12 else "train"} for number, line in enumerate(part)]
        split[30]["document"] = split[0]["document"]  # a held-out document in the part to learn from
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, split)), encoding="utf-8")
        mapping = tmp_path / "mapping.json"
        inferred = ("--infer-mapping", "-o", mapping, "--label-of-1", "consistent")
        assert run("import", "generic", tmp_path / f"{name}.jsonl", *inferred).exit_code == 0
        imported = run("import", f"generic[mapping={mapping}]", tmp_path / f"{name}.jsonl", "--name", name)
        assert imported.exit_code == 0, imported.exception
    both = ("--dataset", "one", "--dataset", "two", "-o", tmp_path / "model.json")
    trained = run("train-shallow", *both, "--held-out", "test")
    assert trained.exit_code == 0, (trained.stderr, trained.exception)
    facts = read_model(tmp_path / "model.json").facts
    assert (facts.dataset, facts.split) == ("one + two", "test")
    assert (facts.pairs, facts.held_out_pairs, facts.held_out_documents) == (54, 24, 12)
    assert "Held out, split test: 24 pairs" in trained.stdout
    refused = run("train-shallow", *both, "--held-out", "dev")
    assert "None of the 80 pairs are of split dev: they have test, train." in str(refused.exception)


def test_a_model_file_that_no_metric_would_find_is_refused_before_any_work(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl")
    done = run("train-shallow", pairs, "-o", tmp_path / "model.bin")
    assert isinstance(done.exception, TouchstoneError)
    assert str(done.exception).endswith("got 'model.bin'. Write -o model.json.")
    assert not (tmp_path / "model.bin").exists()
