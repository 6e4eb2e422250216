"""Components of the pages: one .html, .css and .js file each in `assets`, drawn in a shadow root."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_ASSETS = Path(__file__).parent / "assets"


def component(name: str, *parts: str) -> ComponentRenderer:
    """Register the component of that name, whose script may go on in further files; called once, by its module."""
    return st.components.v2.component(
        f"touchstone_{name}",
        html=_read(f"{name}.html"),
        css=_read("base.css") + _read(f"{name}.css"),
        js="\n".join(_read(f"{part}.js") for part in (name, *parts)),
    )


def _read(file: str) -> str:
    return (_ASSETS / file).read_text(encoding="utf-8")
