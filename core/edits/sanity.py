"""Sanity battery: texts whose rank any metric of consistency must get right whatever it learned, made of summaries that are consistent."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from core.text import sentences
from core.types import Example

Expectation = Literal["copy", "contentless", "foreign", "shuffled", "twin"]
SANITY_SOURCES = 20
"""Summaries that are drawn; each gives about ten pairs."""
_TWINS_EACH = 4
_LINE = 60

CONTENTLESS: dict[str, str] = {
    "no": "No.",
    "refusal": "I'm sorry, but I cannot summarise this.",
    "filler": "The text is about several things. It says a number of things about them.",
    "Lorem ipsum": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.",
    "letters": "b c d f g h j k l m n p q r s t v w x z",
    "marks": "… — … ! ?",
}
"""Texts that say nothing of any document, by their kind."""


@dataclass(frozen=True, slots=True)
class SanityPair:
    """A text beside the document of a consistent summary, and what is expected of its score.

    `copy` is the document or a part of it word for word, `contentless` a text that says nothing, `foreign` the summary of
    another document, `shuffled` the summary's words in another order, `twin` the summary in another layout, case or encoding.
    """

    expectation: Expectation
    kind: str
    source: str
    """Id of the consistent summary that it is compared with."""
    example: Example


def sanity_pairs(examples: Sequence[Example], seed: int = 0) -> list[SanityPair]:
    """The battery on up to SANITY_SOURCES consistent summaries, drawn by the seed, each of another document.

    Every pair has the document of its source. A kind that would leave the text as it is has no pair; with one document there
    is no foreign summary.
    """
    by_document = {example.document: example for example in reversed(examples) if example.summary.strip()}
    shuffled = random.Random(seed).sample(list(by_document.values()), len(by_document))
    sources = shuffled[:SANITY_SOURCES]
    return [
        pair
        for place, source in enumerate(sources)
        for pair in _pairs_of(source, sources[place - 1], place, seed)
        if pair
    ]


def _pairs_of(source: Example, other: Example, place: int, seed: int) -> Iterator[SanityPair | None]:
    rng = random.Random(f"{seed}\0{source.id}")
    spans = sentences(source.document)
    yield _pair(source, "copy", "whole document", source.document)
    yield _pair(source, "copy", "one sentence", max((span.of(source.document) for span in spans), key=len, default=""))
    if len(spans) > 3:
        yield _pair(source, "copy", "first half", source.document[: spans[len(spans) // 2].start])
    kinds = list(CONTENTLESS)
    for kind in (kinds[2 * place % len(kinds)], kinds[(2 * place + 1) % len(kinds)]):
        yield _pair(source, "contentless", kind, CONTENTLESS[kind])
    if other.document != source.document:
        yield _pair(source, "foreign", "another document's summary", other.summary)
    words = source.summary.split()
    yield _pair(source, "shuffled", "shuffled words", " ".join(rng.sample(words, len(words))))
    names = list(_TWINS)
    for turn in range(_TWINS_EACH):
        name = names[(place * _TWINS_EACH + turn) % len(names)]
        yield _pair(source, "twin", name, _TWINS[name](source.summary))


def _pair(source: Example, expectation: Expectation, kind: str, text: str) -> SanityPair | None:
    if not text.strip() or (expectation != "copy" and text == source.summary):
        return None
    example = replace(source, id=f"{source.id}/{kind}", summary=text, claims=None)
    return SanityPair(expectation, kind, source.id, example)


def _listed(text: str, mark: Callable[[int], str]) -> str:
    return "\n".join(f"{mark(number)} {span.of(text).strip()}" for number, span in enumerate(sentences(text), 1))


def _wrapped(text: str) -> str:
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= _LINE:
            lines, line = [*lines, line], word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def _typographic(text: str) -> str:
    for opening, closing, plain in (("“", "”", '"'), ("‘", "’", "'")):
        pieces = text.split(plain)
        text = pieces[0] + "".join(
            (opening if not before or before[-1].isspace() else closing) + piece for before, piece in pairwise(pieces)
        )
    return text.replace(" - ", " – ").replace("-", "‑")


def _bold(text: str) -> str:
    sentence_texts = [span.of(text).strip() for span in sentences(text)]
    return " ".join(f"**{sentence.split()[0]}**{sentence[len(sentence.split()[0]) :]}" for sentence in sentence_texts)


_TWINS: dict[str, Callable[[str], str]] = {
    "bullets": lambda text: _listed(text, lambda _: "-"),
    "numbered list": lambda text: _listed(text, lambda number: f"{number}."),
    "heading": lambda text: f"## Summary\n\n{text}",
    "bold words": _bold,
    "wrapped lines": _wrapped,
    "a paragraph each": lambda text: "\n\n".join(span.of(text).strip() for span in sentences(text)),
    "small letters": str.lower,
    "capitals": str.upper,
    "typographic marks": _typographic,
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "soft hyphens": lambda text: " ".join(
        f"{word[:4]}\u00ad{word[4:]}" if len(word) > 7 else word for word in text.split(" ")
    ),
}
