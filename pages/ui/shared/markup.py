"""Text of people made safe for Markdown, word diffs as HTML, and components and templates out of `assets`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.base import open_templates
from core.stats import Move
from core.text import with_visible_controls
from pages.server.component_scripts import component_script, component_style, loading_script, read_asset

_MARKDOWN_CHARACTERS = re.compile(r"([!-/:-@\[-`{-~])")
_CODE = re.compile(r"((?<!`)`[^`\n]+`(?!`))")
_FIRST_LEVEL = re.compile(r"^ {0,3}# +", re.MULTILINE)
_LABEL_CHARACTERS = re.compile(r"([\\`*_~\[\]<>$:|#])")


def escape_markdown(text: str) -> str:
    """The text with every character that Markdown gives a meaning escaped."""
    return _MARKDOWN_CHARACTERS.sub(r"\\\1", text).replace("\n", "  \n")


def escape_message(text: str) -> str:
    """The same for a message of the program, whose `words in backticks` stay code."""
    return "".join(part if number % 2 else escape_markdown(part) for number, part in enumerate(_CODE.split(text)))


def escape_label(text: str) -> str:
    """The same for the label of a widget, which is also read aloud as it is written: only marks are escaped."""
    return _LABEL_CHARACTERS.sub(r"\\\1", text).replace("\n", " ")


def safe_guidelines(markdown: str) -> str:
    """Markdown whose pictures are text, as they would be fetched from anywhere, and in which nothing turns a text around unseen.

    Its highest headings are of the second level: the first is that of the page.
    """
    return _FIRST_LEVEL.sub("## ", with_visible_controls(markdown).replace("![", "!\\["))


_ASSETS = Path(__file__).parents[1] / "assets"


def register_component(name: str) -> ComponentRenderer:
    """Register the component of that name; called once, by its module.

    Its data travel in a list: in the values of an object Streamlit looks for tables, and imports pandas and pyarrow for it.
    """
    return _packing(
        st.components.v2.component(
            f"touchstone_{name}",
            html=read_asset(f"{name}.html"),
            css=component_style(name),
            js=component_script(name),
        )
    )


def register_fetched_component(name: str) -> ComponentRenderer:
    """Register a component whose script, style and markup the browser fetches once, in place of getting them with all data."""
    return _packing(st.components.v2.component(f"touchstone_{name}", js=loading_script(name)))


def _packing(component: ComponentRenderer) -> ComponentRenderer:
    return lambda *, data=None, **options: component(data=[data], **options)


_TEMPLATES = open_templates(_ASSETS)


def render_html(template: str, **values: object) -> str:
    """Render a template of `assets`; every text is escaped."""
    return _TEMPLATES.get_template(template).render(values)


MOVE_STYLES: Mapping[Move, str] = MappingProxyType(
    {
        Move.RIGHT: "background-color: rgba(29, 95, 191, 0.30)",
        Move.WRONG: "background-color: rgba(209, 98, 0, 0.32)",
        Move.STILL: "background-color: rgba(128, 128, 128, 0.18)",
    }
)
"""Style of a cell of a table for the move of a metric under an edit."""


def diff_html(segments: Sequence[tuple[int, str]]) -> str:
    """HTML of the segments `(op, text)`, op -1 deleted, 0 kept, 1 inserted; every text is escaped."""
    return render_html("diff.html", segments=[(op, with_visible_controls(text)) for op, text in segments])
