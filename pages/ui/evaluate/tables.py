"""The table of one figure: slices in rows, metrics in columns, the best of each row marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd
import streamlit as st

from core.meta.cases import Cases
from core.meta.figures import IN_UNITS, Figure, Row
from core.meta.report import told
from pages.ui.evaluate.choice import Chosen

TITLES = MappingProxyType(
    {
        "consistency": "Consistency",
        "auc": "ROC AUC",
        "ties": "Ties",
        "average_precision": "Average precision",
        "balanced_accuracy": "Balanced accuracy",
        "sign_rate": "Sign rate",
        "mean_shift": "Mean shift",
    }
)
"""The figures of the page in their order."""

HELP = (
    "Consistency: share of minimal pairs whose faithful side scores strictly higher. ROC AUC: chance that a consistent "
    "summary scores above an inconsistent one. Ties: share of pairs whose sides score the same. Balanced accuracy: with "
    "a threshold that was chosen on the development split. Sign rate: consistency among the pairs that moved at all. Mean "
    "shift: broken minus faithful side, in the metric's own units."
)
_OF_PAIRS = ("consistency", "ties", "sign_rate", "mean_shift")
BEST = "background-color: rgba(11, 122, 117, 0.30); font-weight: 700"
LEVEL = "background-color: rgba(11, 122, 117, 0.12)"


def told_of(cases: Cases, names: Sequence[str] = tuple(TITLES)) -> list[str]:
    """Those figures that can be told: without minimal pairs there is nothing to say of them."""
    return [name for name in names if len(cases.pairs) or name not in _OF_PAIRS]


def figure_choice(key: str, offered: Sequence[str]) -> str:
    """The figure to show."""
    return st.segmented_control(
        "Figure",
        list(offered),
        default=offered[0],
        key=f"{key}-{len(offered)}",
        required=True,
        format_func=lambda name: TITLES[name],
        label_visibility="collapsed",
        help=HELP,
    )


def table(chosen: Chosen, rows: Sequence[Row], name: str) -> tuple[str, str] | None:
    """Draw the table in percent; the slice and metric of the cell that is selected, if one is."""
    by_place = {(row.slice, row.metric): row for row in rows}
    parts = list(dict.fromkeys(row.slice for row in rows))
    metrics = list(dict.fromkeys(row.metric for row in rows))
    frame = pd.DataFrame(
        [[_text(by_place[part, metric].figures[name], name) for metric in metrics] for part in parts],
        [f"{part} (n = {_n(by_place, part, metrics, name)})" for part in parts],
        metrics,
    )
    styles = [[_style(by_place[part, metric].figures[name]) for metric in metrics] for part in parts]
    event = st.dataframe(
        frame.style.apply(lambda _: pd.DataFrame(styles, frame.index, frame.columns), axis=None),
        key=f"evaluate-table-{name}-{hash(chosen.key)}",
        on_select="rerun",
        selection_mode="single-cell",
        height="auto",
        alt=f"{TITLES[name]} of every metric on every slice",
        placeholder="–",
    )
    st.caption(_legend(chosen, rows, name))
    cells = event["selection"]["cells"]
    return (parts[cells[0][0]], str(cells[0][1])) if cells else None


def why_not(rows: Sequence[Row], name: str) -> list[str]:
    """The reasons why figures are missing, each once with the metrics that it concerns, or with none if it is all of them."""
    metrics = {row.metric for row in rows}
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.figures[name].estimate.value is None:
            reasons.setdefault(row.figures[name].estimate.why, []).append(row.metric)
    concerned = {why: list(dict.fromkeys(names)) for why, names in reasons.items()}
    return [why if len(names) == len(metrics) else f"{', '.join(names)}: {why}" for why, names in concerned.items()]


def _legend(chosen: Chosen, rows: Sequence[Row], name: str) -> str:
    failed = sum(row.failed for row in rows if row.slice == rows[0].slice)
    counted = f" Left out for want of a score: {failed}." if failed else ""
    tested = any(row.figures[name].best for row in rows)
    marks = " Dark: the best of the row; light: not significantly worse (Holm, p ≥ .05)." if tested else ""
    return (
        f"{unit(name)}, with the 95 % interval of {chosen.resamples:,} resamples of whole documents.{marks}{counted} Select a "
        "cell to see its pairs."
    )


def unit(name: str) -> str:
    """What a figure is told in."""
    return "In units of each metric" if name in IN_UNITS else "Percent"


def _n(by_place: Mapping[tuple[str, str], Row], part: str, metrics: Sequence[str], name: str) -> str:
    numbers = {by_place[part, metric].figures[name].estimate.n for metric in metrics}
    return str(max(numbers)) if len(numbers) == 1 else f"{min(numbers)}–{max(numbers)}"


def _text(figure: Figure, name: str) -> str:
    return told(figure.estimate, name)


def _style(figure: Figure) -> str:
    return BEST if figure.best else LEVEL if figure.level else ""
