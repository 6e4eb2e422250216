"""Tiny translation models with random weights and SentencePiece files of their own: a Marian model, and M2M100."""

from __future__ import annotations

import io
import json
from pathlib import Path

import sentencepiece
from transformers import M2M100Config, M2M100ForConditionalGeneration, MarianConfig, MarianMTModel

from tests.tiny import TEXT, random_network

_SIZES = {
    "d_model": 32,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
}


def marian(folder: Path) -> Path:
    """MarianMTModel with source.spm, target.spm and vocab.json, the pad last, as the published ones."""
    folder.mkdir(parents=True, exist_ok=True)
    pieces = _write_pieces(folder, "source.spm", "target.spm")
    vocabulary = ["</s>", "<unk>", *(piece for piece in pieces if piece not in {"</s>", "<unk>", "<s>"}), "<pad>"]
    _write_json(folder, "vocab.json", {piece: id for id, piece in enumerate(vocabulary)})
    _write_json(
        folder,
        "tokenizer_config.json",
        {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de"},
    )
    pad = len(vocabulary) - 1
    config = MarianConfig(
        **_SIZES, vocab_size=len(vocabulary), pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad, num_beams=2,
        max_position_embeddings=512, forced_eos_token_id=0,
    )  # fmt: skip
    random_network(lambda: MarianMTModel(config)).save_pretrained(folder)
    return folder


def m2m(folder: Path) -> Path:
    """M2M100ForConditionalGeneration with sentencepiece.bpe.model, vocab.json and the tokens of its hundred languages."""
    folder.mkdir(parents=True, exist_ok=True)
    pieces = _write_pieces(folder, "sentencepiece.bpe.model")
    vocabulary = [
        "<s>",
        "<pad>",
        "</s>",
        "<unk>",
        *(piece for piece in pieces if piece not in {"</s>", "<unk>", "<s>"}),
    ]
    _write_json(folder, "vocab.json", {piece: id for id, piece in enumerate(vocabulary)})
    _write_json(folder, "tokenizer_config.json", {"tokenizer_class": "M2M100Tokenizer"})
    config = M2M100Config(
        **_SIZES, vocab_size=len(vocabulary) + 108, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
        max_position_embeddings=512,
    )  # fmt: skip
    random_network(lambda: M2M100ForConditionalGeneration(config)).save_pretrained(folder)
    return folder


def _write_pieces(folder: Path, *names: str) -> list[str]:
    """Train a Unigram model, write it under these names and give its pieces."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.splitlines()), model_writer=written, vocab_size=150, minloglevel=2, num_threads=1
    )
    for name in names:
        (folder / name).write_bytes(written.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    return [processor.id_to_piece(id) for id in range(processor.get_piece_size())]


def _write_json(folder: Path, name: str, content: object) -> None:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
