"""Stress runs: begun, chosen, loaded, followed while they go on, and filtered by which variants count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from annotations.store.records import RunRow
from annotations.store.reports import Work
from annotations.store.store import InMemoryRuns, Store
from core.edits import STANDARD_BATTERY
from core.results import (
    Meaning,
    Opinion,
    StressRun,
    VariantKey,
    bundled_run_lines,
    count_left_out,
    filter_variants,
    run_from_lines,
    run_lines,
    to_json_line,
)
from core.types import PRECOMPUTED
from pages.server import services
from pages.server.job_work import continue_stress_run, run_storage
from pages.server.jobs import BackgroundJob
from pages.ui.results.project_button import project_button
from pages.ui.shared.background_results import progress_bar
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import error_as_notice
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import job_person, user_name

_NEW_RUN = ""
BUNDLED_RUN = "bundled"
_LOOK_S = 1.0
_REDRAW_SHARE = (
    0.1  # of all scores have come since the page was drawn: few enough drawings, and figures that are not old
)


@dataclass(eq=False)
class StressState:
    """State of the page: why a run could not be started, until it was shown, and the values of its forms and filters."""

    new_run_error: str = ""
    gaming_error: str = ""
    sweep_error: str = ""
    own_file: str = ""  # id of the file that was uploaded last
    takes_file: bool = False  # in the next run, as it was just uploaded
    cell: object = None  # that is selected in the matrix, as the browser names it
    bisected: tuple[str, str, str] | None = None  # name of the run, source and kind of the variant
    run = WidgetValue[str | None]("stress-run", None)
    name = WidgetValue[str]("stress-name", "")
    pairs = WidgetValue[str]("stress-pairs", "Bundled examples")
    battery = WidgetValue[str]("stress-battery", STANDARD_BATTERY)
    preset = WidgetValue[str]("stress-preset", "")
    metrics = WidgetValue[Sequence[str]]("stress-metrics", ())
    nli_check = WidgetValue[str]("stress-nli-check", "none")
    seed = WidgetValue[int]("stress-seed", 0)
    local_model = WidgetValue[str]("stress-local-model", "")
    model_kind = WidgetValue[str]("stress-model-kind", "")
    sweep_name = WidgetValue[str]("sweep-name", "")
    filters = WidgetValue[Sequence[str]]("stress-filters", ())
    meaning = WidgetValue[Meaning | None]("meaning", None)


def stress_state() -> StressState:
    return page_state(StressState)


def show_error(error: str) -> None:
    if error:
        st.error(escape_message(error), icon=":material/error:")


def listed_runs() -> dict[str, RunRow]:
    """The runs to choose from, by id: those of the database and, in a demo, one's own and the one that the address names."""
    own_runs = [
        row
        for row in services.demo_runs().runs()
        if row.owner == services.session_owner() or row.id == _run_in_address()
    ]
    return {row.id: row for row in [*own_runs, *services.store().runs()]}


def shown_runs() -> dict[str, RunRow]:
    """The same and, last, the run that comes with Touchstone, which nobody continues and nobody judges."""
    return listed_runs() | {BUNDLED_RUN: RunRow(BUNDLED_RUN, PRECOMPUTED, "", datetime.min, 0)}


def format_run(row: RunRow) -> str:
    return row.name if row.id == BUNDLED_RUN else f"{row.name} ({row.created_at:%Y-%m-%d %H:%M})"


def chosen_run() -> RunRow | None:
    """The run that the address names; None where a new one is to be set up."""
    return shown_runs().get(_run_in_address())


def run_bar(row: RunRow | None) -> None:
    """The stored runs, that of the bundled examples, and the way to a new one."""
    rows = shown_runs()
    stress_state().run = row.id if row else None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Run",
            list(rows),
            key=StressState.run.key,
            format_func=lambda id: format_run(rows[id]),
            placeholder="A new run",
            on_change=lambda: open_run(stress_state().run or _NEW_RUN),
            width=420,
        )
        if row:
            st.button("New run", icon=":material/add:", on_click=open_run, args=(_NEW_RUN,))
        if list(rows) == [BUNDLED_RUN] and row is None:
            label = "Look at a run of the bundled examples"
            st.button(label, icon=":material/visibility:", type="tertiary", on_click=open_run, args=(BUNDLED_RUN,))
        if row:
            st.set_page_config(page_title=f"Stress test · {row.name} · Touchstone")
            project_button(Work("run", row.id), row.name)
        if services.settings().demo:
            st.badge(
                "demo: runs stay until the server stops, and are not kept",
                icon=":material/visibility_lock:",
                color="orange",
            )


def open_run(id: str) -> None:
    """Let the address name a run, so that a reload finds it; an empty id sets a new one up."""
    st.query_params.from_dict({"run": id} if id else {})


def load_run(row: RunRow) -> StressRun:
    """The run with everything that is stored of it now."""
    return _cached_run(row.id, row.lines)


def begin_run(run: StressRun) -> str:
    """Keep a new run with what it holds and carry it on; its id. Raises RecordError for a name that is empty or taken, and where the person has no room."""
    settings = services.settings()
    home: Store | InMemoryRuns
    if settings.demo:
        home = services.demo_runs()
        id = home.begin_run(run.plan.name, services.session_owner(), to_json_line(run.plan))
    else:
        services.person_jobs().require_place(user_name())
        home, limits = services.store(), (settings.person_runs, settings.person_disk_mb) if settings.shared else ()
        id = home.begin_run(run.plan.name, user_name(), to_json_line(run.plan), *limits)
    home.append_run(id, list(run_lines(run))[1:])
    continue_run(id)
    return id


