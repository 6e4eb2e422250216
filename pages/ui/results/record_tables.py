"""Records on Home: what was kept and labelled here with its export, and the bundled examples with the scores that come with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import fsum
from typing import TYPE_CHECKING

import streamlit as st

from annotations.exchange.export import EXPORT_COLUMNS, ExportRow, all_rows, to_csv, to_jsonl
from annotations.store.records import SavedRow
from core.models import COST_COLUMNS, CostRow, cost_records, format_money
from core.results import OFFLINE_METRICS, bundled_samples
from core.stats import format_count
from core.text import BYTE_ORDER_MARK, records_csv
from pages.server import services
from pages.ui.results.copy_popover import copy_table

if TYPE_CHECKING:
    import pandas as pd

_LINK = st.column_config.LinkColumn("", display_text="Open in Probe")


_OPENED = "open"  # in the address: a link opens the records
_MOST_ROWS = 500


def records() -> None:
    """Everything that was kept and labelled outside of campaigns, folded in until somebody wants it."""
    opened = st.query_params.get(_OPENED) == "records"
    with st.expander(
        "Records: every kept pair and label, with its export",
        expanded=opened,
        icon=":material/inventory_2:",
        key=f"records-{opened}",
        on_change="rerun",
    ) as box:
        if box.open:
            _open_records()


def _open_records() -> None:
    store, costs = services.store(), services.engine().costs()
    counts = store.counts("origin", "label", "explanationjudgement")
    if not counts["origin"] and not counts["label"]:
        st.info(
            "Nothing was kept yet. On Probe, press Keep pair, or save a label in the Record tab.",
            icon=":material/inventory_2:",
        )
        cost_table(costs)
        bundled_table()
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        for what, table in (
            ("Pairs", "origin"),
            ("Labels on Probe", "label"),
            ("Explanations judged", "explanationjudgement"),
        ):
            st.metric(what, counts[table], border=True, width=170)
        st.space("stretch")
        st.download_button("Export JSONL", exported_jsonl, "touchstone.jsonl", on_click="ignore")
        st.download_button("Export CSV", exported_csv, "touchstone.csv", on_click="ignore")
    saved_table(store.saved(_MOST_ROWS))
    cost_table(costs)


def saved_table(saved: Sequence[SavedRow]) -> None:
    """One row per kept pair and label, newest first, with a link that opens it in Probe."""
    import pandas as pd

    frame = pd.DataFrame(
        {
            "open": [f"/?example={row.item_id}" for row in saved],
            "when": [row.created_at for row in saved],
            "what": [row.kind for row in saved],
            "by": [row.by for row in saved],
            "verdict": [row.verdict or "" for row in saved],
            "error type": [row.error_type or "" for row in saved],
            "confidence": [row.confidence for row in saved],
            "revision": [row.revision for row in saved],
            "title": [row.title for row in saved],
            "summary": [row.text for row in saved],
            "note": [row.note for row in saved],
        }
    )
    filled = frame.replace("", None).dropna(axis="columns", how="all")
    st.dataframe(
        filled,
        hide_index=True,
        height="auto",
        alt="Kept pairs and labels, newest first",
        placeholder="",
        column_config={
            "open": _LINK,
            "when": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
            "summary": st.column_config.TextColumn(width="large"),
        },
    )
    copy_table("Kept pairs and labels", filled.drop(columns="open"), "records")


def exported_jsonl() -> str:
    """All that is kept and what endpoints were paid, as lines of JSON."""
    return "".join(to_jsonl(_exported_rows()))


def exported_csv() -> str:
    """The same as a table."""
    return "".join([BYTE_ORDER_MARK, *to_csv(_exported_rows(), (*EXPORT_COLUMNS, *COST_COLUMNS[1:]))])


def _exported_rows() -> Iterator[ExportRow]:
    yield from all_rows(services.store())
    yield from cost_records(services.engine().costs())


def cost_table(costs: Sequence[CostRow]) -> None:
    """Show what was paid for each prompt of each run, the newest run first; nothing where no endpoint was asked."""
    import pandas as pd

    if not costs:
        return
    st.subheader("What language models cost")
    total = fsum(row.money or 0.0 for row in costs)
    unpriced = sum(row.money is None for row in costs)
    unknown = f", without {format_count(unpriced, 'row')} whose price is not set" if unpriced else ""
    runs = len({row.run for row in costs})
    st.caption(
        f"By run and prompt, in the currency of the prices; {format_money(total)} in {runs} run(s){unknown}. Answers from the cache "
        "cost nothing and are not counted. The exports have these rows."
    )
    frame = pd.DataFrame([asdict(row) for row in costs])
    st.dataframe(
        frame,
        hide_index=True,
        height="auto",
        alt="What language models cost, by run and prompt",
        placeholder="not set",
        column_config={
            "read": st.column_config.NumberColumn("tokens read", format="localized"),
            "written": st.column_config.NumberColumn("tokens written", format="localized"),
            "money": st.column_config.NumberColumn(format="%.4f"),
        },
    )
    copy_table("What language models cost", frame, "costs")


def bundled_table() -> None:
    """One row per bundled summary as it would be kept, with a link that opens it in Probe and a column per metric."""
    frame = _bundled_frame()
    st.subheader("Bundled examples (precomputed)")
    st.caption(
        "They come with Touchstone: each summary with its variants, what they were made to be, and the scores of metrics "
        "that need no download. They are not in the database, and no export of records has them."
    )
    st.dataframe(
        frame,
        hide_index=True,
        height=420,
        alt="Bundled examples with precomputed scores",
        placeholder="–",
        column_config={
            "open": _LINK,
            "summary": st.column_config.TextColumn(width="medium"),
            **{name: st.column_config.NumberColumn(format="%.3f") for name in OFFLINE_METRICS},
        },
    )
    st.download_button(
        "Download them as CSV",
        lambda: BYTE_ORDER_MARK + records_csv(frame.to_dict("records")),
        "bundled-examples.csv",
        on_click="ignore",
    )


@st.cache_data(show_spinner=False)
def _bundled_frame() -> pd.DataFrame:
    import pandas as pd

    samples = bundled_samples()
    scores = [{score.metric: score.value for score in sample.kept} for sample in samples]
    return pd.DataFrame(
        {
            "open": [f"/?example={sample.stored}" for sample in samples],
            "by": "bundled",
            "intended": [sample.item.intended or "" for sample in samples],
            "error type": [sample.item.error_type or "" for sample in samples],
            "title": [sample.item.title for sample in samples],
            "summary": [sample.item.example.summary for sample in samples],
            **{name: [of.get(name) for of in scores] for name in OFFLINE_METRICS},
        }
    )
