"""A classifier in an ONNX file scores as its torch form does, is found in a folder, and says what it lacks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.assessment.catalog import metric_setup
from core.assessment.catalog.metric_setup import missing_steps
from core.errors import LoadError, MissingWeightsError
from core.model_reference import Checkpoint
from core.models.adapters import onnx_classifier, sequence_classifier
from core.models.weights.locations import locate
from core.models.weights.repository import read_repository
from core.models.weights.weight_files import ONNX_KIND, deciding_files, onnx_files
from core.scoring.plugins.checkpoints.checkpoint_file import checkpoint_class, entry_of
from core.scoring.plugins.checkpoints.checkpoint_guess import guess_form
from core.types import Question
from tests.conftest import Weights
from tests.parity.tiny_onnx import NLI, export
from tests.probe_checkpoints import pair_classifier, with_config

PAIRS = [
    ("It rained in York.", "It snowed."),
    ("It rained in York. " * 40, "Rain fell in York."),
    ("It rained.", "Rain."),
]
TOLERANCE = 1e-4


@pytest.fixture
def folder(weights: Weights, tmp_path: Path) -> Path:
    """A trained classifier as ONNX, beside nothing but configuration and tokenizer."""
    return export(weights(pair_classifier, NLI, 1, 0), tmp_path / "exported")


@pytest.mark.slow
def test_its_probabilities_are_those_of_torch_alone_and_in_a_batch(folder: Path, weights: Weights) -> None:
    source = weights(pair_classifier, NLI, 1, 0)
    ours, theirs = Checkpoint(str(folder), ONNX_KIND), Checkpoint(str(source), "sequence_classifier")
    model, torch_model = onnx_classifier.load(folder, ours, "cpu"), sequence_classifier.load(source, theirs, "cpu")
    asked = [Question(ours, pair, (("limit", 128),)) for pair in PAIRS]
    expected = torch_model.forward(torch_model.encode(asked))
    together = model.forward(model.encode(asked))
    alone = [model.forward(model.encode([question]))[0] for question in asked]
    for one, other, third in zip(expected, together, alone, strict=True):
        assert other.values == pytest.approx(one.values, abs=TOLERANCE)
        assert third.values == pytest.approx(one.values, abs=TOLERANCE)
        assert (other.tokens, other.cut) == (one.tokens, one.cut)


def test_a_folder_with_an_onnx_file_is_a_metric_that_onnx_runtime_computes(folder: Path) -> None:
    table = guess_form(read_repository(str(folder))).candidates[0]
    assert (table["form"], table["label"], table["backend"]) == ("classifier", "entailment", "onnx")
    weights = checkpoint_class(entry_of(table, "exported"))().weights
    assert (locate(weights), weights.kind) == (folder, ONNX_KIND)
    assert [file.name for file in deciding_files(folder, ONNX_KIND)][-1] == "model.onnx"


def test_what_is_no_onnx_file_and_a_folder_without_one_are_refused_in_a_sentence(
    weights: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = weights(pair_classifier, NLI, 1, 0)
    with pytest.raises(MissingWeightsError, match=r"lacks model\.onnx"):
        locate(Checkpoint(str(source), ONNX_KIND))
    folder = with_config(source, tmp_path / "damaged")
    (folder / "model.onnx").write_bytes(b"<html>")
    (folder / "model.onnx_data").write_bytes(b"")
    assert [file.name for file in onnx_files(folder)] == ["model.onnx", "model.onnx_data"]
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr(metric_setup, "find_spec", lambda _name: None)
    table = {**guess_form(read_repository(str(folder))).candidates[0], "backend": "onnx"}
    [step] = missing_steps(checkpoint_class(entry_of(table, "damaged"))())
    assert (step.name, step.command.endswith("-m pip install onnxruntime==1.32.0")) == ("ONNX Runtime", True)
    with pytest.raises(LoadError, match=r"not installed\. Run: python -m pip install onnxruntime=="):
        onnx_classifier.load(folder, Checkpoint(str(folder), ONNX_KIND), "cpu")


def test_a_damaged_onnx_file_is_refused(weights: Weights, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs pip install onnxruntime")
    folder = with_config(weights(pair_classifier, NLI, 1, 0), tmp_path / "damaged")
    (folder / "model.onnx").write_bytes(b"<html>")
    with pytest.raises(LoadError, match="cannot be read"):
        onnx_classifier.load(folder, Checkpoint(str(folder), ONNX_KIND), "cpu")
