"""Stress test: perturb summaries and see which metrics move when they should not, and stay when they should move."""

import streamlit as st

from core.results.runs.run_sentences import run_problems
from core.results.runs.shifts import score_shifts
from pages.ui.results.report_view import problems_view
from pages.ui.results.run_choice import chosen_run, filtered_variants, follow_run, load_run, run_bar
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run
from pages.ui.stress.cell_pairs import unused_answers
from pages.ui.stress.new_run import new_run_form
from pages.ui.stress.stress_tabs import ShownRun, stress_tabs

notices()
chosen = chosen_run()
run_bar(chosen)
if chosen is None:
    new_run_form()
    end_run()

run = load_run(chosen)
follow_run(chosen, run)
with st.container():  # there without a choice too, so that the tabs below keep their place
    counting = filtered_variants(run)
found = score_shifts(run, counting)
if not found:
    st.info("No variant that counts has a score yet.", icon=":material/hourglass_empty:")
    problems_view(run_problems(run))
    unused_answers(run)
    end_run()

stress_tabs(ShownRun(chosen, run, counting, found))
