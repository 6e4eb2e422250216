"""A stability strip as safe HTML for `st.html`: a mark for each sample, by form and colour, and spoken."""

from __future__ import annotations

import html
from pathlib import Path

from core.explaining.stability import Draw, Strip

CSS = (Path(__file__).parents[1] / "assets" / "strip.css").read_text(encoding="utf-8")

_MARKS = {
    "consistent": ("●", "good"),
    "inconsistent": ("■", "bad"),
    "entirely": ("●", "good"),
    "partially": ("◐", "middle"),
    "not": ("■", "bad"),
    "": ("×", "unread"),
}
_LONGEST = 300


def strip_html(strip: Strip) -> str:
    """HTML of the samples in their order; every text is escaped."""
    return f'<style>{CSS}</style><div class="ts-strip" role="list">{"".join(map(_mark, strip.draws))}</div>'


def _mark(draw: Draw) -> str:
    sign, kind = _MARKS[draw.label]
    said = draw.label or "not readable"
    words = draw.words if len(draw.words) <= _LONGEST else f"{draw.words[:_LONGEST]}…"
    title = html.escape(f"{said}: {words}", quote=True)
    return f'<span role="listitem" class="{kind}" title="{title}"><i aria-hidden="true">{sign}</i><b>{said}</b></span>'
