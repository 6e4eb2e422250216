"""Weights out of pickles and into safetensors, and the copy in safetensors that lies beside a file of Lightning.

Pickles are read with weights_only: no code in them is run.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from pickle import UnpicklingError
from threading import get_ident

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.errors import LoadError

State = Mapping[str, Tensor]

_UNREADABLE = (OSError, ValueError, LookupError, TypeError, RuntimeError, EOFError, UnpicklingError)


def lightning_weights(path: Path, unused: Sequence[str]) -> State:
    """The weights in a file of Lightning, mapped from a copy in safetensors beside it, which the first call writes.

    The optimizer's state, two thirds of such a file, and weights whose names begin with one of `unused` are left out. A
    copy of another file than the one that lies there now, or one that somebody changed, is written again. Raises LoadError.
    """
    copy = path.with_name(f"{path.name}.safetensors")
    if not copy.is_file() or copy.stat().st_mtime_ns != path.stat().st_mtime_ns:
        is_copy = False
    else:
        try:
            with safe_open(copy, "pt") as file:
                is_copy = (file.metadata() or {}).get("copy_of") == _mark_of(path)
        except SafetensorError:
            is_copy = False
    if not is_copy:
        mark, stat = _mark_of(path), path.stat()  # before it is read: one that is replaced meanwhile has another mark
        state = {name: tensor for name, tensor in _state_dict(path).items() if not name.startswith(tuple(unused))}
        if not os.access(path.parent, os.W_OK):
            return state
        write_weights(copy, state, {"copy_of": mark})
        os.utime(copy, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return load_file(copy)


def lightning_bytes(path: Path, width: int, unused: Sequence[str]) -> int:
    """The memory that `lightning_weights` take with `width` bytes a number; reads no weights. Raises LoadError."""
    tensors = [tensor for name, tensor in _state_dict(path).items() if not name.startswith(tuple(unused))]
    return width * sum(tensor.numel() for tensor in tensors)


def _state_dict(path: Path) -> State:
    content = read_pickle(path)
    state = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(state, dict):
        raise LoadError(f"{path} has no state_dict. Set checkpoint= to a file of AlignScore.")
    return state


def read_pickle(path: Path) -> State:
    """The content of a pickle of torch, mapped where its form allows; no code in it is run."""
    try:
        content: State = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except _UNREADABLE as error:
        raise LoadError(f"{path} is not a readable file of weights. Get it again.") from error
    return content


def _mark_of(path: Path) -> str:
    """Mark that distinguishes a file from one that is put in its place."""
    stat = path.stat()
    return f"{stat.st_ino} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"


def write_weights(path: Path, state: State, metadata: dict[str, str]) -> None:
    """Write weights as safetensors in one step: nobody sees half a file. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}")
    storages: set[int] = set()
    apart: dict[str, Tensor] = {}
    for name, tensor in state.items():
        shared = tensor.untyped_storage().data_ptr() in storages
        storages.add(tensor.untyped_storage().data_ptr())
        apart[name] = tensor.clone() if shared else tensor.contiguous()
    try:
        save_file(apart, unfinished, {"format": "pt", **metadata})
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
