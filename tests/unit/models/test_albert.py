"""The ALBERT that is read without transformers gives their logits to the last bit, and leaves every other network to them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import AlbertConfig, AlbertForSequenceClassification, AutoModelForSequenceClassification

from core.model_reference import Checkpoint
from core.models.albert import read_albert_classifier
from tests.tiny import random_network

_SIZES = {
    "vocab_size": 50,
    "embedding_size": 12,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 40,
}
_ACTIVATIONS = ("gelu", "gelu_new")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each activation."""
    made = tmp_path_factory.mktemp("albert")
    for name in _ACTIVATIONS:
        config = AlbertConfig(**_SIZES, pad_token_id=0, hidden_act=name, num_labels=3)
        random_network(lambda config=config: AlbertForSequenceClassification(config)).save_pretrained(made / name)
    return made


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("activation", _ACTIVATIONS)
def test_logits_are_those_of_transformers_with_padding_and_without(folder: Path, activation: str, dtype: str) -> None:
    path = folder / activation
    own = read_albert_classifier(path, Checkpoint(str(path), "x", dtype=dtype))
    theirs = AutoModelForSequenceClassification.from_pretrained(path, dtype=getattr(torch, dtype)).eval()
    assert own is not None
    ids = torch.arange(60).reshape(3, 20) % 50
    types = (torch.arange(20) > 8).long().expand(3, 20)
    for lengths in ([20, 20, 20], [20, 7, 1]):
        mask = (torch.arange(20) < torch.tensor(lengths)[:, None]).long()
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        with torch.inference_mode():
            assert torch.equal(own(**inputs).logits, theirs(**inputs).logits)


def test_weights_of_a_pickle_are_those_of_safe_tensors_and_anything_else_in_it_is_left_to_transformers(
    folder: Path, tmp_path: Path
) -> None:
    path = folder / "gelu_new"
    checkpoint = Checkpoint(str(tmp_path), "x")
    own = read_albert_classifier(path, checkpoint)
    assert own is not None
    (tmp_path / "config.json").write_bytes((path / "config.json").read_bytes())
    assert read_albert_classifier(tmp_path, checkpoint) is None  # without weights
    positions = {"albert.embeddings.position_ids": torch.arange(512)[None]}  # as older files have
    torch.save({**own.state_dict(), **positions}, tmp_path / "pytorch_model.bin")
    pickled = read_albert_classifier(tmp_path, checkpoint)
    assert pickled is not None
    assert all(torch.equal(weight, pickled.state_dict()[name]) for name, weight in own.state_dict().items())
    for content in ({"epoch": 3}, [1, 2]):
        torch.save(content, tmp_path / "pytorch_model.bin")
        assert read_albert_classifier(tmp_path, checkpoint) is None
    (tmp_path / "pytorch_model.bin").write_bytes(b"no pickle")
    assert read_albert_classifier(tmp_path, checkpoint) is None


def test_another_network_or_number_of_labels_is_left_to_transformers(folder: Path, tmp_path: Path) -> None:
    config = json.loads((folder / "gelu" / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "model.safetensors").write_bytes((folder / "gelu" / "model.safetensors").read_bytes())
    changes: list[dict[str, object]] = [
        {},
        {"hidden_act": "relu"},
        {"num_hidden_groups": 2},
        {"id2label": {"0": "no", "1": "yes"}},
        {"quantization_config": {"bits": 4}},
    ]
    read = []
    for change in changes:
        (tmp_path / "config.json").write_text(json.dumps({**config, **change}), encoding="utf-8")
        read.append(read_albert_classifier(tmp_path, Checkpoint(str(tmp_path), "x")) is not None)
    assert read == [True, False, False, False, False]


@pytest.mark.slow
def test_an_albert_answers_in_a_process_without_transformers(folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from core.model_reference import Checkpoint; "
        "from core.models.network import load_classifier; import core.models.adapters.sequence_classifier; "
        f"path = {str(folder / 'gelu_new')!r}; "
        "load_classifier(Path(path), Checkpoint(path, 'sequence_classifier'), 'cpu'); "
        "print([name for name in ('transformers', 'scipy', 'sympy') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
