"""The precision of a whole process: how networks compute where a metric does not name a number type."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from core.errors import BadSettingError
from core.model_reference import TF32, Checkpoint
from core.models.device import all_accelerators, kind_of

Precision = Literal["exact", "tf32", "bfloat16"]
"""Exact is float32 throughout."""

PRECISIONS: tuple[Precision, ...] = get_args(Precision)
EXACT: Precision = "exact"

_EXACT_KINDS = frozenset(
    {
        "masked_word",
        "mlp",
        "onnx_classifier",
        "spacy_parse",
        "summac_head",
        "token_count",
        "translation",
        "word_support",
    }
)
"""Kinds that have no network of a metric, were trained here in float32, or write edits, which must not depend on a switch."""


def loaded_as(checkpoint: Checkpoint, precision: Precision) -> Checkpoint:
    """The checkpoint with the number type that it is loaded in; one that names another than float32 keeps it."""
    if precision == EXACT or checkpoint.dtype != "float32" or checkpoint.kind in _EXACT_KINDS:
        return checkpoint
    return replace(checkpoint, dtype=precision)


def mark_fingerprint(fingerprint: str, checkpoint: Checkpoint, precision: Precision) -> str:
    """The fingerprint of weights, with the number type behind it where the precision decides it: they are not the same weights."""
    dtype = loaded_as(checkpoint, precision).dtype
    return fingerprint if dtype == checkpoint.dtype else f"{fingerprint} {dtype}"


def marked_dtype(fingerprint: str) -> str:
    """The number type that a precision has put behind a fingerprint; "" where it decided nothing."""
    return fingerprint.partition(" ")[2]


def require_precision(precision: Precision, device: str) -> None:
    """Raise BadSettingError for TF32 where no NVIDIA GPU is to be used; `device` is as in the settings."""
    if precision != TF32:
        return
    here = all_accelerators()
    if kind_of(device) in {"cpu", "mps"} or "cuda" not in here:
        raise BadSettingError(
            f"tf32 is how NVIDIA GPUs multiply from Ampere on, and TOUCHSTONE_DEVICE is {device}"
            f"{'' if 'cuda' in here else ', where torch finds no such GPU'}. Set TOUCHSTONE_PRECISION to exact or bfloat16."
        )
