"""The published sizes of networks, and a configuration of each architecture in any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from transformers import AutoConfig, BartConfig, PreTrainedConfig

from core.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Shape:
    """Width of the states, layers (of the encoder, and as many of a decoder), heads, width of the inner layer, words."""

    name: str
    width: int
    layers: int
    heads: int
    inner: int
    words: int


Dimensions = tuple[int, int, int, int]

_TINY_SIZE: Dimensions = (64, 2, 4, 128)
_SMALLEST_SIZE: Dimensions = (128, 2, 2, 512)  # that was published: BERT-tiny (Turc et al. 2019)
_BERT_SIZES: dict[str, Dimensions] = {
    "tiny": _TINY_SIZE,
    "smallest": _SMALLEST_SIZE,
    "small": (512, 4, 8, 2048),
    "base": (768, 12, 12, 3072),
    "large": (1024, 24, 16, 4096),
}
_SHAPES: Mapping[str, tuple[int, Mapping[str, Dimensions]]] = {
    "albert": (30_000, {**_BERT_SIZES, "xlarge": (2048, 24, 16, 8192)}),
    "bart": (50_265, {**_BERT_SIZES, "base": (768, 6, 12, 3072), "large": (1024, 12, 16, 4096)}),
    "bert": (30_522, _BERT_SIZES),
    "deberta": (50_265, {**_BERT_SIZES, "xlarge": (1024, 48, 16, 4096)}),
    "deberta-v3": (128_100, {**_BERT_SIZES, "small": (768, 6, 12, 3072)}),
    "electra": (30_522, _BERT_SIZES),
    "llama": (128_256, {**_BERT_SIZES, "large": (2048, 16, 32, 8192)}),
    "modernbert": (50_368, {**_BERT_SIZES, "base": (768, 22, 12, 1152), "large": (1024, 28, 16, 2624)}),
    "rembert": (250_300, {**_BERT_SIZES, "large": (1152, 32, 18, 4608)}),
    "roberta": (50_265, _BERT_SIZES),
    "t5": (
        32_128,
        {
            "tiny": _TINY_SIZE,
            "smallest": _SMALLEST_SIZE,
            "small": (512, 8, 6, 1024),
            "base": (768, 12, 12, 2048),
            "large": (1024, 24, 16, 2816),
        },
    ),
}
"""Words of the published vocabulary, and shapes by class. T5 is version 1.1; the large RemBERT is that of BLEURT-20."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """A class for every architecture, and another for some of them."""

    every: str = "base"
    some: tuple[tuple[str, str], ...] = ()

    def shape(self, architecture: str) -> Shape:
        size = dict(self.some).get(architecture, self.every)
        words, shapes = _SHAPES[architecture]
        return Shape(f"{architecture}-{size}", *shapes[size], words)


def parse_sizes(spelled: Iterable[str]) -> Sizes:
    """Sizes from their spelling, the last one counts: `base` for all, `albert-xlarge` for one; raises UnknownNameError."""
    every, some = "base", {}
    for name in spelled:
        architecture, _, size = name.rpartition("-")
        if name not in {*_BERT_SIZES, *_size_names()}:
            raise UnknownNameError("size", name, [*_BERT_SIZES, *_size_names()])
        if architecture:
            some[architecture] = size
        else:
            every = size
    return Sizes(every, tuple(some.items()))


def _size_names() -> list[str]:
    return [f"{architecture}-{size}" for architecture, (_, shapes) in _SHAPES.items() for size in shapes]


_BERT_CONFIG: Mapping[str, Any] = {"max_position_embeddings": 512, "pad_token_id": 0}
_DEBERTA_CONFIG: Mapping[str, Any] = {
    **_BERT_CONFIG,
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["c2p", "p2c"],
    "type_vocab_size": 0,
}
_ENCODERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "albert": ("albert", {**_BERT_CONFIG, "embedding_size": 128}),
    "bert": ("bert", _BERT_CONFIG),
    "deberta": ("deberta", _DEBERTA_CONFIG),
    "deberta-v3": (
        "deberta-v2",
        {**_DEBERTA_CONFIG, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True},
    ),
    "electra": ("electra", _BERT_CONFIG),
    "llama": ("llama", {"max_position_embeddings": 32_768, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}),
    "modernbert": (
        "modernbert",
        {
            "max_position_embeddings": 8192,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "cls_token_id": 1,
            "eos_token_id": 2,
            "sep_token_id": 2,
        },
    ),
    "rembert": ("rembert", {**_BERT_CONFIG, "input_embedding_size": 256}),
    "roberta": (
        "roberta",
        {"max_position_embeddings": 514, "type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2},
    ),
}
"""The model type of transformers, and what its configuration says besides the shape."""


def network_configuration(architecture: str, shape: Shape) -> PreTrainedConfig:
    """The configuration of a network; special tokens have the ids that `tests.bench.random_weights` gives them."""
    if architecture == "bart":
        return _bart_configuration(shape)
    if architecture == "t5":
        return _t5_configuration(shape)
    kind, entries = _ENCODERS[architecture]
    return AutoConfig.for_model(
        kind,
        vocab_size=shape.words,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        initializer_range=shape.width**-0.5,  # wider than for training, or all texts would get nearly the same score
        **entries,
    )


def _bart_configuration(shape: Shape) -> PreTrainedConfig:
    return BartConfig(
        vocab_size=shape.words,
        d_model=shape.width,
        encoder_layers=shape.layers,
        decoder_layers=shape.layers,
        encoder_attention_heads=shape.heads,
        decoder_attention_heads=shape.heads,
        encoder_ffn_dim=shape.inner,
        decoder_ffn_dim=shape.inner,
        max_position_embeddings=1024,
    )


def _t5_configuration(shape: Shape) -> PreTrainedConfig:
    return AutoConfig.for_model(
        "t5",
        vocab_size=shape.words,
        d_model=shape.width,
        d_kv=shape.width // shape.heads,
        d_ff=shape.inner,
        num_layers=shape.layers,
        num_heads=shape.heads,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
