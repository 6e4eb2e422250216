"""BERT's encoder in plain torch (Devlin et al. 2019): the packaged encoder answers without transformers, whose import takes
three seconds and 150 MB. Every number is the one that transformers computes, to the last bit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import torch
from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from core.model_reference import Checkpoint
from core.models.weights.weight_files import read_json_object

_WEIGHTS = "model.safetensors"
_DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
_NOT_READ = ("pooler.", "embeddings.position_ids")  # no metric asks for the pooled state; the others count from 0


class BertConfig(BaseModel):
    """The part of config.json that decides the numbers; every other value of these fields is another network."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    model_type: Literal["bert"]
    """Variants of BERT compute otherwise and are left to transformers."""

    hidden_act: Literal["gelu"]
    """The exact GELU, not its approximation by tanh."""

    vocab_size: PositiveInt
    """Rows of the table of word embeddings."""

    hidden_size: PositiveInt
    """Width of the state of a token."""

    intermediate_size: PositiveInt
    """Width between the two maps of the feed-forward part."""

    num_hidden_layers: PositiveInt
    """Layers above the embeddings."""

    num_attention_heads: PositiveInt
    """Heads of each layer, which divide the width among them."""

    max_position_embeddings: PositiveInt
    """Tokens that a text may have."""

    type_vocab_size: PositiveInt
    """Segments that tokens can be of; 2 for pairs of texts."""

    layer_norm_eps: PositiveFloat
    """Added to the variance that a layer norm divides by."""

    pad_token_id: int
    """Token that fills short rows; no token attends to it."""

    is_decoder: Literal[False] = False
    """A decoder would mask the tokens that come later."""

    position_embedding_type: Literal["absolute"] = "absolute"
    """Positions by embeddings; those by distance are other networks."""

    chunk_size_feed_forward: Literal[0] = 0
    """0 for all tokens at once."""

    quantization_config: None = None
    """Quantised weights need other kernels."""


@dataclass(frozen=True, slots=True)
class EncoderStates:
    """States after the embeddings and after each layer, (rows, tokens, width) each."""

    hidden_states: tuple[Tensor, ...]

    @property
    def last_hidden_state(self) -> Tensor:
        return self.hidden_states[-1]


class _Linear(nn.Linear):
    def reset_parameters(self) -> None:
        """Leave the weights, which come from a file, as they are."""


class _Embedding(nn.Embedding):
    def reset_parameters(self) -> None:
        """Leave the weights, which come from a file, as they are."""


class BertLayer(nn.Module):
    """Attention and feed-forward network of one layer; parts are called as in the files of weights."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width, inner, eps = config.hidden_size, config.intermediate_size, config.layer_norm_eps
        self.heads = config.num_attention_heads
        attention = nn.ModuleDict({name: _Linear(width, width) for name in ("query", "key", "value")})
        self.attention = nn.ModuleDict({"self": attention, "output": _added(_Linear(width, width), eps)})
        self.intermediate = nn.ModuleDict({"dense": _Linear(width, inner)})
        self.output = _added(_Linear(inner, width), eps)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        inner, output = cast(nn.ModuleDict, self.attention["self"]), cast(nn.ModuleDict, self.attention["output"])
        query, key, value = (
            inner[name](states).unflatten(-1, (self.heads, -1)).transpose(1, 2) for name in ("query", "key", "value")
        )  # (rows, heads, tokens, width of a head)
        seen = scaled_dot_product_attention(query, key, value, attn_mask=mask).transpose(1, 2).flatten(2)
        attended = output["LayerNorm"](output["dense"](seen) + states)
        hidden = gelu(self.intermediate["dense"](attended))
        return cast(Tensor, self.output["LayerNorm"](self.output["dense"](hidden) + attended))


class Bert(nn.Module):
    """Encoder without a head. Its attributes are those by which the rest knows a network of transformers."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config, width = config, config.hidden_size
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": _Embedding(config.vocab_size, width),
                "position_embeddings": _Embedding(config.max_position_embeddings, width),
                "token_type_embeddings": _Embedding(config.type_vocab_size, width),
                "LayerNorm": nn.LayerNorm(width, config.layer_norm_eps),
            }
        )
        layers = nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))
        self.encoder = nn.ModuleDict({"layer": layers})

    @property
    def base_model(self) -> Bert:
        return self

    @property
    def device(self) -> torch.device:
        return cast(Tensor, self.get_input_embeddings().weight).device

    def get_input_embeddings(self) -> nn.Module:
        return self.embeddings["word_embeddings"]

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
        *,
        output_hidden_states: bool = True,  # noqa: ARG002  # they are there anyway; networks of transformers are asked for them
    ) -> EncoderStates:
        """States of ids, mask and segment types, (rows, tokens) each, by default of the first segment."""
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        places = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        states = self.embeddings["word_embeddings"](input_ids) + self.embeddings["token_type_embeddings"](types)
        states = self.embeddings["LayerNorm"](states + self.embeddings["position_embeddings"](places))
        # without padding there is nothing to mask, which has a faster kernel; a GPU would be waited for to know it
        mask = attention_mask.bool()[:, None, None, :].expand(-1, -1, input_ids.shape[1], -1)
        masked = None if attention_mask.device.type == "cpu" and attention_mask.all() else mask
        layer_states = [states]
        for layer in cast(nn.ModuleList, self.encoder["layer"]):
            layer_states.append(layer(layer_states[-1], masked))
        return EncoderStates(tuple(layer_states))


def read_bert(folder: Path, checkpoint: Checkpoint) -> Bert | None:
    """The BERT of a folder, whose weights are views of its file; None for any other network, number type or form of weights."""
    try:
        config = BertConfig.model_validate(read_json_object(folder / "config.json"))
        weights = load_file(folder / _WEIGHTS)
    except (ValidationError, OSError, SafetensorError):  # whoever reads every network says what is wrong with a file
        return None
    if checkpoint.dtype not in _DTYPES:
        return None
    network = Bert(config)
    weights = {name: tensor for name, tensor in weights.items() if not name.startswith(_NOT_READ)}
    shapes = {name: tensor.shape for name, tensor in network.state_dict().items()}
    if {name: tensor.shape for name, tensor in weights.items()} != shapes:
        return None
    network.load_state_dict(weights, assign=True)
    return network.to(_DTYPES[checkpoint.dtype]).eval()


def _added(dense: nn.Linear, eps: float) -> nn.ModuleDict:
    """A projection whose result is added to what it read, and normalised."""
    return nn.ModuleDict({"dense": dense, "LayerNorm": nn.LayerNorm(dense.out_features, eps)})
