"""The form that adds a language-model endpoint while the server runs: preset, test, key in memory only."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from annotations.people.people import Right
from core.errors import Problem, TouchstoneError, attempt
from core.models import (
    APIS,
    LEFT_OUT_FIELDS,
    PRESETS,
    STRUCTURED_FORMS,
    Endpoint,
    EndpointFinding,
    add_endpoint,
    check_endpoint,
    endpoint_table,
    probed_fields,
    read_further_fields,
    typed_endpoint,
)
from core.settings import KEY_PREFIX
from pages.server import services
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.page_list import IMPORT_PARAMETERS, JUDGE_PARAMETER
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.session_user import current_member

_FIRST = PRESETS[0]


@dataclass(eq=False)
class EndpointSetupState:
    """State of the form: findings of the last test of the typed endpoint, the endpoint added last, and the fields.

    Those that a preset fills in are other fields for each: a value that is set in one may be lost where the page is drawn again
    at once.
    """

    findings: list[EndpointFinding] = field(default_factory=list)
    error: str = ""
    added: Endpoint | None = None
    key_from: str = ""
    added_further: str = ""
    tested: str = ""
    preset = WidgetValue[str]("new-endpoint-preset", _FIRST.title)
    name = WidgetValue[str]("new-endpoint-name", "")
    api = WidgetValue[str]("new-endpoint-api", APIS[0])
    address = WidgetValue[str]("new-endpoint-address", "")
    model = WidgetValue[str]("new-endpoint-model", "")
    variable = WidgetValue[str]("new-endpoint-variable", "")
    key = WidgetValue[str]("new-endpoint-key", "")
    reasoning = WidgetValue[int]("new-endpoint-reasoning", 0)
    price_read = WidgetValue[float | None]("new-endpoint-price-read", None)
    price_written = WidgetValue[float | None]("new-endpoint-price-written", None)
    structured = WidgetValue[str]("new-endpoint-structured", STRUCTURED_FORMS[0])
    leave_out = WidgetValue[list[str]]("new-endpoint-leave-out", [])
    system_role = WidgetValue[bool]("new-endpoint-system-role", True)
    further = WidgetValue[str]("new-endpoint-further", "")

    def typed(self, field_of_preset: WidgetValue[str]) -> str:
        """The text of a field of the chosen preset, without spaces around it."""
        return field_of_preset.of(self.preset).get().strip()


def may_add_endpoint() -> bool:
    """Whoever may manage this server; nobody adds one to a demo."""
    return not services.settings().demo and current_member().may(Right.MANAGE)


def endpoint_setup(is_first: bool) -> None:
    """The form, for whoever may add an endpoint; unfolded for the first one, and after it."""
    if not may_add_endpoint():
        return
    state = page_state(EndpointSetupState)
    _form(is_first or state.added is not None)
    if state.added:
        table = attempt(partial(endpoint_table, state.added, state.key_from, state.added_further))
        judge = f"direct-assessment[endpoint={state.added.name}]"
        st.success(
            escape_markdown(
                f"{state.added.name} can be asked until the server stops. Score with {judge}, or explain on Probe."
            )
        )
        with st.container(horizontal=True):
            st.page_link(
                "views/evaluate.py",
                label="Import pairs and judge them",
                icon=":material/database_upload:",
                query_params={**IMPORT_PARAMETERS, JUDGE_PARAMETER: judge},
            )
            st.page_link("views/probe.py", label="Explain a pair on Probe", icon=":material/science:")
        if not isinstance(table, Problem):
            st.caption("To keep it, put this into a file and name the file in TOUCHSTONE_ENDPOINTS:")
            st.code(table, language=None)


@st.fragment  # a choice of the server fills the fields at once, before anybody types into them
def _form(unfolded: bool) -> None:
    state = page_state(EndpointSetupState)
    with st.expander("Add an endpoint", expanded=unfolded, icon=":material/add_link:", key="new-endpoint"):
        st.segmented_control(
            "Server",
            [preset.title for preset in PRESETS],
            key=EndpointSetupState.preset.key,
            default=_FIRST.title,
            required=True,
            on_change=_forget_findings,
        )
        # a form: by itself a field for a key loses what was typed when Tab leaves it for its eye
        with st.form("new-endpoint-form", border=False):
            _fields(state)
            with st.container(horizontal=True):
                st.form_submit_button("Test", icon=":material/network_check:", on_click=_test)
                added = st.form_submit_button("Add", icon=":material/add:", type="primary", on_click=_add)
        st.caption("The test asks a few short questions, which are not counted as spent.")
        if state.error:
            st.error(escape_message(state.error), icon=":material/error:")
        for finding in state.findings:
            st.markdown(
                f"{':material/check_circle:' if finding.works else ':material/cancel:'} **{finding.what}** {escape_message(finding.message)}"
            )
        if state.tested:
            st.caption(escape_markdown(f"The test has set {state.tested}, as the server refuses more. Change it here."))
    if added and not state.error:
        st.rerun()


def _fields(state: EndpointSetupState) -> None:
    preset = next(candidate for candidate in PRESETS if candidate.title == state.preset)
    name_column, address_column, model_column, api_column = st.columns([2, 3, 2, 1])
    name_column.text_input(
        "Name",
        preset.title.split()[0].lower() if preset.base_url else "",
        key=EndpointSetupState.name.of(state.preset).key,
        help="Letters, digits, dots and dashes: metrics name it so.",
    )
    address_column.text_input(
        "Address",
        preset.base_url,
        key=EndpointSetupState.address.of(state.preset).key,
        placeholder="http://localhost:8000/v1",
    )
    model_column.text_input("Model", key=EndpointSetupState.model.of(state.preset).key, placeholder=preset.model)
    api_column.selectbox(
        "API",
        APIS,
        APIS.index(preset.api),
        key=EndpointSetupState.api.of(state.preset).key,
        help="chat: Chat Completions, of OpenAI and most servers; responses: the Responses API of OpenAI; anthropic: the "
        "Messages API; gemini: generateContent.",
    )
    variable_column, key_column, reasoning_column = st.columns(3)
    variable_column.text_input(
        "Variable with its key",
        preset.key_from if services.settings().allows_key(preset.key_from) else "",
        key=EndpointSetupState.variable.of(state.preset).key,
        placeholder=f"{KEY_PREFIX}…" if services.settings().has_guests else "none",
        help=f"Of the environment or .env. On a shared server one that begins with {KEY_PREFIX} or is listed in TOUCHSTONE_ALLOWED_KEYS.",
    )
    key_column.text_input(
        "or the key itself",
        key=EndpointSetupState.key.key,
        type="password",
        placeholder="none",
        help="Kept in memory until the server stops, for everybody who uses this server; never written anywhere.",
    )
    reasoning_column.number_input(
        "Reasoning tokens",
        0,
        200_000,
        key=EndpointSetupState.reasoning.key,
        help="The limit of a reasoning model; 0 for any other.",
    )
    read_column, written_column, omission_column = st.columns(3)
    for place, (what, key) in zip(
        (read_column, written_column),
        {"read": EndpointSetupState.price_read.key, "written": EndpointSetupState.price_written.key}.items(),
        strict=True,
    ):
        place.number_input(
            f"Price of tokens {what}", 0.0, value=None, key=key, placeholder="not set", help="For a million; 0 is free."
        )
    omission_column.multiselect(
        "Leave out",
        LEFT_OUT_FIELDS,
        key=EndpointSetupState.leave_out.key,
        placeholder="nothing",
        help="What the model refuses: it takes its own then, and signatures say so.",
    )
    structured_column, role_column, extra_column = st.columns([1, 1, 2])
    structured_column.selectbox(
        "Structured answers",
        STRUCTURED_FORMS,
        key=EndpointSetupState.structured.key,
        help="The form in which the server is asked for JSON; answers are read strictly in any case.",
    )
    role_column.checkbox(
        "Has a system role",
        value=EndpointSetupState.system_role.default,
        key=EndpointSetupState.system_role.key,
        help="Without it the system message stands before the first question.",
    )
    extra_column.text_area(
        "Further settings",
        key=EndpointSetupState.further.key,
        height=68,
        placeholder="at_once = 4\nextra_body = {chat_template_kwargs = {enable_thinking = false}}",
        help="One in each line, as in the file of TOUCHSTONE_ENDPOINTS: at_once, patience_s, retries, stream, total_s, "
        "extra_body, headers, query, key_header, seed, price_cached, price_answer, batch_price_factor, budget.",
    )


def _forget_findings() -> None:
    state = page_state(EndpointSetupState)
    state.findings, state.error, state.tested = [], "", ""


def _typed_by_manager(state: EndpointSetupState) -> Endpoint:
    """The endpoint of the fields; raises RightsError for anybody else, as a press comes before the page is drawn."""
    current_member().require(Right.MANAGE)
    fields = {
        "name": state.typed(EndpointSetupState.name),
        "base_url": state.typed(EndpointSetupState.address),
        "model": state.typed(EndpointSetupState.model),
        "api": state.typed(EndpointSetupState.api),
        "key_from": "" if state.key.strip() else state.typed(EndpointSetupState.variable),
        "reasoning_tokens": state.reasoning,
        "price_read": state.price_read,
        "price_written": state.price_written,
        "structured": state.structured,
        "leave_out": state.leave_out,
        "system_role": state.system_role,
    }
    return typed_endpoint({**fields, **read_further_fields(state.further, fields)}, state.key)


def _test() -> None:
    state = page_state(EndpointSetupState)
    state.findings, state.error, state.tested = [], "", ""
    with st.spinner("Asking…"):
        checked = attempt(lambda: (typed := _typed_by_manager(state), check_endpoint(typed), probed_fields(typed)))
    if isinstance(checked, Problem):
        state.error = checked.error
        return
    _, state.findings, fields = checked
    state.tested = ", ".join(f"{name} = {json.dumps(value)}" for name, value in fields.items())
    state.structured = str(fields.get("structured", state.structured))
    state.system_role = bool(fields.get("system_role", state.system_role))
    if isinstance(left_out := fields.get("leave_out"), list):
        state.leave_out = left_out
    if "top_logprobs" in fields:
        state.further = f"{state.further}\ntop_logprobs = {fields['top_logprobs']}".strip()


def _add() -> None:
    state = page_state(EndpointSetupState)
    try:
        typed = _typed_by_manager(state)
        add_endpoint(typed)
    except TouchstoneError as error:
        state.findings, state.error = [], str(error)
        return
    state.added, state.error = typed, ""
    state.key_from, state.added_further, state.key = state.typed(EndpointSetupState.variable), state.further, ""
