"""The variants that could not be made, each with its reason and what a language model answered."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.stress.records import Run, Variant
from core.stress.words import reason_and_answer
from pages.ui.stress.matrix import kind_title


def refused_pairs(run: Run, kind: str) -> None:
    """Nothing where it could be applied to every pair."""
    refused = [variant for (_, of), variant in run.variants.items() if of == kind and variant.summary is None]
    if not refused:
        return
    with st.expander(f"Not applied to {len(refused)} of {len(run.sources)} pairs"):
        st.dataframe(
            pd.DataFrame([_line(run, variant) for variant in refused]),
            hide_index=True,
            height="auto",
            alt="The pairs without a variant",
        )
        for variant in refused:
            _raw_answer(run, variant)


def unused_answers(run: Run) -> None:
    """Everything that language models answered and that was not what was asked, of all kinds."""
    flagged = [variant for variant in run.variants.values() if reason_and_answer(variant.refusal)[1]]
    if not flagged:
        return
    with st.expander(f"Answers of language models that were not used ({len(flagged)})"):
        event = st.dataframe(
            pd.DataFrame([_answered(run, variant) for variant in flagged]),
            key="stress-unused",
            on_select="rerun",
            selection_mode="single-row-required",
            hide_index=True,
            height=min(38 + 35 * len(flagged), 320),
            alt="Answers that were not used",
        )
        chosen = event["selection"]["rows"]
        _raw_answer(run, flagged[chosen[0] if chosen else 0])


def _answered(run: Run, variant: Variant) -> dict[str, str]:
    answer = reason_and_answer(variant.refusal)[1]
    return {"perturbation": kind_title(variant.kind), **_line(run, variant), "what the model answered": answer}


def _line(run: Run, variant: Variant) -> dict[str, str]:
    return {"pair": _title(run, variant), "why not": reason_and_answer(variant.refusal)[0]}


def _raw_answer(run: Run, variant: Variant) -> None:
    _, answer = reason_and_answer(variant.refusal)
    if answer:
        st.text(f"{_title(run, variant)}: what the model answered")
        st.code(answer, language=None, wrap_lines=True)


def _title(run: Run, variant: Variant) -> str:
    return run.sources[variant.source].title or variant.source
