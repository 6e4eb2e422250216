"""Tiny checkpoints in the forms in which authors publish theirs: pickles, shards, vocabularies, SentencePiece, Lightning."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Literal

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from tests.parity.sentencepiece_files import write_sentencepiece

Weights = Literal["safetensors", "pickle", "shards", "none"]
Vocabulary = Literal["tokenizer.json", "spiece.model", "spm.model", "merges", "vocab.txt", "as it is", "none"]

LEFTOVERS = ("README.md", "training_args.bin", "tf_model.h5", "flax_model.msgpack", "onnx/model.onnx", "optimizer.pt")
"""What repositories hold beside the model, and nobody may download."""


def publish(folder: Path, repository: Path, weights: Weights, vocabulary: Vocabulary) -> None:
    """Write the checkpoint of a folder, with leftovers, as a repository of the form."""
    tokenizer, model = folder / "tokenizer.json", folder / "model.safetensors"
    shutil.copytree(folder, repository, ignore=_without(weights, vocabulary), dirs_exist_ok=True)
    for name in LEFTOVERS:
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_bytes(b"not needed")
    if weights == "pickle" and model.is_file():
        torch.save(load_file(model), repository / "pytorch_model.bin")
    if weights == "shards":
        _write_shards(load_file(model), repository)
    if vocabulary in {"spiece.model", "spm.model"}:
        write_sentencepiece(Tokenizer.from_file(str(tokenizer)), repository / vocabulary)
    if vocabulary == "merges":
        _write_merges(json.loads(tokenizer.read_text("utf-8"))["model"], repository)
    if vocabulary == "vocab.txt":
        pieces = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
        (repository / "vocab.txt").write_text(
            "".join(f"{piece}\n" for piece in sorted(pieces, key=pieces.get)), "utf-8"
        )


def publish_lightning(file: Path, target: Path) -> None:
    """A file of Lightning with the optimizer's two moments, each as large as the weights."""
    content = torch.load(file, weights_only=True)
    weights = [tensor for tensor in content["state_dict"].values() if tensor.is_floating_point()]
    moments = {number: {"exp_avg": one.clone(), "exp_avg_sq": one.clone()} for number, one in enumerate(weights)}
    content["optimizer_states"] = [{"state": moments, "param_groups": [{"lr": 1e-5, "params": list(moments)}]}]
    target.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, target)


def _without(weights: Weights, vocabulary: Vocabulary) -> shutil._Ignore:  # type: ignore[name-defined]  # the type of copytree's argument has no public name
    left_out = ["*.ckpt", "*.ckpt.safetensors"]
    if weights != "safetensors":
        left_out.append("model.safetensors")
    if vocabulary not in {"tokenizer.json", "as it is"}:
        left_out.append("tokenizer.json")
    return shutil.ignore_patterns(*left_out)


def _write_shards(state: dict[str, torch.Tensor], folder: Path) -> None:
    names = sorted(state)
    parts = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, inside in parts.items():
        save_file({name: state[name] for name in inside}, folder / file, {"format": "pt"})
    where = {name: file for file, inside in parts.items() for name in inside}
    size = sum(tensor.nbytes for tensor in state.values())
    index = {"metadata": {"total_size": size}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _write_merges(model: dict[str, object], folder: Path) -> None:
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]), "utf-8")
    merges = model["merges"]
    assert isinstance(merges, list)
    lines = [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(lines) + "\n", "utf-8")
