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
from core.evaluation import STUDIES, Input, LabelPlan, Readings, Shifts, Study, Verdicts
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
from pages.ui.evaluate.views_with_data import has_data
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
    """The pairs of the cell that is selected, and below them what each metric said of each pair."""
    if shown is not None and "measures" in {table.name for table in shown.report.tables}:
        if cell := shown.selected.get("measures"):
            cell_pairs(choice, cell)
        else:
            st.caption("Select a cell to see its pairs.")
    if shown is not None and len(choice.cases.pairs):
        st.subheader("Pair by pair", divider="gray")
        _study_view(Verdicts, choice)


def _labels_needed(choice: EvaluationChoice, _: ShownStudy | None) -> None:
    st.subheader(LabelPlan.title, divider="gray")
    _study_view(LabelPlan, choice)


def _thresholds(choice: EvaluationChoice, _: ShownStudy | None) -> None:
    threshold_form(choice)
    saved_thresholds()


_CORRECTIONS = Shifts(view="sensitivity").view_title
_VIEWS: Groups[EvaluationChoice] = MappingProxyType(
    {
        "Which metric?": {
            _CORRECTIONS: lambda choice: _study_view(Shifts, choice),
            Readings.name: lambda choice: _study_view(Readings, choice),
        },
        "How many are wrong?": {},
        "Improve it": {"Train": train_tab},
        "Data": {
            "Data": _data_tab,
            "Paper pack": _pack_tab,
        },
    }
)
"""Views that are no studies of their group, by its name; of those that have the group's name the first is drawn first."""

_BELOW: Mapping[str, Callable[[EvaluationChoice, ShownStudy | None], None]] = MappingProxyType(
    {
        "measures": _cells_of_measures,
        "calibration": _thresholds,
        "combine": combination_form,
        "prevalence": _labels_needed,
        "label-plan": draw_form,
    }
)
"""By study, what the page draws below its report, which is None where there is none yet."""

_ABOVE: Mapping[str, View[EvaluationChoice]] = MappingProxyType({"surface": offer_features, "combine": measure_costs})
"""By study, what the page draws above its report."""

_READ_WITH = ("verdicts", "label-plan")
"""Studies that another one's report goes on with, which are no views of their own."""

_WITHOUT_SCORES = ("Data", "Train")
"""Views that have something to show where no metric has a score."""

_FIRST_VIEW = "measures[view=overview]"
_MOVED = MappingProxyType(
    {
        "verdicts": "measures",
        "label-plan": "prevalence",
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
        "Verdicts": "measures",
        "Sensitivity": _CORRECTIONS,
        "sensitivity": _CORRECTIONS,
        Shifts.name: _CORRECTIONS,
    }
)
"""Former views by their names in addresses, and the studies that replace them."""


def evaluate_views(choice: EvaluationChoice) -> dict[str, dict[str, View[EvaluationChoice]]]:
    """The views of each group by the name that an address has, of those for which the data have something."""
    scored = bool(shown_columns(choice.cases, choice.parts))
    views = {
        group: {
            name: view
            for name, view in of_group.items()
            if (scored or name in _WITHOUT_SCORES) and has_data(name, choice.cases, len(choice.parts))
        }
        for group, of_group in _VIEWS.items()
    }
    studies = [
        study
        for study in STUDIES
        if study.name not in _READ_WITH
        and (scored or Input.SCORES not in study.takes)
        and has_data(study.name, choice.cases, len(choice.parts))
    ]
    return with_studies(views, studies, _study_view)


def evaluate_tabs(choice: EvaluationChoice) -> None:
    """Draw the view that is open in the tab of its group."""
    scored = bool(shown_columns(choice.cases, choice.parts))
    grouped_views("evaluate", evaluate_views(choice), _MOVED, choice, default=_FIRST_VIEW if scored else "Data")


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
    if study.name in _BELOW:
        _BELOW[study.name](choice, shown)
