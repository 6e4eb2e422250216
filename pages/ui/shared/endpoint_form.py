"""Choice of the endpoint and model that answer on a page, and the estimated cost of asking them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import PurePath
from typing import Any

import streamlit as st

from core.errors import Problem, TouchstoneError, attempt
from core.model_reference import Checkpoint, asks_endpoint, local_checkpoints
from core.models import (
    LOCAL,
    Endpoint,
    ModelStatus,
    chat_model,
    endpoint_problem,
    format_estimate,
    format_spend_by_endpoint,
    is_local_model,
    list_endpoints,
)
from core.scoring import Conversation, Metric
from core.types import Example
from pages.server import services
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.session_state import WidgetValue


def available_endpoints(prefix: str) -> dict[str, Endpoint]:
    """The endpoints that can be asked, by name; says what to set where there is none and the form names no local model."""
    try:
        listed = list_endpoints()
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return {}
    endpoints = {endpoint.name: endpoint for endpoint in listed if isinstance(endpoint, Endpoint)}
    if not endpoints and not is_local_model(chosen_model(prefix)):
        problems = [problem for problem in listed if isinstance(problem, str)] or [endpoint_problem()]
        st.info(escape_markdown("\n".join(problems)), icon=":material/link_off:")
        st.page_link("views/metrics.py", label="Add an endpoint under Metrics", icon=":material/add_link:")
    return endpoints


def choose_endpoint_and_model(endpoints: Mapping[str, Endpoint], prefix: str) -> tuple[str, str]:
    """The choice among them, by name, where there is one to make, and a field for a model; "" is that of the endpoint.

    A model of this machine is asked of no endpoint, whichever is chosen, and downloaded on a press.
    """
    endpoint = next(iter(endpoints), "")
    if len(endpoints) > 1:
        endpoint = st.selectbox(
            "Endpoint",
            list(endpoints),
            key=_endpoint_widget(prefix).key,
            format_func=lambda name: endpoints[name].title,
            width=150,
        )
    key = _model_widget(prefix).key
    served = endpoints[endpoint].model or "its name" if endpoints else f"{LOCAL}FOLDER"
    model = st.text_input(
        "Model",
        key=key,
        placeholder=served,
        width=180,
        help="A name that the endpoint serves, or local:FOLDER or local:OWNER/NAME: a chat model that is loaded on this "
        "machine, without an endpoint.",
    ).strip()
    if not is_local_model(model):
        return endpoint, model
    pool = services.engine().pool
    for checkpoint in local_checkpoints([chat_model(model, "")]):
        if pool.state(checkpoint).status is ModelStatus.NEEDS_DOWNLOAD:
            download_button(checkpoint, f"{prefix}-download")
    return "", model


def download_button(checkpoint: Checkpoint, key: str) -> None:
    """Button that downloads weights which are not on this machine."""
    st.button(
        escape_label(f"Download {PurePath(checkpoint.source).name}"),
        key=key,
        icon=":material/download:",
        on_click=_download,
        args=(checkpoint,),
        disabled=services.settings().demo,
    )


def _download(checkpoint: Checkpoint) -> None:
    services.engine().pool.fetch(checkpoint)


def chosen_endpoint(prefix: str, default: str) -> str:
    """Endpoint selected in the form of that prefix, also in a callback; `default` where the form offers no choice.

    "" where the form names a model of this machine.
    """
    if is_local_model(chosen_model(prefix)):
        return ""
    return _endpoint_widget(prefix).get() or default


def chosen_model(prefix: str) -> str:
    """Model entered in the form of that prefix, also in a callback; "" for the endpoint's own."""
    return _model_widget(prefix).get().strip()


def _endpoint_widget(prefix: str) -> WidgetValue[str]:
    return WidgetValue(f"{prefix}-endpoint", "")


def _model_widget(prefix: str) -> WidgetValue[str]:
    return WidgetValue(f"{prefix}-model", "")


def estimate_caption(metrics: Sequence[Metric], examples: Sequence[Example]) -> str:
    """Maximum cost of asking these metrics about these texts; empty where it is free or no endpoint can be asked."""
    engine = services.engine()
    estimate = attempt(lambda: format_estimate(engine.estimate(engine.conversations(metrics, examples))))
    return "" if isinstance(estimate, Problem) else estimate


def estimate_line(conversations: Sequence[Conversation[Any]], then: str = "") -> None:
    """Show what these conversations cost at most, and `then`, or why no endpoint can be asked; the spend so far as a hint."""

    def begin() -> None:  # an estimate passes over what keeps the first question from being asked
        with closing(conversations[0].rounds()) as rounds:
            next(rounds, None)

    begun, engine = attempt(begin), services.engine()
    estimate = begun if isinstance(begun, Problem) else attempt(lambda: format_estimate(engine.estimate(conversations)))
    if isinstance(estimate, Problem):
        st.caption(escape_message(estimate.error))
        return
    if not asks_endpoint(conversations[0].checkpoints):
        st.caption("Answered by a model on this machine: it costs nothing, and takes a while on a processor.")
        return
    spent = format_spend_by_endpoint(services.engine().spent())
    paid = escape_markdown(f"Spent since the server was started: {spent}.") if spent else None
    st.caption(
        escape_markdown(f"{estimate}{then}") if estimate else "This was asked before: it costs nothing.", help=paid
    )
