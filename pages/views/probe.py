"""Probe: edit a summary and watch every metric react."""

import streamlit as st

from pages.ui import services
from pages.ui.choosing import chosen_metrics
from pages.ui.explain.asking import explanations_came
from pages.ui.explain.tab import explain_tab
from pages.ui.forecasting import learn
from pages.ui.notices import notices, say_again
from pages.ui.probe import pair as bench
from pages.ui.probe.ask_edits import ask_edits, edits_answer, edits_came
from pages.ui.probe.board import board_feed, score_board
from pages.ui.probe.document import document_view
from pages.ui.probe.editor import summary_editor
from pages.ui.probe.edits_tab import edits_tab, json_tab
from pages.ui.probe.lens import highlights, lens, result_shown
from pages.ui.probe.null_band import measure, measuring
from pages.ui.probe.null_band import wait as wait_for_noise
from pages.ui.probe.record_tab import record_tab
from pages.ui.probe.rewording import reworded, rewording, take_rewording
from pages.ui.probe.scores import BOARD, act, ask, board_of, cells_of, pending, revision, wait
from pages.ui.probe.sets import score_all
from pages.ui.probe.toolbar import toolbar
from pages.ui.reference import reference

state = st.session_state
state.setdefault("annotator", services.settings().user)
bench.restore()
take_rewording()
bench.show_in_address()
metrics = chosen_metrics()
request = ask(metrics)
now = cells_of(request)
drawn = result_shown(request, now)

toolbar()
notices()
# what comes and goes has a place that stays: where it moved what lies below, that would be drawn anew, and lose what is
# being typed or unfolded there
with st.container():
    rewording()
left, right = st.columns([1.1, 1], gap="medium")
with left:
    document_view(bench.current().document, highlights=highlights(request, drawn), key="document", height=440)
with right:
    edit, as_json, explain, record = st.tabs(["Edit", "Edit JSON", "Explain", "Record"], key="tabs")
    with edit:
        summary_editor(key=bench.EDITOR, on_change=bench.note_change, height=180)
        with st.container(height=180, border=False, key="edits"):
            edits_tab()
        ask_edits()
    with as_json:
        json_tab()
    with record:
        record_tab()
    with explain:  # after the record, whose verdict it shows
        explain_tab()

with st.container():
    edits_answer()
    say_forecast = score_all(metrics)
score_board(board_of(metrics, request, now), key=BOARD, on_select=lambda: None, on_action=act)
show = board_feed(BOARD)
lens(request, drawn)
reference(drawn)
say_forecast()
while True:
    version, cells = services.engine().cells(request)
    learn(request, cells)
    show(board_of(metrics, request, cells))
    if request.cancelled.is_set():
        st.stop()
    if result_shown(request, cells) != drawn or edits_came() or explanations_came() or reworded():
        say_again()
        st.rerun()
    if not pending(cells):
        break
    wait(request, version)
st.html(f'<span id="settled" data-rev="{revision(bench.current().document, bench.edited())}" hidden></span>')
wanted = measure(request, cells)
while measuring(wanted, request):
    wait_for_noise(wanted, request)
    if request.cancelled.is_set():
        st.stop()
    if edits_came() or explanations_came() or reworded():
        say_again()
        st.rerun()
    show(board_of(metrics, request, cells))
