"""Tokenizers trained on given texts: byte-level pieces between the special tokens that an architecture knows."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from sentencepiece import SentencePieceTrainer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

_MOST = (
    16_000  # enough for nearly every word of a few hundred pages to be one piece, as words are for real vocabularies
)

_ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_BERT = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
_T5 = ("<pad>", "</s>", "<unk>")
_SPECIAL = {"roberta": _ROBERTA, "bart": (*_ROBERTA, "<m>", "</m>"), "t5": _T5}


def trained(architecture: str, texts: Iterable[str]) -> Tokenizer:
    """A tokenizer whose special tokens have the ids that the configurations of `core.models.configurations_of_shapes` name."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = list(_SPECIAL.get(architecture, _BERT))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=_MOST, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = _template(architecture)
    return tokenizer


def train_sentence_pieces(texts: Sequence[str], path: Path) -> None:
    """Write a SentencePiece model with the special tokens of BLEURT."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        vocab_size=_MOST // 4,
        hard_vocab_limit=False,
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        pad_piece="[PAD]",
        unk_piece="[UNK]",
        control_symbols=["[CLS]", "[SEP]", "[MASK]"],
        num_threads=1,
        minloglevel=2,
    )
    path.write_bytes(model.getvalue())


def _template(architecture: str) -> processors.PostProcessor:
    if architecture in {"roberta", "bart"}:
        return processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    if architecture == "t5":
        return processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    if architecture == "llama":
        return processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
