"""A metric with other settings: a form made of its fields, and the spelling that the command line takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from core.errors import TouchstoneError
from core.metric import METRICS, Metric
from core.models.files import RUNS_CODE
from core.models.trust import refusal
from core.registry import Setting, choices_of, settings_of, types_of
from core.types import Checkpoint
from pages.ui.plain import plain

_HELP = {
    "checkpoint": "A folder of this machine, or a hub repository (owner/name).",
    "revision": "A branch, tag or commit of the hub repository.",
    "dtype": "bfloat16 and float16 halve the memory and move scores; the signature names them.",
    "trust_remote_code": "Runs code that comes with the weights, where this machine's setting allows it.",
}
"""What names that several metrics share stand for."""

_NUMBERS: Mapping[object, tuple[float, str]] = {int: (1, "%d"), float: (0.05, "%g")}
"""By type, the step of a field and how its number is written."""


def settings_form(name: str, on_add: Callable[[Metric], None]) -> None:
    """A field per setting of the metric of that name, filled with the defaults; `on_add` is given what was set."""
    values: dict[str, Setting] = {}
    columns = st.columns(2)
    for place, (setting, hint) in enumerate(types_of(METRICS.get(name)).items()):
        with columns[place % 2]:
            values[setting] = _field(name, setting, hint)
    try:
        metric = METRICS.build(name, values)
        code = [checkpoint for checkpoint in metric.checkpoints() if checkpoint.kind in RUNS_CODE]
    except TouchstoneError as error:
        _add_button(name, on_add, disabled=True)
        st.error(plain(str(error)), icon=":material/error:")
        return
    _add_button(name, on_add, disabled=any(map(refusal, code)))
    for checkpoint in code:
        _warn(checkpoint)
    st.text("On the command line")
    st.code(metric.spec, language=None, wrap_lines=True)


def has_settings(name: str) -> bool:
    return bool(settings_of(METRICS.get(name)))


def _field(name: str, setting: str, hint: object) -> Setting:
    """The control of one setting, which begins with its default."""
    default = settings_of(METRICS.get(name))[setting].default
    key, told = _key(name, setting), _told(setting, default)
    st.session_state.setdefault(key, default)
    if choices := choices_of(hint):
        return st.selectbox(setting, choices, key=key, help=told)
    if hint is bool:
        return st.toggle(setting, key=key, help=told)
    if hint is str:
        return st.text_input(setting, key=key, help=told)
    step, form = _NUMBERS[hint]
    return st.number_input(setting, key=key, help=told, step=step, format=form)


def _told(setting: str, default: object) -> str:
    return f"{_HELP.get(setting, '')} Default: {plain(str(default)) or 'empty'}.".strip()


def _add_button(name: str, on_add: Callable[[Metric], None], *, disabled: bool) -> None:
    """Above what it depends on, so that it stands still while that changes."""
    st.button(
        "Add to the bench",
        key=f"add-{name}",
        type="primary",
        icon=":material/add:",
        disabled=disabled,
        on_click=partial(_add, name, on_add),
    )


def _add(name: str, on_add: Callable[[Metric], None]) -> None:
    """Of what stands in the fields now: a value may have changed with the very click."""
    settings = settings_of(METRICS.get(name))
    try:
        metric = METRICS.build(name, {setting: st.session_state[_key(name, setting)] for setting in settings})
    except TouchstoneError:
        return  # the form says why
    on_add(metric)


def _warn(checkpoint: Checkpoint) -> None:
    if reason := refusal(checkpoint):
        st.error(plain(reason), icon=":material/gpp_bad:")
        return
    st.warning(
        f"Adding this runs the code of {plain(checkpoint.source)} on this machine, with the rights of this program. "
        "Whoever runs the machine allowed it in TOUCHSTONE\\_TRUSTED\\_REPOS.",
        icon=":material/gpp_maybe:",
    )


def _key(name: str, setting: str) -> str:
    return f"set-{name}-{setting}"
