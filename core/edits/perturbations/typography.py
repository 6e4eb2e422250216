"""Quotes and dashes as typographers or keyboards have them, and letters with accents in another normal form of Unicode."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from core.edits.perturbation import OUR_RULE, PERTURBATIONS, LayoutTwin, PerturbationCard
from core.types import Edit, Span

_OPENING_QUOTE = re.compile(r"(?<![^\s(\[—–-])\"(?=\S)")
_CLOSING_QUOTE = re.compile(r"(?<=\S)\"(?!\w)")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])|(?<=s)'(?= [a-z])")
_DASH = re.compile(r"(?<=\S) (?:-|--) (?=\S)|(?<=[^\W\d_])--(?=[^\W\d_])")
_CURLY = {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"}
_CURLY_MARK = re.compile(r"[“”„‘’]|(?<=\S) [–—] (?=\S)|(?<=[^\W\d_])—(?=[^\W\d_])|(?<=\d)–(?=\d)")


@PERTURBATIONS.add
@dataclass(frozen=True)
class Typography(LayoutTwin):
    """Curly quotes, apostrophes and dashes for those of a keyboard, or the other way round (`to=plain`).

    Signs of feet and inches, and quotes that do not come in pairs, stay.
    """

    name: ClassVar[str] = "typography"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Other quotes and dashes",
        intent="preserving",
        does="Writes quotes, apostrophes and dashes as typographers do, or as a keyboard has them.",
        paper=OUR_RULE,
    )
    no_twin_message: ClassVar[str] = "The summary has no quote, apostrophe or dash that could be written so."

    to: Literal["curly", "plain"] = "curly"

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        marks = _plain_marks(summary) if self.to == "plain" else _curly_marks(summary)
        return sorted(marks, key=lambda edit: edit.span)


def _curly_marks(summary: str) -> Iterator[Edit]:
    quotes = [quote.start() for quote in re.finditer('"', summary)]
    are_paired = all(
        (_CLOSING_QUOTE if place % 2 else _OPENING_QUOTE).match(summary, start) for place, start in enumerate(quotes)
    )
    if are_paired and len(quotes) % 2 == 0:
        for place, start in enumerate(quotes):
            yield Edit(Span(start, start + 1), "”" if place % 2 else "“")
    for apostrophe in _APOSTROPHE.finditer(summary):
        yield Edit(Span(*apostrophe.span()), "’")
    for dash in _DASH.finditer(summary):
        yield Edit(Span(*dash.span()), " – " if " " in dash.group() else "—")


def _plain_marks(summary: str) -> Iterator[Edit]:
    for mark in _CURLY_MARK.finditer(summary):
        written = mark.group()
        new = _CURLY.get(written) or ("-" if written == "–" else " - " if " " in written else "--")
        yield Edit(Span(*mark.span()), new)


@PERTURBATIONS.add
@dataclass(frozen=True)
class UnicodeForm(LayoutTwin):
    """Writes words with accents decomposed (`form=nfd`), as macOS and some PDFs do, or composed: a reader sees no difference."""

    name: ClassVar[str] = "unicode-form"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Accents composed or decomposed",
        intent="preserving",
        does="Writes letters with accents as one character or as two (NFC and NFD): a reader sees no difference.",
        paper="Unicode Standard Annex 15, Unicode Normalization Forms",
    )
    no_twin_message: ClassVar[str] = (
        "The summary has no letter that has another form in Unicode, as letters with accents have."
    )

    form: Literal["nfd", "nfc"] = "nfd"

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        return [
            Edit(Span(*word.span()), unicodedata.normalize("NFD" if self.form == "nfd" else "NFC", word.group()))
            for word in re.finditer(r"\S+", summary)
        ]

    def says_the_same(self, before: str, after: str) -> bool:
        return unicodedata.normalize("NFC", before) == unicodedata.normalize("NFC", after)
