"""Tiny masked language models with random weights, which like some words more than others."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, RobertaForMaskedLM

from tests.tiny import TEXT, between, random_network, roberta_config, saved

LIKED = {"ferry": 9.0, "castle": 8.0, "##ing": 12.0, "storms": 7.0, "herring": 6.0}
"""Words and pieces, and how much their logits are raised in every place."""


def masked_roberta(folder: Path) -> Path:
    """RobertaForMaskedLM with a byte-level BPE whose mask takes the blank before it, as the published one."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True, special=True)]
    trainer = trainers.BpeTrainer(vocab_size=1200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([TEXT, f" {' '.join(LIKED)} shore" * 4], trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    network = random_network(lambda: RobertaForMaskedLM(roberta_config(tokenizer)))
    for word, logit in LIKED.items():
        if (token := tokenizer.token_to_id(f"Ġ{word}")) is not None:
            network.lm_head.bias.data[token] = logit
    return saved(network, tokenizer, folder)


def masked_bert(folder: Path) -> Path:
    """BertForMaskedLM with WordPiece in small letters."""
    words = sorted({word.strip('.,"?!:;').lower() for word in TEXT.split()} | LIKED.keys())
    letters = [mark + letter for letter in "abcdefghijklmnopqrstuvwxyz0123456789.,?!" for mark in ("", "##")]
    vocabulary = dict.fromkeys(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", *letters, *filter(None, words)])
    tokenizer = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"])
    tokenizer.post_processor = between(cls=1, sep=2)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        pad_token_id=0,
    )
    network = random_network(lambda: BertForMaskedLM(config))
    for word, logit in LIKED.items():
        network.cls.predictions.bias.data[tokenizer.token_to_id(word)] = logit
    saved(network, tokenizer, folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "[MASK]"}), encoding="utf-8")
    return folder
