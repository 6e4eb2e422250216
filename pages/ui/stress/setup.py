"""What a new stress run is to do: on which pairs, by which perturbations, for which metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count

import streamlit as st

from core.errors import TouchstoneError
from core.listing import as_they_come
from core.metric import METRICS
from core.perturbation import Perturbation
from core.stress.records import Plan, Run
from core.trouble import attempt
from pages.ui import services
from pages.ui.plain import plain
from pages.ui.stress.cost import cost_line
from pages.ui.stress.guard import chosen_guard, guard_choice
from pages.ui.stress.kinds import kinds_choice
from pages.ui.stress.runs import begin, listed
from pages.ui.stress.sources import Pairs, pairs_choice


def setup() -> None:
    """The form of a new run and its button."""
    st.caption(
        "A run changes each summary in known ways and scores it before and after: which metrics move when nothing was "
        "broken, which stay when something was, and which can be gamed by a phrase?"
    )
    left, right = st.columns(2, gap="large")
    with right:
        kinds = kinds_choice()
    with left:
        pairs = pairs_choice()
        st.multiselect(
            "Metrics",
            [plugin.name for plugin in METRICS],
            default=[line.name for line in as_they_come(services.engine().pool)],
            key="stress-metrics",
            accept_new_options=True,
            wrap=True,
            help="A name, or one with settings as on the command line: type it and press Enter.",
        )
        guard_choice()
        with st.container(horizontal=True):
            st.text_input("Name of the run", _free_name(), key="stress-name")
            st.number_input("Seed", 0, None, 0, key="stress-seed", width=120, help="The same seed, the same variants.")
        _run_button(pairs, kinds)


def _free_name() -> str:
    taken = {row.name for row in listed().values()}
    return next(name for number in count(len(taken) + 1) if (name := f"Run {number}") not in taken)


def _run_button(pairs: Pairs, kinds: Sequence[Perturbation]) -> None:
    metrics = st.session_state["stress-metrics"]
    # no callback: it would be called with the choices of the run before, when somebody chooses and presses quickly
    pressed = st.button(
        f"Run: {pairs.number} pair{'' if pairs.number == 1 else 's'} × {len(kinds)} perturbations × {len(metrics)} metrics",
        icon=":material/play_arrow:",
        type="primary",
        key="stress-go",
        disabled=not (pairs.number and kinds and metrics),
    )
    if pressed:
        _begin(pairs, kinds, metrics)
        st.rerun()
    if problem := st.session_state.pop("stress-problem", ""):
        st.error(plain(problem), icon=":material/error:")
    plan = attempt(partial(_plan, kinds, metrics))
    if isinstance(plan, Plan):  # what keeps it from being one is said when the button is pressed
        cost_line(plan, pairs)


def _begin(pairs: Pairs, kinds: Sequence[Perturbation], metrics: Sequence[str]) -> None:
    try:
        plan = _plan(kinds, metrics)
        begin(Run(plan, pairs.sources(plan.seed)))
    except TouchstoneError as error:
        st.session_state["stress-problem"] = str(error)


def _plan(kinds: Sequence[Perturbation], metrics: Sequence[str]) -> Plan:
    """The form as it stands. Raises TouchstoneError for a metric or guard that does not exist."""
    state = st.session_state
    return Plan.of(state["stress-name"], kinds, map(METRICS.parse, metrics), state["stress-seed"], chosen_guard())
