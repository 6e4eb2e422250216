"""Tokenizers of repositories that ship only a SentencePiece file, converted as transformers 4 did: ALBERT, T5, DeBERTa."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from google.protobuf.message import DecodeError
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

from core.errors import LoadError
from core.models.weights.weight_files import read_json_object

_UNKNOWN_TYPE = sentencepiece_model_pb2.ModelProto.SentencePiece.UNKNOWN
_CONTROL_TYPE = sentencepiece_model_pb2.ModelProto.SentencePiece.CONTROL
_USER_DEFINED_TYPE = sentencepiece_model_pb2.ModelProto.SentencePiece.USER_DEFINED
_UNIGRAM = sentencepiece_model_pb2.TrainerSpec.UNIGRAM
_NUMBER_AND_COMMA = re.compile(r"\d,$")


class VocabularyPiece(Protocol):
    """An entry of a SentencePiece vocabulary: its text, its log-probability and what it is for."""

    piece: str
    score: float
    type: int


class NormalizerSpec(Protocol):
    """Normalization of a text by SentencePiece: a compiled map of characters, empty for none."""

    precompiled_charsmap: bytes


class SentencePieceModel(Protocol):
    """Content of a SentencePiece file."""

    pieces: Sequence[VocabularyPiece]
    normalizer_spec: NormalizerSpec


_DEBERTA_SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")

Settings = Mapping[str, object]
"""The entries of tokenizer_config.json."""


def sentencepiece_tokenizer(folder: Path) -> Tokenizer | None:
    """The tokenizer of spiece.model or spm.model and tokenizer_config.json; None where there is neither file or the model in
    config.json is of another type; raises LoadError for a file that cannot be read.

    The conversion is that of transformers 4.57, on whose ids the weights were trained or published.
    """
    path = next((folder / name for name in ("spiece.model", "spm.model") if (folder / name).is_file()), None)
    convert = _CONVERSIONS.get(str(read_json_object(folder / "config.json").get("model_type")))
    if path is None or convert is None:
        return None
    settings = read_json_object(folder / "tokenizer_config.json")
    try:
        model = sentencepiece_model_pb2.ModelProto.FromString(path.read_bytes())
        if model.trainer_spec.model_type != _UNIGRAM:
            raise LoadError(
                f"{path} is not a Unigram model of SentencePiece. Put the model's tokenizer.json beside it."
            )
        tokenizer = convert(model, settings)
    except (DecodeError, LookupError, StopIteration, TypeError) as error:
        raise LoadError(f"{path} is not a readable SentencePiece model. Get the file again.") from error
    own_special = _DEBERTA_SPECIAL if convert is _deberta else ()
    tokenizer.add_tokens(_added_tokens(folder, settings, tokenizer, own_special))
    return tokenizer


def _added_tokens(
    folder: Path, settings: Settings, tokenizer: Tokenizer, own_special: Sequence[str]
) -> list[AddedToken]:
    """Tokens that the files beside the model add behind its vocabulary, in the order of their ids, and then special ones.

    They stand in added_tokens.json or as added_tokens_decoder, and as additional_special_tokens in special_tokens_map.json
    or the settings; `own_special` are those that every model of the type has.
    """
    special_map = read_json_object(folder / "special_tokens_map.json")
    additional = [*own_special, *_token_names(settings), *_token_names(special_map)]
    special = {*additional, *(_token_name(value) for value in special_map.values() if not isinstance(value, list))}
    by_id = {int(str(id)): name for name, id in read_json_object(folder / "added_tokens.json").items()}
    described = settings.get("added_tokens_decoder")
    entries = {int(id): entry for id, entry in described.items()} if isinstance(described, dict) else {}
    by_id |= {id: _token_name(entry) for id, entry in entries.items()}
    special |= {_token_name(entry) for entry in entries.values() if entry.get("special")}
    names = dict.fromkeys([*(by_id[id] for id in sorted(by_id)), *additional])
    there = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    flags = {_token_name(entry): entry for entry in entries.values()}
    return [
        AddedToken(
            name,
            special=name in special,
            normalized=bool(flags.get(name, {}).get("normalized", name not in special)),
            **{flag: bool(flags.get(name, {}).get(flag)) for flag in ("lstrip", "rstrip", "single_word")},
        )
        for name in names
        if name not in there
    ]


def _token_names(settings: Settings) -> list[str]:
    listed = settings.get("additional_special_tokens")
    return [_token_name(token) for token in listed] if isinstance(listed, list) else []


def _token_name(entry: object) -> str:
    """The spelling of a token that is a text or an object with its flags."""
    return str(entry["content"]) if isinstance(entry, dict) else str(entry)


def _albert(model: SentencePieceModel, settings: Settings) -> Tokenizer:
    """A digit and a comma never share a piece: the original splits them."""
    vocabulary = [
        (piece.piece, piece.score - (100 if _NUMBER_AND_COMMA.search(piece.piece) else 0)) for piece in model.pieces
    ]
    tokenizer = _unigram(model, vocabulary)

    steps: list[normalizers.Normalizer] = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
    if not settings.get("keep_accents", False):
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if settings.get("do_lower_case", True):
        steps.append(normalizers.Lowercase())
    tokenizer.normalizer = normalizers.Sequence(
        [*steps, *_character_map(model.normalizer_spec.precompiled_charsmap), _squeezed_blanks(" ")]
    )

    special = [piece.piece for piece in model.pieces if piece.type in {_UNKNOWN_TYPE, _CONTROL_TYPE}]
    tokenizer.add_special_tokens([AddedToken(name, lstrip=name == "[MASK]", normalized=False) for name in special])
    tokenizer.post_processor = _between_separators(tokenizer)
    return tokenizer


def _t5(model: SentencePieceModel, settings: Settings) -> Tokenizer:
    """T5's extra ids stand behind the vocabulary, the last one first."""
    number = settings.get("extra_ids", 100)
    extra = [f"<extra_id_{place}>" for place in range(number if isinstance(number, int) else 100)][::-1]
    tokenizer = _unigram(
        model, [*((piece.piece, piece.score) for piece in model.pieces), *((name, 0.0) for name in extra)]
    )
    character_map = _character_map(model.normalizer_spec.precompiled_charsmap)
    ends = normalizers.Strip(left=False, right=True)
    tokenizer.normalizer = normalizers.Sequence([*character_map, ends, _squeezed_blanks("▁")])
    if settings.get("legacy") is False:  # the corrected reading of transformers, which a repository may ask for
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in (*_named_pieces(model), *extra)])
    end = ("</s>", tokenizer.token_to_id("</s>"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[end]
    )
    return tokenizer


def _deberta(model: SentencePieceModel, settings: Settings) -> Tokenizer:
    """DeBERTa's second and third version; the mask stands behind the vocabulary and what a repository added to it."""
    tokenizer = _unigram(model, [(piece.piece, piece.score) for piece in model.pieces])
    lower = [normalizers.Lowercase()] if settings.get("do_lower_case", False) else []
    character_map = _character_map(model.normalizer_spec.precompiled_charsmap)
    tokenizer.normalizer = normalizers.Sequence([*lower, normalizers.Strip(), *character_map, _squeezed_blanks(" ")])
    if settings.get("split_by_punct", False):
        marks = pre_tokenizers.Punctuation(behavior="isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([marks, tokenizer.pre_tokenizer])
    pieces = {piece.piece for piece in model.pieces}
    named = dict.fromkeys([*_named_pieces(model), *_DEBERTA_SPECIAL])
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in named if name in pieces])
    tokenizer.post_processor = _between_separators(tokenizer)
    return tokenizer


def _unigram(model: SentencePieceModel, vocabulary: list[tuple[str, float]]) -> Tokenizer:
    unknown = next(number for number, piece in enumerate(model.pieces) if piece.type == _UNKNOWN_TYPE)
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    return tokenizer


def _named_pieces(model: SentencePieceModel) -> list[str]:
    """Pieces that are one token wherever a text has them."""
    return [piece.piece for piece in model.pieces if piece.type in {_UNKNOWN_TYPE, _CONTROL_TYPE, _USER_DEFINED_TYPE}]


def _character_map(compiled: bytes) -> list[normalizers.Normalizer]:
    return [normalizers.Precompiled(compiled)] if compiled else []


def _squeezed_blanks(into: str) -> normalizers.Normalizer:
    return normalizers.Replace(Regex(" {2,}"), into)


def _between_separators(tokenizer: Tokenizer) -> processors.TemplateProcessing:
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )


_CONVERSIONS: Mapping[str, Callable[[SentencePieceModel, Settings], Tokenizer]] = {
    "albert": _albert,
    "t5": _t5,
    "deberta-v2": _deberta,
}
"""By the type of the model in config.json."""
