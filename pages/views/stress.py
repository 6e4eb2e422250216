"""Stress test: perturb summaries and see which metrics move when they should not, and stay when they should move."""

import streamlit as st

from core.stress.shifts import shifts
from pages.ui.notices import notices
from pages.ui.stress.gaps import gaps
from pages.ui.stress.runs import chosen_run, follow, load, run_bar
from pages.ui.stress.setup import setup
from pages.ui.stress.sieves import sieved
from pages.ui.stress.tabs import Shown, stress_tabs

notices()
chosen = chosen_run()
run_bar(chosen)
if chosen is None:
    setup()
    st.stop()

run = load(chosen)
follow(chosen, run)
with st.container():  # there without a choice too, so that the tabs below keep their place
    counting = sieved(run)
found = shifts(run, counting)
if not found:
    st.info("No variant that counts has a score yet.", icon=":material/hourglass_empty:")
    gaps(run)
    st.stop()

stress_tabs(Shown(chosen, run, counting, found))
