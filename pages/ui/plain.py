"""Text of people inside Streamlit's messages, which would read it as Markdown and fetch the images it names."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
_MARKS = re.compile(r"([\\`*_~\[\]<>$:|#])")


def plain(text: str) -> str:
    """The text with every character that Markdown gives a meaning escaped."""
    return _SPECIAL.sub(r"\\\1", text).replace("\n", "  \n")


def plain_label(text: str) -> str:
    """The same for the label of a widget, which is also read aloud as it is written: only marks are escaped."""
    return _MARKS.sub(r"\\\1", text).replace("\n", " ")


def without_pictures(markdown: str) -> str:
    """Markdown whose pictures are text: they would be fetched from anywhere by everybody who reads it."""
    return markdown.replace("![", "!\\[")
