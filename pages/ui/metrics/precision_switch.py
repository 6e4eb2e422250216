"""The precision of networks on the Metrics page: three choices, each with what it gains and by how much scores have moved."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.models import PRECISIONS, ModelPool, Precision
from pages.server import services

_KEY = "precision"
_TITLES: Mapping[Precision, str] = {"exact": "Exact (float32)", "tf32": "TF32", "bfloat16": "bfloat16"}
_FIGURES: Mapping[Precision, str] = {
    "exact": "Scores are the same on every machine within rounding.",
    "tf32": "Scores of two metrics on small random weights moved by up to .0003. For NVIDIA GPUs from Ampere on; its gain has not been measured.",
    "bfloat16": "Scores of five metrics on random weights moved by up to .005. 2.3 to 3.9 times as fast on an H200, 1.6 to 2.4 on a processor that multiplies it.",
}


def precision_switch(pool: ModelPool) -> None:
    """Choose the precision of this run of the app, where this person may; on a server for several, show that of its operator."""
    if services.settings().has_guests:
        st.caption(f"Precision: {_TITLES[pool.precision]}.")
        return
    choices = [precision for precision in PRECISIONS if precision != "tf32" or pool.device == "cuda"]
    st.radio(
        "Precision",
        choices,
        index=choices.index(pool.precision),
        format_func=_TITLES.__getitem__,
        captions=[_FIGURES[precision] for precision in choices],
        horizontal=True,
        key=_KEY,
        on_change=_choose,
        args=(pool,),
        help="Of metrics whose settings name no number type; signatures say it. Models are loaded again, and answers of another "
        "precision are not used.",
    )
    if pool.precision != services.settings().precision:
        st.caption(f"Until the app ends. TOUCHSTONE_PRECISION={pool.precision} keeps it.")


def _choose(pool: ModelPool) -> None:
    pool.compute_in(st.session_state[_KEY])
