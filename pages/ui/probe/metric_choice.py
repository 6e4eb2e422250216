"""Choice of the metrics on the bench: by name, and a form for other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.assessment import default_metrics, list_metrics
from core.base import FREE_SETTINGS, profiles_with, read_profile
from core.errors import TouchstoneError
from core.model_reference import local_checkpoints
from core.models import CODE_RUNNING_KINDS, untrusted_reason
from core.registry import choices_of, settings_of, types_of
from core.scoring import METRICS, Metric
from pages.server import services
from pages.ui.probe.fast_set import fast_set_pills
from pages.ui.probe.pair import current_pair
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.session_state import WidgetValue, follow_choices
from pages.ui.shared.setting_words import SETTING_HELP

_NO_PAPER = ""
_NUMBER_FORMATS: Mapping[object, tuple[float, str]] = {int: (1, "%d"), float: (0.05, "%g")}
"""By type, the step of a field and how its number is written."""


def settings_form(name: str, on_add: Callable[[Metric], None]) -> None:
    """A field per setting of the metric of that name, filled with the defaults; `on_add` is given what was set."""
    if papers := {profile.name: profile.paper for profile in profiles_with(name)}:
        st.selectbox(
            "Paper mode",
            [_NO_PAPER, *papers],
            key=_paper_widget(name).key,
            format_func=lambda paper: papers.get(paper, "none: settings of your own"),
            help="The settings as the paper had them. The signature names the paper.",
        )
        if paper := _paper_of_form(name):  # it leaves only the places of weights to be set
            fixed = ", ".join(f"{setting}={value}" for setting, value in read_profile(paper).settings_of(name).items())
            st.caption(escape_markdown(f"Fixed: {fixed or 'every setting at its default'}."))
    columns = st.columns(2)
    hints = types_of(METRICS.get(name))
    for place, setting in enumerate(_settings_to_ask(name)):
        with columns[place % 2]:
            hint = hints[setting]
            widget = _setting_widget(name, setting)
            key, default, help_text = (
                widget.key,
                widget.default,
                f"{SETTING_HELP.get(setting, '')} Default: {escape_markdown(str(widget.default)) or 'empty'}.".strip(),
            )
            # the default is given to the control: one put into session state is lost where the run that draws it is overtaken, and the
            # browser then shows and sends 0
            if choices := choices_of(hint):
                st.selectbox(setting, choices, index=list(choices).index(default), key=key, help=help_text)
            elif hint is bool:
                st.toggle(setting, value=default, key=key, help=help_text)
            elif hint is str:
                st.text_input(setting, value=default, key=key, help=help_text)
            else:
                step, form = _NUMBER_FORMATS[hint]
                st.number_input(setting, value=default, key=key, help=help_text, step=step, format=form)
    try:
        metric = _metric_of_form(name)
        code = [
            checkpoint
            for checkpoint in local_checkpoints(metric.checkpoints())
            if checkpoint.kind in CODE_RUNNING_KINDS
        ]
    except TouchstoneError as error:
        _add_button(name, on_add, disabled=True)
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    _add_button(name, on_add, disabled=any(map(untrusted_reason, code)))
    for checkpoint in code:
        if reason := untrusted_reason(checkpoint):
            st.error(escape_message(reason), icon=":material/gpp_bad:")
        else:
            st.warning(
                f"Adding this runs the code of {escape_markdown(checkpoint.source)} on this machine, with the rights of this program. "
                "The operator of this machine allowed it in TOUCHSTONE\\_TRUSTED\\_REPOS.",
                icon=":material/gpp_maybe:",
            )
    st.text("On the command line")
    st.code(metric.spec, language=None, wrap_lines=True)


def _paper_widget(name: str) -> WidgetValue[str]:
    return WidgetValue("paper", _NO_PAPER).of(name)


def _paper_of_form(name: str) -> str:
    """The paper that is chosen; one that has no form of this metric counts as none."""
    paper = _paper_widget(name).get()
    return paper if paper in {profile.name for profile in profiles_with(name)} else _NO_PAPER


def _settings_to_ask(name: str) -> list[str]:
    """All settings, or those that the chosen paper leaves free."""
    settings, paper = settings_of(METRICS.get(name)), _paper_of_form(name)
    if not paper:
        return list(settings)
    fixed = read_profile(paper).settings_of(name)
    return [setting for setting in settings if setting in FREE_SETTINGS - fixed.keys()]


def _metric_of_form(name: str) -> Metric:
    """Metric that the fields make now; raises TouchstoneError for a value that the metric cannot take."""
    values = {setting: _setting_widget(name, setting).get() for setting in _settings_to_ask(name)}
    paper = _paper_of_form(name)
    return METRICS.build_in_profile(name, paper, values) if paper else METRICS.build(name, values)


def has_settings(name: str) -> bool:
    return bool(settings_of(METRICS.get(name)) or profiles_with(name))


def _add_button(name: str, on_add: Callable[[Metric], None], *, disabled: bool) -> None:
    """Above what it depends on, so that it does not move while that changes."""

    def add() -> None:
        try:
            metric = _metric_of_form(
                name
            )  # of the fields as they are now: a value may have changed with the very click
        except TouchstoneError:
            return  # the form says why
        on_add(metric)

    st.button(
        "Add to the bench",
        key=f"add-{name}",
        type="primary",
        icon=":material/add:",
        disabled=disabled,
        on_click=add,
    )


def _setting_widget(name: str, setting: str) -> WidgetValue[Any]:
    """The field of one setting, whose value is of the type of the setting."""
    return WidgetValue[Any](f"set-{name}-{setting}", settings_of(METRICS.get(name))[setting].default)


def chosen_metrics() -> list[Metric]:
    """The metrics of this session in the order of the board: what runs at once first, families together."""
    return sorted(
        map(METRICS.parse, _board_specs()), key=lambda metric: (bool(metric.checkpoints()), metric.card.family)
    )


def _board_specs() -> list[str]:
    """Specs on the board; at first every metric that needs no set-up, except judges and metrics that wrap others."""
    state = probe_state()
    if state.metrics is None:
        state.metrics = [line.name for line in default_metrics(services.engine().pool)]
    return state.metrics


def metrics_popover() -> None:
    """The popover in the toolbar, filled from the first time that it is open.

    It stays filled: a choice made right after it is opened again, while the page still draws the closed one, would be undone.
    """
    box = st.popover("Metrics", icon=":material/tune:", key="metrics-popover", on_change="rerun")
    state = probe_state()
    state.metrics_opened = state.metrics_opened or bool(box.open)
    if state.metrics_opened:
        with box:
            lines = list_metrics(services.engine().pool)
            for family in dict.fromkeys(line.card.family for line in lines):
                of_family = {line.name: line.card.title for line in lines if line.card.family == family}
                on_board = [spec for spec in _board_specs() if spec in of_family]
                choices = ProbeState.chosen_of_family.of(family)
                follow_choices(choices, on_board)
                st.pills(
                    family,
                    list(of_family),
                    default=on_board,
                    selection_mode="multi",
                    key=choices.key,
                    format_func=of_family.__getitem__,
                    on_change=_store_family_choice,
                    args=(choices, tuple(of_family)),
                )

            titles = {line.name: line.card.title for line in lines if has_settings(line.name)}
            metric_name = st.selectbox(
                "With other settings…",
                list(titles),
                index=None,
                key=ProbeState.metric_with_settings.key,
                format_func=lambda name: titles[name],
                placeholder="Choose a metric to see its settings",
            )
            if metric_name:
                settings_form(metric_name, add_to_bench)

            st.text_input(
                "Add one with other settings",
                key=ProbeState.typed_spec.key,
                placeholder="minicheck-roberta[checkpoint=folder]",
                help="A name from the Metrics page and its settings, spelled as on the command line; factcc@bump is the form of a paper. "
                "Press Enter to add.",
                on_change=_add_typed_spec,
            )
            if problem := probe_state().spec_error:
                st.error(escape_message(problem), icon=":material/error:")
            for spec in bench_specs_with_settings():
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.text(spec)
                    st.button(f"Remove {escape_label(spec)}", key=f"remove-{spec}", on_click=_remove_spec, args=(spec,))
            fast_set_pills(chosen_metrics())


def add_to_bench(metric: Metric) -> None:
    """Score with it from now on, in addition to what is on the bench."""
    state = probe_state()
    state.metrics = list(dict.fromkeys([*_board_specs(), metric.spec]))
    state.metric_with_settings = None


def bench_specs_with_settings() -> list[str]:
    """Specs on the bench with settings of their own, such as a trained metric; other pages offer them too."""
    names = {plugin.name for plugin in METRICS}
    return [spec for spec in _board_specs() if spec not in names]


def _store_family_choice(selected: WidgetValue[list[str]], names: tuple[str, ...]) -> None:
    others = [spec for spec in _board_specs() if spec not in names]
    probe_state().metrics = [*others, *selected.get()]


def _add_typed_spec() -> None:
    state = probe_state()
    try:
        metric = METRICS.parse(state.typed_spec)
    except TouchstoneError as error:
        state.spec_error = str(error)
        name, example = state.typed_spec.strip(), current_pair().example
        for sample in services.store().samples_of(example) if example else []:
            if name in {score.metric for score in sample.item.scores}:
                state.spec_error = (
                    f"{name} is a column of scores of {sample.dataset}: numbers that cannot be asked again about an edit. "
                    "Evaluate and Audit compare them with the metrics."
                )
                break
        return
    add_to_bench(metric)
    state.typed_spec, state.spec_error = "", ""


def _remove_spec(spec: str) -> None:
    probe_state().metrics = [other for other in _board_specs() if other != spec]
