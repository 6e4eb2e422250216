"""The pairs behind a cell of the matrix, the variants that could not be made, and the scores that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from annotations.store.records import RunRow
from core.edits import kind_title
from core.results import Check, MatrixCell, Shift, StressRun, Variant, split_refusal
from core.scoring import metric_title
from pages.ui.results.noise_strip import kind_strips
from pages.ui.shared.markup import escape_markdown
from pages.ui.stress.matrix_and_plots import describe_cell
from pages.ui.stress.variant_view import bisect_view, variant_view


def refused_pairs(run: StressRun, kind: str) -> None:
    """Nothing where it could be applied to every pair."""
    import pandas as pd

    refused = [variant for (_, of), variant in run.variants.items() if of == kind and variant.summary is None]
    if not refused:
        return
    with st.expander(f"Not applied to {len(refused)} of {len(run.sources)} pairs"):
        st.dataframe(
            pd.DataFrame([_refusal_row(run, variant) for variant in refused]),
            hide_index=True,
            height="auto",
            alt="The pairs without a variant",
        )
        for variant in refused:
            _raw_answer(run, variant)


def unused_answers(run: StressRun) -> None:
    """The answers of language models that could not be used, of all kinds."""
    import pandas as pd

    flagged = [variant for variant in run.variants.values() if split_refusal(variant.error)[1]]
    if not flagged:
        return
    with st.expander(f"Answers of language models that were not used ({len(flagged)})"):
        event = st.dataframe(
            pd.DataFrame(
                {
                    "perturbation": kind_title(variant.kind),
                    **_refusal_row(run, variant),
                    "what the model answered": split_refusal(variant.error)[1],
                }
                for variant in flagged
            ),
            key="stress-unused",
            on_select="rerun",
            selection_mode="single-row-required",
            hide_index=True,
            height=min(38 + 35 * len(flagged), 320),
            alt="Answers that were not used",
        )
        selected = event["selection"]["rows"]
        _raw_answer(run, flagged[selected[0] if selected else 0])


def _refusal_row(run: StressRun, variant: Variant) -> dict[str, str]:
    return {"pair": _pair_title(run, variant), "why not": split_refusal(variant.error)[0]}


def _raw_answer(run: StressRun, variant: Variant) -> None:
    _, answer = split_refusal(variant.error)
    if answer:
        st.text(f"{_pair_title(run, variant)}: what the model answered")
        st.code(answer, language=None, wrap_lines=True)


def _pair_title(run: StressRun, variant: Variant) -> str:
    return run.sources[variant.source].title or variant.source


_CONTRADICTS, _HARMLESS, _UNCHECKED = "contradicts", "does not contradict", "not checked"


def cell_pairs(row: RunRow, run: StressRun, cell: MatrixCell, shifts: Sequence[Shift], kind_verdict: str) -> None:
    """Show the verdicts on the kind of edits and the cell, and its pairs, the largest shifts first; a selected one whole."""
    import pandas as pd

    st.subheader(escape_markdown(f"{metric_title(cell.metric)} · {kind_title(cell.kind)}"))
    if kind_verdict:
        st.write(f"**{escape_markdown(kind_verdict)}**")
    st.write(escape_markdown(describe_cell(cell)))
    if cell.edge is not None:
        kind_strips([cell], key="stress-cell-strip")
    of_cell = [shift for shift in shifts if (shift.metric, shift.kind) == (cell.metric, cell.kind)]
    pairs = _filter_pairs(run, cell, sorted(of_cell, key=lambda shift: -abs(shift.size or 0.0)))
    lines = []
    for shift in pairs:
        key = (shift.source, shift.kind)
        opinion, check = run.opinions.get(key), run.checks.get(key)
        kinds = {"the summary": "", "the variant": shift.kind}
        errors = {text: run.readings[shift.source, kind, shift.metric].error for text, kind in kinds.items()}
        reasons = " ".join(f"Of {text}: {error}" for text, error in errors.items() if error)
        lines.append(
            {
                "pair": run.sources[shift.source].title or shift.source,
                "before": shift.before,
                "after": shift.after,
                "shift": shift.size,
                "words changed": shift.words,
                "remarks": "; ".join(run.variants[key].remarks) or None,
                "NLI check": _check_verdict(check) if check else None,
                "p of contradiction": check.mark.probability if check and check.mark else None,
                "meaning": opinion.meaning.value if opinion else None,
                "why no score": reasons or None,
            }
        )
    event = st.dataframe(
        pd.DataFrame(lines).dropna(axis="columns", how="all"),
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
    selected = pairs[rows[0] if rows else 0]
    source, variant = run.sources[selected.source], run.variants[selected.source, selected.kind]
    variant_view(row, run, source, variant)
    bisect_view(run, source, variant)
    refused_pairs(run, cell.kind)


def _filter_pairs(run: StressRun, cell: MatrixCell, pairs: Sequence[Shift]) -> Sequence[Shift]:
    """The pairs with every chosen remark; all of them where no pair has them all."""
    remarks = {}
    for key in ((shift.source, shift.kind) for shift in pairs):
        check = run.checks.get(key)
        remarks[key] = [*run.variants[key].remarks, *([_check_verdict(check)] if check else [])]
    totals = Counter(remark for of_pair in remarks.values() for remark in of_pair)
    counts = {remark: count for remark, count in totals.items() if count < len(pairs)}
    if not counts:
        return pairs
    selected = st.pills(
        "Show only",
        list(counts),
        selection_mode="multi",
        key=f"stress-only-{cell.kind}",
        format_func=lambda remark: f"{remark} ({counts[remark]})",
        wrap=True,
    )
    matching = [shift for shift in pairs if set(selected) <= set(remarks[shift.source, shift.kind])]
    if not matching:
        st.caption("No pair matches all of these; every pair is shown.")
    return matching or pairs


def _check_verdict(check: Check) -> str:
    if check.mark is None:
        return _UNCHECKED
    return _CONTRADICTS if check.mark.contradicts else _HARMLESS
