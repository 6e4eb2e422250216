"""Which metrics are on the bench: a choice by name, and a spelling for other settings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import TouchstoneError
from core.listing import MetricLine, as_they_come, list_metrics
from core.metric import METRICS, Metric
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.probe.sets import fast_pills
from pages.ui.settings_form import has_settings, settings_form


def chosen_metrics() -> list[Metric]:
    """The metrics of this session in the order of the board: what runs at once first, families together."""
    specs: list[str] = st.session_state.setdefault("metrics", default_specs())
    return sorted(map(METRICS.parse, specs), key=lambda metric: (bool(metric.checkpoints()), metric.card.family))


def default_specs() -> list[str]:
    """Everything that is ready as it comes, but for judges and wrappers around other metrics."""
    return [line.name for line in as_they_come(services.engine().pool)]


def metrics_popover() -> None:
    """The popover in the toolbar."""
    with st.popover("Metrics", icon=":material/tune:", key="metrics-popover"):
        lines = list_metrics(services.engine().pool)
        for family in dict.fromkeys(line.family for line in lines):
            _family(family, [line for line in lines if line.family == family])
        _form(lines)
        st.text_input(
            "Add one with other settings",
            key="spec",
            placeholder="minicheck-roberta[checkpoint=folder]",
            help="A name from the Metrics page and its settings, spelled as on the command line. Press Enter to add.",
            on_change=_add,
        )
        for spec in _others(lines):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(spec)
                st.button("Remove", key=f"remove-{spec}", on_click=_remove, args=(spec,))
        if st.session_state.get("spec-error"):
            st.error(plain(st.session_state["spec-error"]), icon=":material/error:")
        fast_pills(chosen_metrics())


def put_on_bench(metric: Metric) -> None:
    """Score with it from now on, beside what is on the bench."""
    state = st.session_state
    state["metrics"] = list(dict.fromkeys([*state.setdefault("metrics", default_specs()), metric.spec]))
    state["form-of"] = None


def _form(lines: Sequence[MetricLine]) -> None:
    titles = {line.name: line.title for line in lines if has_settings(line.name)}
    chosen = st.selectbox(
        "With other settings…",
        list(titles),
        index=None,
        key="form-of",
        format_func=lambda name: titles[name],
        placeholder="Choose a metric to see its settings",
    )
    if chosen:
        settings_form(chosen, put_on_bench)


def _family(family: str, lines: Sequence[MetricLine]) -> None:
    titles = {line.name: line.title for line in lines}
    key = f"chosen-{family}"
    st.session_state[key] = [spec for spec in st.session_state["metrics"] if spec in titles]
    st.pills(
        family,
        list(titles),
        selection_mode="multi",
        key=key,
        format_func=lambda name: titles[name],
        on_change=_choose,
        args=(key, tuple(titles)),
    )


def _others(lines: Sequence[MetricLine]) -> list[str]:
    """What is on the bench with settings of its own."""
    listed = {line.name for line in lines}
    return [spec for spec in st.session_state["metrics"] if spec not in listed]


def _choose(key: str, names: tuple[str, ...]) -> None:
    kept = [spec for spec in st.session_state["metrics"] if spec not in names]
    st.session_state["metrics"] = [*kept, *st.session_state[key]]


def _add() -> None:
    state = st.session_state
    try:
        metric = METRICS.parse(state["spec"])
    except TouchstoneError as error:
        state["spec-error"] = str(error)
        return
    put_on_bench(metric)
    state["spec"], state["spec-error"] = "", ""


def _remove(spec: str) -> None:
    st.session_state["metrics"] = [other for other in st.session_state["metrics"] if other != spec]
