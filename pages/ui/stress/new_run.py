"""A new stress run: its pairs, perturbations, metrics and NLI check, and its estimated cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

import streamlit as st

from core.assessment import Paper, default_metrics
from core.edits import PERTURBATIONS, Battery, Intent, Perturbation, read_battery
from core.errors import BadSettingError, LoadError, MissingWeightsError, TouchstoneError, attempt
from core.evaluation import for_each_metric
from core.model_reference import Checkpoint, EndpointModel, ModelRef, local_checkpoints
from core.models import (
    LOCAL,
    chat_model,
    check_local_model,
    endpoint_problem,
    format_estimate,
    is_local_model,
    list_endpoints,
)
from core.registry import settings_of
from core.results import ImportedVariants, Plan, asks_endpoints, estimate_run_cost, to_json_line
from core.scoring import METRICS, NLI_CHECKS, NliCheck, is_surface, metric_title
from core.stats import format_count
from core.text import is_installed
from pages.server import services
from pages.ui.metrics.model_rows import model_row
from pages.ui.probe.metric_choice import bench_specs_with_settings
from pages.ui.results.run_choice import StressState, begin_run, listed_runs, open_run, show_error, stress_state
from pages.ui.shared.background_results import background_result
from pages.ui.shared.battery_choice import battery_choice
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.paper_kinds import paper_kinds, paper_title, papers_with_kinds
from pages.ui.shared.prompt_forms import read_prompts
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
        _check_model_row(model)


def chosen_nli_check() -> NliCheck | None:
    """Raises TouchstoneError for an unknown NLI check or setting."""
    spec = stress_state().nli_check
    return None if spec == _NO_CHECK else NLI_CHECKS.parse(spec)


def _check_model_row(model: ModelRef) -> None:
    """A model with what can be done with it, or the endpoint that is not set."""
    if isinstance(model, Checkpoint):
        model_row(model, services.engine().pool, 0, "guard")
    elif isinstance(model, EndpointModel) and (missing := endpoint_problem(model.endpoint)):
        st.info(escape_markdown(missing), icon=":material/cloud_off:")
        st.page_link("views/metrics.py", label="Add an endpoint under Metrics", icon=":material/add_link:")


_INTENT_TITLES: Mapping[Intent, tuple[str, str]] = {
    "preserving": ("Meaning kept", "A metric should stay where it is."),
    "breaking": ("Meaning broken", "A metric should move towards inconsistent."),
    "gaming": ("Gaming", "A metric should not move towards consistent."),
}


def perturbation_choice() -> list[Perturbation]:
    """The kinds that are chosen; at first those of the battery. None where what was typed is no battery."""
    _preset_choice()
    if paper := _paper_preset():
        return paper_kinds(paper)
    battery = battery_choice(StressState.battery.key)
    if battery is None:
        return []
    return [kind for intent in _INTENT_TITLES for kind in _choice_of_intent(intent, battery)]


_NO_PAPER = "Kinds and batteries"


def _paper_preset() -> Paper | None:
    """The paper whose perturbations are offered; None for all kinds and batteries."""
    papers = {paper_title(paper.name): paper for paper in papers_with_kinds()}
    return papers.get(stress_state().preset)


def _preset_choice() -> None:
    st.segmented_control(
        "Perturbations of",
        [*(paper_title(paper.name) for paper in papers_with_kinds()), _NO_PAPER],
        default=_NO_PAPER,
        key=StressState.preset.key,
        required=True,
        wrap=True,
    )


def battery_of_kinds(kinds: Sequence[Perturbation]) -> str:
    """The signature of the battery that is chosen, where the kinds are all of it and no other; else empty."""
    if _paper_preset():
        return ""
    battery = read_battery(stress_state().battery)
    return battery.signature if {kind.spec for kind in kinds} == set(battery.kinds) else ""


def imported_kinds(table: ImportedVariants) -> list[Perturbation]:
    """The kinds of a table of variants, with what they are meant to do: nothing is to be chosen."""
    st.caption("The perturbations of the table:")
    for kind in table.kinds:
        made = sum(variant.kind == kind.spec for variant in table.variants)
        title, ideal = _INTENT_TITLES[kind.card.intent]
        st.markdown(
            escape_markdown(
                f"{kind.title}: {made} variant{'' if made == 1 else 's'}. {title}: {ideal[:1].lower()}{ideal[1:]}"
            )
        )
    return table.kinds


def _choice_of_intent(intent: Intent, battery: Battery) -> list[Perturbation]:
    plugins = [plugin() for plugin in PERTURBATIONS if plugin.card.intent == intent]
    title, ideal = _INTENT_TITLES[intent]
    of_battery = battery.of_intent(intent)
    rules = [*of_battery, *(kind for kind in plugins if kind.card.form == "rule" and kind.spec not in battery.kinds)]
    label = f"{title}, by rule"
    perturbations = _perturbation_pills(label, rules, of_battery, ideal, key=f"{label} {battery.sha256}")
    if any(kind.name == "synonyms" for kind in rules):
        st.caption(
            "Rules need no model. "
            f"Synonyms come from a bundled list{' and WordNet' if is_installed() else ': NLTK has no WordNet here'}."
        )
    perturbations += _choice_of_models(title, ideal, [kind for kind in plugins if kind.card.form == "model"])
    prompts = [kind for kind in plugins if kind.card.form == "prompt"]
    if not prompts:
        return perturbations
    name = st.text_input(
        "Language model of this machine",
        "",
        key=StressState.local_model.key,
        placeholder="local:FOLDER or local:OWNER/NAME; empty: the endpoint",
        help="A chat model, or an encoder-decoder that follows instructions as Flan-T5, loaded here: no endpoint is asked.",
    ).strip()
    local = ""  # an endpoint is asked
    try:
        if name and not is_local_model(name):
            raise BadSettingError(
                f"{name!r} is no model of this machine. Write {LOCAL} and a folder or a repository of the hub."
            )
        local = check_local_model(name, "") if name else ""
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
    missing = "" if local else endpoint_problem()
    kinds = [PERTURBATIONS.build(kind.name, {"model": local}) for kind in prompts] if local else prompts
    label = f"{title}, by a language model"
    perturbations += _perturbation_pills(label, kinds, [], ideal, disabled=bool(missing), key=f"{label} {local}")
    if missing:
        st.caption(escape_markdown(missing))
    elif local:
        _check_model_row(chat_model(local, ""))
    return perturbations


def _choice_of_models(title: str, ideal: str, kinds: Sequence[Perturbation]) -> list[Perturbation]:
    """The chosen ones of the kinds with a model of this machine, with the state of its weights, one with settings among them."""
    if not kinds:
        return []
    label = f"{title}, with a model of this machine"
    settings = {kind.name: ", ".join(settings_of(type(kind))) for kind in kinds}
    placeholder = next(
        (f"{kind.name}[{model.setting}=FOLDER]" for kind in kinds for model in local_checkpoints(kind.checkpoints())),
        kinds[0].name,
    )
    typed = st.text_input(
        f"{title}: a model of your own",
        "",
        key=StressState.model_kind.of(title).key,
        placeholder=placeholder,
        help="A kind with a model of this machine, with settings as on the command line; it is chosen with the others below. "
        f"Settings: {escape_markdown('; '.join(f'{name}: {names}' for name, names in settings.items()))}.",
    ).strip()
    own: list[Perturbation] = []
    try:
        own = [PERTURBATIONS.parse(typed)] if typed else []
        if own and own[0].name not in {kind.name for kind in kinds}:
            raise BadSettingError(
                f"{own[0].name!r} is none of the kinds below. Write {' or '.join(settings)} with its settings, as {placeholder}."
            )
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        own = []
    perturbations = _perturbation_pills(label, [*kinds, *own], own, ideal, key=f"{label} {typed}")
    for kind in perturbations:
        try:
            _ = kind.signature
        except BadSettingError as error:
            st.info(escape_message(str(error)), icon=":material/folder_off:")
        except (MissingWeightsError, LoadError):
            pass  # their row below says so, with what can be done
    for model in dict.fromkeys(model for perturbation in perturbations for model in perturbation.checkpoints()):
        _check_model_row(model)
    return perturbations


def _perturbation_pills(
    label: str,
    kinds: Sequence[Perturbation],
    default: Sequence[Perturbation],
    ideal: str,
    disabled: bool = False,
    key: str = "",
) -> list[Perturbation]:
    by_spec = {kind.spec: kind for kind in kinds}
    specs = st.pills(
        label,
        list(by_spec),
        selection_mode="multi",
        default=[kind.spec for kind in default],
        format_func=lambda spec: by_spec[spec].title,
        key=f"stress-{key or label}",
        help="\n".join(
            [
                escape_markdown(ideal),
                "",
                *(f"- **{escape_markdown(kind.card.title)}**: {escape_markdown(kind.card.does)}" for kind in kinds),
            ]
        ),
        disabled=disabled,
        wrap=True,
    )
    return [by_spec[spec] for spec in specs]


def new_run_form() -> None:
    """The form of a new run and its button."""
    st.caption(
        "A run changes each summary in known ways and scores it before and after: which metrics move when nothing was "
        "broken, which stay when something was, and which can be gamed by a phrase?"
    )
    pairs_column, kinds_column = st.columns(2, gap="large")
    with pairs_column:
        pairs = pairs_choice()
    with kinds_column:
        kinds = imported_kinds(pairs.imported) if pairs.imported else perturbation_choice()
    with pairs_column:
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
        nli_check_choice()
        with st.container(horizontal=True):
            taken = {row.name for row in listed_runs().values()}
            name = next(name for number in count(len(taken) + 1) if (name := f"Run {number}") not in taken)
            st.text_input("Name of the run", name, key=StressState.name.key)
            st.number_input(
                "Seed", 0, None, 0, key=StressState.seed.key, width=120, help="The same seed, the same variants."
            )
        metrics = stress_state().metrics
        # no callback: it would be called with the choices of the run before, when somebody chooses and presses quickly
        pressed = st.button(
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


def _plan_of_form(kinds: Sequence[Perturbation], metrics: Sequence[str]) -> Plan:
    """Plan that the form holds. Raises TouchstoneError for an unknown metric or NLI check."""
    state = stress_state()
    metrics_of_plan, check = [*map(METRICS.parse, metrics)], chosen_nli_check()
    if _paper_preset():  # an assertion in the terms of each metric
        kinds = [PERTURBATIONS.parse(spec) for spec in for_each_metric([kind.spec for kind in kinds], metrics_of_plan)]
    return Plan.of(state.name, kinds, metrics_of_plan, state.seed, check, battery_of_kinds(kinds))
