"""One variant: its diff, what the NLI check and people say of it, and which of its edits moves which metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from annotations.store.records import RunRow
from core.edits import PERTURBATIONS
from core.errors import TouchstoneError
from core.evaluation import MAX_EXHAUSTIVE_EDITS, EditEffect, edit_effects, examples_by_subset
from core.results import Meaning, Opinion, Source, StressRun, Variant, check_sentence
from core.scoring import METRICS, BoardCell, CellState, Request, metric_title
from core.stats import format_count
from core.text import as_segments
from core.types import Failure, Result
from pages.server import services
from pages.ui.probe.opening import open_pair, restore_pair
from pages.ui.probe.probe_state import LoadedPair
from pages.ui.results.copy_popover import copy_table
from pages.ui.results.run_choice import StressState, accepts_opinions, store_opinion, stress_state
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import diff_html, escape_markdown
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_user import user_name

if TYPE_CHECKING:
    import pandas as pd

_FORM_TITLES = {
    "rule": "Made by rule",
    "model": "Made with a model of this machine",
    "prompt": "Written by a language model",
    "imported": "From a table",
}


def variant_view(row: RunRow, run: StressRun, source: Source, variant: Variant) -> None:
    """The variant with everything that is known of it, and the ways on."""
    st.html(diff_html(as_segments(source.example.summary, variant.edits)))
    form = _FORM_TITLES[PERTURBATIONS.parse(variant.kind).card.form]
    st.caption(escape_markdown(f"{form}: {variant.signature}"))
    for explanation in dict.fromkeys(edit.explanation for edit in variant.edits if edit.explanation):
        st.caption(escape_markdown(explanation))
    check = run.checks.get((variant.source, variant.kind))
    if check and check.mark and check.mark.contradicts:
        st.warning(escape_markdown(check_sentence(check)), icon=":material/warning:")
    elif check:
        st.caption(escape_markdown(check_sentence(check)))
    value = StressState.meaning.of(f"{variant.source}-{variant.kind}")

    def store_meaning() -> None:
        meaning = value.get()
        if meaning is None:
            return
        by = user_name()
        try:
            store_opinion(row.id, Opinion(variant.source, variant.kind, meaning, by))
        except TouchstoneError as error:
            leave_notice(str(error))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Open in Probe", icon=":material/science:", key="stress-probe"):
            open_in_probe(source, variant)
        opinion = run.opinions.get((variant.source, variant.kind))
        value.set(opinion.meaning if opinion else None)
        st.segmented_control(
            "Meaning of the variant",
            list(Meaning),
            key=value.key,
            format_func=lambda meaning: meaning.value,
            on_change=store_meaning,
            disabled=not accepts_opinions(row.id),
        )


def open_in_probe(source: Source, variant: Variant) -> None:
    """Go to Probe with a variant of a run."""
    card, example = PERTURBATIONS.parse(variant.kind).card, source.example
    restore_pair()
    opened = LoadedPair(
        *("", source.title or example.id, source.domain, example.id, example.document, example.summary),
        declared=variant.edits,
        contexts=example.contexts,
        question=example.question,
    )
    open_pair(opened, variant.summary, card.intention)
    st.switch_page("views/probe.py")


_EFFECT_FIGURES: dict[str, tuple[Callable[[EditEffect], float | None], str]] = {
    "Share": (
        lambda effect: effect.share,
        "Shapley value: what the edit adds to the shift, averaged over all orders of the edits. The shares sum to the whole.",
    ),
    "Alone": (lambda effect: effect.alone, "The shift when this edit is the only one."),
    "Left out": (lambda effect: effect.without, "The shift when all edits but this one are executed."),
}
_PENDING = (CellState.QUEUED, CellState.LOADING, CellState.RUNNING)
_LOOK_S = 0.5
_MAX_SIDE_CHARACTERS = 24  # characters of each side of an edit in a heading


def bisect_view(run: StressRun, source: Source, variant: Variant) -> None:
    """A button that scores the variant with some of its edits only; nothing for one edit, which causes the whole shift."""
    import pandas as pd

    number = len(variant.edits)
    if number < 2:
        return
    place = (run.plan.name, variant.source, variant.kind)
    texts = examples_by_subset(source.example, variant.edits)
    if stress_state().bisected != place:
        # no callback: it would be called with the pair of the run before, when somebody chooses and presses quickly
        pressed = st.button(
            f"Which of the {number} edits moves which metric? {format_count(len(texts), 'text')} × {format_count(len(run.plan.metrics), 'metric')}",
            icon=":material/call_split:",
            key="bisect-go",
        )
        if not pressed:
            return
        stress_state().bisected = place
        st.rerun()
    metrics = [METRICS.parse(spec) for spec in run.plan.metrics]
    request = services.engine().submit(_bisect_owner(), metrics, list(texts.values()))
    if _pending_cells(request):
        _bisect_progress(request)
        return
    edits = variant.edits
    figures = list(_EFFECT_FIGURES) if len(edits) <= MAX_EXHAUSTIVE_EDITS else list(_EFFECT_FIGURES)[1:]
    figure = st.segmented_control(
        "Figure of the edits", figures, default=figures[0], key="bisect-figure", required=True
    )
    value, meaning = _EFFECT_FIGURES[figure]
    cells = services.engine().cells(request)[1]
    rows: dict[str, list[float | None]] = {}
    for metric in request.metrics:
        outcomes = {subset: cells[metric.spec, example.id].outcome for subset, example in texts.items()}
        scores = {
            subset: outcome.score if isinstance(outcome, Result) else None for subset, outcome in outcomes.items()
        }
        before, after = scores[frozenset()], scores[frozenset(range(len(edits)))]
        whole = None if before is None or after is None else after - before
        rows[metric.spec] = [whole, *map(value, edit_effects(scores, len(edits)))]
    headings = []
    for at, edit in enumerate(edits, 1):
        old, new = (" ".join(text.split()) for text in (edit.span.of(source.example.summary), edit.new))
        headings.append(f"{at}: {_shorten(old) or 'nothing'} → {_shorten(new) or 'nothing'}")
    frame = pd.DataFrame(
        list(rows.values()),
        [metric_title(spec) for spec in rows],
        ["whole shift", *headings],
        dtype=float,
    )
    styled = frame.style.format("{:+.3f}", na_rep="–").apply(_effect_shades, axis=1)
    st.dataframe(styled, height="auto", alt=f"{figure} of every edit for every metric", placeholder="–")
    copy_table(f"{figure} of every edit for every metric", frame, "bisect")
    st.caption(f"{meaning} Blue raises the score, red lowers it; darker: more of what moves this metric.")

    failed = {
        f"{cell.outcome.metric}: {cell.outcome.error}" for cell in cells.values() if isinstance(cell.outcome, Failure)
    }
    for failure in sorted(failed):
        st.caption(escape_markdown(failure))


@st.cache_resource(
    scope="session", on_release=lambda owner: services.shared_engine().release(owner), show_spinner=False
)
def _bisect_owner() -> str:
    """This session's name towards the engine for what it bisects."""
    return f"{services.session_owner()}-bisect"


def _pending_cells(request: Request) -> list[BoardCell]:
    return [cell for cell in services.engine().cells(request)[1].values() if cell.state in _PENDING]


@st.fragment(run_every=_LOOK_S)
def _bisect_progress(request: Request) -> None:
    waiting, total = len(_pending_cells(request)), len(request.tasks)
    if not waiting:
        st.rerun()
    st.progress(1 - waiting / total, f"{total - waiting} of {total} scores")
    endpoint_waits()


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SIDE_CHARACTERS else f"{text[: _MAX_SIDE_CHARACTERS - 1].rstrip()}…"


def _effect_shades(row: pd.Series) -> list[str]:
    """Blue where the edit raises the score, red where it lowers it, by its part of the largest in the row."""
    import pandas as pd

    most = row.iloc[1:].abs().max()
    shades = [""]
    for value in row.iloc[1:]:
        colour = "59, 125, 216" if value > 0 else "214, 69, 65"
        is_shaded = most and not pd.isna(value) and not pd.isna(most)
        shades.append(f"background-color: rgba({colour}, {0.55 * abs(value) / most:.2f})" if is_shaded else "")
    return shades
