"""Attention that rests on relative positions, prepared once: what no text changes is computed when a network is loaded.

DeBERTa projects its table of relative positions in every layer of every pass, which costs a sentence more than the
sentence itself (He et al. 2021, equation 4); T5 lays its position bias out again in every layer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.models.deberta import modeling_deberta
from transformers.models.deberta_v2 import modeling_deberta_v2
from transformers.models.t5.modeling_t5 import T5Attention

_DisentangledAttention = modeling_deberta.DisentangledSelfAttention | modeling_deberta_v2.DisentangledSelfAttention


def prepare_attention(network: PreTrainedModel) -> PreTrainedModel:
    """The network, changed in place: the same values within rounding; not to be trained any more."""
    with torch.no_grad():
        encoders = (modeling_deberta.DebertaEncoder, modeling_deberta_v2.DebertaV2Encoder)
        for part in list(network.modules()):
            if isinstance(part, encoders) and part.relative_attention:
                table = part.get_rel_embedding()
                for layer in part.layer:
                    attention = cast(Any, layer).attention
                    if not getattr(attention.self, "talking_head", False):
                        attention.self = FixedPositions(attention.self, table)
            if isinstance(part, T5Attention) and part.has_relative_attention_bias:
                setattr(part, "compute_bias", _contiguous(part.compute_bias))  # noqa: B010  # mypy knows it as a method
    return network


def _contiguous(compute: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same tensor laid out as attention reads it: every layer would make a copy of its own."""
    return lambda *args, **kwargs: compute(*args, **kwargs).contiguous()


class FixedPositions(torch.nn.Module):
    """The disentangled self-attention of one layer with its relative positions projected; it gives no attention weights."""

    pos_key: Tensor | None
    pos_query: Tensor | None

    def __init__(self, plain: _DisentangledAttention, table: Tensor) -> None:
        super().__init__()
        self.plain = plain
        self.heads = plain.num_attention_heads
        self.scale = float((1 + len(plain.pos_att_type)) * plain.attention_head_size) ** -0.5
        self.span = len(table) // 2
        # projections of the layer for the table of positions, as keys and as queries; both where the layer uses both
        key: Any
        query: Any
        if getattr(plain, "share_att_key", False):
            key, query = plain.key_proj, plain.query_proj
        elif isinstance(plain, modeling_deberta_v2.DisentangledSelfAttention):
            key, query = getattr(plain, "pos_key_proj", None), getattr(plain, "pos_query_proj", None)
        else:
            key, query = getattr(plain, "pos_proj", None), getattr(plain, "pos_q_proj", None)
        for name, kind, project in (("pos_key", "c2p", key), ("pos_query", "p2c", query)):
            positions = self._by_head(project(table)[None])[0] * self.scale if kind in plain.pos_att_type else None
            self.register_buffer(name, positions, persistent=False)  # (heads, positions, width of a head)

    def forward(
        self, hidden_states: Tensor, attention_mask: Tensor, *_: object, relative_pos: Tensor, **__: object
    ) -> tuple[Tensor, None]:
        query, key, value = self._project(hidden_states)
        bias = self._position_bias(query, key, relative_pos[0])  # (rows, heads, tokens, tokens)
        # the mask of the first token, which is never padding: padded tokens read the text too, and nobody reads them
        bias.masked_fill_(~attention_mask[:, :, :1].bool(), torch.finfo(bias.dtype).min)
        attended = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=self.scale)
        return attended.transpose(1, 2).flatten(2), None

    def _project(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        plain = self.plain
        if isinstance(plain, modeling_deberta_v2.DisentangledSelfAttention):
            projections = (plain.query_proj, plain.key_proj, plain.value_proj)
            return cast(tuple[Tensor, Tensor, Tensor], tuple(self._by_head(project(states)) for project in projections))
        query, key, value = self._by_head(plain.in_proj(states)).chunk(3, dim=-1)
        biases = (self._by_head(bias[None, None]) for bias in (plain.q_bias, plain.v_bias))
        return query + next(biases), key, value + next(biases)

    def _position_bias(self, query: Tensor, key: Tensor, relative: Tensor) -> Tensor:
        """Bias by distance for the scores of each pair of tokens, from the positions that occur in texts of this length."""
        reach = min(self.span, _bucket(len(relative) - 1, *self._buckets()))
        first, last = self.span - reach, min(self.span + reach + 1, 2 * self.span)
        bias = query.new_zeros(())
        for states, table, sign in ((query, self.pos_key, 1), (key, self.pos_query, -1)):
            if table is None:
                continue
            place = (sign * relative + self.span).clamp(0, 2 * self.span - 1).long() - first  # (tokens, tokens)
            scores = states @ table[:, first:last].transpose(-1, -2)  # (rows, heads, tokens, positions)
            by_distance = scores.gather(-1, place.expand(*scores.shape[:2], *place.shape))
            bias = by_distance if sign > 0 else by_distance.transpose(-1, -2).add_(bias)
        return bias

    def _buckets(self) -> tuple[int, int]:
        return getattr(self.plain, "position_buckets", -1), self.plain.max_relative_positions

    def _by_head(self, states: Tensor) -> Tensor:
        """(rows, tokens, width) to (rows, heads, tokens, width of a head)."""
        return states.unflatten(-1, (self.heads, -1)).transpose(1, 2)


@lru_cache(maxsize=4096)
def _bucket(distance: int, buckets: int, most: int) -> int:
    """The relative position of two tokens so far apart."""
    if buckets <= 0:
        return distance
    return int(modeling_deberta_v2.make_log_bucket_position(torch.tensor([distance]), buckets, most))
