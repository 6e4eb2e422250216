"""Evidence of the selected metric: pieces and cuts over the document, and the facts of its score."""

from __future__ import annotations

import streamlit as st

from core.scoring import CellState, Request, metric_title
from core.text import name_contexts
from core.types import Result, Span
from pages.ui.probe.board_rows import Selection
from pages.ui.probe.board_scores import Cells, current_selection
from pages.ui.probe.pair import current_pair
from pages.ui.probe.text_panes import Highlight, source_marks


def selected_result(request: Request, cells: Cells) -> Result | None:
    """The result of the selected metric for the edited summary; None while there is none for this text."""
    cell = cells.get((current_selection(request).spec, "edited"))
    outcome = cell.outcome if cell and cell.state is CellState.READY else None
    return outcome if isinstance(outcome, Result) else None


def document_highlights(request: Request, result: Result | None) -> tuple[Highlight, ...]:
    """Marks for the document: the evidence of the selected sentence, or of every one where none is selected."""
    headings = source_marks(current_pair())
    if result is None:
        return tuple(headings)
    selection = current_selection(request)
    sentence, title = selection.sentence, metric_title(selection.spec)
    parts = [(number, part) for number, part in enumerate(result.parts) if sentence in (None, number)]
    evidence = []
    for number, part in parts:
        if part.evidence:
            name = name_contexts(current_pair().contexts, part.evidence)
            text = f"{title}, sentence {number + 1}: {part.score:.2f}{' · ' if name else ''}{name}"
            evidence.append(Highlight(part.evidence, "evidence", text))

    pieces = result.seen.pieces
    if len(pieces) < 2:
        piece_highlights = []
    else:
        piece_highlights = [
            Highlight(piece, "piece", f"chunk {number} of {len(pieces)}") for number, piece in enumerate(pieces, 1)
        ]

    document = current_pair().document
    end = max((piece.end for piece in result.seen.pieces), default=len(document))
    rest = Span(end, len(document))
    return (
        *headings,
        *piece_highlights,
        *([Highlight(rest, "unread", "not read")] if rest.of(document).strip() else []),
        *evidence,
    )


def evidence_panel(request: Request, result: Result | None) -> None:
    """Expander below the document: what the selected metric read, in words."""
    selection: Selection = current_selection(request)
    metric = next((metric for metric in request.metrics if metric.spec == selection.spec), None)
    with st.expander(f"What {metric.card.title} saw" if metric else "What a metric saw", icon=":material/visibility:"):
        if metric is None or result is None:
            st.write("Select a metric with a score on the board.")
            return
        st.write(metric.card.measures)

        seen, counts = result.seen, result.counts
        read = f"{seen.tokens:,} tokens read, {seen.cut:,} cut off" if seen.tokens else "the whole text, by words"
        facts = [
            f"Read: {read}; {len(seen.pieces)} piece(s) of the document.",
            f"Asked: {counts.asked} of {counts.planned} questions; {counts.cached} were answered before, {counts.merged} "
            f"by another request; {counts.passes} forward passes.",
            *seen.notes,
            f"Took {result.seconds:.3f} s on {result.device}.",
            f"Signature: {result.signature}",
        ]
        st.text("\n".join(facts))
        if metric.card.differs:
            st.caption(f"Differs from the published metric: {metric.card.differs}")
