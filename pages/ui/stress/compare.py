"""Two runs side by side: the same metric under the same perturbation, and by how much its mean shift differs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotations.records import RunRow
from core.stats.estimate import Estimate
from core.stress.matrix import Cell, matrix
from core.stress.records import Run
from core.stress.shifts import shifts
from core.stress.sifting import sifted
from core.stress.words import signed
from pages.ui.plain import plain
from pages.ui.stress.matrix import kind_title, metric_title
from pages.ui.stress.runs import listed, load
from pages.ui.stress.sieves import chosen_sieves


def compare(row: RunRow, cells: Sequence[Cell]) -> None:
    """Choose another run and show what both have in common."""
    others = {id: other for id, other in listed().items() if id != row.id}
    if not others:
        st.info("There is no other run yet to compare with.")
        return
    chosen = st.selectbox(
        "Compare with",
        list(others),
        format_func=lambda id: others[id].name,
        key="stress-other",
        persist_state="page",
        width=420,
    )
    other = load(others[chosen])
    theirs = {(cell.metric, cell.kind): cell for cell in matrix(other, shifts(other, sifted(other, chosen_sieves())))}
    common = [(cell, theirs[cell.metric, cell.kind]) for cell in cells if (cell.metric, cell.kind) in theirs]
    if not common:
        st.info("The two runs share no metric under the same perturbation.")
        return
    for heading, run in (("This run", load(row)), ("The other", other)):
        st.caption(plain(f"{heading}: {_facts(run)}"))
    st.dataframe(
        pd.DataFrame([_line(*both) for both in common]),
        hide_index=True,
        height="auto",
        alt="Both runs",
        placeholder="–",
        column_config={"difference": st.column_config.NumberColumn(format="%+.4f")},
    )


def _facts(run: Run) -> str:
    """What must be alike for figures to be compared."""
    plan = run.plan
    guard = f", guard {plan.guard}" if plan.guard else ""
    return f"{len(run.sources)} pairs, seed {plan.seed}{guard}, Touchstone {plan.version}."


def _line(ours: Cell, theirs: Cell) -> dict[str, object]:
    return {
        "metric": metric_title(ours.metric),
        "perturbation": kind_title(ours.kind),
        "this run": signed(ours.shift),
        "other run": signed(theirs.shift),
        "difference": _difference(ours.shift, theirs.shift),
        "pairs": f"{ours.shift.n} / {theirs.shift.n}",
    }


def _difference(ours: Estimate, theirs: Estimate) -> float | None:
    return None if ours.value is None or theirs.value is None else round(ours.value - theirs.value, 4)
