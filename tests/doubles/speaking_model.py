"""A tiny Llama with a chat template that says one thing whatever it is asked, by its weights alone."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import torch
from tokenizers import AddedToken
from transformers import LlamaConfig, LlamaForCausalLM

from tests.tiny import byte_level, random_network, saved

TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>{{ message.content }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|answer|>{% endif %}"
)
SYSTEMLESS = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + TEMPLATE
)
_PIECES = 4


def speaking_llama(folder: Path, answer: str = "", template: str = TEMPLATE, window: int = 2048) -> Path:
    """Each token of the answer is the most likely one after the one before it, and the end after the last.

    Without an answer the weights are random, and so is what it says.
    """
    tokenizer = byte_level()
    size = -(-len(answer) // _PIECES) or 1
    chain = ["<|answer|>", *(answer[start : start + size] for start in range(0, len(answer), size)), "</s>"]
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in chain])
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=window,
        bos_token_id=0,
        eos_token_id=2,
        pad_token_id=1,
    )
    network = random_network(lambda: LlamaForCausalLM(config))
    if answer:
        _teach(network, [tokenizer.token_to_id(token) for token in chain])
    saved(network, tokenizer, folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "</s>", "chat_template": template}))
    return folder


@torch.no_grad()
def _teach(network: LlamaForCausalLM, chain: list[int]) -> None:
    for layer in network.model.layers:  # the state of a token is then its own embedding
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
    for before, after in pairwise(chain):
        network.lm_head.weight[after] = 20 * network.model.embed_tokens.weight[before]
