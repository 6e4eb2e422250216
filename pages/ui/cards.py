"""Metric cards, and the memory that loaded models take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.listing import MetricLine, direction_words, range_words, size_words
from core.metric import METRICS
from core.models.pool import ModelPool
from core.models.state import ModelState, Status
from core.types import Checkpoint
from pages.ui.plain import plain

_UNDER_WAY = (Status.LOADING, Status.DOWNLOADING)
_LOOK_S = 0.2
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


def memory_bar(pool: ModelPool) -> None:
    """Device, and how much of the memory for models is in use."""
    used = sum(state.nbytes for state in pool.states().values())
    share = min(1.0, used / pool.budget_bytes)
    st.progress(share, f"{_gigabytes(used)} of {_gigabytes(pool.budget_bytes)} for models in use on {pool.device}")


def metric_card(line: MetricLine, pool: ModelPool) -> None:
    """What the metric measures, its source, range, direction and needs; its model can be loaded and unloaded here."""
    card = METRICS.get(line.name).card
    checkpoints = METRICS.get(line.name)().checkpoints()
    with st.container(border=True, height="stretch", key=f"card-{line.name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{line.title}**")
            st.space("stretch")
            _badge(checkpoints, pool)
        st.write(line.measures)
        st.markdown(f"[{line.paper}]({line.url})")
        st.markdown(f"Range **{range_words(line.low, line.high)}**, {direction_words(line.direction)}")
        st.markdown(f"On the command line `{line.name}`")
        if line.differs:
            st.markdown(f":gray[{line.differs}]")
        for checkpoint in checkpoints:
            _model(checkpoint, pool, card.download_mb, line.name)


def other_models(pool: ModelPool) -> None:
    """The models of metrics with other settings, which have no card of their own."""
    carded = {checkpoint for plugin in METRICS for checkpoint in plugin().checkpoints()}
    others = [checkpoint for checkpoint in pool.states() if checkpoint not in carded]
    if not others:
        return
    st.subheader("With other settings")
    with st.container(border=True, key="other-models"):
        for checkpoint in others:
            _model(checkpoint, pool, 0, checkpoint.source)


def follow_models(pool: ModelPool, drawn: Mapping[Checkpoint, ModelState]) -> None:
    """Keep the run open while a model is on its way, and draw the page anew when it is no longer as drawn."""
    while pool.states() != drawn or any(state.status in _UNDER_WAY for state in drawn.values()):
        if pool.wait_for_change(drawn, _LOOK_S):
            st.rerun()
        st.session_state.get("interrupt")  # lets a click end this run


def _badge(checkpoints: Sequence[Checkpoint], pool: ModelPool) -> None:
    if not checkpoints:
        st.badge("ready, no model", icon=":material/bolt:", color="green")
        return
    status = pool.state(checkpoints[0]).status
    words = "not loaded" if status is Status.COLD else status.value
    st.badge(words, icon=_ICONS[status], color=_COLOURS[status])  # type: ignore[arg-type]  # the names of its own literal


def _model(checkpoint: Checkpoint, pool: ModelPool, download_mb: int, name: str) -> None:
    state = pool.state(checkpoint)
    key = f"{name}-{checkpoint.kind}-{checkpoint.source}"
    with st.container(horizontal=True, vertical_alignment="center"):
        size = (
            _gigabytes(state.nbytes) if state.nbytes else size_words(download_mb) if download_mb else "on this machine"
        )
        st.text(f"{checkpoint.source} · {checkpoint.kind} · {size}")
        st.space("stretch")
        if state.status is Status.READY:
            st.button("Unload", key=f"unload-{key}", on_click=pool.unload, args=(checkpoint,))
        if state.status is Status.COLD:
            st.button("Load", key=f"load-{key}", on_click=_start, args=(pool.request, checkpoint))
        if state.status is Status.FAILED:
            st.button("Try again", key=f"retry-{key}", on_click=_start, args=(pool.fetch, checkpoint))
        if state.status is Status.NEEDS_DOWNLOAD:
            st.button("Download", key=f"fetch-{key}", on_click=_start, args=(pool.fetch, checkpoint))
    _progress(state)


def _start(action: Callable[[Checkpoint], ModelState], checkpoint: Checkpoint) -> None:
    action(checkpoint)


def _progress(state: ModelState) -> None:
    if state.progress is not None:
        st.progress(state.progress, state.message or state.status.value)
    elif state.status is Status.FAILED:
        st.error(plain(state.message), icon=":material/error:")


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.0f} MB"
