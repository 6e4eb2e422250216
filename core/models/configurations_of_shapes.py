"""Configurations of the published architectures, in any shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transformers import AutoConfig, BartConfig, PreTrainedConfig

from core.models.shapes import Shape

_BERT: Mapping[str, Any] = {"max_position_embeddings": 512, "pad_token_id": 0}
_DEBERTA: Mapping[str, Any] = {
    **_BERT,
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["c2p", "p2c"],
    "type_vocab_size": 0,
}
_ENCODERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "albert": ("albert", {**_BERT, "embedding_size": 128}),
    "bert": ("bert", _BERT),
    "deberta": ("deberta", _DEBERTA),
    "deberta-v3": (
        "deberta-v2",
        {**_DEBERTA, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True},
    ),
    "electra": ("electra", _BERT),
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
    "rembert": ("rembert", {**_BERT, "input_embedding_size": 256}),
    "roberta": (
        "roberta",
        {"max_position_embeddings": 514, "type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2},
    ),
}
"""The model type of transformers, and what its configuration says besides the shape."""


def configuration(architecture: str, shape: Shape) -> PreTrainedConfig:
    """The configuration of a network; special tokens have the ids that `core.models.trained_tokenizer` gives them."""
    if architecture == "bart":
        return _bart(shape)
    if architecture == "t5":
        return _t5(shape)
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


def _bart(shape: Shape) -> PreTrainedConfig:
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


def _t5(shape: Shape) -> PreTrainedConfig:
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
