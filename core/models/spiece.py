"""ALBERT's tokenizer from its SentencePiece file, for repositories that ship no tokenizer.json.

The conversion is that of transformers 4: version 5 leaves the character map and the squeezing of blanks out.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

from core.errors import LoadError
from core.models.configuration import entries

# SentencePiece's ModelProto: the numbers of its fields, and two types of pieces
_PIECES, _NORMALIZER, _TEXT, _SCORE, _TYPE, _CHARACTER_MAP = 1, 3, 1, 2, 3, 2
_UNKNOWN, _CONTROL = 2, 3
_NUMBER_AND_COMMA = re.compile(r"\d,$")


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry of the vocabulary: its text, its log-probability and what it is for."""

    text: str
    score: float
    type: int


def albert_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of spiece.model and tokenizer_config.json; raises LoadError."""
    path = folder / "spiece.model"
    try:
        pieces, character_map = _read(path.read_bytes())
        tokenizer = Tokenizer(_unigram(pieces))
        tokenizer.normalizer = _normalizer(entries(folder / "tokenizer_config.json"), character_map)
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        _add_special(tokenizer, pieces)
    except (ValueError, LookupError, StopIteration, TypeError, struct.error) as error:
        raise LoadError(f"{path} is not a readable SentencePiece model of ALBERT. Get the file again.") from error
    return tokenizer


def _unigram(pieces: Sequence[Piece]) -> Unigram:
    """A digit and a comma never share a piece: the original splits them."""
    vocabulary = [(piece.text, piece.score - (100 if _NUMBER_AND_COMMA.search(piece.text) else 0)) for piece in pieces]
    return Unigram(vocabulary, unk_id=next(number for number, piece in enumerate(pieces) if piece.type == _UNKNOWN))


def _add_special(tokenizer: Tokenizer, pieces: Sequence[Piece]) -> None:
    special = [piece.text for piece in pieces if piece.type in {_UNKNOWN, _CONTROL}]
    tokenizer.add_special_tokens([AddedToken(name, lstrip=name == "[MASK]", normalized=False) for name in special])
    ids = {name: tokenizer.token_to_id(name) for name in special}
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, ids[name]) for name in ("[CLS]", "[SEP]")],
    )


def _normalizer(settings: dict[str, object], character_map: bytes) -> normalizers.Normalizer:
    steps: list[normalizers.Normalizer] = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
    if not settings.get("keep_accents", False):
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if settings.get("do_lower_case", True):
        steps.append(normalizers.Lowercase())
    if character_map:
        steps.append(normalizers.Precompiled(character_map))
    steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    return normalizers.Sequence(steps)


def _read(content: bytes) -> tuple[list[Piece], bytes]:
    """The vocabulary of a ModelProto and the character map of its normalizer."""
    pieces, character_map = [], b""
    for field, value in _fields(content):
        if field == _PIECES:
            pieces.append(_piece(dict(_fields(_bytes(value)))))
        elif field == _NORMALIZER:
            character_map = _bytes(dict(_fields(_bytes(value))).get(_CHARACTER_MAP, b""))
    return pieces, character_map


def _piece(fields: dict[int, bytes | int]) -> Piece:
    (score,) = struct.unpack("<f", _bytes(fields.get(_SCORE, bytes(4))))
    kind = fields.get(_TYPE, 1)
    return Piece(_bytes(fields[_TEXT]).decode(), score, kind if isinstance(kind, int) else 1)


def _fields(content: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of a protocol-buffer message: numbers as they are, everything else as bytes."""
    position = 0
    while position < len(content):
        key, position = _number(content, position)
        if key & 7 == 0:
            value, position = _number(content, position)
            yield key >> 3, value
            continue
        length, position = _length(content, position, key & 7)
        yield key >> 3, content[position : position + length]
        position += length


def _length(content: bytes, position: int, wire: int) -> tuple[int, int]:
    if wire == 2:
        return _number(content, position)
    return {1: 8, 5: 4}[wire], position


def _number(content: bytes, position: int) -> tuple[int, int]:
    """A number of seven bits a byte, the smallest first, and where it ends."""
    number = shift = 0
    while True:
        byte = content[position]
        number |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if byte < 128:
            return number, position


def _bytes(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise TypeError("A number stands where a text should.")
    return value
