"""Which metrics are on the bench: a choice by name, and a spelling for other settings."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from core.listing import as_they_come, list_metrics
from core.metric import METRICS, Metric
from pages.ui import services
from pages.ui.plain import plain


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
        known = {line.name: line for line in list_metrics(services.engine().pool)}
        st.session_state["chosen"] = [spec for spec in st.session_state["metrics"] if spec in known]
        st.pills(
            "On the bench",
            list(known),
            selection_mode="multi",
            key="chosen",
            format_func=lambda name: known[name].title,
            on_change=_choose,
        )
        st.text_input(
            "Add one with other settings",
            key="spec",
            placeholder="minicheck-roberta[checkpoint=folder]",
            help="A name from the Metrics page and its settings, spelled as on the command line. Press Enter to add.",
            on_change=_add,
        )
        for spec in [spec for spec in st.session_state["metrics"] if spec not in known]:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(spec)
                st.button("Remove", key=f"remove-{spec}", on_click=_remove, args=(spec,))
        if st.session_state.get("spec-error"):
            st.error(plain(st.session_state["spec-error"]), icon=":material/error:")


def _choose() -> None:
    listed = {line.name for line in list_metrics(services.engine().pool)}
    others = [spec for spec in st.session_state["metrics"] if spec not in listed]
    st.session_state["metrics"] = [*st.session_state["chosen"], *others]


def _add() -> None:
    state = st.session_state
    try:
        spec = METRICS.parse(state["spec"]).spec
    except TouchstoneError as error:
        state["spec-error"] = str(error)
        return
    state["metrics"] = list(dict.fromkeys([*state["metrics"], spec]))
    state["spec"], state["spec-error"] = "", ""


def _remove(spec: str) -> None:
    st.session_state["metrics"] = [other for other in st.session_state["metrics"] if other != spec]
