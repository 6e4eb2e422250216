"""Several edits of one summary side by side: the score of every metric for each, against the original and the noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.results import edit_verdict
from core.scoring import Metric, Request
from core.stats import Move
from core.text import BYTE_ORDER_MARK, records_csv
from core.text import edits as executable
from core.types import Intention, Result, Verdict
from pages.server import services
from pages.ui.probe.board_rows import BoardRow, format_score, format_shift, shift_move
from pages.ui.probe.board_scores import has_pending, noise_of
from pages.ui.probe.fast_set import waits_for_key
from pages.ui.probe.pair import (
    current_edits,
    current_intention,
    current_pair,
    edit_letter,
    is_pinned,
    open_pinned,
    unpin,
)
from pages.ui.probe.probe_state import probe_state
from pages.ui.results.copy_popover import copy_popover, table_report
from pages.ui.shared.markup import MOVE_STYLES, diff_html, escape_label, escape_markdown
from pages.ui.shared.pair_link import PinnedEdit
from pages.ui.shared.terms import term_caption

if TYPE_CHECKING:
    import pandas as pd

ORIGINAL = "A"
EDITOR = "in the editor"


@dataclass(frozen=True, slots=True)
class ComparedEdit:
    """One edit of the pair: what stands above its column, its text, what it is meant to be, and a row per metric."""

    name: str
    text: str
    meant: Intention
    rows: tuple[BoardRow, ...]

    def move(self, row: BoardRow) -> Move | None:
        return shift_move(row, preserving=self.meant.verdict is Verdict.CONSISTENT)

    @property
    def verdict(self) -> str:
        """Sentence on how many metrics noticed this edit; empty while nothing is scored."""
        return edit_verdict([move for row in self.rows if (move := self.move(row))], self.meant)


def comparison_table(compared: Sequence[ComparedEdit]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row per metric and a column per text, the original first, as words; and the style of each cell."""
    import pandas as pd

    cells: dict[str, list[str]] = {ORIGINAL: [format_score(row.before, row.low, row.high) for row in compared[0].rows]}
    styles: dict[str, list[str]] = {ORIGINAL: [""] * len(compared[0].rows)}
    for edit in compared:
        cells[edit.name] = [
            (
                "–"
                if row.before is None or row.after is None
                else f"{format_score(row.after, row.low, row.high)} ({format_shift(row.after - row.before, row.low, row.high)})"
            )
            for row in edit.rows
        ]
        styles[edit.name] = [MOVE_STYLES.get(edit.move(row) or Move.NONE, "") for row in edit.rows]
    titles = pd.Index([row.title for row in compared[0].rows], name="metric")
    return pd.DataFrame(cells, titles), pd.DataFrame(styles, titles)


def comparison_csv(original: str, compared: Sequence[ComparedEdit]) -> str:
    """A line per metric and text: score, shift from the original, and what the shift is against the noise."""

    lines: list[dict[str, Any]] = [
        {"metric": row.spec, "edit": ORIGINAL, "summary": original, "score": row.before} for row in compared[0].rows
    ]
    lines.extend(
        {
            "metric": row.spec,
            "edit": edit.name,
            "summary": edit.text,
            "intended": edit.meant.verdict or "",
            "error_type": edit.meant.error_type or "",
            "score": row.after,
            "shift": None if row.before is None or row.after is None else row.after - row.before,
            "reaction": edit.move(row) or "",
        }
        for edit in compared
        for row in edit.rows
    )
    return f"{BYTE_ORDER_MARK}{records_csv(lines)}"


