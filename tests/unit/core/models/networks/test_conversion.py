"""Weights in the forms in which authors publish them become safetensors with the same scores; no code in them runs."""

from __future__ import annotations

import json
import pickle
import shutil
import tarfile
import zipfile
from collections import OrderedDict
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from transformers import BartForConditionalGeneration
from typer.testing import CliRunner

from cli import app
from core.errors import LoadError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.adapters import alignscore as aligner
from core.models.networks.conversion import convert
from core.models.weights.integrity import Fingerprints
from core.models.weights.weight_files import memory_bytes
from core.types import Question
from tests.conftest import Weights
from tests.drive import answer
from tests.parity.tiny_entailment import alignscore
from tests.parity.tiny_qa import asker, electra
from tests.tiny import byte_level


@pytest.fixture
def lightning(weights: Weights, tmp_path: Path) -> Path:
    """A folder whose file of Lightning has an optimizer's state twice the size of its weights, as those on the hub have."""
    folder = shutil.copytree(weights(alignscore), tmp_path / "align")
    for left in folder.glob("*.safetensors"):
        left.unlink()
    content = torch.load(folder / "tiny.ckpt", weights_only=True)
    moments = {n: {"exp_avg": t.clone(), "exp_avg_sq": t.clone()} for n, t in enumerate(content["state_dict"].values())}
    content["optimizer_states"] = [{"state": moments, "param_groups": [{"lr": 1e-5}]}]
    torch.save(content, folder / "tiny.ckpt")
    return folder


def checkpoint_of(folder: Path) -> Checkpoint:
    return Checkpoint(str(folder / "tiny.ckpt"), "alignscore", backbone=str(folder))


def probabilities(folder: Path) -> tuple[float, ...]:
    checkpoint = checkpoint_of(folder)
    model = aligner.load(folder / "tiny.ckpt", checkpoint, "cpu")
    [found] = model.forward(model.encode([Question(checkpoint, ("It rained.", "Rain fell."), (("head", "nli"),))]))
    return found.values


def test_a_file_of_lightning_is_copied_once_without_its_optimizer(lightning: Path, tmp_path: Path) -> None:
    copy = lightning / "tiny.ckpt.safetensors"
    before = Fingerprints(tmp_path).of(checkpoint_of(lightning))
    first = probabilities(lightning)
    written = copy.stat().st_mtime_ns
    assert copy.stat().st_size < (lightning / "tiny.ckpt").stat().st_size / 3
    assert probabilities(lightning) == first
    assert copy.stat().st_mtime_ns == written
    assert Fingerprints(tmp_path / "other").of(checkpoint_of(lightning)) == before
    with safe_open(copy, "pt") as file:
        assert not [name for name in file.keys() if name.startswith("mlm_head")]  # noqa: SIM118  # not a mapping


def test_the_memory_asked_for_is_that_of_the_weights(lightning: Path) -> None:
    need = memory_bytes(lightning / "tiny.ckpt", checkpoint_of(lightning))
    probabilities(lightning)
    kept = load_file(lightning / "tiny.ckpt.safetensors")
    assert need == sum(tensor.numel() * 4 for tensor in kept.values())
    assert need < (lightning / "tiny.ckpt").stat().st_size / 3


def test_a_copy_of_other_weights_is_written_again(lightning: Path) -> None:
    first = probabilities(lightning)
    content = torch.load(lightning / "tiny.ckpt", weights_only=True)
    content["state_dict"]["tri_layer.bias"] += torch.tensor([1.0, 0.0, 0.0])
    torch.save(content, lightning / "tiny.ckpt")
    assert probabilities(lightning)[0] > first[0]


def test_a_copy_that_somebody_changed_is_written_again(lightning: Path) -> None:
    first = probabilities(lightning)
    copy = lightning / "tiny.ckpt.safetensors"
    changed = load_file(copy)
    changed["tri_layer.bias"] += torch.tensor([1.0, 0.0, 0.0])
    with safe_open(copy, "pt") as file:
        metadata = file.metadata()
    save_file(changed, copy, metadata)
    assert probabilities(lightning) == first


def test_a_copy_that_was_cut_short_is_written_again(lightning: Path) -> None:
    first = probabilities(lightning)
    copy = lightning / "tiny.ckpt.safetensors"
    copy.write_bytes(copy.read_bytes()[:1000])
    assert probabilities(lightning) == first


