"""One metric's calibration over domains, and the thresholds of each domain in every other."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.cases.cases import Cases, select_metrics
from core.cases.measures import SLICE_FIELDS, draw_resamples
from core.studies.calibration import (
    CROSS_FITTED_NOTE,
    DOMAIN_FIELDS,
    FORMS_NOTE,
    LOSS_NOTE,
    MetricCalibration,
    calibration_record,
    calibrations,
    domain_table,
    small_data_notes,
    transfer_tables,
)
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.evaluate.threshold_form import saved_thresholds, threshold_form
from pages.ui.shared.background_results import background_results
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown


def calibration_tables(chosen: EvaluationChoice) -> None:
    """The choice of domains and metric, and its tables."""
    names = [column.name for column in chosen.cases.all_columns if column.direction != "neutral"]
    if not names:
        st.info("No metric here has a better side.")
        return
    fields = _domain_fields(chosen.cases)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = st.selectbox("Domains", fields, key=f"evaluate-domains-{'-'.join(fields)}", width=220)
        metric = st.selectbox("Metric", names, key=f"evaluate-calibrated-{hash(tuple(names))}", width=420)
    cases = select_metrics(chosen.cases, [metric])
    found = background_results(
        "Calibrating…",
        ("calibration", chosen.key, by, metric),
        lambda: calibrations(cases, by, draw_resamples(cases, chosen.resamples)),
        1,
    )
    if found:
        _show(found[0])
        if notes := small_data_notes(found[0]):
            st.caption("\n".join(f"- {escape_markdown(note)}" for note in notes))
    if found and found[0].usable:
        head = {**chosen.head, "by": by}
        json_download("calibration.json", lambda: calibration_record(found, **head))
    threshold_form(chosen, cases)
    saved_thresholds()


def _domain_fields(cases: Cases) -> list[str]:
    """The fields that tell summaries apart, those with the fewest values first, and the dataset in any case."""
    numbers = {by: len({SLICE_FIELDS[by](sample) for sample in cases.samples}) for by in DOMAIN_FIELDS}
    apart = sorted((by for by in DOMAIN_FIELDS if numbers[by] > 1), key=numbers.__getitem__)
    return list(dict.fromkeys([*apart, "dataset"]))


def _show(found: MetricCalibration) -> None:
    if not found.usable:
        st.info(
            "This metric cannot be calibrated here: every domain has too few documents, as listed below. "
            "Choose other domains, or more datasets."
        )
        return
    st.subheader("Scores as probabilities")
    _table(domain_table(found), "Calibration of each domain")
    st.caption(f"{FORMS_NOTE} {CROSS_FITTED_NOTE}")
    if len(found.usable) > 1:
        accuracy, loss = transfer_tables(found)
        st.subheader("Thresholds of one domain in another")
        _table(accuracy, "Balanced accuracy of each domain's threshold in every domain")
        st.caption(LOSS_NOTE)
        _table(loss, "What another domain's threshold loses")


def _table(lines: Sequence[Sequence[str]], alt: str) -> None:
    frame = pd.DataFrame([list(line) for line in lines[1:]], columns=list(lines[0]))
    st.dataframe(frame, hide_index=True, height="auto", alt=alt, placeholder="–")
