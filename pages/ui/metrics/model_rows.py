"""Models: where each one is, what can be done with it, what went wrong, and the memory that all of them take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import PurePath

import streamlit as st

from core.assessment import CatalogRow, format_megabytes
from core.edits import PERTURBATIONS
from core.model_reference import Checkpoint, EndpointModel, ModelRef, PluginFunction, local_checkpoints
from core.models import PACKAGE, ModelPool, ModelState, ModelStatus, loaded_as, read_hardware
from core.scoring import METRICS, Engine
from pages.server.job_work import checkpoint_settings, download
from pages.server.jobs import BackgroundJob
from pages.ui.metrics.endpoint_list import metrics_state
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.notices import error_as_notice, repeat_notices
from pages.ui.shared.session_user import job_person

_IN_PROGRESS = (ModelStatus.LOADING, ModelStatus.DOWNLOADING)
_LOOK_S = 0.2
_STATUS_TITLES = {
    ModelStatus.FAILED: "failed",
    ModelStatus.NEEDS_DOWNLOAD: "needs download",
    ModelStatus.DOWNLOADING: "downloading",
    ModelStatus.LOADING: "loading",
    ModelStatus.COLD: "not loaded",
    ModelStatus.READY: "ready",
}
"""Titles of the badge; of several models the first of these counts."""

_COLOURS = {
    ModelStatus.READY: "green",
    ModelStatus.LOADING: "blue",
    ModelStatus.DOWNLOADING: "blue",
    ModelStatus.COLD: "gray",
    ModelStatus.NEEDS_DOWNLOAD: "orange",
    ModelStatus.FAILED: "red",
}
_ICONS = {
    ModelStatus.READY: ":material/memory:",
    ModelStatus.LOADING: ":material/progress_activity:",
    ModelStatus.DOWNLOADING: ":material/download:",
    ModelStatus.COLD: ":material/bedtime:",
    ModelStatus.NEEDS_DOWNLOAD: ":material/cloud_download:",
    ModelStatus.FAILED: ":material/error:",
}


def memory_bar(engine: Engine) -> None:
    """Device, how much of the memory for models is in use, and how much of the disk for their answers; a GPU that is not used, too."""
    pool = engine.pool
    hardware = read_hardware(pool.devices)
    if hardware.warning:
        st.warning(escape_markdown(hardware.warning), icon=":material/error:")
    used = sum(state.nbytes for state in pool.states().values())
    share = min(1.0, used / pool.budget_bytes)
    st.progress(
        share,
        f"{format_bytes(used)} of {format_bytes(pool.budget_bytes)} for models in use on {', '.join(pool.devices)}",
    )
    cache_bytes, limit = map(format_bytes, engine.disk_use())
    st.caption(escape_markdown(hardware.summary))
    st.caption(f"Answers on disk: {cache_bytes} of {limit} (TOUCHSTONE_CACHE_GB); the least recently used make room.")


def model_badge(line: CatalogRow, models: Sequence[ModelRef], pool: ModelPool) -> None:
    """In a word or two, what the metric of these models lacks, or that it is ready."""
    if not models:
        st.badge("ready, no model", icon=":material/bolt:", color="green")
        return
    if isinstance(models[0], EndpointModel):
        missing = line.state == "needs endpoint"
        st.badge(line.state, icon=":material/cloud:", color="orange" if missing else "green")
        return
    if line.state == "needs setup":
        st.badge("needs setup", icon=":material/build:", color="orange")
        return
    if isinstance(models[0], PluginFunction):
        st.badge("ready, plug-in", icon=":material/extension:", color="green")
        return
    checkpoints = local_checkpoints(models)
    status = min((pool.state(checkpoint).status for checkpoint in checkpoints), key=list(_STATUS_TITLES).index)
    st.badge(_STATUS_TITLES[status], icon=_ICONS[status], color=_COLOURS[status])  # type: ignore[arg-type]  # the names of its own literal


def endpoint_row(line: CatalogRow) -> None:
    """Show the endpoint that a metric asks which loads no model itself, or what to set."""
    if line.error:
        st.info(escape_message(line.error), icon=":material/cloud_off:")
    else:
        st.text("Asks the endpoint that TOUCHSTONE_LLM_BASE_URL names.")


def model_row(checkpoint: Checkpoint, pool: ModelPool, download_mb: int, name: str) -> None:
    """One model with what can be done with it; `download_mb` is the size of all models of the metric called `name`."""
    state = pool.state(checkpoint)
    short = escape_label(
        PurePath(checkpoint.source.removeprefix(PACKAGE)).name
    )  # buttons of several models are told apart
    key = "-".join(map(str, (name, *astuple(checkpoint))))
    with st.container(horizontal=True, vertical_alignment="center"):
        dtype = loaded_as(checkpoint, pool.precision).dtype
        dtype = "" if dtype == "float32" else dtype
        size = "on this machine" if state.status is ModelStatus.COLD else ""
        if state.status is ModelStatus.NEEDS_DOWNLOAD and download_mb:
            size = f"{format_megabytes(download_mb)} in all"
        elif state.nbytes:
            size = format_bytes(state.nbytes)
        parts = [checkpoint.source, checkpoint.kind.replace("_", " "), dtype, size]
        st.text(" · ".join(filter(None, parts)))
        st.space("stretch")
        if state.status is ModelStatus.READY:
            st.button(f"Unload {short}", key=f"unload-{key}", on_click=pool.unload, args=(checkpoint,))
        if state.status is ModelStatus.COLD:
            st.button(f"Load {short}", key=f"load-{key}", on_click=_run_action, args=(pool.request, checkpoint))
        if state.status is ModelStatus.FAILED:
            st.button(f"Try again {short}", key=f"retry-{key}", on_click=_run_action, args=(pool.fetch, checkpoint))
        if state.status is ModelStatus.NEEDS_DOWNLOAD:
            st.button(f"Download {short}", key=f"fetch-{key}", on_click=_download, args=(checkpoint, name))

    tried = checkpoint in pool.states()
    if state.progress is not None:
        st.progress(state.progress, state.message or state.status.value)
    elif state.status is ModelStatus.FAILED and not tried:
        st.info(escape_message(state.message), icon=":material/folder_off:")
    elif state.status is ModelStatus.FAILED:
        st.error(escape_message(state.message), icon=":material/error:")


def _run_action(action: Callable[[Checkpoint], ModelState], checkpoint: Checkpoint) -> None:
    action(checkpoint)


def _download(checkpoint: Checkpoint, metric: str) -> None:
    settings, title = checkpoint_settings(checkpoint), PurePath(checkpoint.source).name
    query = {"metric": metric}
    job = BackgroundJob(
        f"download {'-'.join(settings.values())}", "download", title, "metrics", query, settings, job_person()
    )
    with error_as_notice():
        download(job)


def format_bytes(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e8 else f"{count / 1e6:.0f} MB"


def other_models(pool: ModelPool) -> None:
    """The models of perturbations, and those of metrics with other settings: they have no card of their own."""
    carded = {checkpoint for plugin in METRICS for checkpoint in plugin().checkpoints()}
    of_kinds = dict.fromkeys(
        model for plugin in PERTURBATIONS for model in local_checkpoints(plugin().checkpoints()) if model not in carded
    )
    others = [checkpoint for checkpoint in pool.states() if checkpoint not in carded and checkpoint not in of_kinds]
    for title, key, models in (
        ("Models of perturbations", "perturbation-models", list(of_kinds)),
        ("With other settings", "other-models", others),
    ):
        if models:
            st.subheader(title)
            with st.container(border=True, key=key):
                for checkpoint in models:
                    model_row(checkpoint, pool, 0, checkpoint.source)


def follow_models(pool: ModelPool, rendered: Mapping[Checkpoint, ModelState]) -> None:
    """Keep the run open while a model is on its way, and draw the page again when it is no longer as drawn."""
    while pool.states() != rendered or any(state.status in _IN_PROGRESS for state in rendered.values()):
        if pool.wait_for_change(rendered, _LOOK_S):
            repeat_notices()
            st.rerun()
        metrics_state()  # a read of session state lets a click end this run
