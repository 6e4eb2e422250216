"""Stress test: perturb summaries and see which metrics move when they should not, and stay when they should move."""

import streamlit as st

from core.stress.matrix import matrix
from core.stress.shifts import shifts
from core.stress.sweep import families
from pages.ui.notices import notices
from pages.ui.stress_charts import charts
from pages.ui.stress_compare import compare
from pages.ui.stress_density import density
from pages.ui.stress_exports import exports
from pages.ui.stress_gaming import gaming_tab
from pages.ui.stress_gaps import gaps
from pages.ui.stress_matrix import matrix_table
from pages.ui.stress_pairs import cell_pairs
from pages.ui.stress_runs import chosen_run, follow, load, run_bar
from pages.ui.stress_setup import setup
from pages.ui.stress_sieves import sieved
from pages.ui.stress_sweep import windows

notices()
chosen = chosen_run()
run_bar(chosen)
if chosen is None:
    setup()
    st.stop()

run = load(chosen)
follow(chosen, run)
counting = sieved(run)
found = shifts(run, counting)
if not found:
    st.info("No variant that counts has a score yet.", icon=":material/hourglass_empty:")
    gaps(run)
    st.stop()

cells = matrix(run, found)
names = ["Matrix", "Plots", "Gaming", "Windows", "Density", "Compare", "Export"]
opened = "Windows" if families(run.plan.metrics) else "Matrix"
table, plots, games, neighbours, dense, other, files = st.tabs(names, default=opened, key="stress-tabs")
with table:
    cell = matrix_table(cells)
    if cell:
        cell_pairs(chosen, run, cell, found)
    gaps(run)
with plots:
    charts(run, found)
with games:
    gaming_tab(chosen, run, found)
with neighbours:
    windows(run, found)
with dense:
    density(chosen.id, run, counting)
with other:
    compare(chosen, cells)
with files:
    exports(run, found)
