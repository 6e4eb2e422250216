"""Prompts and phrases that a paper prints, in a reader's own copy: the hash by which each is known, and those installed here.

The authors' words are not part of Touchstone. `printed/` and `instructions/` hold for each piece its length and the hash of its key;
`cli.py paper-words` finds the pieces in a copy of the paper and writes them into the folder of prompts.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from core.errors import BadSettingError

_FOLDER = Path(__file__).parent / "printed"
_INSTRUCTIONS = Path(__file__).parent / "instructions"
"""Apart from the prompts, whose files decide the scores of those who ask a model."""


PrintedPart = Literal["system", "user", "phrase", "instructions"]
PrintedTexts = Mapping[str, Mapping[PrintedPart, str]]
"""The texts of each name by part."""

_DROPPED = re.compile(r"[\s\-\u00ad\u2010-\u2015\u2212]")  # a PDF breaks lines and words where it likes
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "´": "'", "`": "'"})


@dataclass(frozen=True, slots=True)
class PrintedPiece:
    """One text of a paper: `name` is that of our prompt, kind or question set, `where` its place in print.

    A paragraph of instructions is named after the question set, a dot and its content.

    `first` is the first character of its key, `characters` the length of the key and `sha256` its hash.
    """

    name: str
    part: PrintedPart
    where: str
    first: str
    characters: int
    sha256: str

    def matches(self, text: str) -> bool:
        return key_sha256(printed_key(text)) == self.sha256


@dataclass(frozen=True, slots=True)
class PrintedWords:
    """The pieces of a paper: `places` are its names for the texts of a request, `rows` words of a table's margin between its lines.

    `unprinted` says of what the paper speaks and does not print.
    """

    profile: str
    places: Mapping[str, str]
    pieces: tuple[PrintedPiece, ...]
    rows: tuple[str, ...] = ()
    unprinted: tuple[str, ...] = field(default=())

    @property
    def instructs(self) -> bool:
        """True where its pieces are instructions for annotators, so that no signature depends on them."""
        return all(piece.part == "instructions" for piece in self.pieces)


def printed_key(text: str) -> str:
    """The characters by which a text is known: without blanks and hyphens, with straight quotation marks."""
    return _DROPPED.sub("", plain_print(text))


def plain_print(text: str) -> str:
    """The text with ligatures undone and quotation marks straight, of the same characters otherwise."""
    return unicodedata.normalize("NFKC", text).translate(_STRAIGHT)


def key_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def with_places(text: str, places: Mapping[str, str]) -> str:
    """The text with {{name}} for each place of the paper."""
    for printed, name in places.items():
        text = text.replace(printed, f"{{{{{name}}}}}")
    return text


@cache
def papers_with_words() -> tuple[str, ...]:
    return tuple(sorted(path.stem for folder in (_FOLDER, _INSTRUCTIONS) for path in folder.glob("*.toml")))


@cache
def papers_with_prompts() -> tuple[str, ...]:
    """The papers in whose words a model is asked."""
    return tuple(name for name in papers_with_words() if (words := printed_words(name)) and not words.instructs)


@cache
def printed_words(profile: str) -> PrintedWords | None:
    """The pieces of the paper of that profile; None for a paper that prints none that are used here."""
    if profile not in papers_with_words():
        return None
    [file] = [file for folder in (_FOLDER, _INSTRUCTIONS) if (file := folder / f"{profile}.toml").is_file()]
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    pieces = tuple(PrintedPiece(**piece) for piece in table["piece"])
    return PrintedWords(profile, table["places"], pieces, tuple(table.get("rows", ())), tuple(table["unprinted"]))


def words_file(folder: Path, profile: str) -> Path:
    """The file of the installed texts of a paper in the folder of prompts."""
    return folder / f"{profile}.words.json"


def installed_texts(folder: Path | None, profile: str) -> PrintedTexts:
    """The texts that were taken out of a copy of the paper; none where it was not read yet.

    Raises BadSettingError for a file of other texts than the paper prints.
    """
    file = words_file(folder, profile) if folder else None
    if file is None or not file.is_file():
        return {}
    return _checked_texts(file.read_text(encoding="utf-8"), file, profile)


@lru_cache(maxsize=16)  # a file is read at every question, and is the same
def _checked_texts(content: str, file: Path, profile: str) -> PrintedTexts:
    words = printed_words(profile)
    try:
        texts: PrintedTexts = json.loads(content)
        wrong = [
            f"{piece.name}, {piece.part}"
            for piece in (words.pieces if words else ())
            if piece.part in texts.get(piece.name, {}) and not piece.matches(texts[piece.name][piece.part])
        ]
    except (ValueError, AttributeError, TypeError) as error:
        raise BadSettingError(
            f"{file} is no file of a paper's words ({error}). Delete it, or make it again."
        ) from error
    if wrong:
        raise BadSettingError(
            f"{file} holds other words than the paper prints: {'; '.join(wrong)}. Delete it, or make it again: "
            f"python cli.py paper-words {profile} FILE"
        )
    return texts
