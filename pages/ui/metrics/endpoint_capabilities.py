"""Capabilities of the model of an endpoint, as far as they are known: a table, a test, and the entries of a person."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from annotations.people.people import Right
from core.models import (
    CAPABILITY_TITLES,
    STRUCTURED_FORMS,
    CapabilityName,
    Endpoint,
    EndpointFinding,
    Value,
    capability_store,
    check_endpoint,
    format_value,
)
from pages.server import services
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.session_state import WidgetValue
from pages.ui.shared.session_user import current_member

_CHOICES: Mapping[CapabilityName, tuple[Value, ...]] = {
    "structured": STRUCTURED_FORMS,
    "system_role": (True, False),
    "top_logprobs": tuple(range(1, 21)),
    "top_p": (True, False),
    "max_tokens": (True, False),
    "seed": (True, False),
}
"""Entries that a person may make: calls leave parts of a request out by them."""
_SOURCES = {"person": "a person", "test": "a test", "call": "a call"}
_AS_FOUND = "as found"
_entry = WidgetValue[Value]("capability", _AS_FOUND)


def endpoint_capabilities(endpoint: Endpoint, findings: dict[str, list[EndpointFinding]]) -> None:
    """The table, and for whoever may manage this server a test and a form; `findings` keeps those of the last test."""
    if not endpoint.model:
        return
    capabilities = capability_store().get(endpoint, endpoint.model)
    with st.expander(f"What {escape_markdown(endpoint.model)} takes", key=f"capabilities-{endpoint.title}"):
        forms = capability_store().forms(endpoint, endpoint.model)
        if capabilities or forms:
            rows = []
            for capability in capabilities.values():
                source = f"{_SOURCES[capability.source]}, {capability.found_at:%Y-%m-%d}"
                rows.append(
                    {
                        "capability": CAPABILITY_TITLES[capability.name],
                        "value": format_value(capability.value),
                        "found by": f"{source}; its own setting counts" if capability.name in endpoint.own else source,
                    }
                )
            for schema, form in forms.items():
                rows.append(
                    {
                        "capability": f"{CAPABILITY_TITLES['structured']}: {schema}",
                        "value": format_value(form.value),
                        "found by": f"{_SOURCES[form.source]}, {form.found_at:%Y-%m-%d}",
                    }
                )
            st.dataframe(rows, hide_index=True)
        else:
            st.caption("Nothing is known yet: calls find it out one by one, and a test at once.")
        if services.settings().demo or not current_member().may(Right.MANAGE):
            return
        st.button("Test", key=f"test-{endpoint.title}", on_click=_test, args=(endpoint, findings))
        for finding in findings.get(endpoint.title, []):
            icon = ":material/check_circle:" if finding.works else ":material/cancel:"
            st.markdown(f"{icon} **{finding.what}** {escape_message(finding.message)}")
        with st.form(f"capabilities-form-{endpoint.title}", border=False):
            columns = st.columns(3)
            for place, (name, choices) in enumerate(_CHOICES.items()):
                options = [_AS_FOUND, *choices]
                entered = (
                    capabilities[name].value
                    if name in capabilities and capabilities[name].source == "person"
                    else _AS_FOUND
                )
                title = CAPABILITY_TITLES[name]
                columns[place % 3].selectbox(
                    title if title == name else title.capitalize(),
                    options,
                    index=options.index(entered) if entered in options else 0,
                    key=_entry.of(f"{endpoint.title}-{name}").key,
                    format_func=format_value,
                    disabled=name in endpoint.own,
                    help="The endpoint itself sets it." if name in endpoint.own else None,
                )
            with st.container(horizontal=True):
                st.form_submit_button("Save", on_click=_save, args=(endpoint,))
                st.form_submit_button("Forget what was found", on_click=_forget, args=(endpoint,))
            st.caption("What is entered here counts before what was found, and a setting of the endpoint before both.")


def _test(endpoint: Endpoint, findings: dict[str, list[EndpointFinding]]) -> None:
    current_member().require(Right.MANAGE)
    with st.spinner("Asking…"):
        findings[endpoint.title] = check_endpoint(endpoint)


def _save(endpoint: Endpoint) -> None:
    current_member().require(Right.MANAGE)
    entries = {name: _entry.of(f"{endpoint.title}-{name}").get() for name in _CHOICES}
    store = capability_store()
    capabilities = store.get(endpoint, endpoint.model)
    cleared = [
        name
        for name, capability in capabilities.items()
        if capability.source == "person" and entries.get(name, _AS_FOUND) == _AS_FOUND
    ]
    store.forget(endpoint, endpoint.model, cleared)
    values = {name: value for name, value in entries.items() if value != _AS_FOUND and name not in endpoint.own}
    store.enter(endpoint, endpoint.model, values, "person")


def _forget(endpoint: Endpoint) -> None:
    current_member().require(Right.MANAGE)
    store = capability_store()
    capabilities = store.get(endpoint, endpoint.model)
    store.forget(
        endpoint, endpoint.model, [name for name, capability in capabilities.items() if capability.source != "person"]
    )
