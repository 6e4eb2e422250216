"""Pieces that the charts of several pages share."""

from __future__ import annotations
from collections.abc import Callable, Sequence
import plotly.graph_objects as go
import streamlit as st
from core.metric import METRICS, Direction
from core.perturbation import PERTURBATIONS, Intent
from core.registry import settings_label
from core.stats.statistic import Estimate
from core.stats.text_tables import format_share, format_signed
from core.stress.matrix import MatrixCell
from core.stress.null_bands import null_band
from core.stress.run import Run, intent_of
from core.stress.shifts import Shift
from core.stress.verdict_sentences import metric_verdicts
from pages.ui.markup import register_component
from pages.ui.session_state import component_message


def error_bars(estimates: Sequence[Estimate]) -> dict[str, object]:
    """What `error_y` takes for the values of these estimates; bars of no length where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_bar_length(one.value, one.high) for one in estimates],
        "arrayminus": [_bar_length(one.low, one.value) for one in estimates],
        "thickness": 1,
    }


def _bar_length(low: float | None, high: float | None) -> float:
    return 0.0 if low is None or high is None else high - low


INTENT_COLOURS = {"preserving": "#3b7dd8", "breaking": "#d64541", "gaming": "#b8860b"}
