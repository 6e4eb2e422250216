"""The pairs behind a cell: scores before and after, the edits, what was remarked, and what a person says of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotations.records import RunRow
from core.edits import as_segments
from core.errors import TouchstoneError
from core.perturbation import PERTURBATIONS
from core.stress.matrix import Cell
from core.stress.records import Meaning, Opinion, Run, Source, Variant, as_line
from core.stress.shifts import Shift
from core.types import Verdict
from pages.ui import pair as bench
from pages.ui import services
from pages.ui.diff import diff_html
from pages.ui.plain import plain
from pages.ui.stress_bisect import bisect
from pages.ui.stress_matrix import cell_words, kind_title, metric_title


def cell_pairs(row: RunRow, run: Run, cell: Cell, found: Sequence[Shift]) -> None:
    """The pairs of one cell, the largest shifts first; one that is selected is shown whole."""
    st.subheader(plain(f"{metric_title(cell.metric)} · {kind_title(cell.kind)}"))
    st.write(plain(cell_words(cell)))
    pairs = [shift for shift in found if (shift.metric, shift.kind) == (cell.metric, cell.kind)]
    pairs.sort(key=lambda shift: -abs(shift.size or 0.0))
    event = st.dataframe(
        pd.DataFrame([_line(run, shift) for shift in pairs]),
        key=f"stress-pairs-{cell.metric}-{cell.kind}",
        on_select="rerun",
        selection_mode="single-row-required",
        hide_index=True,
        height=min(38 + 35 * len(pairs), 320),
        alt="The pairs of this cell",
        placeholder="",
        column_config={"shift": st.column_config.NumberColumn(format="%+.3f")},
    )
    chosen = pairs[event["selection"]["rows"][0]] if event["selection"]["rows"] else pairs[0]
    _whole(row, run, run.sources[chosen.source], run.variants[chosen.source, chosen.kind])


def _line(run: Run, shift: Shift) -> dict[str, object]:
    variant = run.variants[shift.source, shift.kind]
    opinion = run.opinions.get((shift.source, shift.kind))
    reading = run.readings[shift.source, shift.kind, shift.metric]
    return {
        "pair": run.sources[shift.source].title or shift.source,
        "before": shift.before,
        "after": shift.after,
        "shift": shift.size,
        "words changed": shift.words,
        "meaning": opinion.meaning.value if opinion else "",
        "remarks": "; ".join(filter(None, [*variant.remarks, reading.error])),
    }


def _whole(row: RunRow, run: Run, source: Source, variant: Variant) -> None:
    st.html(diff_html(as_segments(source.example.summary, variant.edits)))
    for explanation in dict.fromkeys(edit.explanation for edit in variant.edits if edit.explanation):
        st.caption(plain(explanation))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Open in Probe", icon=":material/science:", key="stress-probe"):
            _open_in_probe(source, variant)
        _meaning(row, run, variant)
    bisect(run, source, variant)


def _meaning(row: RunRow, run: Run, variant: Variant) -> None:
    opinion = run.opinions.get((variant.source, variant.kind))
    key = f"meaning-{variant.source}-{variant.kind}"
    st.session_state[key] = opinion.meaning if opinion else None
    st.segmented_control(
        "Meaning of the variant",
        list(Meaning),
        key=key,
        format_func=lambda meaning: meaning.value,
        on_change=_say,
        args=(row.id, variant, key),
        disabled=services.settings().demo,
    )


def _say(id: str, variant: Variant, key: str) -> None:
    meaning: Meaning | None = st.session_state[key]
    if meaning is None:
        return
    by = st.session_state.get("annotator", services.settings().user)
    try:
        services.store().append_run(id, [as_line(Opinion(variant.source, variant.kind, meaning, by))])
    except TouchstoneError as error:
        st.session_state["notice"] = str(error)


def _open_in_probe(source: Source, variant: Variant) -> None:
    card, example = PERTURBATIONS.parse(variant.kind).card, source.example
    bench.restore()
    opened = bench.Pair(
        "", source.title or example.id, source.domain, example.id, example.document, example.summary, variant.edits
    )
    bench.open_pair(opened, variant.summary)
    st.session_state["intended"] = Verdict.CONSISTENT if card.intent == "preserving" else None
    st.session_state["intended-type"] = card.error_type
    st.switch_page("pages/views/probe.py")
