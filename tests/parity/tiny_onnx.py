"""Tiny classifiers as ONNX files, by the exporter of torch."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from tests.probe_checkpoints import pair_classifier, with_config
from tests.tiny import Specs

SPECS: Specs = {}  # no metric that comes with Touchstone is an ONNX file
NLI = ("contradiction", "entailment", "neutral")


class _Logits(torch.nn.Module):
    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.network(input_ids=input_ids, attention_mask=attention_mask).logits
        return logits


def export(folder: Path, target: Path) -> Path:
    """A copy of a checkpoint whose weights are an ONNX file in place of safetensors; skips without the packages that it takes."""
    for package in ("onnx", "onnxruntime"):
        pytest.importorskip(package, reason="needs pip install onnx onnxruntime")
    with_config(folder, target)
    network = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
    ids = torch.ones(2, 7, dtype=torch.long)
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "rows", 1: "tokens"} for name in names} | {"logits": {0: "rows"}}
    with warnings.catch_warnings(action="ignore"):  # of the exporter
        torch.onnx.export(
            _Logits(network),
            (ids, ids),
            target / "model.onnx",
            input_names=names,
            output_names=["logits"],
            dynamic_axes=axes,
            dynamo=False,
        )
    (target / "model.safetensors").unlink()
    return target


def classifier(folder: Path) -> Path:
    """One that gets the probe pairs right, as ONNX."""
    source = pair_classifier(folder.with_name(f"{folder.name}-torch"), NLI, 1, 0)
    return export(source, folder)