def allennlp(folder: Path, archive: Path, base: Path) -> None:
    """What AllenNLP 1.1 makes of the question generator: the weights under a prefix, without the head that is the vocabulary."""
    network = BartForConditionalGeneration.from_pretrained(folder)
    state = OrderedDict(
        (f"bart.{name}", tensor) for name, tensor in network.state_dict().items() if name != "lm_head.weight"
    )
    written = archive.parent / "written"
    written.mkdir()
    torch.save(state, written / "weights.th")
    (written / "config.json").write_text(
        json.dumps({"model": {"type": "question_generation", "model_name": "bart-large"}})
    )
    (written / "vocabulary").mkdir()
    (written / "vocabulary" / "non_padded_namespaces.txt").write_text("*tags")
    with tarfile.open(archive, "w:gz") as tar:
        for name in ("config.json", "weights.th", "vocabulary"):
            tar.add(written / name, name)
    base.mkdir()
    config = json.loads((folder / "config.json").read_text())
    byte_level().save(str(base / "tokenizer.json"))
    (base / "config.json").write_text(json.dumps({**config, "vocab_size": config["vocab_size"] - 2}))


@pytest.mark.slow
def test_the_question_generator_of_qafacteval_asks_the_same_from_its_archive(weights: Weights, tmp_path: Path) -> None:
    allennlp(weights(asker), tmp_path / "model.tar.gz", tmp_path / "base")
    made = tmp_path / "models" / "generation"
    result = CliRunner().invoke(
        app,
        [
            "doctor",
            "--convert",
            str(tmp_path / "model.tar.gz"),
            "--to",
            str(made),
            "--backbone",
            str(tmp_path / "base"),
        ],
    )
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in made.parent.iterdir()) == ["generation"]
    inputs = ("The ", "harbour", " was closed after a storm.")
    asked = [
        answer(Question(Checkpoint(str(place), "question_generation"), inputs)) for place in (made, weights(asker))
    ]
    assert asked[0].texts == asked[1].texts
    assert asked[0].texts[0]


def test_the_answerer_of_qafacteval_answers_the_same_from_its_zip(weights: Weights, tmp_path: Path) -> None:
    folder = weights(electra)
    network = load_file(folder / "model.safetensors")
    torch.save(network, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.write(tmp_path / "pytorch_model.bin", "model/pytorch_model.bin")
        archive.write(folder / "config.json", "model/config.json")
        archive.write(folder / "tokenizer.json", "model/tokenizer.json")
        archive.writestr("model/training_args.bin", b"a pickle that nobody reads")
        archive.writestr("../outside/config.json", "{}")
    made = tmp_path / "answering"
    convert(tmp_path / "model.zip", made, lambda name: Path(name))
    assert sorted(path.name for path in made.iterdir()) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert not (tmp_path.parent / "outside").exists()
    inputs = ("Who closed the harbour?", "A storm closed the harbour.")
    found = [answer(Question(Checkpoint(str(place), "qa_windows"), inputs)) for place in (made, folder)]
    assert found[0] == found[1]


class Evil:
    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return (Path.touch, (Path("evil"),))  # type: ignore[return-value]  # any callable may stand here


def test_a_pickle_that_would_run_code_is_refused_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "source"
    source.mkdir()
    torch.save({"a": Evil()}, source / "pytorch_model.bin", pickle_module=pickle)
    (source / "config.json").write_text("{}")
    with pytest.raises(LoadError, match="not a readable file of weights"):
        convert(source, tmp_path / "made", lambda name: Path(name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"<html>Quota exceeded</html>", "nor a readable tar or zip"), (b"", "nor a readable tar or zip")],
)
def test_a_page_in_the_place_of_an_archive_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "model.tar.gz").write_bytes(content)
    with pytest.raises(LoadError, match=said):
        convert(tmp_path / "model.tar.gz", tmp_path / "made", lambda name: Path(name))
    assert not (tmp_path / "made").exists()


def test_an_archive_of_something_else_and_a_full_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(TouchstoneError, match="is not empty"):
        convert(tmp_path / "full", tmp_path / "full", lambda name: Path(name))
    with pytest.raises(LoadError, match=r"neither config\.json with pytorch_model\.bin nor weights\.th"):
        convert(tmp_path / "full", tmp_path / "made", lambda name: Path(name))
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"
