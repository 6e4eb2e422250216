"""Weights that several loaded networks have in common, as the encoder that three metrics read with, in memory once."""

from __future__ import annotations

from threading import Lock
from typing import TypeVar
from weakref import WeakValueDictionary

import torch
from torch import Tensor
from torch.nn import Module, Parameter

_LEAST_BYTES = 1 << 16  # a smaller one saves nothing
_FIRST_VALUES = 16  # that tell most weights of one shape apart

_Network = TypeVar("_Network", bound=Module)
_Key = tuple[torch.device, torch.dtype, torch.Size, tuple[float, ...]]
_weights: WeakValueDictionary[_Key, Parameter] = WeakValueDictionary()
_lock = Lock()


def own_weights(network: _Network) -> _Network:
    """The network, changed in place, with weights of its own: those of safe tensors are views of the file, and change or end with it."""
    for weight in network.parameters():
        _own(weight)
    return _own_buffers(network)


def share_weights(network: _Network) -> _Network:
    """The same, but each large weight that equals one of a network loaded before, to the last bit, is that one.

    It is not to be trained or converted any more. A weight stays in memory as long as one of its networks does.
    """
    for part in network.modules():
        for name, weight in part.named_parameters(recurse=False):
            if weight.nbytes < _LEAST_BYTES:
                _own(weight)
                continue
            first = tuple(weight.detach().flatten()[:_FIRST_VALUES].tolist())
            key = (weight.device, weight.dtype, weight.shape, first)
            with _lock:
                earlier = _weights.get(key)
                if earlier is None:
                    _own(weight)
                    _weights[key] = weight
            if earlier is None or earlier is weight:
                continue
            if torch.equal(earlier, weight):
                part.register_parameter(name, earlier)
            else:
                _own(weight)
    return _own_buffers(network)


def _own_buffers(network: _Network) -> _Network:
    for part in network.modules():
        for name, buffer in part.named_buffers(recurse=False):
            if buffer.device.type == "cpu":
                # another tensor: one that was reshaped, as BART's bias, keeps the one before, and with it the whole file in memory
                setattr(part, name, buffer.clone())
    return network


def _own(weight: Tensor) -> None:
    if weight.device.type == "cpu":
        weight.data = weight.data.clone()
