"""The matrix metric × perturbation, the plots of one metric, and error bars as plotly draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.metric import METRICS, Direction
from core.perturbation import PERTURBATIONS, Intent
from core.registry import settings_label
from core.stats.statistic import Estimate
from core.stats.text_tables import format_share, format_signed
from core.stress.matrix import MatrixCell, intent_of
from core.stress.null_bands import null_band
from core.stress.run import Run
from core.stress.shifts import Shift


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


_MATRIX_FIGURES: dict[str, tuple[Callable[[MatrixCell], str], str]] = {
    "Mean shift": (
        lambda cell: format_signed(cell.shift).partition(" ")[0],
        "Score after minus score before, in the metric's own units.",
    ),
    "With interval": (
        lambda cell: format_signed(cell.shift),
        "The mean shift with its 95 % interval by document; none where there are too few documents.",
    ),
    "Mean size": (
        lambda cell: "–" if cell.size.value is None else f"{cell.size.value:.3f}",
        "The mean of the shifts without their signs: how much the score moves at all.",
    ),
    "Wrong way": (lambda cell: format_share(cell.wrong), "Share of pairs that moved the wrong way."),
    "Did not move": (lambda cell: format_share(cell.still), "Share of pairs whose score stayed exactly the same."),
    "Times noise": (
        lambda cell: "–" if cell.multiple is None else f"{cell.multiple:.1f} ×",
        "The mean size as a multiple of that of harmless edits which change about as many words.",
    ),
}
_INTENT_HEADINGS: dict[Intent, str] = {
    "preserving": "Meaning kept: should stay",
    "breaking": "Meaning broken: should turn inconsistent",
    "gaming": "Gaming: should not turn consistent",
}
_DIRECTION_SIGNS: dict[Direction, str] = {"higher": "", "lower": " ↓", "neutral": " ○"}
_ROW_PX = 33  # pixels of a row
_SCROLLBAR_PX = 18  # and of what scrolls the columns
_CHARACTER_PX = 6  # and of a character; the table would keep the widths of the figure before


def matrix_table(cells: Sequence[MatrixCell]) -> MatrixCell | None:
    """Draw the matrix; the cell that is selected, if one is."""
    figure = st.segmented_control(
        "Figure",
        list(_MATRIX_FIGURES),
        default="Mean shift",
        key="stress-figure",
        required=True,
        label_visibility="collapsed",
    )
    places = {(cell.intent, cell.kind): None for intent in _INTENT_HEADINGS for cell in cells if cell.intent == intent}
    metrics = list(dict.fromkeys(cell.metric for cell in cells))
    by_place = {(cell.metric, cell.kind): cell for cell in cells}
    rows = [[by_place.get((metric, kind)) for _, kind in places] for metric in metrics]
    heads = pd.MultiIndex.from_tuples([(_INTENT_HEADINGS[intent], kind_title(kind)) for intent, kind in places])
    table = _shaded_table(rows, [_row_title(metric) for metric in metrics], heads, figure)
    event = st.dataframe(
        table,
        key="stress-matrix",
        on_select="rerun",
        selection_mode="single-cell",
        height=_ROW_PX * (len(metrics) + heads.nlevels) + _SCROLLBAR_PX,
        alt=f"{figure} of every metric under every perturbation",
        placeholder="–",
        column_config={
            "_index": st.column_config.Column(width=_text_width(table.data.index)),
            **{title: st.column_config.Column(width=_column_width(title, table.data)) for _, title in heads},
        },
    )
    st.caption(
        f"{_MATRIX_FIGURES[figure][1]} Red: share of pairs that reacted as they should not. ↓ lower is more consistent, ○ neither "
        "side is. Select a cell to see its pairs."
    )
    chosen = event["selection"]["cells"]
    by_click = {(metrics.index(metric), kind_title(kind)): cell for (metric, kind), cell in by_place.items()}
    return by_click.get((chosen[0][0], chosen[0][1])) if chosen else None  # what was selected may be left out by now


def _shaded_table(
    rows: Sequence[Sequence[MatrixCell | None]], titles: Sequence[str], heads: pd.MultiIndex, figure: str
) -> pd.io.formats.style.Styler:
    """Empty where no variant of the kind has a score yet, or none counts."""
    format_figure = _MATRIX_FIGURES[figure][0]
    frame = pd.DataFrame([[format_figure(cell) if cell else "" for cell in row] for row in rows], titles, heads)
    shades = pd.DataFrame([[_cell_shade(cell) for cell in row] for row in rows], titles, heads)
    return frame.style.apply(lambda _: shades, axis=None)


def describe_cell(cell: MatrixCell) -> str:
    """A cell in a line, with its intervals and what it rests on."""
    noise = f"{cell.multiple:.1f} times the noise of harmless edits" if cell.multiple is not None else "noise unknown"
    failed = f", {cell.failed} failed" if cell.failed else ""
    return (
        f"Mean shift {format_signed(cell.shift)}, {noise}; {format_share(cell.wrong)} moved the wrong way, {format_share(cell.still)} did "
        f"not move; n = {cell.shift.n}{failed}."
    )


def metric_title(spec: str) -> str:
    """The title of a metric, with its settings where it has any."""
    return _with_settings(METRICS.parse(spec).card.title, spec)


def kind_title(spec: str) -> str:
    """The title of a perturbation, with its settings where it has any."""
    return _with_settings(PERTURBATIONS.parse(spec).card.title, spec)


def _with_settings(title: str, spec: str) -> str:
    settings = settings_label(spec)
    return f"{title} [{settings}]" if settings else title


def _column_width(title: str, frame: pd.DataFrame) -> int:
    return _text_width([title, *frame.xs(title, axis="columns", level=1).to_numpy().ravel()])


def _text_width(texts: Iterable[str]) -> int:
    return 20 + _CHARACTER_PX * max(map(len, texts))


def _row_title(spec: str) -> str:
    """The title with a sign that says where consistency lies, where it is not above."""
    return f"{metric_title(spec)}{_DIRECTION_SIGNS[METRICS.parse(spec).card.direction]}"


def _cell_shade(cell: MatrixCell | None) -> str:
    if cell is None or cell.wrong.value is None or cell.still.value is None:
        return ""
    wrong_share = cell.wrong.value + (cell.still.value if cell.intent == "breaking" else 0.0)
    return f"background-color: rgba(214, 69, 65, {0.55 * min(1.0, wrong_share):.2f})"


INTENT_COLOURS = {"preserving": "#3b7dd8", "breaking": "#d64541", "gaming": "#b8860b"}
_BAND_COLOUR = "rgba(128, 128, 128, 0.18)"
_BOX_PX = 34  # pixels a box takes
_FRAME_PX = 120


def metric_plots(run: Run, found: Sequence[Shift]) -> None:
    """The two plots of a metric that is chosen."""
    metric = st.selectbox(
        "Metric", run.plan.metrics, format_func=metric_title, key="stress-plotted", persist_state="page", width=420
    )
    of_metric = [shift for shift in found if shift.metric == metric and shift.size is not None]
    if not of_metric:
        st.info("This metric has no score yet.")
        return
    shifts, scores = "Shifts of one metric by perturbation", "Score of the original against the variant"
    st.plotly_chart(shift_boxes(run, metric, of_metric), key="stress-boxes", config=_png_config("shifts"), alt=shifts)
    st.plotly_chart(score_dots(run, metric, of_metric), key="stress-dots", config=_png_config("scores"), alt=scores)


def shift_boxes(run: Run, metric: str, found: Sequence[Shift]) -> go.Figure:
    """A box for each perturbation, its mean as a dot; the band of harmless edits of the same size behind each."""
    harmless = [shift for shift in found if intent_of(shift.kind) == "preserving"]
    kinds = [kind for kind in run.plan.kinds if any(shift.kind == kind for shift in found)]
    figure = go.Figure()
    for place, kind in enumerate(reversed(kinds)):
        of_kind = [shift for shift in found if shift.kind == kind]
        sizes = [shift.size for shift in of_kind]
        colour = INTENT_COLOURS[intent_of(kind)]
        figure.add_box(x=sizes, name=kind_title(kind), boxmean=False, marker_color=colour, boxpoints="outliers")
        mean = sum(size for size in sizes if size is not None) / len(sizes)
        figure.add_scatter(
            x=[mean], y=[kind_title(kind)], mode="markers", marker={"color": colour, "size": 9, "symbol": "circle"}
        )
        _add_band(figure, place, [shift for shift in harmless if shift.kind != kind], of_kind)
    figure.add_vline(0, line_width=1, line_color="gray")
    return figure.update_layout(
        title=f"{metric_title(metric)}: shift of the score (dot: mean; grey: middle 95 % of harmless edits of the same size)",
        title_font_size=14,
        showlegend=False,
        height=_FRAME_PX + _BOX_PX * len(kinds),
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="after − before",
    )


def score_dots(run: Run, metric: str, found: Sequence[Shift]) -> go.Figure:
    """A dot for each variant; on the diagonal nothing moved."""
    figure = go.Figure()
    for intent, colour in INTENT_COLOURS.items():
        chosen = [shift for shift in found if intent_of(shift.kind) == intent]
        figure.add_scatter(
            x=[shift.before for shift in chosen],
            y=[shift.after for shift in chosen],
            text=[f"{run.sources[shift.source].title or shift.source}, {kind_title(shift.kind)}" for shift in chosen],
            mode="markers",
            name=intent,
            marker={"color": colour, "size": 7, "opacity": 0.7},
        )
    scores = [score for shift in found for score in (shift.before, shift.after) if score is not None]
    ends = [min(scores), max(scores)]
    figure.add_scatter(x=ends, y=ends, mode="lines", line={"color": "gray", "dash": "dot"}, name="no shift")
    better = METRICS.parse(metric).card.direction
    return figure.update_layout(
        title=f"{metric_title(metric)}: original against variant ({better} is more consistent)"
        if better != "neutral"
        else f"{metric_title(metric)}: original against variant",
        title_font_size=14,
        height=420,
        margin={"l": 10, "r": 10, "t": 50, "b": 40},
        xaxis_title="original",
        yaxis_title="variant",
    )


def _png_config(name: str) -> dict[str, object]:
    """What the button with the camera saves."""
    return {"toImageButtonOptions": {"format": "png", "filename": f"touchstone-{name}", "scale": 2}}


def _add_band(figure: go.Figure, place: int, harmless: Sequence[Shift], found: Sequence[Shift]) -> None:
    sizes = sorted(shift.words for shift in found)
    noise = null_band(harmless, sizes[len(sizes) // 2])
    if noise.low is not None and noise.high is not None:
        corners = {"x0": noise.low, "x1": noise.high, "y0": place - 0.5, "y1": place + 0.5}
        figure.add_shape(type="rect", layer="below", line_width=0, fillcolor=_BAND_COLOUR, **corners)
