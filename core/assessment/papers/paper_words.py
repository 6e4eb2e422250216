"""The prompts and phrases of a paper, found in a copy of it by their hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from core.data import DocumentPart, read_document
from core.errors import BadSettingError
from core.models import (
    PrintedPart,
    PrintedPiece,
    PrintedTexts,
    PrintedWords,
    installed_texts,
    key_sha256,
    plain_print,
    printed_key,
    printed_words,
    replacements_folder,
    words_file,
)

_TAGS = re.compile(r"</\w+>|<(\w+)/>")  # what converters make of <summary> in a table
_MARKUP = re.compile(r"\*\*|</?[bu]>|^[ \t]*(?:#+|[-*·•])(?:[ \t]+[·•])?[ \t]+", re.MULTILINE)
"""Bold, underlined, and what begins a heading or an item, in the Markdown of a converter."""

_BROKEN_WORD = re.compile(r"(?<=\w)[-\u2010\u00ad]\n[ \t]*(?=[a-z])")


def find_in_copy(
    name: str,
    data: bytes,
    words: PrintedWords,
    watch: Callable[[Iterable[DocumentPart]], Iterable[DocumentPart]] = iter,
) -> tuple[PrintedTexts, list[PrintedPiece]]:
    """The same of a file, .pdf or .txt; `watch` gives its pages as they are read. Raises TouchstoneError for no readable text."""
    clean = read_document(name, data, watch=watch)
    stored = read_document(name, data, clean=False)  # extracting text may break a figure apart
    return find_words(f"{clean.text}\n\n{stored.text}", words)


def find_words(text: str, words: PrintedWords) -> tuple[PrintedTexts, list[PrintedPiece]]:
    """The texts that a copy of a paper has, by name and part, and the pieces that were not found in it.

    A piece may begin anywhere in the text, whatever the layout; one that is torn apart is not found.
    """
    # the text without the marks of converters, and with line breaks where a figure writes them as two characters
    plain = plain_print(text).replace("\\n", "\n").replace("\\", "")
    readable = _TAGS.sub(lambda tag: f"<{tag[1]}>" if tag[1] else "", plain)
    readable = _MARKUP.sub("", readable) if words.instructs else readable
    margins = "|".join(map(re.escape, words.rows))
    readings = [readable, *([re.sub(rf"^(?:{margins})\s+", "", readable, flags=re.MULTILINE)] if margins else ())]
    streams = [_Stream.of(_BROKEN_WORD.sub("", reading)) for reading in readings]
    texts: dict[str, dict[PrintedPart, str]] = {}
    missing = []
    for piece in words.pieces:
        passage = next((match for stream in streams if (match := stream.find(piece))), None)
        if passage is None:
            missing.append(piece)
        else:
            texts.setdefault(piece.name, {})[piece.part] = passage
    return texts, missing


def save_words(new: PrintedTexts, words: PrintedWords, folder: Path) -> Path:
    """Write the texts into the folder of prompts, beside those of earlier copies. Raises BadSettingError where it cannot be written."""
    file = words_file(folder, words.profile)
    before = installed_texts(folder, words.profile)
    texts = {name: {**before.get(name, {}), **new.get(name, {})} for name in {**before, **new}}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadSettingError(f"{file} cannot be written: {error.strerror}. Set TOUCHSTONE_PROMPTS_DIR.") from error
    return file


def own_words_note(profile: str) -> str:
    """A line on the texts of a paper that are not installed; empty where all are, and for a paper that asks no model in its words."""
    words = printed_words(profile)
    if words is None or words.instructs:
        return ""
    texts = installed_texts(replacements_folder(), profile)
    missing = [piece for piece in words.pieces if piece.part not in texts.get(piece.name, {})]
    if not missing:
        return ""
    return (
        f"Paper mode {profile} uses words of Touchstone for {len(missing)} of {len(words.pieces)} printed texts, which "
        f"signatures mark with +own-words. To use the paper's: python cli.py paper-words {profile} YOUR_COPY.pdf"
    )


def printed_instructions(profile: str, questions: str) -> str:
    """The instructions of a paper for a question set, from the installed paragraphs in the order of print; "" where one is missing.

    Raises BadSettingError for a file of other texts than the paper prints.
    """
    words = printed_words(profile)
    pieces = [piece for piece in (words.pieces if words else ()) if piece.name.startswith(f"{questions}.")]
    texts = installed_texts(replacements_folder(), profile)
    paragraphs = [texts.get(piece.name, {}).get("instructions", "") for piece in pieces]
    return "\n\n".join(paragraphs) if all(paragraphs) else ""


@dataclass(frozen=True, slots=True)
class _Stream:
    """A text, the key of it, and the place in the text of each character of the key."""

    text: str
    key: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> _Stream:
        key_characters = [(character, place) for place, character in enumerate(text) if printed_key(character)]
        return cls(
            text, "".join(character for character, _ in key_characters), tuple(place for _, place in key_characters)
        )

    def find(self, piece: PrintedPiece) -> str | None:
        """The piece as the text has it; None where no stretch of its length has its hash."""
        start = -1
        while (start := self.key.find(piece.first, start + 1)) >= 0:
            if key_sha256(self.key[start : start + piece.characters]) == piece.sha256:
                passage = self.text[self.places[start] : self.places[start + piece.characters - 1] + 1]
                return "\n".join(" ".join(line.split()) for line in passage.splitlines())
        return None
