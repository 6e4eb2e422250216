"""Who answers on a page: an endpoint that is set, and one of its models."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.errors import TouchstoneError
from core.llm.endpoint import Endpoint, endpoints, missing_endpoint
from pages.ui.plain import plain


def answering() -> dict[str, Endpoint]:
    """The endpoints that can be asked, by name; says what to set where there is none."""
    try:
        told = endpoints()
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return {}
    found = {one.name: one for one in told if isinstance(one, Endpoint)}
    if not found:
        lacking = [one for one in told if isinstance(one, str)] or [missing_endpoint()]
        st.info(plain("\n".join(lacking)), icon=":material/link_off:")
    return found


def endpoint_and_model(found: Mapping[str, Endpoint], prefix: str) -> tuple[str, str]:
    """The choice among them, by name, where there is one to make, and a field for a model; "" is that of the endpoint."""
    chosen = next(iter(found))
    if len(found) > 1:
        chosen = st.selectbox(
            "Endpoint",
            list(found),
            key=f"{prefix}-endpoint",
            format_func=lambda name: found[name].title,
            width=150,
        )
    model = st.text_input("Model", key=f"{prefix}-model", placeholder=found[chosen].model or "its name", width=180)
    return chosen, model.strip()
