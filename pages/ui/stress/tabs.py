"""The ways to look at a run, one tab each; beside the matrix only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from annotations.records import RunRow
from core.stress.matrix import Cell, matrix
from core.stress.records import Run, VariantKey
from core.stress.shifts import Shift
from core.stress.sweep import families
from pages.ui.stress.charts import charts
from pages.ui.stress.compare import compare
from pages.ui.stress.density import density
from pages.ui.stress.exports import exports
from pages.ui.stress.gaming import gaming_tab
from pages.ui.stress.gaps import gaps
from pages.ui.stress.matrix import matrix_table
from pages.ui.stress.pairs import cell_pairs
from pages.ui.stress.sweep import windows


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A run as it is now, the variants that count (None: all), and their shifts."""

    row: RunRow
    run: Run
    counting: frozenset[VariantKey] | None
    found: Sequence[Shift]

    @property
    def cells(self) -> list[Cell]:
        return _cells((self.row.id, self.row.lines, self.counting), self.run, self.found)


def stress_tabs(shown: Shown) -> None:
    """Draw the tab that is open, at first the windows of a sweep and the matrix of any other run."""
    first = "Windows" if families(shown.run.plan.metrics) else "Matrix"
    tabs = st.tabs(list(_TABS), default=first, key="stress-tabs", on_change="rerun")
    for tab, show in zip(tabs, _TABS.values(), strict=True):
        if tab.open or show is _matrix:  # a table that is not drawn forgets which cell was selected
            with tab:
                show(shown)


def _matrix(shown: Shown) -> None:
    cell = matrix_table(shown.cells)
    if cell:
        cell_pairs(shown.row, shown.run, cell, shown.found)
    gaps(shown.run)


@st.cache_resource(max_entries=16, show_spinner=False)
def _cells(key: Hashable, _run: Run, _found: Sequence[Shift]) -> list[Cell]:  # noqa: ARG001  # the key is that of the cache
    return matrix(_run, _found)


_TABS: MappingProxyType[str, Callable[[Shown], None]] = MappingProxyType(
    {
        "Matrix": _matrix,
        "Plots": lambda shown: charts(shown.run, shown.found),
        "Gaming": lambda shown: gaming_tab(shown.row, shown.run, shown.found),
        "Windows": lambda shown: windows(shown.run, shown.found),
        "Density": lambda shown: density(shown.row.id, shown.run, shown.counting),
        "Compare": lambda shown: compare(shown.row, shown.cells),
        "Export": lambda shown: exports(shown.run, shown.cells, shown.found),
    }
)
