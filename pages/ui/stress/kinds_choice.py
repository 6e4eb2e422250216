"""The perturbations of a new stress run: those of a battery, others by rule, and those with a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from core.edits import PERTURBATIONS, Battery, Intent, Perturbation, read_battery, refusal
from core.errors import BadSettingError, LoadError, MissingWeightsError, TouchstoneError
from core.model_reference import Checkpoint, EndpointModel, ModelRef, local_checkpoints
from core.models import LOCAL, chat_model, check_local_model, endpoint_problem, is_local_model
from core.registry import settings_of
from core.results import ImportedVariants
from core.stats import format_count
from core.text import is_installed
from pages.server import services
from pages.ui.metrics.model_rows import model_row
from pages.ui.results.run_choice import StressState, stress_state
from pages.ui.shared.background_results import background_results
from pages.ui.shared.battery_choice import battery_choice
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.stress.pair_source import ChosenPairs


def check_model_row(model: ModelRef) -> None:
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
    battery = battery_choice(StressState.battery.key)
    if battery is None:
        return []
    kinds = [kind for intent in _INTENT_TITLES for kind in _choice_by_rule(intent, battery)]
    for intent in _INTENT_TITLES:
        kinds += _choice_of_models(intent)
    return kinds + _choice_of_prompts()


def intent_counts(kinds: Sequence[Perturbation]) -> str:
    """As “5 should keep the meaning, 9 should break it, 4 should gain nothing”, without those of which there are none."""
    numbers = {intent: sum(kind.card.intent == intent for kind in kinds) for intent in _INTENT_TITLES}
    words = {
        "preserving": "should keep the meaning",
        "breaking": "should break it",
        "gaming": "should gain nothing",
    }
    return ", ".join(f"{number} {words[intent]}" for intent, number in numbers.items() if number)


def battery_of_kinds(kinds: Sequence[Perturbation]) -> str:
    """The signature of the battery that is chosen, where the kinds are all of it and no other; else empty."""
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


def _choice_by_rule(intent: Intent, battery: Battery) -> list[Perturbation]:
    plugins = _plugins(intent, "rule")
    title, ideal = _INTENT_TITLES[intent]
    of_battery = battery.of_intent(intent)
    rules = sorted([*of_battery, *(kind for kind in plugins if kind.spec not in battery.kinds)], key=_rank)
    label = f"{title}, by rule"
    perturbations = _perturbation_pills(label, rules, of_battery, ideal, key=f"{label} {battery.sha256}")
    if any(kind.name == "synonyms" for kind in rules):
        st.caption(
            "Rules need no model. "
            f"Synonyms come from a bundled list{' and WordNet' if is_installed() else ': NLTK has no WordNet here'}."
        )
    return perturbations


def _plugins(intent: Intent, form: str) -> list[Perturbation]:
    return [plugin() for plugin in PERTURBATIONS if (plugin.card.intent, plugin.card.form) == (intent, form)]


def _rank(kind: Perturbation) -> int:
    """Kinds of papers on factual consistency first, then other rules, and noise of letters and layout last."""
    if kind.name in _NOISE:
        return 2
    return int(kind.card.paper.startswith("none"))


_NOISE = frozenset(
    spec.partition("[")[0] for battery in ("surface-1", "layout-1") for spec in read_battery(battery).kinds
)


def _choice_of_prompts() -> list[Perturbation]:
    """The kinds by a language model, with the reason where none can be asked."""
    prompts = {intent: kinds for intent in _INTENT_TITLES if (kinds := _plugins(intent, "prompt"))}
    if not prompts:
        return []
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
    perturbations: list[Perturbation] = []
    for intent, kinds in prompts.items():
        title, ideal = _INTENT_TITLES[intent]
        built = [PERTURBATIONS.build(kind.name, {"model": local}) for kind in kinds] if local else kinds
        label = f"{title}, by a language model"
        perturbations += _perturbation_pills(label, built, [], ideal, disabled=bool(missing), key=f"{label} {local}")
    if missing:
        with st.expander("Why not?", icon=":material/help:", key="stress-why-not"):
            st.caption(escape_markdown(missing))
    elif local:
        check_model_row(chat_model(local, ""))
    return perturbations


def _choice_of_models(intent: Intent) -> list[Perturbation]:
    """The chosen ones of the kinds with a model of this machine, with the state of its weights, one with settings among them."""
    kinds = _plugins(intent, "model")
    if not kinds:
        return []
    title, ideal = _INTENT_TITLES[intent]
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
        check_model_row(model)
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


_MAX_REACH_PAIRS = 100  # a hundredth of a second for each pair and kind


def reach_lines(pairs: ChosenPairs, kinds: Sequence[Perturbation]) -> None:
    """The number of one's own summaries to which each kind by rule applies, where they are few enough to try at once."""
    rules = [kind for kind in kinds if kind.card.form == "rule"]
    if not rules or not pairs.own or pairs.number > _MAX_REACH_PAIRS:
        return
    seed = stress_state().seed
    specs = tuple(kind.spec for kind in rules)

    def count_by_kind() -> Iterator[int]:
        examples = [source.example for source in pairs.sources(seed).values()]
        return (sum(not refusal(kind, example) for example in examples) for kind in rules)

    counts = background_results(
        "Trying the perturbations…", ("reach", pairs.key, seed, specs), count_by_kind, len(rules)
    )
    if counts is None:
        return
    st.caption(escape_markdown(reach_sentence([kind.title for kind in rules], counts, pairs.number)))


def reach_sentence(titles: Sequence[str], counts: Sequence[int], pairs: int) -> str:
    """The kinds that apply to fewest summaries with their numbers, and the least number of all others."""
    ranked = sorted(zip(counts, titles, strict=True))
    rare = [(count, title) for count, title in ranked if count < pairs][:_RARE_KINDS]
    words = [f"“{title}” applies to {count}" for count, title in rare]
    if others := ranked[len(rare) :]:
        least = others[0][0]
        share = "all" if least == pairs else f"{least} or more"
        words.append(f"each other kind to {share}" if words else f"each kind applies to {share}")
    return f"Of your {format_count(pairs, 'pair')}: {', '.join(words)}."


_RARE_KINDS = 3
