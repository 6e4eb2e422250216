"""A shift before the noise of harmless edits, in one number and one small drawing that are the same on every page."""

from __future__ import annotations

from collections.abc import Sequence

from core.perturbation import PERTURBATIONS
from core.runs.matrix import MatrixCell
from core.runs.null_bands import NullBand
from pages.ui.shared.markup import register_component

EDGE_HELP = "Shift ÷ the end of the noise band on its side: up to 1.0, harmless edits shift the score as far."
_strips_component = register_component("kind_strips")
_MOST = 100.0
_NEAR = 0.1  # of the edge, within which a digit more tells the side


def format_edge(edge: float | None) -> str:
    """The distance of a shift in units of that to the edge of the band; a dash where there is no band."""
    if edge is None:
        return "–"
    if edge >= _MOST:
        return f"> {_MOST:.0f}"
    return f"{edge:.2f}" if abs(edge - 1.0) < _NEAR else f"{edge:.1f}"


def mark_place(band: NullBand, shift: float) -> float | None:
    """Place of a shift on the strip, 0 to 1, None where the noise is unknown.

    The band is the middle half, whatever its ends; beyond it the scale is narrowed, so that any shift has a place.
    """
    edge = band.edge(shift)
    if edge is None:
        return None
    away = 0.25 * edge if edge <= 1.0 else 0.25 + 0.23 * (1.0 - 1.0 / edge)
    return 0.5 + (away if shift > 0 else -away)


def kind_strips(cells: Sequence[MatrixCell], key: str) -> None:
    """Draw a line for each kind of edits: the mean shift of one metric before its noise."""
    rows = [
        {
            "title": PERTURBATIONS.parse(cell.kind).title,
            "place": None if cell.shift.value is None else mark_place(cell.noise, cell.shift.value),
            "edge": format_edge(cell.edge),
            "move": cell.move.value,
        }
        for cell in cells
    ]
    _strips_component(key=key, data={"rows": rows})
