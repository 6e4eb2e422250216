"""What is evaluated: datasets, slices and metrics; the address names datasets and slices, so that a link shows the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

import numpy as np
import streamlit as st

from annotations.records import OWN
from annotations.sources import campaigns, samples
from core.meta.cases import Cases, of_metrics
from core.meta.figures import affordable
from core.meta.pooling import pooled
from core.meta.slices import FIELDS, Slice, slices
from core.stats.resampling import RESAMPLES
from pages.ui import services
from pages.ui.evaluate.work import result_of
from pages.ui.plain import plain

_BY = {
    "error_type": "error type",
    "required_type": "required type",
    "category": "category",
    "domain": "domain",
    "system": "system",
    "split": "split",
    "dataset": "dataset",
}
_COUNTED = ("sample", "score", "label", "origin", "response", "settlement", "explanationjudgement")


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What the page shows; `key` tells it from any other choice and any other state of the database."""

    datasets: tuple[str, ...]
    by: str | None
    cases: Cases
    parts: tuple[Slice, ...]
    key: tuple[object, ...]
    resamples: int

    @property
    def command(self) -> str:
        """What gives the same table in the terminal."""
        named = [*(f"--dataset {quote(name)}" for name in self.datasets), *([f"--by {self.by}"] if self.by else [])]
        metrics = [f"--metric {quote(column.name)}" for column in self.cases.columns]
        fewer = [] if self.resamples == RESAMPLES else [f"--resamples {self.resamples}"]
        return " ".join(["python cli.py meta", *named, *metrics, *fewer, "--full"])


def known_datasets() -> list[str]:
    """What was imported, the campaigns that have labels, and what was kept and labelled outside of them."""
    store = services.store()
    counts = store.counts()
    own = [OWN] if counts["origin"] or counts["label"] else []
    return store.dataset_names() + campaigns(store) + own


def choose(known: Sequence[str]) -> Chosen | None:
    """The bar of choices; None while the samples are read or where nothing is chosen."""
    names = _datasets(known)
    if not names:
        return None
    found = read_cases(names)
    if found is None:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = _slices(found)
        metrics = _metrics(found)
    if found.warnings:
        st.warning("\n\n".join(map(plain, found.warnings)), icon=":material/balance:")
    if found.columns and not metrics:
        st.info("Choose at least one metric.")
        return None
    kept = of_metrics(found, metrics)
    return Chosen(names, by, kept, tuple(slices(kept, by)), (names, _state(), by, metrics), affordable(kept))


def read_cases(names: tuple[str, ...]) -> Cases | None:
    """The samples of datasets with all their scores; None while they are read."""
    store = services.store()
    return result_of(
        "Reading the samples…", ("cases", names, _state()), lambda: pooled([samples(store, name) for name in names])
    )


def _state() -> tuple[int, ...]:
    """What tells two states of the database apart, as rows only grow."""
    counts = services.store().counts()
    return tuple(counts[table] for table in _COUNTED)


def _datasets(known: Sequence[str]) -> tuple[str, ...]:
    state, query = st.session_state, st.query_params
    if "evaluate-datasets" not in state:
        asked = [name for name in query.get_all("dataset") if name in known]
        state["evaluate-datasets"] = asked or list(known[:1])
    new = [name for name in [state.pop("evaluate-add", "")] if name not in state["evaluate-datasets"]]
    if new and new[0] in known:
        state["evaluate-datasets"] = new
    state["evaluate-datasets"] = [name for name in state["evaluate-datasets"] if name in known]
    names = st.multiselect("Datasets", known, key="evaluate-datasets", placeholder="Choose a dataset")
    query["dataset"] = names
    return tuple(names)


def _slices(cases: Cases) -> str | None:
    """The fields that tell at least two samples apart, or none."""
    fields = [by for by in FIELDS if len({FIELDS[by](sample) for sample in cases.samples}) > 1]
    asked = st.query_params.get("by", next(iter(fields), None))
    if st.session_state.setdefault("evaluate-by", asked) not in fields:
        st.session_state["evaluate-by"] = None
    by = st.selectbox(
        "Slices",
        fields,
        key="evaluate-by",
        index=None,
        format_func=lambda by: f"by {_BY[by]}",
        placeholder="Overall only",
        width=220,
    )
    st.query_params["by"] = by or ""
    return by


def _metrics(cases: Cases) -> tuple[str, ...]:
    names = [column.name for column in cases.columns]
    key = f"evaluate-metrics-{hash(tuple(names))}"
    n = {column.name: int(np.sum(~np.isnan(column.values))) for column in cases.columns}
    return tuple(
        st.multiselect(
            "Metrics",
            names,
            default=names,
            key=key,
            format_func=lambda name: f"{name} ({n[name]})",
            help="In brackets: summaries with a score. Released scores have the name of their authors, ours that of the command line.",
        )
    )
