"""The pairs behind a cell: scores before and after, what rules and the guard say of each, and one of them whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotations.records import RunRow
from core.stress.matrix import Cell
from core.stress.records import Check, Run, VariantKey
from core.stress.shifts import Shift
from pages.ui.plain import plain
from pages.ui.stress.bisect import bisect
from pages.ui.stress.matrix import cell_words, kind_title, metric_title
from pages.ui.stress.refused import refused_pairs
from pages.ui.stress.variant import whole_variant

_CONTRADICTS, _HARMLESS, _UNCHECKED = "contradicts", "does not contradict", "not checked"


def cell_pairs(row: RunRow, run: Run, cell: Cell, found: Sequence[Shift]) -> None:
    """The pairs of one cell, the largest shifts first; one that is selected is shown whole."""
    st.subheader(plain(f"{metric_title(cell.metric)} · {kind_title(cell.kind)}"))
    st.write(plain(cell_words(cell)))
    of_cell = [shift for shift in found if (shift.metric, shift.kind) == (cell.metric, cell.kind)]
    pairs = _filtered(run, cell, sorted(of_cell, key=lambda shift: -abs(shift.size or 0.0)))
    event = st.dataframe(
        pd.DataFrame([_line(run, shift) for shift in pairs]).dropna(axis="columns", how="all"),
        key=f"stress-pairs-{cell.metric}-{cell.kind}",
        on_select="rerun",
        selection_mode="single-row-required",
        hide_index=True,
        height=min(38 + 35 * len(pairs), 320),
        alt="The pairs of this cell",
        placeholder="",
        column_config={"shift": st.column_config.NumberColumn(format="%+.3f")},
    )
    rows = [place for place in event["selection"]["rows"] if place < len(pairs)]
    chosen = pairs[rows[0] if rows else 0]
    source, variant = run.sources[chosen.source], run.variants[chosen.source, chosen.kind]
    whole_variant(row, run, source, variant)
    bisect(run, source, variant)
    refused_pairs(run, cell.kind)


def _filtered(run: Run, cell: Cell, pairs: Sequence[Shift]) -> Sequence[Shift]:
    """The pairs of which everything is said that is chosen; all of them where that would leave none."""
    said = {(shift.source, shift.kind): _said(run, (shift.source, shift.kind)) for shift in pairs}
    every = Counter(phrase for phrases in said.values() for phrase in phrases)
    counts = {phrase: count for phrase, count in every.items() if count < len(pairs)}
    if not counts:
        return pairs
    chosen = st.pills(
        "Show only",
        list(counts),
        selection_mode="multi",
        key=f"stress-only-{cell.kind}",
        format_func=lambda phrase: f"{phrase} ({counts[phrase]})",
        wrap=True,
    )
    kept = [shift for shift in pairs if set(chosen) <= set(said[shift.source, shift.kind])]
    if not kept:
        st.caption("No pair is all of this; every pair is shown.")
    return kept or pairs


def _said(run: Run, key: VariantKey) -> list[str]:
    check = run.checks.get(key)
    return [*run.variants[key].remarks, *([_guard_words(check)] if check else [])]


def _line(run: Run, shift: Shift) -> dict[str, object]:
    key = (shift.source, shift.kind)
    opinion, check = run.opinions.get(key), run.checks.get(key)
    return {
        "pair": run.sources[shift.source].title or shift.source,
        "before": shift.before,
        "after": shift.after,
        "shift": shift.size,
        "words changed": shift.words,
        "remarks": "; ".join(run.variants[key].remarks) or None,
        "guard": _guard_words(check) if check else None,
        "p of contradiction": check.mark.probability if check and check.mark else None,
        "meaning": opinion.meaning.value if opinion else None,
        "why no score": _why_no_score(run, shift) or None,
    }


def _guard_words(check: Check) -> str:
    if check.mark is None:
        return _UNCHECKED
    return _CONTRADICTS if check.mark.contradicts else _HARMLESS


def _why_no_score(run: Run, shift: Shift) -> str:
    places = {"the summary": "", "the variant": shift.kind}
    errors = {where: run.readings[shift.source, kind, shift.metric].error for where, kind in places.items()}
    return " ".join(f"Of {where}: {error}" for where, error in errors.items() if error)
