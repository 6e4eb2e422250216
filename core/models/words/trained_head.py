"""The folder of a trained metric on the disk: read with all that a stranger's file may hold, and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from core.errors import LoadError
from core.models.words.head import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    AttentionTensors,
    Head,
    HeadConfig,
    Tensors,
    attention_shapes,
)
from core.models.words.word_features import WORD_FEATURES

_OF_NODES = {"feature": "i", "threshold": "f", "left": "i", "right": "i", "value": "f"}
_OF_MEMBERS = {"worst": 2, "share": 2}
_TENSORS = {**_OF_NODES, "roots": "i", "base": "f", **dict.fromkeys(_OF_MEMBERS, "f")}
_ATTENTION = "attention."
"""Beginning of the names of the attention heads' tensors."""


def read_head(folder: Path) -> Head:
    """The head of a model's folder. Raises LoadError, with what is wrong, for other files."""
    try:
        config = HeadConfig.model_validate_json((folder / CONFIG_FILE).read_bytes())
        tensors = load_tensors((folder / WEIGHTS_FILE).read_bytes())
        attention = {name: tensors.pop(name) for name in list(tensors) if name.startswith(_ATTENTION)}
        head = Head(config, tensors, {name.removeprefix(_ATTENTION): tensor for name, tensor in attention.items()})
        _check_trees(head.tensors)
        _check_attention(head.attention)
        _check_members(head)
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
    for name, kind in _TENSORS.items():
        if tensors[name].dtype.kind != kind or tensors[name].ndim != (2 if name in _OF_MEMBERS else 1):
            raise ValueError(f"the tensor {name} is of type {tensors[name].dtype}")
    nodes = len(tensors["feature"])
    here = np.arange(nodes)
    sizes = {len(tensors[name]) for name in _OF_NODES}
    leads_on = all(np.all((tensors[side] >= here) & (tensors[side] < nodes)) for side in ("left", "right"))
    leaf = (tensors["left"] == here) == (tensors["right"] == here)
    inside = np.all((tensors["roots"] >= 0) & (tensors["roots"] < nodes))
    are_features = np.all((tensors["feature"] >= 0) & (tensors["feature"] < len(WORD_FEATURES)))
    if sizes != {nodes} or not (leads_on and leaf.all() and inside and are_features) or not len(tensors["roots"]):
        raise ValueError("its tensors are no trees")
    if not all(np.isfinite(tensors[name]).all() for name in ("value", "base", *_OF_MEMBERS)):
        raise ValueError("its tensors hold values that are no numbers")


def _check_members(head: Head) -> None:
    """Raise ValueError where trees, weights and attention heads are not of equally many members, or a fold is of none."""
    members = len(head.tensors["base"])
    if not members or any(head.tensors[name].shape != (1 + members, width) for name, width in _OF_MEMBERS.items()):
        raise ValueError("its weights are not those of its members")
    if len(head.tensors["roots"]) % members or len(head.attention["query"]) != members:
        raise ValueError("its members have not equally many trees and attention heads")
    if max(head.config.folds.values(), default=0) >= members:
        raise ValueError("a document is of a fold that it has no member for")


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
    tensors = {**head.tensors, **{f"{_ATTENTION}{name}": tensor for name, tensor in head.attention.items()}}
    (folder / WEIGHTS_FILE).write_bytes(save_tensors(dict(sorted(tensors.items()))))
    (folder / CONFIG_FILE).write_text(head.config.model_dump_json(indent=1) + "\n", encoding="utf-8")
