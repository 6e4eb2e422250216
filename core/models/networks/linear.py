"""Linear layers on the processor by oneDNN, which multiplies large float32 matrices faster than what PyTorch takes for them.

It reads the weights as they lie in memory, so that networks go on sharing them. The activations of T5 and BART become a
part of the product before them: transformers writes that of T5 1.1 as eight passes over the states.
"""

from __future__ import annotations

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.activations import GELUActivation, NewGELUActivation
from transformers.models.bart.modeling_bart import BartDecoderLayer, BartEncoderLayer
from transformers.models.t5.modeling_t5 import T5DenseGatedActDense

_LEAST_PRODUCTS = 1 << 26  # oneDNN prepares each new shape for half a millisecond, which fewer do not bring back
_IS_HERE = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
"""Some builds of PyTorch come without oneDNN, and its operators are not documented: another version may call them otherwise."""


def prepare_linear(network: PreTrainedModel) -> PreTrainedModel:
    """The network, changed in place: the same values within rounding; not to be trained any more."""
    for part in list(network.modules()):
        for name, inner in list(part.named_children()):
            if isinstance(inner, NewGELUActivation):
                setattr(part, name, torch.nn.GELU(approximate="tanh"))
    if network.device.type == "cpu" and network.dtype == torch.float32 and _IS_HERE:
        for part in network.modules():
            _use_products(part)
    return network


def _use_products(part: torch.nn.Module) -> None:
    if type(part) is torch.nn.Linear:
        part.__class__ = LargeLinear
    if type(part) is T5DenseGatedActDense and isinstance(part.act, torch.nn.GELU):
        part.__class__ = GatedDense
    if isinstance(part, (BartEncoderLayer, BartDecoderLayer)) and isinstance(part.activation_fn, GELUActivation):
        part.fc1.__class__, part.activation_fn = ActiveLinear, torch.nn.Identity()


def multiply(states: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """The linear map of states, (…, inputs) to (…, outputs)."""
    if _is_plain(states, weight):
        return torch.nn.functional.linear(states, weight, bias)
    output: Tensor = torch.ops.mkldnn._linear_pointwise(states, weight, bias, "none", [], "")
    return output


class LargeLinear(torch.nn.Linear):
    """A linear layer whose large products are those of oneDNN."""

    def forward(self, input: Tensor) -> Tensor:  # named as in the class above
        return multiply(input, self.weight, self.bias)


class ActiveLinear(torch.nn.Linear):
    """A linear layer and the GELU after it."""

    def forward(self, input: Tensor) -> Tensor:  # named as in the class above
        if _is_plain(input, self.weight):
            return torch.nn.functional.gelu(super().forward(input))
        output: Tensor = torch.ops.mkldnn._linear_pointwise(input, self.weight, self.bias, "gelu", [], "none")
        return output


class GatedDense(T5DenseGatedActDense):
    """The feed-forward of T5 1.1, whose activation and gate are parts of products."""

    def forward(self, hidden_states: Tensor) -> Tensor:
        if _is_plain(hidden_states, self.wi_0.weight):
            plain: Tensor = super().forward(hidden_states)
            return plain
        product = torch.ops.mkldnn._linear_pointwise
        active = product(hidden_states, self.wi_0.weight, None, "gelu", [], "tanh")
        gated = product.binary(hidden_states, active, self.wi_1.weight, None, "mul")
        output: Tensor = self.wo(gated)
        return output


def _is_plain(states: Tensor, weight: Tensor) -> bool:
    if states.device.type != "cpu" or states.dtype != torch.float32 or torch.is_grad_enabled():
        return True
    return states.numel() * len(weight) < _LEAST_PRODUCTS or not _IS_HERE
