"""A bulk run: how far its folder of results is while it grows, and its results as a dataset with scores."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator
from functools import partial
from pathlib import Path
from shlex import quote

import streamlit as st

from annotations.exchange.samples import save_scores
from annotations.store.dataset_import import DatasetSource
from core.base import BackgroundTask
from core.data import ImportCounts, source_sha256, strict_items
from core.errors import Problem, attempt
from core.results import (
    RECENT_S,
    MetricProgress,
    StoredResults,
    StoredResultsImporter,
    count_failures,
    format_duration,
    open_stored_results,
    stored_results_in,
)
from pages.server import services
from pages.server.jobs import BackgroundJob
from pages.ui.evaluate.dataset_choice import EvaluateState, evaluate_state
from pages.ui.shared.background_results import polled, redraw
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import error_as_notice
from pages.ui.shared.session_user import job_person, user_name

_LOOK_S = 3.0
_FILES_PER_LOOK = 50  # of results, whose failures are counted: a run of years may have a million
_MAX_PAIRS = 100_000  # of a dataset that a page works on: all of its samples are in memory


def bulk_results() -> None:
    """Choose a folder of results; see how far it is, and open it."""
    settings = services.settings()
    folder = ""
    if root := settings.results_dir:
        names = stored_results_in(str(root))
        if names:
            name = st.selectbox(
                "Bulk run",
                names,
                index=None,
                key=EvaluateState.bulk_run.key,
                placeholder="Choose one",
                help=f"The results in {escape_markdown(str(root))}, which TOUCHSTONE_RESULTS_DIR names",
            )
            folder = str(root / name) if name in names else ""
        else:
            st.caption(
                escape_markdown(f"{root} has no results yet. Make some: cli.py score BLOCKS --to {root / 'NAME'}")
            )
    elif settings.has_guests:  # whoever reaches a shared server is not whoever may read its disk
        st.caption(
            "People share this server, so that no folder of it can be named here. Whoever runs it sets "
            "`TOUCHSTONE_RESULTS_DIR` to the folder whose bulk runs all researchers may see."
        )
    else:
        folder = st.text_input(
            "Folder of results on this machine",
            key=EvaluateState.bulk_folder.key,
            placeholder="/data/results",
            help="What cli.py score BLOCKS --to RESULTS writes. Press Enter to read it. One at a URL: cli.py study measures --results URL",
        ).strip()
        if "://" in folder:
            st.error(
                escape_markdown(
                    f"{folder} is a URL, and the page reads folders of this machine. Use cli.py study measures --results."
                ),
                icon=":material/folder_off:",
            )
            return
    if not folder:
        return
    stored = attempt(partial(open_stored_results, folder))
    if isinstance(stored, Problem):
        st.error(escape_message(stored.error), icon=":material/folder_off:")
        return
    _run_progress(folder)
    _open_as_dataset(stored)
    if evaluate_state().bulk_import:
        _import_progress()


@polled(_LOOK_S)
def _run_progress(folder: str) -> None:
    progress = attempt(lambda: open_stored_results(folder).progress(time.time()))
    if isinstance(progress, Problem):  # it was there when the page was drawn
        st.error(escape_message(progress.error), icon=":material/folder_off:")
        return
    for metric in progress:
        counted = _failures_by_block(metric.folder.path)
        for block in [name for name in metric.done if name not in counted][:_FILES_PER_LOOK]:
            counted[block] = count_failures(metric.folder, block)
        st.progress(min(1.0, len(metric.done) / metric.blocks), escape_markdown(format_progress(metric, counted)))


@st.cache_resource(max_entries=32, show_spinner=False)
def _failures_by_block(path: str) -> dict[str, Counter[str]]:  # noqa: ARG001  # each folder has its own
    """Counted failures of the files of a folder, which are written once."""
    return {}


def format_progress(progress: MetricProgress, counted: dict[str, Counter[str]]) -> str:
    """As: rouge2: 412 of 5,000 blocks, 3.1 a minute, about 1 d 0 h left; failed: input 12."""
    done = f"{progress.metric}: {len(progress.done):,} of {progress.blocks:,} blocks"
    if len(progress.done) < progress.blocks:
        seconds = progress.seconds_left
        pace = (
            f"{60 * progress.rate:.3g} a minute, about {format_duration(seconds)} left" if seconds is not None else ""
        )
        done = f"{done}, {pace or f'none in the last {RECENT_S / 60:.0f} minutes'}"
    failed = sum(counted.values(), Counter[str]())
    if not failed:
        return done
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in failed.most_common())
    among = "" if len(counted) == len(progress.done) else f" in {len(counted):,} blocks"
    return f"{done}; failed{among}: {kinds}"


def _open_as_dataset(stored: StoredResults) -> None:
    if stored.manifest.pairs > _MAX_PAIRS:
        results = quote(stored.results.path)
        st.caption(
            f"{stored.manifest.pairs:,} pairs are more than the {_MAX_PAIRS:,} that a page can work on. "
            "In the terminal, which keeps the labelled ones only:"
        )
        st.code(f"python cli.py study measures --results {results}", language="bash")
        st.caption("How many of all pairs are wrong, from a file of few labels:")
        st.code(f"python cli.py study prevalence --results {results} --labels LABELS.jsonl", language="bash")
        return
    now = evaluate_state().bulk_import
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name of the dataset",
            Path(stored.results.path).name,
            key=EvaluateState.bulk_name.of(stored.results.path).key,
            width=260,
        )
        # no callback: it would be called with the name of the run before
        pressed = st.button(
            f"Open as a dataset ({stored.manifest.pairs:,} pairs)",
            icon=":material/database:",
            key="bulk-open",
            disabled=bool(now and now.running),
        )
    if pressed:
        store, by, place = services.store(), user_name(), Path(stored.results.path)

        def work() -> Generator[int]:
            """Import the pairs of the folder and then its scores; how many were saved, write by write."""
            reader, tally = StoredResultsImporter(), ImportCounts()
            origin = DatasetSource(
                name, reader.name, place.name, source_sha256(place), reader.licence, reader.release, by
            )
            store.import_dataset(origin, strict_items(reader.read(place), tally), tally.counts)
            outcomes = (outcome for _, block in open_stored_results(stored.results.path) for outcome in block)
            yield from (saved.total for saved in save_scores(store, name, outcomes))

        with error_as_notice():
            job = BackgroundJob(f"import {name}", "import", name, "evaluate", {"tab": "Data"}, {}, job_person())
            evaluate_state().bulk_import = services.jobs().start(
                job, partial(BackgroundTask, work, stored.manifest.pairs, unit="scores saved"), by=by
            )
            evaluate_state().bulk_dataset = name
        st.rerun()


@polled(1.0)
def _import_progress() -> None:
    """Show how many scores are saved; at the end the page is drawn again once, with the dataset chosen."""
    state = evaluate_state()
    now = state.bulk_import
    if now is None:
        return
    if now.error:
        st.error(escape_message(now.error), icon=":material/error:")
        return
    saved = f"{sum(now.results):,} scores saved"
    if now.running:
        st.caption(f":material/hourglass_empty: {saved}")
        return
    if state.finished_bulk_import is not now:
        state.finished_bulk_import, state.new_dataset = now, state.bulk_dataset
        redraw()
    st.success(escape_markdown(f"{state.bulk_dataset}: {saved}. It is chosen under Datasets."))
