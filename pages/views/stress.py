"""Stress test: perturb summaries and see which metrics move when they should not, and stay when they should move."""

import streamlit as st

from core.results import run_problems, score_shifts
from pages.ui.results.report_view import problems_view
from pages.ui.results.run_choice import chosen_run, filtered_variants, follow_run, load_run, run_bar
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run
from pages.ui.stress.cell_pairs import unused_answers
from pages.ui.stress.new_run import new_run_form
from pages.ui.stress.run_again import offer_newer_version
from pages.ui.stress.stress_tabs import ShownRun, stress_tabs

notices()
row = chosen_run()
run_bar(row)
if row is None:
    new_run_form()
    end_run()

run = load_run(row)
follow_run(row, run)
offer_newer_version(row, run)
with st.container():  # there without a choice too, so that the tabs below keep their place
    counting = filtered_variants(run)
shifts = score_shifts(run, counting)
if not shifts:
    st.info("No variant that counts has a score yet.", icon=":material/hourglass_empty:")
    problems_view(run_problems(run))
    unused_answers(run)
    end_run()

stress_tabs(ShownRun(row, run, counting, shifts))
