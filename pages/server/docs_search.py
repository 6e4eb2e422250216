"""Full-text search of the documents, by their sections; it needs no network and no index but the files."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pages.server.docs_pages import DOCS, anchor_of, page_names

SEARCH = "search"
"""The name of the page below `docs/` that lists what was found."""
MAX_WORDS_BYTES = 200
_MOST_FOUND = 30
_AROUND = 90  # characters on each side of the first word
_TITLE_WEIGHT = 20
_HEADING = re.compile(r"^(#{1,3}) (.+)$")
_MARKS = re.compile(r"<!--.*?-->|[`*|]+|\[([^\]]*)\]\([^)]*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DocsSection:
    """A part of a page below one heading, as plain text."""

    page: str
    chapter: str
    heading: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section that has all words, with the text around the first of them."""

    section: DocsSection
    excerpt: str


@cache
def docs_sections(docs: Path = DOCS) -> tuple[DocsSection, ...]:
    """All sections of all pages, in the order of their names."""
    return tuple(section for name in page_names(docs) for section in _sections(docs, name))


def _sections(docs: Path, name: str) -> list[DocsSection]:
    parts: list[tuple[str, list[str]]] = []
    fenced = False
    for line in (docs / f"{name}.md").read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading:
            parts.append((re.sub(r"[`*]", "", heading[2]).strip(), []))
        elif parts:
            parts[-1][1].append(line)
    sections, seen = [], Counter[str]()
    for heading_text, lines in parts:
        anchor = anchor_of(heading_text)
        seen[anchor] += 1
        numbered = f"{anchor}-{seen[anchor] - 1}" if seen[anchor] > 1 else anchor
        text = " ".join(_plain("\n".join(lines)).split())
        sections.append(DocsSection(name, parts[0][0], heading_text, numbered, text))
    return sections


def _plain(markdown: str) -> str:
    return _MARKS.sub(lambda match: match[1] or " ", markdown).strip()


def search_docs(words: str) -> list[FoundSection]:
    """The sections that have all of the words, as the beginnings of words, those that have them in their heading first."""
    searched = [word for word in re.findall(r"\w+", words.casefold()) if word]
    if not searched:
        return []
    patterns = [re.compile(rf"\b{re.escape(word)}", re.IGNORECASE) for word in searched]
    weighted: list[tuple[int, FoundSection]] = []
    for section in docs_sections():
        title = f"{section.chapter} {section.heading}"
        if all(pattern.search(title) or pattern.search(section.text) for pattern in patterns):
            weight = sum(
                _TITLE_WEIGHT * (2 * bool(pattern.search(section.heading)) + bool(pattern.search(section.chapter)))
                + min(len(pattern.findall(section.text)), _TITLE_WEIGHT)
                for pattern in patterns
            )
            weighted.append((weight, FoundSection(section, _excerpt(section.text, patterns))))
    return [section for _, section in sorted(weighted, key=lambda pair: -pair[0])[:_MOST_FOUND]]


def _excerpt(text: str, patterns: list[re.Pattern[str]]) -> str:
    first = next((match.start() for pattern in patterns if (match := pattern.search(text))), 0)
    start, end = max(0, first - _AROUND), first + _AROUND
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"
