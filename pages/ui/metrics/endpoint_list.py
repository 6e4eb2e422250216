"""The language-model endpoints that are set: where they are, what they cost, what was spent, and what they serve; never a key."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum

import streamlit as st

from annotations.people.people import Right
from core.assessment import ScoreComparison
from core.errors import Problem, attempt
from core.models import (
    Endpoint,
    EndpointFinding,
    Spend,
    SpendTracker,
    endpoint_problem,
    format_limits,
    format_money,
    format_spend,
    is_added,
    list_endpoints,
    remove_endpoint,
)
from core.settings import Settings
from pages.server import services
from pages.ui.metrics.endpoint_capabilities import endpoint_capabilities
from pages.ui.metrics.endpoint_setup import endpoint_setup, may_add_endpoint
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.session_state import page_state
from pages.ui.shared.session_user import current_member

_PATIENCE_S = 5.0  # a person waits at the screen
_MAX_MODELS_SHOWN = 30  # models of a hosted service that the list shows


@dataclass(eq=False)
class MetricsState:
    """State of the Metrics page: the models that endpoints serve, findings of their tests, and by metric how published scores compare."""

    served_models: dict[tuple[str, str], list[str] | Problem] = field(default_factory=dict)
    findings: dict[str, list[EndpointFinding]] = field(default_factory=dict)
    comparisons: dict[str, list[ScoreComparison]] = field(default_factory=dict)


def metrics_state() -> MetricsState:
    return page_state(MetricsState)


def endpoint_list() -> None:
    """Every endpoint, or in one line what to set where there is none."""
    st.subheader("Endpoints")
    endpoints = attempt(list_endpoints)
    if isinstance(endpoints, Problem):
        st.error(escape_message(endpoints.error), icon=":material/error:")
        return
    if not endpoints:
        here = (
            "No language-model endpoint is set. Add one below, or set TOUCHSTONE_LLM_BASE_URL and start Touchstone again. "
            "A chat model of this machine needs none: name it as model local:FOLDER."
        )
        problem = here if may_add_endpoint() else endpoint_problem()
        st.info(escape_message(problem), icon=":material/cloud_off:")
        endpoint_setup(is_first=True)
        return
    spent = SpendTracker(services.settings().cache_dir).total()

    budget = Settings.read().llm_budget
    if budget is not None:
        gone = fsum(spend.money for spend in spent.values())
        share = min(1.0, gone / budget) if budget else 1.0
        st.progress(share, f"{format_money(gone)} of the budget of {budget:g} spent at all endpoints")

    grid = st.grid("auto", min_column_width=520, gap="small")
    for place, endpoint in enumerate(endpoints):
        with grid.container(border=True, height="stretch", key=f"endpoint-{place}", gap="xsmall"):
            if isinstance(endpoint, Endpoint):
                _endpoint_card(endpoint, spent.get(endpoint.name, Spend()))
            else:
                st.warning(escape_markdown(endpoint), icon=":material/cloud_off:")
    endpoint_setup(is_first=False)


def _endpoint_card(endpoint: Endpoint, spent: Spend) -> None:
    def remove() -> None:
        current_member().require(Right.MANAGE)
        remove_endpoint(endpoint.name)

    def list_models() -> None:
        # imported when asked for: openai takes a second to import
        from core.models import client_for

        quick = replace(endpoint, patience_s=min(_PATIENCE_S, endpoint.patience_s), retries=0)
        metrics_state().served_models[_served_id(endpoint)] = attempt(partial(client_for(quick).models))

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(endpoint.title)}**")
        st.text(endpoint.base_url)
        st.badge("key is set" if endpoint.key else "no key", color="gray")
        st.space("stretch")
        if is_added(endpoint.name) and current_member().may(Right.MANAGE):
            st.button(
                f"Remove {escape_label(endpoint.title)}",
                key=f"remove-{endpoint.title}",
                on_click=remove,
            )
        st.button(
            f"List the models of {escape_label(endpoint.title)}",
            key=f"models-{endpoint.title}",
            on_click=list_models,
        )
    st.text(f"model {endpoint.model or '– none set –'} · {format_limits(endpoint)}")
    st.text(f"Spent so far: {format_spend(spent)}" if spent.questions else "Nothing was asked so far.")

    served = metrics_state().served_models.get(_served_id(endpoint))
    if isinstance(served, Problem):
        st.error(escape_message(served.error), icon=":material/cloud_off:")
    elif served is not None:
        more = f" and {len(served) - _MAX_MODELS_SHOWN} more" if len(served) > _MAX_MODELS_SHOWN else ""
        st.success(
            escape_markdown(f"Reachable. It serves {', '.join(served[:_MAX_MODELS_SHOWN]) or 'no model'}{more}.")
        )
        if endpoint.model and endpoint.model not in served:
            st.warning(escape_markdown(f"The model that is set, {endpoint.model}, is not among them."))
    endpoint_capabilities(endpoint, metrics_state().findings)


def _served_id(endpoint: Endpoint) -> tuple[str, str]:
    """An endpoint at its address: what it answered at another one does not hold."""
    return endpoint.title, endpoint.fingerprint
