"""Markdown that people write between pins, as HTML, LaTeX and Markdown in which nothing is executed or fetched."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from core.evaluation import latex_text
from core.text import with_visible_controls

_SAFE_LINK = re.compile(r"(https?|mailto):", re.IGNORECASE)
_LINK_START = re.compile(r"\]\((?!\s*<?(?:https?|mailto):)", re.IGNORECASE)


def _parser() -> MarkdownIt:
    """CommonMark with tables; HTML is text, pictures are their words, and links lead to the web or to a mailbox."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.validateLink = lambda url: bool(_SAFE_LINK.match(url.strip()))  # type: ignore[method-assign]  # its way to say so
    return parser


def prose_html(text: str) -> Markup:
    """The Markdown as HTML; its headings begin at the third level, below those of the pins' report."""
    parser = _parser()
    tokens = parser.parse(with_visible_controls(text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer")
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # the parser escapes every text


def prose_markdown(text: str) -> str:
    """The Markdown with tags of HTML as text, and links to other places than the web and pictures as they are written."""
    safe = with_visible_controls(text).replace("<", "&lt;").replace("![", "!\\[")
    return _LINK_START.sub("]\\(", safe)


def prose_latex(text: str) -> str:
    """The Markdown in LaTeX: headings, paragraphs, lists, quotes, code, emphasis and links; tables as lines of cells."""
    parts = []
    for token in _parser().parse(with_visible_controls(text)):
        if token.type == "inline":
            parts += [_INLINE[child.type](child) for child in token.children or () if child.type in _INLINE]
        elif token.type in ("fence", "code_block"):
            lines = token.content.rstrip("\n").split("\n")
            parts.append(
                "\\begin{quote}\\ttfamily " + r"\\".join(latex_text(line) for line in lines) + "\\end{quote}\n\n"
            )
        else:
            is_heading = token.type == "heading_open"
            parts.append(_HEADINGS.get(token.tag, r"\paragraph*{") if is_heading else _BLOCKS.get(token.type, ""))
    return "".join(parts)


_HEADINGS = MappingProxyType({"h1": r"\section*{", "h2": r"\subsection*{", "h3": r"\subsubsection*{"})
_BLOCKS: Mapping[str, str] = MappingProxyType(
    {
        "heading_close": "}\n\n",
        "paragraph_close": "\n\n",
        "bullet_list_open": "\\begin{itemize}\n",
        "bullet_list_close": "\\end{itemize}\n\n",
        "ordered_list_open": "\\begin{enumerate}\n",
        "ordered_list_close": "\\end{enumerate}\n\n",
        "list_item_open": "\\item ",
        "blockquote_open": "\\begin{quote}\n",
        "blockquote_close": "\\end{quote}\n\n",
        "hr": "\\medskip\\hrule\\medskip\n\n",
        "th_close": " \\quad ",
        "td_close": " \\quad ",
        "tr_close": "\n\n",
    }
)


_INLINE: Mapping[str, Callable[[Token], str]] = MappingProxyType(
    {
        "text": lambda token: latex_text(token.content),
        "code_inline": lambda token: rf"\texttt{{{latex_text(token.content)}}}",
        "softbreak": lambda _: "\n",
        "hardbreak": lambda _: "\\\\\n",
        "strong_open": lambda _: r"\textbf{",
        "strong_close": lambda _: "}",
        "em_open": lambda _: r"\emph{",
        "em_close": lambda _: "}",
        "link_close": lambda _: "}",
        "link_open": lambda token: rf"\href{{{_latex_url(str(token.attrGet('href') or ''))}}}{{",
    }
)


def _latex_url(url: str) -> str:
    """The address with the characters that mean something to LaTeX in percent signs' own spelling."""
    return re.sub(r"[\\{}^~ ]", lambda match: f"%{ord(match[0]):02X}", url).replace("%", r"\%").replace("#", r"\#")
