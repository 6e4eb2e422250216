"""How a sentence-transformers model makes one vector of its token states, read from its modules.json."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from core.errors import LoadError
from core.models.configuration import entries, module_types

Pooling = Callable[[Tensor, Tensor], Tensor]
"""From states (rows, tokens, width) and mask (rows, tokens, 1) to vectors (rows, width)."""

_POOLINGS: dict[str, Pooling] = {
    "cls": lambda states, mask: states[:, 0],  # noqa: ARG005  # the signature of every pooling
    "max": lambda states, mask: states.masked_fill(mask == 0, -torch.inf).amax(1),
    "mean": lambda states, mask: (states * mask).sum(1) / mask.sum(1),
}
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
# the spelling before sentence-transformers 6
_FLAGS = {"pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max", "pooling_mode_mean_tokens": "mean"}


def pooling_of(folder: Path) -> Pooling:
    """The pooling of a model, the mean where it names none; raises LoadError for one that is not known here."""
    names = [_mode(config) for config in sorted(folder.glob("*_Pooling/config.json"))] or ["mean"]
    strange = sorted((module_types(folder) - _KNOWN_MODULES) | (set(names) - set(_POOLINGS)))
    if strange or len(names) > 1:
        raise LoadError(
            f"The model in {folder} pools by {', '.join(strange or names)}; known are a transformer with cls, max or mean "
            "pooling. Set checkpoint= to another sentence-transformers model."
        )
    return _POOLINGS[names[0]]


def _mode(path: Path) -> str:
    """The pooling that a configuration names, several joined by a plus."""
    config = entries(path)
    flagged = [flag for flag, value in config.items() if flag.startswith("pooling_mode_") and value is True]
    modes = config.get("pooling_mode", [_FLAGS.get(flag, flag) for flag in flagged] or "mean")
    return "+".join(map(str, modes)) if isinstance(modes, list) else str(modes)
