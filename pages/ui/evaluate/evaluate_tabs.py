"""The ways to look at what was chosen, in a tab for each group; only the open one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import streamlit as st

from annotations.exchange.labelled_items import load_items
from annotations.exchange.samples import load_provenance, load_sentence_scores
from core.assessment import PACK_NAME, PackRequest, pack_commands, write_pack
from core.evaluation import STUDIES, Input, Readings, Shifts, Study, Verdicts
from core.results import shown_columns
from core.types import PRECOMPUTED
from pages.server import services
from pages.ui.evaluate.combination_form import combination_form
from pages.ui.evaluate.data_tab import label_provenance, offer_features, score_form, scores_table
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.evaluate.draw_form import draw_form
from pages.ui.evaluate.export_form import export_forms
from pages.ui.evaluate.pair_tables import cell_pairs, verdict_table
from pages.ui.evaluate.score_costs import measure_costs
from pages.ui.evaluate.threshold_form import saved_thresholds, threshold_form
from pages.ui.evaluate.train_tab import train_tab
from pages.ui.evaluate.version_list import dataset_versions
from pages.ui.results.study_tab import ShownStudy, study_tab
from pages.ui.shared.background_results import background_result
from pages.ui.shared.grouped_views import Groups, View, grouped_views, with_studies


def _data_tab(choice: EvaluationChoice) -> None:
    if stored := [name for name in choice.datasets if name != PRECOMPUTED]:
        score_form(stored)
    label_provenance(choice.datasets)
    dataset_versions(choice.datasets)
    scores_table(choice.cases)
    export_forms(choice.datasets)


def _pack_tab(choice: EvaluationChoice) -> None:
    files, own = load_provenance(services.store(), choice.datasets)
    request = PackRequest(choice.datasets, choice.by, choice.resamples, choice.cases, files, own)
    archive = background_result("Writing every table and figure…", ("pack", choice.key), lambda: write_pack(request))
    if archive is not None:
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


def _cells_of_measures(choice: EvaluationChoice, shown: ShownStudy | None) -> None:
    """The pairs of the cell that is selected."""
    if shown is None or "measures" not in {table.name for table in shown.report.tables}:
        return
    if cell := shown.selected.get("measures"):
        cell_pairs(choice, cell)
    else:
        st.caption("Select a cell to see its pairs.")


def _thresholds(choice: EvaluationChoice, _: ShownStudy | None) -> None:
    threshold_form(choice)
    saved_thresholds()


_CORRECTIONS = Shifts(view="sensitivity").view_title
_VIEWS: Groups[EvaluationChoice] = MappingProxyType(
    {
        "Compare": {Readings.name: lambda choice: _study_view(Readings, choice)},
        "How many are wrong?": {},
        "Combine": {},
        "Errors": {},
        "People": {},
        "Surface": {_CORRECTIONS: lambda choice: _study_view(Shifts, choice)},
        "Thresholds": {},
        "Data": {
            "Data": _data_tab,
            "Train": train_tab,
        },
        "Export": {
            "Paper pack": _pack_tab,
        },
    }
)
"""Views that are no studies of their group, by its name."""

_BESIDE: Mapping[str, Callable[[EvaluationChoice, ShownStudy | None], None]] = MappingProxyType(
    {"measures": _cells_of_measures, "calibration": _thresholds, "combine": combination_form, "label-plan": draw_form}
)
"""By study, what the page draws below its report, which is None where there is none yet."""

_ABOVE: Mapping[str, View[EvaluationChoice]] = MappingProxyType({"surface": offer_features, "combine": measure_costs})
"""By study, what the page draws above its report."""

_WITHOUT_SCORES = ("Data", "Train")
"""Views that have something to show where no metric has a score."""

_FIRST_VIEW = "measures[view=overview]"
_MOVED = MappingProxyType(
    {
        "Tables": "measures",
        "Heat-map": "measures",
        "Dots": "measures",
        "ROC": "measures[view=roc]",
        "Ranks": "measures[view=ranks]",
        "Correlation": "rating-correlation",
        "Agreement": "annotator-agreement",
        "Calibration": "calibration",
        "Percentiles": "measures[view=percentiles]",
        "Explanations": "explanation-scores",
        "Surface": "surface",
        "Verdicts": "verdicts",
        "Sensitivity": _CORRECTIONS,
        "sensitivity": _CORRECTIONS,
        Shifts.name: _CORRECTIONS,
    }
)
"""Former views by their names in addresses, and the studies that replace them."""


def evaluate_views(*, scored: bool) -> dict[str, dict[str, View[EvaluationChoice]]]:
    """The views of each group by the name that an address has; without scores only those that need none."""
    views = {
        group: {name: view for name, view in of_group.items() if scored or name in _WITHOUT_SCORES}
        for group, of_group in _VIEWS.items()
    }
    return with_studies(views, [study for study in STUDIES if scored or Input.SCORES not in study.takes], _study_view)


def evaluate_tabs(choice: EvaluationChoice) -> None:
    """Draw the view that is open in the tab of its group."""
    scored = bool(shown_columns(choice.cases, choice.parts))
    grouped_views("evaluate", evaluate_views(scored=scored), _MOVED, choice, default=_FIRST_VIEW if scored else "Data")


def _study_view(study: type[Study], choice: EvaluationChoice) -> None:
    data = choice.data
    if Input.ITEMS in study.takes:
        store, names = services.store(), choice.datasets
        items = background_result(
            "Reading the texts…", ("items", choice.key), lambda: {name: load_items(store, name) for name in names}
        )
        if items is None:
            return
        data = replace(data, items=items)
    if Input.SENTENCES in study.may_take:
        parts = background_result(
            "Reading the scores of sentences…",
            ("sentences", choice.key),
            lambda: load_sentence_scores(services.store(), *choice.cases.score_keys),
        )
        if parts is None:
            return
        data = replace(data, sentence_scores=parts)
    if study.name in _ABOVE:
        _ABOVE[study.name](choice)
    own = {"pairs": partial(verdict_table, choice)} if study is Verdicts else {}
    shown = study_tab(study, data, choice.key, own, form=evaluate_state().costs_measured)
    if study.name in _BESIDE:
        _BESIDE[study.name](choice, shown)
