"""The data behind the tables: what was imported, how to import more, and how to score it with our metrics."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pandas as pd
import streamlit as st

from annotations.imported_datasets import FileRow
from annotations.records import CAMPAIGN_PREFIX
from annotations.samples import format_description, load_description, load_texts
from annotations.store import Store
from core.dataset import format_counts
from core.engine.engine import Engine
from core.errors import TouchstoneError
from core.metric import METRICS, Metric
from core.metric_catalog import default_metrics
from core.types import Failure
from pages.ui import services
from pages.ui.markup import escape_markdown

_SCORES_PER_WRITE = 200
_LOOK_S = 1.0


@dataclass(eq=False)
class DatasetScoring:
    """A dataset being scored in a thread: how far it is, and what went wrong."""

    dataset: str
    done: int = 0
    failed: int = 0
    running: bool = True
    trouble: str = ""

    def begin(self, store: Store, engine: Engine, metrics: Sequence[Metric]) -> None:
        threading.Thread(target=self._run, args=(store, engine, metrics), daemon=True).start()

    def _run(self, store: Store, engine: Engine, metrics: Sequence[Metric]) -> None:
        try:
            for _ in self._kept(store, engine, metrics):
                pass
        except TouchstoneError as error:
            self.trouble = str(error)
        finally:
            self.running = False

    def _kept(self, store: Store, engine: Engine, metrics: Sequence[Metric]) -> Iterator[None]:
        found = engine.run(metrics, load_texts(store, self.dataset))
        while outcomes := [outcome for _, outcome in islice(found, _SCORES_PER_WRITE)]:
            store.keep_outcomes(outcomes)
            self.done += len(outcomes)
            self.failed += sum(isinstance(outcome, Failure) for outcome in outcomes)
            yield


@st.cache_resource(show_spinner=False)
def dataset_scorings() -> dict[str, DatasetScoring]:
    """The last scoring of each dataset, whoever began it."""
    return {}


def provenance_tables(datasets: Sequence[str]) -> None:
    """The files of the chosen datasets, with licence, fingerprint and counts."""
    for row in services.store().datasets():
        if row.name in datasets:
            st.subheader(escape_markdown(f"{row.name}: {row.samples} samples"))
            st.dataframe(
                pd.DataFrame([_file_row(file) for file in row.files]),
                hide_index=True,
                alt="Imported files",
                placeholder="",
                column_config={"imported": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
            )


def label_provenance(datasets: Sequence[str]) -> None:
    """How the labels of the chosen campaigns came about."""
    for name in datasets:
        if name.startswith(CAMPAIGN_PREFIX):
            st.subheader(escape_markdown(name))
            st.write(escape_markdown(" ".join(format_description(load_description(services.store(), name)))))


def score_form(datasets: Sequence[str]) -> None:
    """Choose metrics and score a dataset with them, in the background."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = st.selectbox("Score", list(datasets), key="evaluate-score-dataset", width=260)
        specs = st.multiselect(
            "with our metrics",
            [plugin.name for plugin in METRICS],
            default=[line.name for line in default_metrics(services.engine().pool) if not line.checkpoints],
            key="evaluate-score-metrics",
            accept_new_options=True,
        )
        now = dataset_scorings().get(dataset)
        # no callback: it would be called with the choices of the run before, when somebody chooses and presses quickly
        pressed = st.button(
            "Score",
            icon=":material/play_arrow:",
            key="evaluate-score",
            disabled=services.settings().demo or not specs or bool(now and now.running),
        )
    if pressed:
        start_scoring(dataset, specs)
        st.rerun()
    show_scoring(dataset)


def show_scoring(dataset: str) -> None:
    """How far the scoring of a dataset is."""
    if now := dataset_scorings().get(dataset):
        _scoring_progress(now)


def _file_row(file: FileRow) -> dict[str, object]:
    return {
        "file": file.file,
        "read as": file.importer,
        "licence": file.licence,
        "release": file.release,
        "imported": file.created_at,
        "by": file.by,
        "SHA-256": file.sha256,
        "held": "; ".join(" ".join(line.split()) for line in format_counts(file.counts)),
    }


@st.fragment(run_every=_LOOK_S)
def _scoring_progress(now: DatasetScoring) -> None:
    told = f"{now.done} scores kept, {now.failed} of them failures with their reason"
    if now.running:
        st.caption(f":material/hourglass_empty: {told}")
        return
    if now.trouble:
        st.error(escape_markdown(now.trouble), icon=":material/error:")
    key = f"seen-{id(now)}"
    if now.done and not st.session_state.get(key):
        st.session_state[key] = True
        st.rerun()
    st.caption(told)


def start_scoring(dataset: str, specs: Sequence[str]) -> None:
    """Begin to score a dataset in the background."""
    try:
        metrics = [METRICS.parse(spec) for spec in specs]
    except TouchstoneError as error:
        st.session_state["notice"] = str(error)
        return
    dataset_scorings()[dataset] = DatasetScoring(dataset)
    dataset_scorings()[dataset].begin(services.store(), services.engine(), metrics)
