"""An app with nothing but the matrix of a stress run, for the browser tests."""

import streamlit as st

from core.results.runs.matrix import shift_matrix
from core.results.runs.shifts import score_shifts
from pages.ui.stress.matrix_and_plots import matrix_table
from tests.unit.core.results.runs.stressed import run_of

NOISE: list[float | None] = [-0.1, 0.1, -0.05, 0.05, 0.0, 0.02, -0.02, 0.03, -0.03, 0.01]
SHIFTS: dict[str, list[float | None]] = {
    "shuffled": NOISE,
    "negation": [-0.4] * 10,
    "number": [0.05] * 6,
    "phrase": [0.4] * 10,
}
CELLS = [
    cell
    for metric, sign in (("rouge2", 1.0), ("bleu", -1.0), ("word-novelty", 0.5))
    for run in [run_of({k: [None if s is None else sign * s for s in of] for k, of in SHIFTS.items()}, metric)]
    for cell in shift_matrix(run, score_shifts(run), resamples=50)
]

chosen = matrix_table(CELLS)
with st.container(key="log"):
    st.text(f"selected {chosen.metric} {chosen.kind}" if chosen else "nothing")
