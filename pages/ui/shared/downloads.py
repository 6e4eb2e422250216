"""Buttons that save a file."""

from __future__ import annotations
import json
from collections.abc import Callable, Sequence
from types import MappingProxyType
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from core.meta.best_metric import Measurement
from core.meta.cases import Cases
from core.meta.measures import FIGURE_TITLES, MetricRow, figure_unit
from core.meta.table_formats import format_few_documents, format_measure
from core.stats.discrimination import RocCurve
from core.stats.text_tables import format_percent
from pages.ui.evaluate.dataset_choice import EvaluationChoice


def json_download(file: str, record: Callable[[], object]) -> None:
    """A button that saves what the terminal prints with `--json`."""
    st.download_button(
        "Download as JSON",
        lambda: json.dumps(record(), ensure_ascii=False, indent=1),
        file,
        mime="application/json",
        on_click="ignore",
        icon=":material/download:",
    )
