"""What a run could not have, and why: under the matrix, where cells are empty."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.stress.matrix import applied
from core.stress.records import Run
from core.stress.words import failures, guarded, refusals
from pages.ui.stress.refused import unused_answers


def gaps(run: Run) -> None:
    """Scores that failed, perturbations that could not be applied, and what the guard says of the run."""
    failed = failures(run)
    if failed:
        _sentences(f"Scores that could not be had ({_reasons(failed)})", failed, expanded=True)
    refused = refusals(applied(run))
    if refused:
        _sentences(f"Where a perturbation could not be applied ({_reasons(refused)})", refused)
    unused_answers(run)
    checked = guarded(run)
    if checked:
        _sentences("What the guard found", checked)


def _sentences(title: str, sentences: Sequence[str], expanded: bool = False) -> None:
    with st.expander(title, expanded=expanded):
        st.text("\n".join(sentences))


def _reasons(sentences: Sequence[str]) -> str:
    return f"{len(sentences)} reason{'' if len(sentences) == 1 else 's'}"
