"""The matrix metric × perturbation: one figure a cell, coloured by how many pairs reacted as they should not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.metric import METRICS
from core.perturbation import PERTURBATIONS
from core.stress.matrix import Cell
from core.stress.words import share, signed

_FIGURES: dict[str, Callable[[Cell], str]] = {
    "Mean shift": lambda cell: "–" if cell.shift.value is None else f"{cell.shift.value:+.3f}".replace("-", "−"),
    "Mean size": lambda cell: "–" if cell.size.value is None else f"{cell.size.value:.3f}",
    "Wrong way": lambda cell: share(cell.wrong),
    "Did not move": lambda cell: share(cell.still),
    "Times noise": lambda cell: "–" if cell.multiple is None else f"{cell.multiple:.1f} ×",
}


def matrix_table(cells: Sequence[Cell]) -> Cell | None:
    """Draw the matrix; the cell that is selected, if one is."""
    figure = st.segmented_control(
        "Figure", list(_FIGURES), default="Mean shift", key="stress-figure", required=True, label_visibility="collapsed"
    )
    kinds = list(dict.fromkeys(cell.kind for cell in cells))
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    by_place = {(cell.metric, cell.kind): cell for cell in cells}
    titles = {kind_title(kind): kind for kind in kinds}
    texts = [[_text(figure, by_place.get((metric, kind))) for kind in kinds] for metric in metrics]
    shades = [[_shade(by_place.get((metric, kind))) for kind in kinds] for metric in metrics]
    frame = pd.DataFrame(texts, [metric_title(metric) for metric in metrics], list(titles))
    styled = frame.style.apply(lambda _: pd.DataFrame(shades, frame.index, frame.columns), axis=None)
    event = st.dataframe(
        styled,
        key="stress-matrix",
        on_select="rerun",
        selection_mode="single-cell",
        height="auto",
        alt=f"{figure} of every metric under every perturbation",
        placeholder="–",
    )
    st.caption(
        "Red: share of pairs that reacted as they should not. Harmless variants should not fall, broken ones should, "
        "phrases should not rise. Select a cell to see its pairs."
    )
    chosen = event["selection"]["cells"]
    return by_place.get((metrics[chosen[0][0]], titles[chosen[0][1]])) if chosen else None


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


def _text(figure: str, cell: Cell | None) -> str:
    """Empty where no variant of the kind has a score yet, or none counts."""
    return _FIGURES[figure](cell) if cell else ""


def _shade(cell: Cell | None) -> str:
    if cell is None or cell.wrong.value is None or cell.still.value is None:
        return ""
    amiss = cell.wrong.value + (cell.still.value if cell.intent == "breaking" else 0.0)
    return f"background-color: rgba(214, 69, 65, {0.55 * min(1.0, amiss):.2f})"
