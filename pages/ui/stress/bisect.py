"""Edit bisect on the page: which edit of a variant moves which metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.job import Cell, Request, State
from core.metric import METRICS
from core.stress.bisect import MOST_EDITS, Blame, Subset, bisected, blames
from core.stress.records import Run, Source, Variant
from core.types import Edit, Example, Failure, Result
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.stress.matrix import metric_title

_FIGURES: dict[str, tuple[Callable[[Blame], float | None], str]] = {
    "Share": (
        lambda blame: blame.share,
        "Shapley value: what the edit adds to the shift, averaged over all orders of the edits. The shares sum to the whole.",
    ),
    "Alone": (lambda blame: blame.alone, "The shift when this edit is the only one."),
    "Left out": (lambda blame: blame.without, "The shift when all edits but this one are executed."),
}
_PENDING = (State.QUEUED, State.LOADING, State.RUNNING)
_LOOK_S = 0.5
_LONGEST = 24  # characters of each side of an edit in a heading


def bisect(run: Run, source: Source, variant: Variant) -> None:
    """A button that scores the variant with some of its edits only; nothing for one edit, which is to blame by itself."""
    number = len(variant.edits)
    if number < 2:
        return
    place = (run.plan.name, variant.source, variant.kind)
    texts = bisected(source.example, variant.edits)
    if st.session_state.get("bisected") != place:
        # no callback: it would be called with the pair of the run before, when somebody chooses and presses quickly
        pressed = st.button(
            f"Which of the {number} edits moves which metric? {len(texts)} texts × {len(run.plan.metrics)} metrics",
            icon=":material/call_split:",
            key="bisect-go",
        )
        if not pressed:
            return
        st.session_state["bisected"] = place
        st.rerun()
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    request = services.engine().submit(_owner(), metrics, list(texts.values()))
    if _open_ones(request):
        _progress(request)
        return
    _shown(request, texts, variant.edits, source.example)


@st.cache_resource(scope="session", on_release=lambda owner: services.engine().release(owner), show_spinner=False)
def _owner() -> str:
    """This session's name towards the engine for what it bisects."""
    return f"{services.owner()}-bisect"


def _open_ones(request: Request) -> list[Cell]:
    return [cell for cell in services.engine().cells(request)[1].values() if cell.state in _PENDING]


@st.fragment(run_every=_LOOK_S)
def _progress(request: Request) -> None:
    waiting, total = len(_open_ones(request)), len(request.jobs)
    if not waiting:
        st.rerun()
    st.progress(1 - waiting / total, f"{total - waiting} of {total} scores")


def _shown(request: Request, texts: dict[Subset, Example], edits: Sequence[Edit], example: Example) -> None:
    figures = list(_FIGURES) if len(edits) <= MOST_EDITS else list(_FIGURES)[1:]
    figure = st.segmented_control(
        "Figure of the edits", figures, default=figures[0], key="bisect-figure", required=True
    )
    value, meaning = _FIGURES[figure]
    rows = {metric.spec: _scores(request, metric.spec, texts) for metric in request.metrics}
    found = {spec: blames(scores, len(edits)) for spec, scores in rows.items()}
    headings = [_heading(place, edit, example.summary) for place, edit in enumerate(edits, 1)]
    frame = pd.DataFrame(
        [[_whole(rows[spec], len(edits)), *map(value, found[spec])] for spec in rows],
        [metric_title(spec) for spec in rows],
        ["whole shift", *headings],
        dtype=float,
    )
    styled = frame.style.format("{:+.3f}", na_rep="–").apply(_shades, axis=1)
    st.dataframe(styled, height="auto", alt=f"{figure} of every edit for every metric", placeholder="–")
    st.caption(f"{meaning} Blue raises the score, red lowers it; darker: more of what moves this metric.")
    _failures(request)


def _scores(request: Request, spec: str, texts: dict[Subset, Example]) -> dict[Subset, float | None]:
    cells = services.engine().cells(request)[1]
    outcomes = {subset: cells[spec, example.id].outcome for subset, example in texts.items()}
    return {subset: one.score if isinstance(one, Result) else None for subset, one in outcomes.items()}


def _whole(scores: dict[Subset, float | None], number: int) -> float | None:
    before, after = scores[frozenset()], scores[frozenset(range(number))]
    return None if before is None or after is None else after - before


def _heading(place: int, edit: Edit, summary: str) -> str:
    old, new = (" ".join(text.split()) for text in (edit.span.of(summary), edit.new))
    return f"{place}: {_short(old) or 'nothing'} → {_short(new) or 'nothing'}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _shades(row: pd.Series) -> list[str]:
    """Blue where the edit raises the score, red where it lowers it, by its part of the largest in the row."""
    most = row.iloc[1:].abs().max()
    return ["", *(_shade(value, most) for value in row.iloc[1:])]


def _shade(value: float, most: float) -> str:
    if not most or pd.isna(value) or pd.isna(most):
        return ""
    colour = "59, 125, 216" if value > 0 else "214, 69, 65"
    return f"background-color: rgba({colour}, {0.55 * abs(value) / most:.2f})"


def _failures(request: Request) -> None:
    cells = services.engine().cells(request)[1].values()
    failed = {f"{cell.outcome.metric}: {cell.outcome.message}" for cell in cells if isinstance(cell.outcome, Failure)}
    for reason in sorted(failed):
        st.caption(plain(reason))
