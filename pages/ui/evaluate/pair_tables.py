"""The pairs and summaries behind a cell, and the verdict of every metric on every pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from core.evaluation import MOVE_WORDS, Cell, Report, few_documents, format_value
from core.results import SIGNED_MEASURES, measure_format, pairs_in_slice
from core.scoring import metric_title
from core.stats import MetricStatistic, pairs_still_needed
from core.text import as_segments, recover
from core.types import Sample
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.shared.markup import MOVE_STYLES, diff_html, escape_markdown
from pages.ui.shared.session_state import page_state

_MAX_PAIRS = 500
_Pair = tuple[str, str]


@dataclass(eq=False)
class SelectedPair:
    """The pair that is selected in any table of the page, by the ids of its sides; `table` is where, and `followed` what each other table took over."""

    pair: _Pair | None = None
    table: str = ""
    number: int = 0
    followed: dict[str, tuple[int, _Pair | None]] = field(default_factory=dict)


def _pair_table(frame: Any, pairs: Sequence[_Pair], table: str, key: str, **options: Any) -> int | None:
    """Draw a table with a pair in each row; the row of the pair that is selected here or in another table of the page."""
    state = page_state(SelectedPair)
    if state.table != table:
        state.followed[table] = (state.number, state.pair)
    number, taken = state.followed.get(table, (0, None))
    event = st.dataframe(
        frame,
        key=f"{key}-{number}",  # a selection from elsewhere is the first one of a new table
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [pairs.index(taken)]}} if taken in pairs else None,
        hide_index=True,
        placeholder="",
        **options,
    )
    rows = event["selection"]["rows"]
    pair = pairs[rows[0]] if rows and rows[0] < len(pairs) else None
    if pair and pair != state.pair:
        state.pair, state.table, state.number = pair, table, state.number + 1
        st.rerun()
    return pairs.index(pair) if pair else None


PROBE_LINK_COLUMN = st.column_config.LinkColumn("", display_text="Probe", width="small")
_PAIR_COLUMNS = {"": PROBE_LINK_COLUMN, "summary": st.column_config.TextColumn(width="large")}


def cell_pairs(choice: EvaluationChoice, cell: Mapping[str, Cell]) -> None:
    """A cell of the measures in words, the list of its pairs, and the selected pair as a diff; `cell` is the row selected."""
    import pandas as pd

    part = next(part for part in choice.parts if part.name == cell["slice"])
    column = next(column for column in choice.cases.all_columns if column.name == cell["metric"])
    st.subheader(escape_markdown(f"{metric_title(column.name)} · {part.name}"))
    name = str(cell["selected"])
    figure = cell[name]
    if isinstance(figure, MetricStatistic):
        st.write(escape_markdown(_describe_cell(figure, name, cell["failed"])))
    if not part.pairs.any():
        cases = choice.cases
        scored = np.flatnonzero(part.summaries & ~np.isnan(column.values)).tolist()
        lines = [
            {
                "": probe_link(cases.samples[place]),
                "label": cases.samples[place].item.intended,
                column.name: column.values[place],
                "error type": cases.samples[place].item.error_type or ", ".join(cases.samples[place].item.categories),
                "dataset": cases.samples[place].dataset,
                "summary": cases.samples[place].item.example.summary,
            }
            for place in scored[:_MAX_PAIRS]
        ]
        st.dataframe(
            pd.DataFrame(lines), hide_index=True, alt="The summaries of this cell", column_config=_PAIR_COLUMNS
        )
        return
    places = choice.cases.pairs[part.pairs]
    gains = pairs_in_slice(choice.cases, part, column).gains
    order = [place for place in np.argsort(gains) if not np.isnan(gains[place])][:_MAX_PAIRS]
    lines = []
    for good, bad in (places[place] for place in order):
        faithful, broken = choice.cases.samples[good], choice.cases.samples[bad]
        lines.append(
            {
                "": probe_link(faithful, broken),
                "faithful": column.values[good],
                "broken": column.values[bad],
                "shift": column.values[bad] - column.values[good],
                "error type": broken.item.error_type,
                "dataset": broken.dataset,
                "summary": broken.item.example.summary,
            }
        )
    rows = [places[place] for place in order]
    sides = [(choice.cases.samples[good], choice.cases.samples[bad]) for good, bad in rows]
    selected = _pair_table(
        pd.DataFrame(lines),
        [_ids(good, bad) for good, bad in sides],
        "cell",
        f"evaluate-pairs-{hash((choice.key, part.name, column.name))}",
        height=min(38 + 35 * len(lines), 320),
        alt="The pairs of this cell, those that the metric got most wrong first",
        column_config=_PAIR_COLUMNS,
    )
    if selected is not None:
        show_pair(*sides[selected])


def _ids(good: Sample, bad: Sample) -> _Pair:
    return f"{good.dataset}/{good.item.example.id}", f"{bad.dataset}/{bad.item.example.id}"


def show_pair(good: Sample, bad: Sample) -> None:
    """The inconsistent summary as a diff from the consistent one, with its title, domain, error type and explanations."""
    before, after = good.item.example.summary, bad.item.example.summary
    if before and after:
        st.html(diff_html(as_segments(before, recover(before, after))))
    facts = [bad.item.title, bad.item.domain, bad.item.error_type, *(edit.explanation for edit in bad.item.edits)]
    st.caption(escape_markdown(" · ".join(dict.fromkeys(str(fact) for fact in facts if fact))))


def probe_link(sample: Sample, other: Sample | None = None) -> str | None:
    """Address that opens a stored pair, named by its edited summary."""
    edited = other if other and other.item.parent else sample
    return f"/?example={edited.stored}" if edited.stored else None


def _describe_cell(figure: MetricStatistic, name: str, failed: Cell) -> str:
    """The figure with its interval, how it compares with the best, and what would make it surer."""
    signed = name in SIGNED_MEASURES
    more = None if signed else pairs_still_needed(figure.estimate)
    parts = [
        f"{format_value(figure.estimate, measure_format(name))}{'' if signed else ' %'}",
        f"{failed} without a score" if failed else "",
        "the best of its slice" if figure.best else "",
        *(f"{test}: p = {p:.3f}, by Holm" for test, p in figure.tests.items() if p is not None and not figure.best),
        "not tested against the best" if figure.untested else "",
        few_documents([figure]),
        f"about {more} more cases like these would bring the interval to ± 5 points" if more else "",
    ]
    error = f" {figure.estimate.error}" if figure.estimate.error else ""
    return f"{'; '.join(filter(None, parts))}.{error}"


_VERDICT_SIGNS: Mapping[Cell, str] = {"right": "✓ right", "wrong": "✗ wrong", "noise": "≈ noise", None: "–"}
_VERDICT_COLOURS = {_VERDICT_SIGNS[MOVE_WORDS[move]]: style for move, style in MOVE_STYLES.items()}
_MAX_VERDICTS = 1000


def verdict_table(choice: EvaluationChoice, report: Report) -> None:
    """The verdicts on pairs in colours, with links to Probe; a selected pair is shown whole."""
    import pandas as pd

    rows = list(report.table("pairs").records())
    if not rows:
        st.info("No pair is like that.")
        return
    samples = {(sample.dataset, sample.item.example.id): sample for sample in choice.cases.samples}
    sides = [
        (samples[str(row["dataset"]), str(row["faithful"])], samples[str(row["dataset"]), str(row["broken"])])
        for row in rows[:_MAX_VERDICTS]
    ]
    metrics = [column.name for column in choice.cases.columns]
    lines = [
        {
            "": probe_link(good, bad),
            "pair": row["broken"],
            "error type": row["error_type"],
            **{name: _VERDICT_SIGNS[row[name]] for name in metrics},
        }
        for row, (good, bad) in zip(rows, sides, strict=False)
    ]
    selected = _pair_table(
        pd.DataFrame(lines).style.map(lambda text: _VERDICT_COLOURS.get(text, ""), subset=metrics),
        [_ids(good, bad) for good, bad in sides[: len(lines)]],
        "verdicts",
        f"evaluate-grid-{report.settings['pairs']}-{hash(choice.key)}",
        height=min(38 + 35 * len(lines), 460),
        alt="Which way each metric moved on each pair",
        column_config={
            "": PROBE_LINK_COLUMN,
            **{name: st.column_config.TextColumn(metric_title(name)) for name in metrics},
        },
    )
    first = f"The first {len(lines)} of {len(rows)} pairs. " if len(rows) > len(lines) else ""
    st.caption(f"{first}Select a row to see its pair.")
    if selected is not None:
        show_pair(*sides[selected])
