"""Agreement of the annotators of the chosen data: a line for each aspect, and Cohen's kappa of every two of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.cases.measures import draw_resamples
from core.stats.text_tables import format_percent, format_unsigned
from core.studies.annotator_agreement import (
    AGREEMENT_NOTE,
    AnnotatorAgreement,
    agreement_record,
    annotator_agreements,
)
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.shared.background_results import background_result
from pages.ui.shared.downloads import json_download
from pages.ui.shared.markup import escape_markdown


def annotator_tables(chosen: EvaluationChoice) -> None:
    """Every aspect that several annotators labelled; the pairs are those of the selected line."""
    found = background_result(
        "Comparing annotators…",
        ("annotators", chosen.key),
        lambda: list(annotator_agreements(chosen.cases, draw_resamples(chosen.cases, chosen.resamples))),
    )
    if found is None:
        return
    if not found:
        st.info("No two annotators labelled the same text here. Import data with the labels of each annotator.")
        return
    event = st.dataframe(
        pd.DataFrame([_aspect_row(one) for one in found]),
        key=f"evaluate-annotators-{hash(chosen.key)}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height="auto",
        alt="Agreement of annotators by aspect",
        placeholder="–",
    )
    st.caption(escape_markdown(AGREEMENT_NOTE))
    _missing_reasons(found)
    rows = event["selection"]["rows"]
    _pair_table(found[rows[0]] if rows and rows[0] < len(found) else found[0])
    json_download("agreement.json", lambda: [agreement_record(one) for one in found])


def _aspect_row(one: AnnotatorAgreement) -> dict[str, object]:
    return {
        "aspect": one.aspect,
        "unit": one.unit,
        "items": one.items,
        "labels": one.labels,
        "annotators": one.annotators,
        "same, %": format_percent(one.raw),
        **{f"alpha ({name})": format_unsigned(estimate) for name, estimate in one.alphas.items()},
        "AC1": format_unsigned(one.ac1),
    }


def _missing_reasons(found: Sequence[AnnotatorAgreement]) -> None:
    """Show why figures are missing, each reason once."""
    estimates = [estimate for one in found for estimate in (one.raw, *one.alphas.values(), one.ac1)]
    for why in dict.fromkeys(estimate.why for estimate in estimates if estimate.value is None):
        st.caption(escape_markdown(why))


def _pair_table(one: AnnotatorAgreement) -> None:
    st.subheader(escape_markdown(f"Cohen's kappa, {one.aspect}, {one.unit}"))
    if not one.pairs:
        st.caption("No two annotators share ten items.")
        return
    lines = [
        {
            "annotator": pair.first,
            "and": pair.second,
            "items": pair.raw.n,
            "same, %": format_percent(pair.raw),
            "kappa": format_unsigned(pair.kappa),
        }
        for pair in one.pairs
    ]
    st.dataframe(
        pd.DataFrame(lines),
        hide_index=True,
        height="auto",
        alt="Cohen's kappa of every two annotators",
        placeholder="–",
    )
    if len(one.pairs) < one.all_pairs:
        st.caption(
            f"{len(one.pairs)} of {one.all_pairs} pairs of annotators: those that share most items, at least ten."
        )
