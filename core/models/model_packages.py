"""Packages without which a kind of model does not load."""

from __future__ import annotations

from importlib.util import find_spec

from core.errors import explain_missing_module
from core.model_reference import Checkpoint
from core.models.weights.weight_files import PARSER_KINDS

_WITHOUT_TORCH = frozenset({"mlp", "token_count", *PARSER_KINDS})


def missing_package(checkpoint: Checkpoint) -> str:
    """Message for a package of an extra that a model needs and that is not installed; empty where all are. Imports nothing."""
    if checkpoint.kind in _WITHOUT_TORCH or find_spec("torch"):
        return ""
    return explain_missing_module("torch")
