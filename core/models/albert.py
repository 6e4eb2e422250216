"""ALBERT's classifier in plain torch (Lan et al. 2020), as `core.models.bert` has BERT: SummaC answers without transformers.
Every number is the one that transformers computes, to the last bit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import torch
from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt, ValidationError
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from core.model_reference import Checkpoint
from core.models.bert import UNREADABLE, FilledEmbedding, FilledLinear, fill_network, read_weights
from core.weights.files import read_json_object

_DEFAULT_LABELS = 2  # of transformers


class AlbertConfig(BaseModel):
    """The part of config.json that decides the numbers; every other value of these fields is another network."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    model_type: Literal["albert"]
    hidden_act: Literal["gelu", "gelu_new"]
    vocab_size: PositiveInt
    embedding_size: PositiveInt
    hidden_size: PositiveInt
    intermediate_size: PositiveInt
    num_hidden_layers: PositiveInt
    num_attention_heads: PositiveInt
    max_position_embeddings: PositiveInt
    type_vocab_size: PositiveInt
    layer_norm_eps: PositiveFloat
    pad_token_id: int
    id2label: dict[str, str] | None = None
    num_hidden_groups: Literal[1] = 1
    inner_group_num: Literal[1] = 1
    position_embedding_type: Literal["absolute"] = "absolute"
    chunk_size_feed_forward: Literal[0] = 0
    quantization_config: None = None

    @property
    def num_labels(self) -> int:
        return len(self.id2label) if self.id2label else _DEFAULT_LABELS


@dataclass(frozen=True, slots=True)
class ClassifierOutput:
    """Logits of texts, (rows, labels)."""

    logits: Tensor


class AlbertLayer(nn.Module):
    """Attention and feed-forward network, which every layer shares; parts are called as in the files of weights."""

    def __init__(self, config: AlbertConfig) -> None:
        super().__init__()
        width, inner, eps = config.hidden_size, config.intermediate_size, config.layer_norm_eps
        self.heads = config.num_attention_heads
        self.is_new_gelu = config.hidden_act == "gelu_new"
        parts: dict[str, nn.Module] = {name: FilledLinear(width, width) for name in ("query", "key", "value", "dense")}
        self.attention = nn.ModuleDict({**parts, "LayerNorm": nn.LayerNorm(width, eps)})
        self.ffn, self.ffn_output = FilledLinear(width, inner), FilledLinear(inner, width)
        self.full_layer_layer_norm = nn.LayerNorm(width, eps)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        attention = self.attention
        query, key, value = (
            attention[name](states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for name in ("query", "key", "value")
        )  # (rows, heads, tokens, width of a head)
        seen = scaled_dot_product_attention(query, key, value, attn_mask=mask).transpose(1, 2).flatten(2)
        attended = attention["LayerNorm"](states + attention["dense"](seen))
        hidden = self.ffn(attended)
        hidden = _gelu_of_google(hidden) if self.is_new_gelu else gelu(hidden)
        return cast(Tensor, self.full_layer_layer_norm(self.ffn_output(hidden) + attended))


class AlbertClassifier(nn.Module):
    """Classifier of a text or a pair. Its attributes are those by which the rest knows a network of transformers."""

    def __init__(self, config: AlbertConfig) -> None:
        super().__init__()
        self.config, width, narrow = config, config.hidden_size, config.embedding_size
        embeddings = {
            "word_embeddings": FilledEmbedding(config.vocab_size, narrow),
            "position_embeddings": FilledEmbedding(config.max_position_embeddings, narrow),
            "token_type_embeddings": FilledEmbedding(config.type_vocab_size, narrow),
            "LayerNorm": nn.LayerNorm(narrow, config.layer_norm_eps),
        }
        group = nn.ModuleDict({"albert_layers": nn.ModuleList([AlbertLayer(config)])})
        encoder = {
            "embedding_hidden_mapping_in": FilledLinear(narrow, width),
            "albert_layer_groups": nn.ModuleList([group]),
        }
        self.albert = nn.ModuleDict(
            {
                "embeddings": nn.ModuleDict(embeddings),
                "encoder": nn.ModuleDict(encoder),
                "pooler": FilledLinear(width, width),
            }
        )
        self.classifier = FilledLinear(width, config.num_labels)

    @property
    def base_model(self) -> nn.Module:
        return self.albert

    @property
    def device(self) -> torch.device:
        return cast(Tensor, self.get_input_embeddings().weight).device

    def get_input_embeddings(self) -> nn.Module:
        return cast(nn.ModuleDict, self.albert["embeddings"])["word_embeddings"]

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> ClassifierOutput:
        """Logits of ids, mask and segment types, (rows, tokens) each, by default of the first segment."""
        embeddings, encoder = (cast(nn.ModuleDict, self.albert[name]) for name in ("embeddings", "encoder"))
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        places = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        states = embeddings["word_embeddings"](input_ids) + embeddings["token_type_embeddings"](types)
        states = embeddings["LayerNorm"](states + embeddings["position_embeddings"](places))
        states = encoder["embedding_hidden_mapping_in"](states)
        # without padding there is nothing to mask, which has a faster kernel
        is_padded = not attention_mask.all()
        mask = attention_mask.bool()[:, None, None, :].expand(-1, -1, input_ids.shape[1], -1) if is_padded else None
        layer = encoder.get_submodule("albert_layer_groups.0.albert_layers.0")
        for _ in range(self.config.num_hidden_layers):
            states = layer(states, mask)
        return ClassifierOutput(self.classifier(self.albert["pooler"](states[:, 0]).tanh()))


def read_albert_classifier(folder: Path, checkpoint: Checkpoint) -> AlbertClassifier | None:
    """The classifier of a folder; None for any other network, number type or form of weights."""
    try:
        config = AlbertConfig.model_validate(read_json_object(folder / "config.json"))
        weights = read_weights(folder)
    except (ValidationError, *UNREADABLE):  # whoever reads every network says what is wrong with a file
        return None
    return fill_network(AlbertClassifier(config), weights, checkpoint)


def _gelu_of_google(states: Tensor) -> Tensor:
    """GELU by the hyperbolic tangent in the steps of Google's code; torch's own differs in the last bits."""
    cubic = states + 0.044715 * torch.pow(states, 3.0)
    return 0.5 * states * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * cubic))