def continue_run(id: str) -> None:
    """Carry a run on in the background; results are added to it as they arrive."""
    row = listed_runs()[id]
    job = BackgroundJob(f"stress run {id}", "stress run", row.name, "stress", {"run": id}, {"run": id}, job_person())
    with error_as_notice():
        continue_stress_run(job)


def store_opinion(id: str, opinion: Opinion) -> None:
    """Add what a person says of a variant. Raises StoreError where it cannot be kept."""
    run_storage(id).append_run(id, [to_json_line(opinion)])


def accepts_opinions(id: str) -> bool:
    """True if people may give opinions on a run: not on the bundled one, or one that a demo shows out of its database."""
    if id == BUNDLED_RUN:
        return False
    return not services.settings().demo or id in services.demo_runs()


def follow_run(row: RunRow, run: StressRun) -> None:
    """Show the progress of the run, with buttons to stop, to go on, and to retry what failed; redraws as results arrive."""
    if row.id == BUNDLED_RUN:
        st.caption(
            "The examples that come with Touchstone, run beforehand with metrics that need no download: for a first look, "
            "nothing to report. Word support learned from these documents and kinds of edits; the part of it that scores a document "
            "did not learn from that one."
        )
    now = services.stress_runner().progress(row.id)
    if run.done < run.total or (now and now.running):
        _run_progress(row.id, row.lines, run)
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            made = sum(variant.summary is not None for variant in run.variants.values())
            pairs = f"{len(run.sources)} pair{'' if len(run.sources) == 1 else 's'}"
            st.caption(
                f"Complete: {pairs}, {made:,} variants, {run.total:,} scores{_format_checks(run)}.",
                help=escape_markdown(f"Battery {run.plan.battery_label}, seed {run.plan.seed}."),
            )
            if run.failed:
                st.button(
                    f"Try again what failed ({run.failed})",
                    icon=":material/refresh:",
                    on_click=continue_run,
                    args=(row.id,),
                    disabled=not accepts_opinions(row.id),
                )


@st.cache_resource(max_entries=8, show_spinner="Reading the run…")
def _cached_run(id: str, lines: int) -> StressRun:  # noqa: ARG001  # their number is part of the key
    return run_from_lines(bundled_run_lines() if id == BUNDLED_RUN else run_storage(id).run_lines(id))


def _run_in_address() -> str:
    return st.query_params.get("run", _NEW_RUN)


@st.fragment(run_every=_LOOK_S)
def _run_progress(id: str, lines: int, run: StressRun) -> None:
    now = services.stress_runner().progress(id)
    if now and now.running:
        if now.done - run.settled > (now.total * _REDRAW_SHARE if run.done else 0):
            st.rerun()
        progress_bar(now, services.stress_runner().cancel, id)
        st.caption(":material/hourglass_top: Under way: the figures below are of the scores so far, and will change.")
        return
    row = listed_runs().get(id)
    if row is None or row.lines != lines:
        st.rerun()
    if now and now.error:
        st.error(escape_message(now.error), icon=":material/error:")
    if run.done < run.total:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{run.settled} of {run.planned} scores{_format_checks(run)} are here or cannot be had.")
            st.button(
                "Continue",
                icon=":material/play_arrow:",
                on_click=continue_run,
                args=(id,),
                disabled=not accepts_opinions(id),
            )


def _format_checks(run: StressRun) -> str:
    return " and checks" if run.plan.guard else ""


_FILTER_PARAMETER = "leave-out"
"""The parameter of the address that names a filter, once each."""

_FILTER_TITLES = {
    "contradicting": ("marked as contradicting", "The NLI check says that they contradict the original."),
    "unchecked": ("not checked", "The NLI check gave no answer."),
    "unverified": (
        "not verified by a person",
        "No person confirmed that they are as intended: the meaning kept where it should be kept, changed where it should be "
        "broken.",
    ),
    "trivial": ("trivial edits", "A date, a number, an antonym or negation, or a name: no reading of the document needed."),
    "misplaced": ("not the kind of error that was meant", "Intended as intrinsic and found extrinsic, or the other way round."),
}  # fmt: skip


def filtered_variants(run: StressRun) -> frozenset[VariantKey] | None:
    """Let a person choose what is left out; the variants that count, None for all of them."""
    counts = {name: count_left_out(run, name) for name in _FILTER_TITLES if name != "unverified" or run.opinions}
    offered = [name for name, count in counts.items() if count]
    if not offered:
        return None
    preset = [name for name in st.query_params.get_all(_FILTER_PARAMETER) if name in offered]
    st.pills(
        "Leave out of every figure",
        offered,
        default=preset,
        selection_mode="multi",
        key=StressState.filters.key,
        format_func=lambda name: f"{_FILTER_TITLES[name][0]} ({counts[name]})",
        help="\n\n".join(f"{title}: {meaning}" for title, meaning in (_FILTER_TITLES[name] for name in offered)),
        wrap=True,
    )
    st.query_params[_FILTER_PARAMETER] = chosen_filters()
    return filter_variants(run, chosen_filters())


def chosen_filters() -> list[str]:
    """The filters that are chosen."""
    return list(stress_state().filters)
