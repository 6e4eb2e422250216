"""The matrix metric × perturbation: one figure a cell, coloured by how many pairs reacted as they should not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.metric import METRICS, Direction
from core.perturbation import PERTURBATIONS, Intent
from core.stress.matrix import Cell
from core.stress.words import share, signed

_FIGURES: dict[str, tuple[Callable[[Cell], str], str]] = {
    "Mean shift": (
        lambda cell: signed(cell.shift).partition(" ")[0],
        "Score after minus score before, in the metric's own units.",
    ),
    "With interval": (
        lambda cell: signed(cell.shift),
        "The mean shift with its 95 % interval by document; none where there are too few documents.",
    ),
    "Mean size": (
        lambda cell: "–" if cell.size.value is None else f"{cell.size.value:.3f}",
        "The mean of the shifts without their signs: how much the score moves at all.",
    ),
    "Wrong way": (lambda cell: share(cell.wrong), "Share of pairs that moved the wrong way."),
    "Did not move": (lambda cell: share(cell.still), "Share of pairs whose score stayed exactly the same."),
    "Times noise": (
        lambda cell: "–" if cell.multiple is None else f"{cell.multiple:.1f} ×",
        "The mean size as a multiple of that of harmless edits which change about as many words.",
    ),
}
_INTENTS: dict[Intent, str] = {
    "preserving": "Meaning kept: should stay",
    "breaking": "Meaning broken: should turn inconsistent",
    "gaming": "Gaming: should not turn consistent",
}
_ARROWS: dict[Direction, str] = {"higher": "", "lower": " ↓", "neutral": " ○"}
_LINE = 33  # pixels of a row
_BAR = 18  # and of what scrolls the columns
_SIGN = 6  # and of a character; the table would keep the widths of the figure before


def matrix_table(cells: Sequence[Cell]) -> Cell | None:
    """Draw the matrix; the cell that is selected, if one is."""
    figure = st.segmented_control(
        "Figure", list(_FIGURES), default="Mean shift", key="stress-figure", required=True, label_visibility="collapsed"
    )
    places = {(cell.intent, cell.kind): None for intent in _INTENTS for cell in cells if cell.intent == intent}
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    by_place = {(cell.metric, cell.kind): cell for cell in cells}
    rows = [[by_place.get((metric, kind)) for _, kind in places] for metric in metrics]
    heads = pd.MultiIndex.from_tuples([(_INTENTS[intent], kind_title(kind)) for intent, kind in places])
    table = _painted(rows, [_row_title(metric) for metric in metrics], heads, figure)
    event = st.dataframe(
        table,
        key="stress-matrix",
        on_select="rerun",
        selection_mode="single-cell",
        height=_LINE * (len(metrics) + heads.nlevels) + _BAR,
        alt=f"{figure} of every metric under every perturbation",
        placeholder="–",
        column_config={title: st.column_config.Column(width=_width(title, table.data)) for _, title in heads},
    )
    st.caption(
        f"{_FIGURES[figure][1]} Red: share of pairs that reacted as they should not. ↓ lower is more consistent, ○ neither "
        "side is. Select a cell to see its pairs."
    )
    chosen = event["selection"]["cells"]
    by_click = {(metrics.index(metric), kind_title(kind)): cell for (metric, kind), cell in by_place.items()}
    return by_click.get((chosen[0][0], chosen[0][1])) if chosen else None  # what was selected may be left out by now


def _painted(
    rows: Sequence[Sequence[Cell | None]], titles: Sequence[str], heads: pd.MultiIndex, figure: str
) -> pd.io.formats.style.Styler:
    """Empty where no variant of the kind has a score yet, or none counts."""
    told = _FIGURES[figure][0]
    frame = pd.DataFrame([[told(cell) if cell else "" for cell in row] for row in rows], titles, heads)
    shades = pd.DataFrame([[_shade(cell) for cell in row] for row in rows], titles, heads)
    return frame.style.apply(lambda _: shades, axis=None)


def cell_words(cell: Cell) -> str:
    """A cell in a line, with its intervals and what it rests on."""
    noise = f"{cell.multiple:.1f} times the noise of harmless edits" if cell.multiple is not None else "noise unknown"
    failed = f", {cell.failed} failed" if cell.failed else ""
    return (
        f"Mean shift {signed(cell.shift)}, {noise}; {share(cell.wrong)} moved the wrong way, {share(cell.still)} did "
        f"not move; n = {cell.shift.n}{failed}."
    )


def metric_title(spec: str) -> str:
    """The title of a metric, with its settings where it has any."""
    title, settings = METRICS.parse(spec).card.title, spec.partition("[")
    return f"{title} [{settings[2]}" if settings[2] else title


def kind_title(spec: str) -> str:
    """The title of a perturbation, with its settings where it has any."""
    title, settings = PERTURBATIONS.parse(spec).card.title, spec.partition("[")
    return f"{title} [{settings[2]}" if settings[2] else title


def _width(title: str, frame: pd.DataFrame) -> int:
    texts = frame.xs(title, axis="columns", level=1).to_numpy().ravel()
    return 20 + _SIGN * max(map(len, [title, *texts]))


def _row_title(spec: str) -> str:
    """The title with a sign that says where consistency lies, where it is not above."""
    return f"{metric_title(spec)}{_ARROWS[METRICS.parse(spec).card.direction]}"


def _shade(cell: Cell | None) -> str:
    if cell is None or cell.wrong.value is None or cell.still.value is None:
        return ""
    amiss = cell.wrong.value + (cell.still.value if cell.intent == "breaking" else 0.0)
    return f"background-color: rgba(214, 69, 65, {0.55 * min(1.0, amiss):.2f})"
