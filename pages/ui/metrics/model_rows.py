"""The models of a metric: where each one is, what can be done with it, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple

import streamlit as st

from core.listing import MetricLine, size_words
from core.llm.addressee import SOURCE
from core.models.pool import ModelPool
from core.models.state import ModelState, Status
from core.types import Checkpoint
from pages.ui.plain import plain

_WORDS = {
    Status.FAILED: "failed",
    Status.NEEDS_DOWNLOAD: "needs download",
    Status.DOWNLOADING: "downloading",
    Status.LOADING: "loading",
    Status.COLD: "not loaded",
    Status.READY: "ready",
}
"""What a badge says; of several models the first of these counts."""

_COLOURS = {
    Status.READY: "green",
    Status.LOADING: "blue",
    Status.DOWNLOADING: "blue",
    Status.COLD: "gray",
    Status.NEEDS_DOWNLOAD: "orange",
    Status.FAILED: "red",
}
_ICONS = {
    Status.READY: ":material/memory:",
    Status.LOADING: ":material/progress_activity:",
    Status.DOWNLOADING: ":material/download:",
    Status.COLD: ":material/bedtime:",
    Status.NEEDS_DOWNLOAD: ":material/cloud_download:",
    Status.FAILED: ":material/error:",
}


def model_badge(line: MetricLine, checkpoints: Sequence[Checkpoint], pool: ModelPool) -> None:
    """In a word or two, what the metric of these checkpoints lacks, or that it is ready."""
    if not checkpoints:
        st.badge("ready, no model", icon=":material/bolt:", color="green")
        return
    if checkpoints[0].source == SOURCE:
        missing = line.state == "needs endpoint"
        st.badge(line.state, icon=":material/cloud:", color="orange" if missing else "green")
        return
    status = min((pool.state(checkpoint).status for checkpoint in checkpoints), key=list(_WORDS).index)
    absent = status is Status.FAILED and not any(checkpoint in pool.states() for checkpoint in checkpoints)
    if absent:
        st.badge("not on this machine", icon=":material/folder_off:", color="orange")
        return
    st.badge(_WORDS[status], icon=_ICONS[status], color=_COLOURS[status])  # type: ignore[arg-type]  # the names of its own literal


def endpoint_row(line: MetricLine) -> None:
    """Where a metric asks that loads no model itself, or what to set."""
    if line.message:
        st.info(plain(line.message), icon=":material/cloud_off:")
    else:
        st.text("Asks the endpoint that TOUCHSTONE_LLM_BASE_URL names.")


def model_row(checkpoint: Checkpoint, pool: ModelPool, download_mb: int, name: str) -> None:
    """One model with what can be done with it; `download_mb` is the size of all models of the metric called `name`."""
    state = pool.state(checkpoint)
    key = "-".join([name, *astuple(checkpoint)])
    with st.container(horizontal=True, vertical_alignment="center"):
        dtype = "" if checkpoint.dtype == "float32" else checkpoint.dtype
        told = [checkpoint.source, checkpoint.kind, dtype, _size(state, download_mb)]
        st.text(" · ".join(filter(None, told)))
        st.space("stretch")
        if state.status is Status.READY:
            st.button("Unload", key=f"unload-{key}", on_click=pool.unload, args=(checkpoint,))
        if state.status is Status.COLD:
            st.button("Load", key=f"load-{key}", on_click=_start, args=(pool.request, checkpoint))
        if state.status is Status.FAILED:
            st.button("Try again", key=f"retry-{key}", on_click=_start, args=(pool.fetch, checkpoint))
        if state.status is Status.NEEDS_DOWNLOAD:
            st.button("Download", key=f"fetch-{key}", on_click=_start, args=(pool.fetch, checkpoint))
    _progress(state, tried=checkpoint in pool.states())


def _start(action: Callable[[Checkpoint], ModelState], checkpoint: Checkpoint) -> None:
    action(checkpoint)


def _progress(state: ModelState, *, tried: bool) -> None:
    if state.progress is not None:
        st.progress(state.progress, state.message or state.status.value)
    elif state.status is Status.FAILED and not tried:
        st.info(plain(state.message), icon=":material/folder_off:")
    elif state.status is Status.FAILED:
        st.error(plain(state.message), icon=":material/error:")


def _size(state: ModelState, download_mb: int) -> str:
    if state.status is Status.NEEDS_DOWNLOAD and download_mb:
        return f"{size_words(download_mb)} in all"
    return gigabytes(state.nbytes) if state.nbytes else "on this machine" if state.status is Status.COLD else ""


def gigabytes(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.0f} MB"
