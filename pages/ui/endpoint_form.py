"""Which endpoint and model answer on a page, and what asking them would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import streamlit as st

from core.engine.conversation import Conversation
from core.errors import Problem, TouchstoneError, attempt
from core.llm.endpoints import Endpoint, endpoint_problem, list_endpoints
from core.llm.spend import format_estimate, format_spend_by_endpoint
from core.metric import Metric
from core.types import Example
from pages.ui import services
from pages.ui.markup import escape_markdown


def available_endpoints() -> dict[str, Endpoint]:
    """The endpoints that can be asked, by name; says what to set where there is none."""
    try:
        told = list_endpoints()
    except TouchstoneError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return {}
    found = {one.name: one for one in told if isinstance(one, Endpoint)}
    if not found:
        lacking = [one for one in told if isinstance(one, str)] or [endpoint_problem()]
        st.info(escape_markdown("\n".join(lacking)), icon=":material/link_off:")
    return found


def choose_endpoint_and_model(found: Mapping[str, Endpoint], prefix: str) -> tuple[str, str]:
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


def estimate_caption(metrics: Sequence[Metric], examples: Sequence[Example]) -> str:
    """What asking these metrics about these texts would cost at most; empty where nothing is paid for or nobody can be asked."""
    engine = services.engine()
    found = attempt(lambda: format_estimate(engine.estimate(engine.conversations(metrics, examples))))
    return "" if isinstance(found, Problem) else found


def estimate_line(talks: Sequence[Conversation[Any]], then: str = "") -> None:
    """What these conversations would cost at most, and then, or why nobody can be asked; what was paid so far as a hint."""
    begun = attempt(partial(_check_first_question, talks[0]))
    found = begun if isinstance(begun, Problem) else attempt(lambda: format_estimate(services.engine().estimate(talks)))
    if isinstance(found, Problem):
        st.caption(escape_markdown(found.message))
        return
    spent = format_spend_by_endpoint(services.engine().spent())
    paid = escape_markdown(f"Spent since the server was started: {spent}.") if spent else None
    st.caption(escape_markdown(f"{found}{then}") if found else "This was asked before: it costs nothing.", help=paid)


def _check_first_question(talk: Conversation[Any]) -> None:
    """Raises what keeps its first question from being asked, which an estimate passes over."""
    with closing(talk.rounds()) as rounds:
        next(rounds, None)
