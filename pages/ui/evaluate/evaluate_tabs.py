"""The ways to look at what was chosen, in a tab for each group; only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import streamlit as st

from annotations.exchange.samples import load_provenance
from core.cases.measures import (
    PAPER_MEASURES,
    MetricRow,
    Slice,
    available_measures,
    draw_resamples,
    metric_rows,
    shown_columns,
)
from core.papers.paper_figures import roc_curves
from core.papers.paper_pack import PACK_NAME, PackRequest, pack_commands, write_pack
from core.studies.sensitivity import edits_of_cases, metric_sensitivities
from core.studies.tables import tables_record
from core.study import STUDIES, Input, Study
from core.types import PRECOMPUTED
from pages.server import services
from pages.ui.evaluate.analysis_tables import (
    chosen_aspect,
    correlation_tables,
    released_scores_table,
    surface_tables,
)
from pages.ui.evaluate.annotator_tables import annotator_tables
from pages.ui.evaluate.calibration_tab import calibration_tables
from pages.ui.evaluate.data_tab import label_provenance, provenance_tables, score_form
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.evaluate.export_form import export_forms
from pages.ui.evaluate.pair_tables import cell_pairs, verdict_grid
from pages.ui.evaluate.percentiles import percentile_tab
from pages.ui.evaluate.tables_and_plots import (
    figure_choice,
    figure_table,
    heat_map,
    interval_chart,
    missing_reasons,
    roc_chart,
)
from pages.ui.evaluate.train_tab import train_tab
from pages.ui.shared.background_results import background_result, background_results
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.sensitivity_view import sensitivity_view
from pages.ui.shared.study_tab import ShownStudy, study_tab


def _figure_rows(chosen: EvaluationChoice, names: tuple[str, ...]) -> list[MetricRow] | None:
    """The table of some figures; None while it is computed."""
    return background_results(
        "Computing bootstrap intervals…",
        ("rows", chosen.key, names),
        lambda: metric_rows(chosen.cases, chosen.parts, draw_resamples(chosen.cases, chosen.resamples), names),
        len(chosen.parts) * len(shown_columns(chosen.cases, chosen.parts)),
    )


def _table_tab(chosen: EvaluationChoice) -> None:
    name = figure_choice("evaluate-figure", available_measures(chosen.cases))
    found = _figure_rows(chosen, PAPER_MEASURES if name in PAPER_MEASURES else (name,))
    if found is None:
        return
    cell = figure_table(chosen, found, name)
    for reason in missing_reasons(found, name):
        st.caption(escape_markdown(reason))
    json_download("table.json", lambda: tables_record(chosen.cases, found, **chosen.head, rated=None))
    if cell:
        cell_pairs(chosen, next(row for row in found if (row.slice, row.metric) == cell), name)


def _heat_map_tab(chosen: EvaluationChoice) -> None:
    name = figure_choice("evaluate-mapped", available_measures(chosen.cases, ("consistency", "auc")))
    found = _figure_rows(chosen, PAPER_MEASURES)
    if found is not None:
        st.plotly_chart(heat_map(found, name), key="evaluate-heat", alt="Heat-map of metrics and slices")


def _roc_tab(chosen: EvaluationChoice) -> None:
    part = _slice_choice(chosen, "evaluate-roc-slice")
    found = background_result(
        "Drawing curves…", ("roc", chosen.key, part), lambda: roc_curves(chosen.cases, _slice_named(chosen, part))
    )
    if found is not None:
        st.plotly_chart(roc_chart(found, part), width="content", key="evaluate-roc", alt="ROC curves")


def _interval_tab(chosen: EvaluationChoice) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = _slice_choice(chosen, "evaluate-dots-slice")
        name = figure_choice("evaluate-dotted", available_measures(chosen.cases, PAPER_MEASURES))
    found = _figure_rows(chosen, PAPER_MEASURES)
    if found is not None:
        st.plotly_chart(interval_chart(found, name, part), key="evaluate-dots", alt="Figures with their intervals")


def _sensitivity_tab(chosen: EvaluationChoice) -> None:
    cases = chosen.cases
    if not len(cases.pairs) or not len(cases.harmless):
        st.info(
            "Sensitivity needs minimal pairs and harmless edits with scores: choose a dataset of each, or make harmless "
            "edits of these summaries with `cli.py perturb` and import them."
        )
        return
    found = background_result(
        "Comparing corrections with harmless edits…",
        ("sensitivity", chosen.key),
        lambda: metric_sensitivities(edits_of_cases(cases)),
    )
    if found:
        sensitivity_view(found)


def _data_tab(chosen: EvaluationChoice) -> None:
    if stored := [name for name in chosen.datasets if name != PRECOMPUTED]:
        score_form(stored)
    released_scores_table(chosen)
    label_provenance(chosen.datasets)
    provenance_tables(chosen.datasets)
    export_forms(chosen.datasets)


def _pack_tab(chosen: EvaluationChoice) -> None:
    known = load_provenance(services.store(), chosen.datasets)
    aspect, files, own = chosen_aspect(chosen), known.files, known.own
    request = PackRequest(chosen.datasets, chosen.by, aspect, chosen.resamples, chosen.cases, chosen.parts, files, own)
    found = background_result(
        "Writing every table and figure…", ("pack", chosen.key, request.aspect), lambda: write_pack(request)
    )
    if found is not None:
        _show_pack(request, found)


def _show_pack(request: PackRequest, archive: bytes) -> None:
    st.write(
        "One archive with the tables (Markdown, LaTeX, CSV), the figures (SVG, PDF), a data card, citations, the metrics with "
        "their signatures and versions, and the commands that give the same archive again."
    )
    st.download_button(
        "Download the paper pack",
        archive,
        PACK_NAME,
        mime="application/zip",
        on_click="ignore",
        icon=":material/folder_zip:",
        type="primary",
    )
    st.code(pack_commands(request), language=None, wrap_lines=True)


def _slice_choice(chosen: EvaluationChoice, key: str) -> str:
    return st.selectbox("Slice", [part.name for part in chosen.parts], key=key, width=260)


def _slice_named(chosen: EvaluationChoice, name: str) -> Slice:
    return next(part for part in chosen.parts if part.name == name)


View = Callable[[EvaluationChoice], None]

_VIEWS: Mapping[str, Mapping[str, View]] = MappingProxyType(
    {
        "Compare": {
            "Tables": _table_tab,
            "Heat-map": _heat_map_tab,
            "ROC": _roc_tab,
            "Dots": _interval_tab,
            "Verdicts": verdict_grid,
        },
        "Errors": {},
        "People": {
            "Correlation": correlation_tables,
            "Agreement": annotator_tables,
        },
        "Surface": {
            "Surface": surface_tables,
            "Sensitivity": _sensitivity_tab,
        },
        "Thresholds": {
            "Calibration": calibration_tables,
            "Percentiles": percentile_tab,
        },
        "Data": {
            "Data": _data_tab,
            "Train": train_tab,
        },
        "Export": {
            "Paper pack": _pack_tab,
        },
    }
)
"""Views that are no studies, by their group; the studies of a group come after them."""

_BESIDE: Mapping[str, Callable[[EvaluationChoice, ShownStudy], None]] = MappingProxyType({})
"""By study, what the page draws below its report."""

_WITHOUT_SCORES = ("Data", "Train", "Agreement")
"""Views that have something to show where no metric has a score."""

_MOVED = MappingProxyType({"Ranks": "ranks", "Explanations": "explanation-scores"})
"""The views of before by the names that addresses have, and the studies that they are now."""

TAB_PARAMETER = "tab"


def evaluate_views(*, scored: bool) -> dict[str, dict[str, View]]:
    """The views of each group by the name that an address has; without scores only those that need none."""
    groups: dict[str, dict[str, View]] = {}
    for group, views in _VIEWS.items():
        shown = {name: view for name, view in views.items() if scored or name in _WITHOUT_SCORES}
        for study in [study for study in STUDIES if study.group == group and _on_page(study)]:
            if scored or Input.SCORES not in study.takes:
                shown[study.name] = partial(_study_view, study)
        if shown:
            groups[group] = shown
    return groups


def view_title(name: str) -> str:
    """The title of a view: that of its study where it is one."""
    return STUDIES.get(name).title if name in STUDIES.names() else name


def evaluate_tabs(chosen: EvaluationChoice) -> None:
    """Draw the view that is open, at first the one of the address, in the tab of its group; only that one is computed."""
    groups = evaluate_views(scored=bool(shown_columns(chosen.cases, chosen.parts)))
    state = evaluate_state()
    if state.first_tab is None:
        state.first_tab = st.query_params.get(TAB_PARAMETER, "")
    first = _MOVED.get(state.first_tab, state.first_tab)
    first_group = next((group for group, views in groups.items() if first in views), None)
    # another default would be another widget
    drawn = st.tabs(list(groups), default=first_group, key=f"evaluate-tabs-{len(groups)}", on_change="rerun")
    for (group, views), tab in zip(groups.items(), drawn, strict=True):
        if tab.open:
            with tab:
                name = _view_choice(group, views, first)
                st.query_params[TAB_PARAMETER] = name
                views[name](chosen)


def _view_choice(group: str, views: Mapping[str, View], first: str) -> str:
    names = list(views)
    if len(names) == 1:
        return names[0]
    name: str = st.segmented_control(
        group,
        names,
        default=first if first in names else names[0],
        key=f"evaluate-view-{group}-{len(names)}",
        format_func=view_title,
        required=True,
        label_visibility="collapsed",
    )
    return name


def _on_page(study: type[Study]) -> bool:
    return "page" not in study.without


def _study_view(study: type[Study], chosen: EvaluationChoice) -> None:
    shown = study_tab(study, chosen.data, chosen.key)
    if shown and study.name in _BESIDE:
        _BESIDE[study.name](chosen, shown)
