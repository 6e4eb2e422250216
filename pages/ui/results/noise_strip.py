"""A line for each kind of edits, with the mean shift of one metric before its noise."""

from __future__ import annotations

from collections.abc import Sequence

from core.edits.perturbation import PERTURBATIONS
from core.results.runs.matrix import MatrixCell
from core.results.runs.noise_strip import format_edge, mark_place
from pages.ui.shared.markup import register_component

EDGE_HELP = "Shift ÷ the end of the noise band on its side: up to 1.0, harmless edits shift the score as far."
_strips_component = register_component("kind_strips")


def kind_strips(cells: Sequence[MatrixCell], key: str) -> None:
    """Draw a line for each kind of edits: the mean shift of one metric before its noise."""
    rows = [
        {
            "title": PERTURBATIONS.parse(cell.kind).title,
            "place": None if cell.shift.value is None else mark_place(cell.edge, cell.shift.value),
            "edge": format_edge(cell.edge),
            "move": cell.move.value,
        }
        for cell in cells
    ]
    _strips_component(key=key, data={"rows": rows})
