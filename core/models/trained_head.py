"""The folder of a trained metric on the disk: read with all that a stranger's file may hold, and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from core.errors import LoadError
from core.trained.model import (
    CONFIG_FILE,
    SENTENCE_FACTS,
    WEIGHTS_FILE,
    AttentionTensors,
    Head,
    HeadConfig,
    Tensors,
    attention_shapes,
)
from core.trained.word_features import FEATURES

_TENSORS = {"feature": "i", "threshold": "f", "left": "i", "right": "i", "value": "f", "roots": "i"}
_ATTENTION = "attention."
"""What the names of the attention heads' tensors begin with."""


def read_head(folder: Path) -> Head:
    """The head of a model's folder. Raises LoadError, with what is wrong, for other files."""
    try:
        config = HeadConfig.model_validate_json((folder / CONFIG_FILE).read_bytes())
        tensors = load_tensors((folder / WEIGHTS_FILE).read_bytes())
        attention = {name: tensors.pop(name) for name in list(tensors) if name.startswith(_ATTENTION)}
        head = Head(config, tensors, {name.removeprefix(_ATTENTION): one for name, one in attention.items()})
        _check_trees(head.tensors)
        _check_attention(head.attention)
    except ValidationError as error:
        raise LoadError(
            f"{folder} is no metric that was trained here: {error.errors()[0]['msg'].removeprefix('Value error, ')}."
        ) from error
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise LoadError(
            f"{folder} is no metric that was trained here ({error}). Train one: cli.py train DATA --to FOLDER"
        ) from error
    return head


def _check_trees(tensors: Tensors) -> None:
    """Raise ValueError for tensors that are no trees: a step must lead to a later node, or stay at a leaf."""
    for name, kind in (*_TENSORS.items(), ("base", "f"), ("sentence", "f"), ("similarity", "f")):
        if tensors[name].dtype.kind != kind or tensors[name].ndim != 1:
            raise ValueError(f"the tensor {name} is of type {tensors[name].dtype}")
    nodes = len(tensors["feature"])
    here = np.arange(nodes)
    sizes = {len(tensors[name]) for name in ("threshold", "left", "right", "value")}
    leads_on = all(np.all((tensors[side] >= here) & (tensors[side] < nodes)) for side in ("left", "right"))
    leaf = (tensors["left"] == here) == (tensors["right"] == here)
    inside = np.all((tensors["roots"] >= 0) & (tensors["roots"] < nodes))
    known = np.all((tensors["feature"] >= 0) & (tensors["feature"] < len(FEATURES)))
    if sizes != {nodes} or not (leads_on and leaf.all() and inside and known) or not len(tensors["roots"]):
        raise ValueError("its tensors are no trees")
    numbers = np.concatenate([tensors[name] for name in ("value", "base", "sentence", "similarity")])
    counts = [len(tensors[name]) for name in ("base", "sentence", "similarity")]
    if counts != [1, len(SENTENCE_FACTS), 2] or not np.isfinite(numbers).all():
        raise ValueError("its tensors hold values that are no numbers")


def _check_attention(tensors: AttentionTensors) -> None:
    """Raise ValueError for tensors that are no attention heads over the features that are known here."""
    shapes = attention_shapes(*tensors["query"].shape[:2])
    for name, shape in shapes.items():
        if tensors[name].shape != shape or tensors[name].dtype != np.float16 or not np.isfinite(tensors[name]).all():
            raise ValueError(f"the tensor {_ATTENTION}{name} is not of shape {shape}, or no number")
    if unknown := tensors.keys() - shapes.keys():
        raise ValueError(f"it has tensors that nothing reads: {', '.join(sorted(unknown))[:80]}")


def write_head(folder: Path, head: Head) -> None:
    """Weights and facts; the same head gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {**head.tensors, **{f"{_ATTENTION}{name}": one for name, one in head.attention.items()}}
    (folder / WEIGHTS_FILE).write_bytes(save_tensors(dict(sorted(tensors.items()))))
    (folder / CONFIG_FILE).write_text(head.config.model_dump_json(indent=1) + "\n", encoding="utf-8")
