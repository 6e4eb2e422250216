"""The terms of the field, read from `docs/start/glossary.md`, and a text with those in it marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pages.server.docs_pages import DOCS, anchor_of

CHAPTER = "start/glossary"
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its definition in a sentence, an example and its source as plain text; `anchor` is its place in the chapter."""

    name: str
    sentence: str
    example: str
    source: str

    @property
    def anchor(self) -> str:
        return anchor_of(self.name)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text; `term` is what it names, where it names one."""

    text: str
    term: Term | None = None


@cache
def read_glossary(docs: Path = DOCS) -> tuple[Term, ...]:
    """The terms in their order; raises ValueError for one without an example or a source."""
    _, *parts = re.split(r"^## ", (docs / f"{CHAPTER}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return tuple(map(_read_term, parts))


def _read_term(part: str) -> Term:
    name, definition, example, source = (paragraph.strip() for paragraph in part.strip().split("\n\n"))
    if not example.startswith("Example: ") or not source.startswith("Source: "):
        raise ValueError(f"The term {name!r} of the glossary has no paragraphs that begin with Example: and Source:.")
    plain = _LINK.sub(r"\1", source.removeprefix("Source: ")).replace("`", "")
    sentence = re.split(r"(?<=\.) (?=[A-Z])", definition)[0]
    return Term(name, sentence.replace("`", ""), example.removeprefix("Example: ").replace("`", ""), plain)


def mark_terms(text: str, glossary: Sequence[Term] | None = None) -> list[TextPart]:
    """The text in parts, with the first occurrence of each term a part of its own; longer terms come before shorter ones."""
    terms = {term.name.lower(): term for term in (read_glossary() if glossary is None else glossary)}
    names = "|".join(re.escape(name) for name in sorted(terms, key=len, reverse=True))
    parts, seen, at = [], set[str](), 0
    for match in re.finditer(rf"\b({names})s?\b", text, re.IGNORECASE):
        name = match[1].lower()
        if name not in seen:
            seen.add(name)
            parts += [TextPart(text[at : match.start()]), TextPart(match[0], terms[name])]
            at = match.end()
    return [part for part in [*parts, TextPart(text[at:])] if part.text]
