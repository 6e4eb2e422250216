"""A new stress run: its pairs, perturbations, metrics and NLI check, and its estimated cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.assessment import default_metrics
from core.edits import Perturbation
from core.errors import TouchstoneError, attempt
from core.models import format_estimate, list_endpoints
from core.results import Plan, asks_endpoints, estimate_run_cost, to_json_line
from core.scoring import METRICS, NLI_CHECKS, NliCheck, is_surface, metric_title, metric_titles
from core.stats import format_count
from pages.server import services
from pages.ui.probe.metric_choice import bench_specs_with_settings
from pages.ui.results.run_choice import StressState, begin_run, listed_runs, open_run, show_error, stress_state
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.prompt_forms import read_prompts
from pages.ui.stress.kinds_choice import (
    battery_of_kinds,
    check_model_row,
    imported_kinds,
    intent_counts,
    perturbation_choice,
    reach_lines,
)
from pages.ui.stress.pair_source import ChosenPairs, pairs_choice


def cost_line(plan: Plan, pairs: ChosenPairs) -> None:
    """One line, where endpoints are asked."""
    if not pairs.number or not asks_endpoints(plan):
        return
    engine = services.engine()
    # a run that was started since may have asked the same; endpoints and prompts may change at any time
    state = str((tuple(listed_runs()), attempt(list_endpoints), attempt(read_prompts)))
    key = ("stress-cost", to_json_line(replace(plan, name="")), pairs.key, state)
    estimate = background_result(
        "Estimating the cost…",
        key,
        lambda: format_estimate(estimate_run_cost(engine, pairs.run(plan))),
    )
    if estimate:
        st.caption(escape_markdown(f"{estimate}."))


_NO_CHECK = "none"


def nli_check_choice() -> None:
    """No check, one of the list, or one with settings that is typed; and what it lacks, if anything."""
    titles = {plugin.name: plugin.title for plugin in NLI_CHECKS}
    st.selectbox(
        "NLI check of the meaning",
        [_NO_CHECK, *titles],
        key=StressState.nli_check.key,
        format_func=lambda spec: "None" if spec == _NO_CHECK else titles.get(spec, spec),
        accept_new_options=True,
        help="Every variant that should have kept the meaning is checked for a contradiction with the original. Those "
        "that contradict it can be left out of the figures. Type a check with settings, as entailment[checkpoint=FOLDER], and press Enter.",
    )
    try:
        check = chosen_nli_check()
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    for model in check.checkpoints() if check else ():
        check_model_row(model)


def chosen_nli_check() -> NliCheck | None:
    """Raises TouchstoneError for an unknown NLI check or setting."""
    spec = stress_state().nli_check
    return None if spec == _NO_CHECK else NLI_CHECKS.parse(spec)


_FORM_PX = 820


def new_run_form() -> None:
    """The form of a new run and its button."""
    st.caption(
        "A run changes each summary in known ways and scores it before and after: which metrics move when nothing was "
        "broken, which stay when something was, and which can be gamed by a phrase?"
    )
    with st.container(width=_FORM_PX):
        pairs = pairs_choice()
        metrics = _metrics_choice()
        kinds = imported_kinds(pairs.imported) if pairs.imported else _kinds_choice(pairs)
        with st.container(horizontal=True, vertical_alignment="center"):
            run_place = st.container(width="content")
            with st.popover("Name, seed, NLI check", icon=":material/tune:", type="tertiary", key="stress-more"):
                taken = {row.name for row in listed_runs().values()}
                name = next(name for number in count(len(taken) + 1) if (name := f"Run {number}") not in taken)
                st.text_input("Name of the run", name, key=StressState.name.key)
                st.number_input("Seed", 0, None, 0, key=StressState.seed.key, help="The same seed, the same variants.")
                nli_check_choice()
    # no callback: it would be called with the choices of the run before, when somebody chooses and presses quickly
    pressed = run_place.button(
        f"Run: {format_count(pairs.number, 'pair')} × {format_count(len(kinds), 'perturbation')} × {format_count(len(metrics), 'metric')}",
        icon=":material/play_arrow:",
        type="primary",
        key="stress-go",
        disabled=not (pairs.number and kinds and metrics),
    )
    if pressed:
        try:
            open_run(begin_run(pairs.run(_plan_of_form(kinds, metrics))))
        except TouchstoneError as error:
            stress_state().new_run_error = str(error)
        st.rerun()
    show_error(stress_state().new_run_error)
    stress_state().new_run_error = ""
    plan = attempt(partial(_plan_of_form, kinds, metrics))
    if isinstance(plan, Plan):  # what keeps it from being one is said when the button is pressed
        cost_line(plan, pairs)


def _metrics_choice() -> Sequence[str]:
    """The titles of the metrics that are chosen, and behind a button the choice of others."""
    titles, box = _changeable("metrics", "stress-metrics-box")
    with box:
        st.multiselect(
            "Metrics",
            [*(plugin.name for plugin in METRICS), *bench_specs_with_settings()],
            default=[
                *(row.name for row in default_metrics(services.engine().pool) if not is_surface(row.name)),
                *bench_specs_with_settings(),
            ],
            key=StressState.metrics.key,
            format_func=metric_title,
            accept_new_options=True,
            wrap=True,
            help="A name, or one with settings as on the command line: type it and press Enter.",
        )
    metrics = stress_state().metrics
    titles.markdown(
        escape_markdown(f"{format_count(len(metrics), 'metric')}: {', '.join(metric_titles(metrics).values())}")
    )
    return metrics


def _kinds_choice(pairs: ChosenPairs) -> list[Perturbation]:
    """The number of perturbations that are chosen, with what they are meant to do, and behind a button the choice of others."""
    titles, box = _changeable("perturbations", "stress-kinds-box")
    with box:
        kinds = perturbation_choice()
    titles.markdown(escape_markdown(f"{format_count(len(kinds), 'perturbation')}: {intent_counts(kinds)}"))
    reach_lines(pairs, kinds)
    return kinds


def _changeable(name: str, key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """The place of a line that says what is chosen, and the box behind “Change”."""
    with st.container(horizontal=True, vertical_alignment="center"):
        line = st.container(width="content")
        box = st.popover(f"Change {name}", icon=":material/edit:", type="tertiary", key=key)
    return line, box


def _plan_of_form(kinds: Sequence[Perturbation], metrics: Sequence[str]) -> Plan:
    """Plan that the form holds. Raises TouchstoneError for an unknown metric or NLI check."""
    state = stress_state()
    metrics_of_plan, check = map(METRICS.parse, metrics), chosen_nli_check()
    return Plan.of(state.name, kinds, metrics_of_plan, state.seed, check, battery_of_kinds(kinds))
