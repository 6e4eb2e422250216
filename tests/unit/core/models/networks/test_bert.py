"""The BERT that is read without transformers gives their numbers to the last bit, and leaves every other network to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import AutoModel, BertConfig, BertModel

from core.model_reference import Checkpoint
from core.models.networks.bert import read_bert
from tests.tiny import random_network

_CONFIG = BertConfig(
    vocab_size=50, hidden_size=24, num_hidden_layers=3, num_attention_heads=3, intermediate_size=40, pad_token_id=0
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bert")
    random_network(lambda: BertModel(_CONFIG)).save_pretrained(made)
    return made


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_states_are_those_of_transformers_with_padding_and_without(folder: Path, dtype: str) -> None:
    own = read_bert(folder, Checkpoint(str(folder), "x", dtype=dtype))
    theirs = AutoModel.from_pretrained(folder, dtype=getattr(torch, dtype)).eval()
    assert own is not None
    ids = torch.arange(60).reshape(3, 20) % 50
    types = (torch.arange(20) > 8).long().expand(3, 20)
    for lengths in ([20, 20, 20], [20, 7, 1]):
        mask = (torch.arange(20) < torch.tensor(lengths)[:, None]).long()
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types, "output_hidden_states": True}
        with torch.inference_mode():
            pairs = zip(own(**inputs).hidden_states, theirs(**inputs).hidden_states, strict=True)
            assert all(torch.equal(one, other) for one, other in pairs)


def test_another_network_or_form_of_weights_is_left_to_transformers(folder: Path, tmp_path: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    changes: list[dict[str, object]] = [{"hidden_act": "relu"}, {"model_type": "roberta"}, {"num_hidden_layers": 2}]
    for change in changes:
        (tmp_path / "config.json").write_text(json.dumps({**config, **change}), encoding="utf-8")
        assert read_bert(tmp_path, Checkpoint(str(tmp_path), "x")) is None
    assert read_bert(folder, Checkpoint(str(folder), "x", dtype="tf32")) is None
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00001.safetensors")
    assert read_bert(tmp_path, Checkpoint(str(tmp_path), "x")) is None
