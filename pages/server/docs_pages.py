"""The documents of `docs/` as pages: the contents as `docs/index.md` lists them, and a chapter as HTML.

Markdown is rendered without the HTML in it: a comment is left out, anything else is shown as text.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

DOCS = Path(__file__).resolve().parents[2] / "docs"
CONTENTS = "index"
"""The name of the page that lists all others, by section."""

_SECTION = re.compile(r"^## (.+)$")
_LISTED = re.compile(r"^\| \[([^]]+)\]\(([\w/-]+)\.md\) \|")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A chapter as HTML that holds no markup but that of Markdown, and its headings of the second level as (anchor, text)."""

    title: str
    html: str
    headings: tuple[tuple[str, str], ...]


def page_names(docs: Path = DOCS) -> list[str]:
    """The names of all pages, those that only a list names too."""
    return sorted(file.relative_to(docs).with_suffix("").as_posix() for file in docs.rglob("*.md"))


def read_contents(docs: Path = DOCS) -> dict[str, dict[str, str]]:
    """The titles of the chapters by their name, a path below `docs/` without the ending, in each section by its title."""
    sections: dict[str, dict[str, str]] = {}
    chapters: dict[str, str] | None = None
    for line in (docs / f"{CONTENTS}.md").read_text(encoding="utf-8").splitlines():
        if heading := _SECTION.match(line):
            chapters = sections[heading[1]] = {}
        elif chapters is not None and (listed := _LISTED.match(line)):
            chapters[listed[2]] = listed[1]
    return sections


def render_page(name: str, address: Callable[[str], str], docs: Path = DOCS) -> RenderedPage:
    """A page; `address` makes the address of a page or picture, a path below `docs/`, to which its links lead."""
    # only a person who opens a chapter needs Pygments and markdown-it
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "highlight": highlight_code}).enable("table")
    parser.add_render_rule("html_block", _render_html)
    parser.add_render_rule("html_inline", _render_html)
    parser.add_render_rule("table_open", lambda *_: '<div class="table" tabindex="0"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    tokens = parser.parse((docs / f"{name}.md").read_text(encoding="utf-8"))
    headings, seen = [], Counter[str]()
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(part.content for part in content.children or ())
            anchor = anchor_of(text)
            seen[anchor] += 1
            if seen[anchor] > 1:
                anchor = f"{anchor}-{seen[anchor] - 1}"
            opening.attrSet("id", anchor)
            headings.append((opening.tag, anchor, text))
    for token in tokens:
        for part in token.children or ():
            for attribute in ("href", "src"):
                if target := part.attrGet(attribute):
                    part.attrSet(attribute, resolve_link(name, str(target), address))
    html = parser.renderer.render(tokens, parser.options, {})
    [title] = [text for level, _, text in headings if level == "h1"]
    return RenderedPage(title, html, tuple((anchor, text) for level, anchor, text in headings if level == "h2"))


def resolve_link(page: str, target: str, address: Callable[[str], str]) -> str:
    """The address that a link of a page leads to; one to elsewhere and one within the page stay."""
    if _ELSEWHERE.match(target):
        return target
    path, hash_sign, anchor = target.partition("#")
    below = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return f"{address(below.removesuffix('.md'))}{hash_sign}{anchor}"


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def highlight_code(code: str, language: str, _: str = "") -> str:
    """The code as HTML with a class for each kind of token; "" where the language is not named or not known."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""  # it is escaped and shown as it is
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _render_html(_renderer: object, tokens: Sequence[Token], index: int, *_: object) -> str:
    """HTML in Markdown: nothing for a comment, else its text."""
    from markdown_it.common.utils import escapeHtml

    text = tokens[index].content.strip()
    return "" if text.startswith("<!--") and text.endswith("-->") else str(escapeHtml(text))
