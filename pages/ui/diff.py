"""A word diff as safe HTML for `st.html`: struck through with a minus, underlined with a plus, and spoken."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

CSS = (Path(__file__).parent / "assets" / "diff.css").read_text(encoding="utf-8")

_MARKS = {-1: ("del", "deleted"), 1: ("ins", "inserted")}


def diff_html(segments: Sequence[tuple[int, str]]) -> str:
    """HTML of the segments `(op, text)`, op -1 deleted, 0 kept, 1 inserted; every text is escaped."""
    body = "".join(_segment(op, html.escape(text)) for op, text in segments)
    return f'<style>{CSS}</style><div class="ts-diff" dir="auto">{body}</div>'


def _segment(op: int, text: str) -> str:
    if op == 0:
        return text
    tag, spoken = _MARKS[op]
    return f'<{tag}><span class="spoken">[{spoken}: </span>{text}<span class="spoken">]</span></{tag}>'
