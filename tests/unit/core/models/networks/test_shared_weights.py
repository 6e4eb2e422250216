"""Networks with the same weights have them in memory once, and no other thing in common."""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModel,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedModel,
)

from core.model_reference import Checkpoint
from core.models.networks import shared_weights
from core.models.networks.network import load_network, load_trainable_network
from tests.bench.network_shapes import parse_sizes
from tests.bench.random_weights import NetworkDesign, write_checkpoint
from tests.bench.workloads import sentence_pool


@pytest.fixture(autouse=True)
def small_weights_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_weights, "_LEAST_BYTES", 1)


def loaded(folder: Path, dtype: str = "float32") -> PreTrainedModel:
    return load_network(AutoModel.from_pretrained, folder, Checkpoint(str(folder), "x", dtype=dtype), "cpu", "pooler.")


def places(network: PreTrainedModel) -> dict[str, int]:
    named = network.named_parameters()
    return {name: weight.data_ptr() for name, weight in named if "pooler" not in name}  # the file has no pooler


def test_one_encoder_under_two_metrics_is_in_memory_once_and_stays_while_one_of_them_does(tiny_roberta: Path) -> None:
    one, other = loaded(tiny_roberta), loaded(tiny_roberta)
    assert places(one) == places(other)
    ids = torch.tensor([[1, 2, 3]])
    before = other(input_ids=ids).last_hidden_state
    del one
    gc.collect()
    assert torch.equal(other(input_ids=ids).last_hidden_state, before)
    assert places(loaded(tiny_roberta)) == places(other)


def test_a_weight_that_differs_is_its_own(tiny_roberta: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_roberta, tmp_path / "other")
    weights = load_file(folder / "model.safetensors")
    changed = next(name for name, weight in weights.items() if weight.dim() == 2 and ".layer." in name)
    weights[changed][-1, -1] += 1  # behind the values that are compared first
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    first, second = loaded(tiny_roberta), loaded(folder)
    one, other = places(first), places(second)
    assert [name for name in one if one[name] != other[name]] == [changed.removeprefix("roberta.")]


def test_what_is_trained_or_has_other_numbers_shares_nothing(tiny_roberta: Path) -> None:
    one = loaded(tiny_roberta)
    trained = load_trainable_network(
        AutoModel.from_pretrained, tiny_roberta, Checkpoint(str(tiny_roberta), "x"), "cpu", ("pooler.",)
    )
    for network in (trained, loaded(tiny_roberta, "bfloat16")):
        assert not set(places(one).values()) & set(places(network).values())


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux lists the files that a process has mapped.")
@pytest.mark.parametrize(
    ("architecture", "head", "read"),
    [
        *((name, "writes", AutoModelForSeq2SeqLM.from_pretrained) for name in ("bart", "t5")),
        *(
            (name, "two labels", AutoModelForSequenceClassification.from_pretrained)
            for name in ("bert", "deberta-v3", "roberta")
        ),
        ("albert", "three labels", AutoModelForSequenceClassification.from_pretrained),
        ("electra", "arcs", AutoModel.from_pretrained),
        ("modernbert", "tags", AutoModelForTokenClassification.from_pretrained),
    ],
)
def test_a_loaded_network_lets_go_of_its_file(architecture: str, head: str, read: Any, tmp_path: Path) -> None:
    folder = tmp_path / architecture
    shape = parse_sizes(["tiny"]).shape(architecture)
    write_checkpoint(NetworkDesign(architecture, head), shape, sentence_pool(), folder)
    network = load_network(read, folder, Checkpoint(str(folder), "x"), "cpu", "pooler.")
    assert sum(weight.numel() for weight in network.parameters())
    assert str(folder) not in Path("/proc/self/maps").read_text()
