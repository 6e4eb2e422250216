"""Meters of a run: tokens that networks read, with and without padding, and the most memory that the work took."""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from weakref import WeakSet

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core import models
from core.models.networks.bert import Bert, EncoderStates
from core.models.networks.model import Model
from core.models.networks.network import Encoder, max_positions

CallInputs = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments of a forward pass, by place and by name, as torch hands them to hooks."""

_POSITIONAL_NAMES = ("input_ids", "attention_mask")


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens that networks read, padding included, and those of them that are no padding."""

    padded: float = 0
    unpadded: float = 0

    def __add__(self, other: TokenCounts) -> TokenCounts:
        return TokenCounts(self.padded + other.padded, self.unpadded + other.unpadded)

    def times(self, factor: float) -> TokenCounts:
        return TokenCounts(self.padded * factor, self.unpadded * factor)


class TokenMeter:
    """Counts what the networks of the attached models read; not for two threads that ask at once.

    `pad_to` is the length to which a single row of an encoder is padded, 0 for none; never beyond what the network knows
    (512 tokens where it has no table of positions). Padding is taken off the states again, so that heads and decoders do
    not notice: their share of the padding is not charged. What a decoder reads counts as it comes.
    """

    def __init__(self) -> None:
        self.pad_to = 0
        self._padded = 0
        self._unpadded: Tensor | int = 0  # on the device: to look at it would make every forward pass wait
        self._length = 0
        self._attached: WeakSet[Encoder] = WeakSet()

    def attach(self, model: Model) -> None:
        """Count what a model reads from now on; one that is attached already stays so."""
        for network in _networks_of(model):
            if network not in self._attached:
                self._attached.add(network)
                self._hook(network)

    def take(self) -> TokenCounts:
        """What was read since the last call."""
        found = TokenCounts(self._padded, float(self._unpadded))
        self._padded, self._unpadded = 0, 0
        return found

    def _hook(self, network: Encoder) -> None:
        if isinstance(network, Bert) or not network.can_generate():
            self._watch(network.base_model, network)
            return
        if network.config.is_encoder_decoder:
            self._watch(network.get_encoder(), network)
        reads = network.get_decoder() if network.config.is_encoder_decoder else network.base_model
        reads.register_forward_pre_hook(self._count, with_kwargs=True)

    def _watch(self, encoder: torch.nn.Module, network: Encoder) -> None:
        longest, pad = max_positions(network), network.config.pad_token_id or 0

        def read(_: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallInputs:
            args, kwargs = self._pad(args, kwargs, longest, pad)
            self._count(encoder, args, kwargs)
            return args, kwargs

        encoder.register_forward_pre_hook(read, with_kwargs=True)
        encoder.register_forward_hook(self._trim)

    def _count(self, _: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        ids, mask = _ids_and_mask(args, kwargs)
        self._padded += ids.numel()
        self._unpadded = self._unpadded + (ids.numel() if mask is None or mask.shape != ids.shape else mask.sum())

    def _pad(self, args: tuple[Any, ...], kwargs: dict[str, Any], longest: int, pad: int) -> CallInputs:
        ids, mask = _ids_and_mask(args, kwargs)
        self._length = ids.shape[-1]
        more = min(self.pad_to, longest) - self._length
        # a kind that pads by itself, as its authors do, is left alone
        if more <= 0 or len(ids) > 1 or mask is None or not bool(mask.all()):
            return args, kwargs
        named = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kwargs.get("token_type_ids")}
        widened = {
            name: torch.nn.functional.pad(tensor, (0, more), value=pad if name == "input_ids" else 0)
            for name, tensor in named.items()
            if tensor is not None
        }
        placed = dict(zip(_POSITIONAL_NAMES, args, strict=False))
        first = tuple(widened[name] for name in placed)
        return (*first, *args[len(first) :]), {**kwargs, **{n: t for n, t in widened.items() if n not in placed}}

    def _trim(self, _: torch.nn.Module, __: tuple[Any, ...], output: Any) -> Any:
        if isinstance(output, EncoderStates):
            return EncoderStates(tuple(states[:, : self._length] for states in output.hidden_states))
        output.last_hidden_state = output.last_hidden_state[:, : self._length]
        if output.get("hidden_states") is not None:
            output.hidden_states = tuple(states[:, : self._length] for states in output.hidden_states)
        return output


def clear_model_memory(model: object) -> None:
    """Let a model forget what it remembers of earlier texts, as the states of documents; the ids that a tokenizer remembers cost little."""
    for part in _memories(model):
        if isinstance(part, dict):  # an OrderedDict is one
            part.clear()
        else:
            clear_model_memory(part)


def _memories(thing: object) -> Iterator[object]:
    """The memories of a model of ours and the objects of `core.models` that may have some."""
    for value in vars(thing).values() if hasattr(thing, "__dict__") else ():
        ours = (
            type(value).__module__.startswith(f"{models.__name__}.")
            and not isinstance(value, torch.nn.Module)
            and "tokenizer" not in type(value).__name__.lower()
        )
        if isinstance(value, dict) or ours:
            yield value


def _networks_of(model: Model) -> list[Encoder]:
    return [value for value in getattr(model, "__dict__", {}).values() if isinstance(value, (PreTrainedModel, Bert))]


def _ids_and_mask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Tensor, Tensor | None]:
    """Ids and mask, which heads give by place or by name."""
    ids = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
    return ids, kwargs.get("attention_mask", args[1] if len(args) > 1 else None)


_STATM = Path("/proc/self/statm")
_POLL_S = 0.01


class PeakMemory:
    """Watches while a block runs; `most` is then what was in use at most, and `nbytes` by how much that is more than before.

    Memory that was given back to the allocator and not to the system is used again without growth.
    """

    def __init__(self, device: str) -> None:
        self._read = _memory_reader(device)
        self._over = threading.Event()
        self._before = self.most = 0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._before = self.most = self._read()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    @property
    def nbytes(self) -> int:
        return self.most - self._before

    def _watch(self) -> None:
        while not self._over.wait(_POLL_S):
            self.most = max(self.most, self._read())
        self.most = max(self.most, self._read())


def _memory_reader(device: str) -> Callable[[], int]:
    """What tells the bytes in use; on CUDA the device's own high-water mark, which starts again here."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.max_memory_allocated
    if device == "mps":
        return torch.mps.driver_allocated_memory
    return resident_bytes if _STATM.is_file() else _peak_resident_bytes


def resident_bytes() -> int:
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _peak_resident_bytes() -> int:
    """Where the system does not tell what is resident now: bytes on macOS, kilobytes elsewhere."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
