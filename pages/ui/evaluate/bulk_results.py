"""A bulk run: how far its folder of results is while it grows, and its results as a dataset with scores."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator
from functools import partial
from pathlib import Path

import streamlit as st

from annotations.dataset_import import DatasetSource
from annotations.samples import save_scores
from annotations.store import Store
from core.background import BackgroundTask
from core.bulk.results import (
    RECENT_S,
    MetricProgress,
    StoredResults,
    StoredResultsImporter,
    count_failures,
    open_stored_results,
)
from core.bulk.run import format_duration
from core.dataset import ImportCounts, source_sha256, strict_items
from core.errors import Problem, TouchstoneError, attempt
from pages.ui import services
from pages.ui.evaluate.dataset_choice import EvaluateState, evaluate_state
from pages.ui.markup import escape_markdown
from pages.ui.session_user import user_name

_LOOK_S = 3.0
_FILES_PER_LOOK = 50  # of results, whose failures are counted: a run of years may have a million


def bulk_results() -> None:
    """Name a folder of results; see how far it is, and open it."""
    typed = st.text_input(
        "Folder of results on this machine",
        key=EvaluateState.bulk_folder.key,
        placeholder="/data/results",
        help="What cli.py score BLOCKS --to RESULTS writes. Press Enter to read it. One at a URL: cli.py meta --results URL",
    ).strip()
    if not typed:
        return
    found = attempt(partial(_open_results, typed))
    if isinstance(found, Problem):
        st.error(escape_markdown(found.message), icon=":material/folder_off:")
        return
    _run_progress(typed)
    _open_as_dataset(found)
    if evaluate_state().bulk_import:
        _import_progress()


def _open_results(folder: str) -> StoredResults:
    if "://" in folder:  # the page would ask any host for whoever types its name
        raise TouchstoneError(
            f"{folder} is a URL, and the page reads folders of this machine. Use cli.py meta --results."
        )
    return open_stored_results(folder)


@st.fragment(run_every=_LOOK_S)
def _run_progress(folder: str) -> None:
    for one in _open_results(folder).progress(time.time()):
        counted = _failures_by_block(one.folder.path)
        for block in [name for name in one.done if name not in counted][:_FILES_PER_LOOK]:
            counted[block] = count_failures(one.folder, block)
        st.progress(min(1.0, len(one.done) / one.blocks), escape_markdown(format_progress(one, counted)))


@st.cache_resource(max_entries=32, show_spinner=False)
def _failures_by_block(path: str) -> dict[str, Counter[str]]:  # noqa: ARG001  # each folder has its own
    """What was counted of the files of a folder, which are written once."""
    return {}


def format_progress(one: MetricProgress, counted: dict[str, Counter[str]]) -> str:
    """As: rouge2: 412 of 5,000 blocks, 3.1 a minute, about 1 d 0 h left; failed: input 12."""
    done = f"{one.metric}: {len(one.done):,} of {one.blocks:,} blocks"
    if len(one.done) < one.blocks:
        left = one.seconds_left
        pace = f"{60 * one.rate:.3g} a minute, about {format_duration(left)} left" if left is not None else ""
        done = f"{done}, {pace or f'none in the last {RECENT_S / 60:.0f} minutes'}"
    failed = sum(counted.values(), Counter[str]())
    if not failed:
        return done
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in failed.most_common())
    among = "" if len(counted) == len(one.done) else f" in {len(counted):,} blocks"
    return f"{done}; failed{among}: {kinds}"


def _open_as_dataset(found: StoredResults) -> None:
    now = evaluate_state().bulk_import
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name of the dataset",
            Path(found.results.path).name,
            key=EvaluateState.bulk_name.of(found.results.path).key,
            width=260,
        )
        # no callback: it would be called with the name of the run before
        pressed = st.button(
            f"Open as a dataset ({found.manifest.pairs:,} pairs)",
            icon=":material/database:",
            key="bulk-open",
            disabled=bool(now and now.running),
        )
    if pressed:
        work = partial(_import_results, services.store(), found.results.path, name, user_name())
        evaluate_state().bulk_import, evaluate_state().bulk_dataset = BackgroundTask(work), name
        st.rerun()


def _import_results(store: Store, folder: str, name: str, by: str) -> Generator[int]:
    """Import the pairs of a folder and then its scores; how many were saved, write by write."""
    reader, place, tally = StoredResultsImporter(), Path(folder), ImportCounts()
    origin = DatasetSource(name, reader.name, place.name, source_sha256(place), reader.licence, reader.release, by)
    store.import_dataset(origin, strict_items(reader.read(place), tally), tally.counts)
    outcomes = (one for _, found in open_stored_results(folder) for one in found)
    yield from save_scores(store, name, outcomes)


@st.fragment(run_every=1.0)
def _import_progress() -> None:
    """How many scores are saved; at the end the page is drawn again once, with the dataset chosen."""
    state = evaluate_state()
    now = state.bulk_import
    if now is None:
        return
    if now.error:
        st.error(escape_markdown(now.error), icon=":material/error:")
    elif now.running:
        st.caption(f":material/hourglass_empty: {sum(now.results):,} scores saved")
    else:
        state.bulk_import, state.new_dataset = None, state.bulk_dataset
        st.rerun()