def comparison(metrics: Sequence[Metric]) -> Callable[[], bool]:
    """Render the pinned edits, if there are any; the function returned renders the current scores, and is true while some are pending."""
    shown = [(_column(place, edit), edit) for place, edit in enumerate(probe_state().pinned)]
    of_systems = any(edit.system for edit in probe_state().pinned)
    if current_edits() and not is_pinned():
        shown.append((EDITOR, PinnedEdit(tuple(current_edits()), current_intention())))
    if not probe_state().pinned:
        services.engine().release(services.session_owner("comparison"))
        return lambda: False
    pair, quick = current_pair(), [metric for metric in metrics if not waits_for_key(metric)]
    texts = [(ORIGINAL, pair.original), *((name, executable.apply(pair.original, edit.edits)) for name, edit in shown)]
    examples = [pair.as_example(name, text) for name, text in texts]
    engine = services.engine()
    request = engine.submit(services.session_owner("comparison"), quick, examples)
    rendered: list[list[ComparedEdit]] = []

    def draw() -> bool:
        # before the scores are read, so that the last to arrive is drawn
        pending = has_pending(engine.cells(request)[1])
        compared = _compared(request, shown)
        if [compared] != rendered[-1:]:
            rendered.append(compared)
            with slot.container():
                for edit in compared:
                    if edit.verdict and not of_systems:  # another system's summary is no edit that is to be noticed
                        st.caption(escape_markdown(f"{edit.name}: {edit.verdict}"))
                frame, styles = comparison_table(compared)
                styled = frame.style.apply(lambda _: styles, axis=None)
                st.dataframe(styled, height="auto", alt="Scores of the edits side by side")
                term_caption(
                    "Blue: beyond the noise band of harmless edits the right way; orange: the wrong way; grey: within it."
                )
        return pending and not request.cancelled.is_set()

    original = current_pair().original
    with st.container(border=True, key="comparison"):
        st.markdown("**Summaries of systems side by side**" if of_systems else "**Edits of this summary side by side**")
        if of_systems:
            st.caption(
                f"{ORIGINAL} is the summary of {escape_markdown(current_pair().title)}. Open one to see its scores by sentence with the "
                "evidence in the document, and to label it."
            )
        _pinned_rows()
        slot = st.empty()
        draw()
        with st.container(horizontal=True):
            copy_popover(
                lambda: table_report("Edits side by side", comparison_table(rendered[-1])[0]), "comparison-table"
            )
            st.download_button(
                "Comparison (CSV)",
                lambda: comparison_csv(original, rendered[-1]),  # made in another thread, which has no page
                "comparison.csv",
                mime="text/csv",
                on_click="ignore",
                icon=":material/download:",
            )
    return draw


def _pinned_rows() -> None:
    """A line for each pinned edit: its difference, and the ways to open and to unpin it."""
    for place, edit in enumerate(probe_state().pinned):
        letter = escape_label(_column(place, edit))
        laid = executable.as_segments(current_pair().original, edit.edits)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{letter}**", width="content")
            with st.container(width="stretch"):
                st.html(diff_html(executable.abridge_unchanged(laid, margin=60)))
            st.button(
                f"{'Open' if edit.system else 'Edit'} {letter}",
                key=f"open-pinned-{place}",
                on_click=open_pinned,
                args=(place,),
            )
            st.button(f"Remove {letter}", key=f"unpin-{place}", type="tertiary", on_click=unpin, args=(place,))


def _column(place: int, edit: PinnedEdit) -> str:
    """The letter of a pinned edit, with its system where one wrote it."""
    return f"{edit_letter(place)} · {edit.system}" if edit.system else edit_letter(place)


def _compared(request: Request, shown: Sequence[tuple[str, PinnedEdit]]) -> list[ComparedEdit]:
    _, cells = services.engine().cells(request)
    original, *edited = request.examples
    compared = []
    for (name, edit), example in zip(shown, edited, strict=True):
        rows = []
        for metric in request.metrics:
            card, before, after = metric.card, cells[metric.spec, original.id], cells[metric.spec, example.id]
            row = BoardRow(metric.spec, card.title, card.family, low=card.low, high=card.high, direction=card.direction)
            if isinstance(before.outcome, Result) and isinstance(after.outcome, Result):
                noise = noise_of(metric, before.outcome, original, example)
                row = replace(row, before=before.outcome.score, after=after.outcome.score, noise=noise)
            rows.append(row)
        rows.sort(key=lambda row: row.is_surface)
        compared.append(ComparedEdit(name, example.summary, edit.meant, tuple(rows)))
    return compared
