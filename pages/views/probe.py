"""Probe: edit a summary and watch every metric react."""

import streamlit as st

from core.results import SignedMetrics
from pages.server import services
from pages.ui.evaluate.percentiles import percentile_expander
from pages.ui.explain.explain_requests import explanations_arrived
from pages.ui.explain.explain_tab import explain_tab
from pages.ui.probe.blind_labels import hides_scores
from pages.ui.probe.board_scores import (
    BOARD_KEY,
    build_board,
    current_cells,
    has_pending,
    is_measuring,
    measure_null_bands,
    request_scores,
    run_row_action,
    texts_fingerprint,
    wait_for_null_band,
    wait_for_scores,
)
from pages.ui.probe.claim_scores import claim_scores
from pages.ui.probe.claims_tab import apply_claims, claims_ready, claims_tab
from pages.ui.probe.comparison import comparison
from pages.ui.probe.corrections_panel import corrections_panel
from pages.ui.probe.edit_menu import apply_variant, variant_progress, variant_ready
from pages.ui.probe.edit_tabs import edit_json_tab, edits_tab
from pages.ui.probe.evidence_panel import document_highlights, evidence_panel, selected_result
from pages.ui.probe.fast_set import remember_durations, score_all_button, waits_for_endpoints
from pages.ui.probe.metric_choice import chosen_metrics
from pages.ui.probe.opening import restore_pair, show_in_address
from pages.ui.probe.pair import EDITOR_KEY, current_pair, edited_summary
from pages.ui.probe.proposed_edits import edits_answer, edits_arrived, edits_request_form
from pages.ui.probe.record_tab import record_tab
from pages.ui.probe.score_board import score_board
from pages.ui.probe.text_panes import PANE_HEIGHT, document_view, pinned_panes, summary_editor
from pages.ui.probe.toolbar import dataset_facts, draft_offer, kept_offer, toolbar
from pages.ui.probe.typed_scores import score_typed, typed_scores
from pages.ui.shared.notices import notices, repeat_notices
from pages.ui.shared.script_run import end_run

restore_pair()
apply_variant()
apply_claims()
show_in_address()
metrics = chosen_metrics()
request = request_scores(metrics)
cells = current_cells(request)
selected = selected_result(request, cells)

# the verdict and the board are sent first: they are what a person who types waits for
show = typed_scores(metrics, build_board(metrics, request, cells))
controls = st.container()
document_pane, summary_pane = pinned_panes()
answers, board = st.container(), st.container(gap=None)
with board:
    draw_waits = waits_for_endpoints()
    score_board(build_board(metrics, request, cells), key=BOARD_KEY, on_select=lambda: None, on_action=run_row_action)
with controls:
    toolbar()
    dataset_facts()
    notices()
    # a place that stays: where this moved what lies below, that would lose what is being typed or unfolded there
    with st.container():
        draft_offer()
        kept_offer()
        variant_progress()
with document_pane:
    marks = document_highlights(request, None if hides_scores() else selected)
    document_view(current_pair().document, highlights=marks, key="document", height=PANE_HEIGHT)
with summary_pane:
    edit, as_json, claims, explain, record = st.tabs(["Edit", "Edit JSON", "Claims", "Explain", "Record"], key="tabs")
    with edit:
        summary_editor(key=EDITOR_KEY, on_change=score_typed, height=260)
        with st.container(key="edits"):
            edits_tab()
        edits_request_form()
    with as_json:
        edit_json_tab()
    with claims, st.container(key="claims"):
        claims_tab()
    with record:
        record_tab()
    with explain:  # after the record, whose verdict it shows
        explain_tab()
with answers:
    edits_answer()
    show_forecast = score_all_button(metrics)
evidence_panel(request, selected)
corrections_panel(request, selected)
draw_comparison, draw_claims = comparison(metrics), claim_scores(metrics)
percentile_expander(selected)
show_forecast()
bands: SignedMetrics | None = None  # None until every score is there
while True:
    version, cells = services.engine().cells(request)
    remember_durations(request, cells)
    # looked at before the drawing, so that the last band to arrive is drawn
    measuring = bands is not None and is_measuring(bands, request)
    show(build_board(metrics, request, cells))
    draw_waits(has_pending(cells))
    pending = [draw_comparison(), draw_claims()]
    if request.cancelled.is_set():
        end_run()
    arrived = edits_arrived() or explanations_arrived() or variant_ready() or claims_ready()
    if selected_result(request, cells) != selected or arrived:
        repeat_notices()
        st.rerun()
    if has_pending(cells):
        wait_for_scores(request, version)
    elif bands is None:
        rev = texts_fingerprint(current_pair().document, edited_summary())
        st.html(f'<span id="settled" data-rev="{rev}" hidden></span>')
        bands = measure_null_bands(request, cells)
    elif measuring or any(pending):
        wait_for_null_band(bands, request)
    else:
        break
