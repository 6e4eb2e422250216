"""SentencePiece files with the pieces of a tiny tokenizer, as the repositories ship them that have no tokenizer.json."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sentencepiece import SentencePieceTrainer, sentencepiece_model_pb2
from tokenizers import Tokenizer

_KINDS = sentencepiece_model_pb2.ModelProto.SentencePiece


def write_sentencepiece(tokenizer: Tokenizer, path: Path, left_out: Sequence[str] = ()) -> Path:
    """The vocabulary of a Unigram tokenizer with the map of characters that T5 and DeBERTa have (nmt_nfkc)."""
    model = json.loads(tokenizer.to_str())["model"]
    special = {token["content"] for token in json.loads(tokenizer.to_str())["added_tokens"]}
    written = sentencepiece_model_pb2.ModelProto()
    for number, (piece, score) in enumerate(model["vocab"]):
        kind = _KINDS.CONTROL if piece in special else _KINDS.NORMAL
        if piece not in left_out:
            written.pieces.add(piece=piece, score=score, type=_KINDS.UNKNOWN if number == model["unk_id"] else kind)
    written.trainer_spec.unk_id = model["unk_id"]
    written.normalizer_spec.precompiled_charsmap = character_map()
    path.write_bytes(written.SerializeToString())
    return path


@cache
def character_map() -> bytes:
    """What SentencePiece compiles from its rule nmt_nfkc."""
    trained = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f"] * 20),
        model_writer=trained,
        vocab_size=11,
        normalization_rule_name="nmt_nfkc",
        num_threads=1,
        minloglevel=2,
    )
    return bytes(sentencepiece_model_pb2.ModelProto.FromString(trained.getvalue()).normalizer_spec.precompiled_charsmap)
