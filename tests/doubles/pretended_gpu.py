"""A pretended CUDA device on a machine without one: its tensors hold numbers of the processor and refuse to meet others.

It counts what makes a program wait for a GPU: values that are read, copies from memory that is not pinned, and indices of the
processor. It multiplies in TF32 where torch is told to, by rounding what is multiplied.
"""

from __future__ import annotations

import ctypes
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.utils._pytree as tree
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.models.networks.model import Model, Row
from core.types import Answer

_PROCESSOR = torch.device("cpu")
_PRODUCTS = ("aten.mm.", "aten.addmm.", "aten.bmm.", "aten.baddbmm.")
_HIDDEN_BITS = 13  # of the 23 of a float32's mantissa that TF32 has not
_GUARDS, _CUDA, _META = "_ZN3c104impl26device_guard_impl_registryE", 1, 14
_COUNTS = threading.local()


class DeviceMismatchError(RuntimeError):
    """Tensors of two devices meet in one operation."""


def counted() -> Counter[str]:
    """The counter of this thread: waits by their cause, and "pinned copies", which wait for nothing."""
    if not hasattr(_COUNTS, "counter"):
        _COUNTS.counter = Counter[str]()
    counter: Counter[str] = _COUNTS.counter
    return counter


class CardTensor(Tensor):
    """A tensor of the pretended device, around one of the processor."""

    near: Tensor

    @staticmethod
    def __new__(cls, near: Tensor, device: torch.device) -> CardTensor:
        made: CardTensor = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, near.shape, strides=near.stride(), dtype=near.dtype, device=device,
            storage_offset=near.storage_offset(), requires_grad=False,
        )  # fmt: skip
        made.near = near
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    def tolist(self) -> list[Any]:
        counted()["values read"] += 1
        return list(self.near.tolist())

    def numpy(self, *_: object, **__: object) -> Any:
        raise TypeError("can't convert cuda tensor to numpy: call .cpu() first")

    @classmethod
    def __torch_dispatch__(
        cls, function: Any, _: object, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return _dispatch(function, args, kwargs or {})


def _dispatch(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Run an operation on the processor's numbers, and count what would wait for a GPU."""
    name = str(function)
    parts, _ = tree.tree_flatten((args, kwargs))
    cards = [part for part in parts if isinstance(part, CardTensor)]
    others = [part for part in parts if isinstance(part, Tensor) and not isinstance(part, CardTensor)]
    places = {card.device for card in cards}
    if len(places) > 1 and "copy" not in name:
        raise DeviceMismatchError(f"{name}: {places}")
    named = next((part for part in parts if isinstance(part, torch.device)), kwargs.get("device"))
    here = next(iter(places), None)
    if here is None and (named is None or torch.device(named).type == "cpu"):
        return function(*args, **kwargs)
    target = here if named is None else torch.device(named)
    copies = "_to_copy" in name or "copy_" in name
    if here is not None and not copies and (strangers := [part for part in others if part.dim()]):
        if "index" not in name:
            raise DeviceMismatchError(f"{name}: a tensor of the processor of {strangers[0].shape} meets {here}")
        counted()["index of the processor"] += len(strangers)
    _count(name, parts, here, target if copies else None, others)
    args, near = tree.tree_map_only(torch.device, lambda _: _PROCESSOR, (args, dict(kwargs)))
    near |= {"device": _PROCESSOR} if near.get("device") is not None else {}
    near |= {"pin_memory": False} if near.get("pin_memory") else {}
    args, near = tree.tree_map_only(CardTensor, lambda card: card.near, (args, near))
    if name.startswith(_PRODUCTS) and torch.backends.cuda.matmul.allow_tf32:
        args = tree.tree_map_only(Tensor, _round_to_tf32, args)
    output = function(*args, **near)
    if target is None or target.type == "cpu":
        return output
    if function._schema.is_mutable and cards and output is cards[0].near:
        return cards[0]
    return tree.tree_map_only(Tensor, lambda tensor: _on_card(tensor, target), output)


def _count(
    name: str, parts: Sequence[Any], here: torch.device | None, target: torch.device | None, others: Sequence[Tensor]
) -> None:
    if here is not None and ("_local_scalar_dense" in name or name.startswith("aten.equal") or "is_nonzero" in name):
        counted()["values read"] += 1
    elif here is not None and ("nonzero" in name or (name.startswith("aten.index.Tensor") and _by_mask(parts))):
        counted()["places of a mask"] += 1
    if target is not None and here is None and target.type == "cuda":
        is_pinned = any(getattr(other, "pinned", False) for other in others)
        counted()["pinned copies" if is_pinned else "copy that is not pinned"] += 1
    if target is not None and here is not None and target.type == "cpu":
        counted()["values read"] += 1


def _by_mask(parts: Sequence[Any]) -> bool:
    return any(isinstance(part, Tensor) and part.dtype == torch.bool for part in parts)


def _round_to_tf32(factor: Tensor) -> Tensor:
    """The number of 10 bits of mantissa that is nearest, as tensor cores read a float32."""
    if factor.dtype != torch.float32:
        return factor
    bits = factor.contiguous().view(torch.int32)
    return ((bits + (1 << _HIDDEN_BITS - 1)) & -(1 << _HIDDEN_BITS)).view(torch.float32)


def _on_card(tensor: Tensor, device: torch.device) -> CardTensor:
    place = device if device.index is not None else torch.device(device.type, 0)
    return tensor if isinstance(tensor, CardTensor) else CardTensor(tensor, place)


class _Dispatching(TorchDispatchMode):
    def __torch_dispatch__(
        self, function: Any, types: object, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return _dispatch(function, args, kwargs or {})


class _Calling(TorchFunctionMode):
    """Calls that would reach for a device below what can be intercepted there."""

    def __torch_function__(
        self, function: Any, types: object, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        settings = dict(kwargs or {})
        first = args[0] if args else None
        if function is torch.nn.functional.scaled_dot_product_attention and isinstance(first, CardTensor):
            mask = settings.get("attn_mask", args[3] if len(args) > 3 else None)
            if mask is not None and (not isinstance(mask, CardTensor) or mask.dtype not in {torch.bool, first.dtype}):
                raise DeviceMismatchError(f"attention with a mask of {mask.dtype} on {mask.device}")
            near_args, near = tree.tree_map_only(CardTensor, lambda card: card.near, (args, settings))
            return CardTensor(function(*near_args, **near), first.device)
        if function is Tensor.__getitem__ and isinstance(first, CardTensor):
            return _item(first, args[1])
        if function is Tensor.tolist and isinstance(first, CardTensor):
            return first.tolist()
        if function is torch.tensor and torch.device(settings.get("device") or "cpu").type == "cuda":
            near_tensor = function(*args, **{**settings, "device": _PROCESSOR})
            counted()["copy that is not pinned"] += near_tensor.numel() > 0
            return _on_card(near_tensor, torch.device(settings["device"]))
        if function is Tensor.to or "device" in settings:
            args, settings = tree.tree_map(_with_number, (args, settings))
        return function(*args, **settings)


def _item(tensor: CardTensor, index: Any) -> CardTensor:
    """Indexing by what lies on the processor copies it to the device first, and waits."""
    for part in index if isinstance(index, tuple) else (index,):
        is_near = isinstance(part, (list, range)) or (isinstance(part, Tensor) and part.dim() > 0)
        if is_near and not isinstance(part, CardTensor):
            counted()["index of the processor"] += 1
        if isinstance(part, CardTensor) and part.dtype == torch.bool:
            counted()["places of a mask"] += 1
    return CardTensor(tensor.near[tree.tree_map_only(CardTensor, lambda card: card.near, index)], tensor.device)


def _with_number(part: Any) -> Any:
    """The device with its number, which torch would ask CUDA for."""
    if isinstance(part, torch.device) and part.type == "cuda" and part.index is None:
        return torch.device("cuda", 0)
    return "cuda:0" if isinstance(part, str) and part == "cuda" else part


@contextmanager
def on_card() -> Iterator[None]:
    """Tensors that the block puts on a CUDA device are on the pretended one. For this thread only."""
    with _Dispatching(), _Calling():
        yield


class CardModel:
    """A model whose passes are made on the pretended device, with the count of each."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.passes: list[Counter[str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with on_card():
            before = counted().copy()
            try:
                return self._model.forward(rows)
            finally:
                self.passes.append(counted() - before)


def waits(counts: Mapping[str, int]) -> int:
    """Number of times that a pass waited for the device."""
    return sum(count for cause, count in counts.items() if cause != "pinned copies")


def pretend_cards(monkeypatch: pytest.MonkeyPatch, count: int = 1, memory: int = 80 << 30) -> None:
    """Have torch find so many cards of so many bytes each, and the pool load its models on them, until the test ends."""
    # inference tensors have no versions, which tensors around others need
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)
    # a new parameter in place of new data in an old one
    monkeypatch.setattr(torch.__future__, "_overwrite_module_params_on_conversion", True)
    # a build for processors has no guard of CUDA devices: that of meta tensors, which does nothing, stands in
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    guards = (ctypes.c_void_p * (_META + 1)).in_dll(library, _GUARDS)
    guards[_CUDA] = guards[_CUDA] or guards[_META]
    answers: dict[str, Any] = {
        "_lazy_init": None,
        "is_available": True,
        "device_count": count,
        "is_tf32_supported": True,
        "empty_cache": None,
        "synchronize": None,
        "mem_get_info": (memory, memory),
        "memory_reserved": 0,
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "reset_peak_memory_stats": None,
        "get_device_properties": SimpleNamespace(name="Pretended", total_memory=memory),
    }
    for name, answer in answers.items():
        monkeypatch.setattr(torch.cuda, name, lambda *_, answer=answer: answer)
    monkeypatch.setattr(Tensor, "pin_memory", _pin)
    plain = ModelPool._load_unchanging

    def load(pool: ModelPool, checkpoint: Checkpoint, device: str) -> tuple[Model, str]:
        if not device.startswith("cuda"):
            return plain(pool, checkpoint, device)
        with on_card():
            model, fingerprint = plain(pool, checkpoint, device)
        return CardModel(model), fingerprint

    monkeypatch.setattr(ModelPool, "_load_unchanging", load)


def _pin(tensor: Tensor, *_: object) -> Tensor:
    if isinstance(tensor, CardTensor):
        raise TypeError("cannot pin a tensor of the device")
    tensor.pinned = True  # type: ignore[attr-defined]
    return tensor
