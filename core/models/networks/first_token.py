"""Layers for a head that reads one token: without the other rows of an encoder's last layer, or a decoder's projections of them.

A classifier reads the first token of the last layer: its other rows are keys and values only, so that queries, output and
feed-forward run for one row. A decoder that writes one token asks once: its query is projected back to the encoder's states
in place of projecting every one of them to keys and values in every layer, (q Kᵀ) = (q W) xᵀ.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.electra.modeling_electra import ElectraLayer
from transformers.models.rembert.modeling_rembert import RemBertLayer
from transformers.models.roberta.modeling_roberta import RobertaLayer
from transformers.models.t5.modeling_t5 import T5Attention, T5ForConditionalGeneration
from transformers.models.xlm_roberta.modeling_xlm_roberta import XLMRobertaLayer

_LAYERS = (BertLayer, ElectraLayer, RemBertLayer, RobertaLayer, XLMRobertaLayer)


def read_first_token(network: PreTrainedModel) -> PreTrainedModel:
    """The network, changed in place to compute the first token only of its last layer; others than BERT's kin stay."""
    layers = getattr(getattr(network.base_model, "encoder", None), "layer", None)
    if isinstance(layers, torch.nn.ModuleList) and isinstance(layers[-1], _LAYERS):
        layers[-1] = FirstTokenLayer(layers[-1])
    return network


def write_one_token(network: T5ForConditionalGeneration) -> T5ForConditionalGeneration:
    """The network, changed in place so that its decoder reads one token of each text, no more."""
    for block in network.decoder.block:
        cross = cast(Any, block).layer[1]
        cross.EncDecAttention = OneTokenAttention(cross.EncDecAttention)
    return network


class FirstTokenLayer(torch.nn.Module):
    """A layer of BERT's kin whose output is the first token, (rows, 1, width)."""

    def __init__(self, plain: torch.nn.Module) -> None:
        super().__init__()
        self.plain: Any = plain

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None, *_: object, **__: object) -> Any:
        inner, first = self.plain.attention.self, hidden_states[:, :1]
        query, key, value = (
            project(states).unflatten(-1, (inner.num_attention_heads, -1)).transpose(1, 2)
            for project, states in (
                (inner.query, first),
                (inner.key, hidden_states),
                (inner.value, hidden_states),
            )
        )  # (rows, heads, tokens, width of a head)
        mask = None if attention_mask is None else attention_mask[:, :, :1]
        attended = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        states = self.plain.feed_forward_chunk(self.plain.attention.output(attended.transpose(1, 2).flatten(2), first))
        return (states,) if isinstance(self.plain, RemBertLayer) else states


class OneTokenAttention(torch.nn.Module):
    """The cross-attention of one layer of a T5 decoder for one token of each text."""

    def __init__(self, plain: T5Attention) -> None:
        super().__init__()
        self.plain = plain

    def forward(
        self, hidden_states: Tensor, mask: Tensor | None, key_value_states: Tensor, **_: object
    ) -> tuple[Tensor, None, None]:
        plain, heads = self.plain, self.plain.n_heads
        key, value = (project.weight.unflatten(0, (heads, -1)) for project in (plain.k, plain.v))
        query = plain.q(hidden_states).unflatten(-1, (heads, -1))[:, 0]  # (rows, heads, width of a head)
        queries = torch.einsum("rhk,hkw->rhw", query, key)
        attended = torch.nn.functional.scaled_dot_product_attention(
            queries[:, None], key_value_states[:, None], key_value_states[:, None], attn_mask=mask, scale=plain.scaling
        )  # (rows, 1, heads, width): every head of a text reads the same states
        read = torch.einsum("rhw,hkw->rhk", attended[:, 0], value).flatten(1)
        return plain.o(read[:, None]), None, None
