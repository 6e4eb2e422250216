"""The language-model endpoints that are set: where they are, what they cost, what was spent, and what they serve; never a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from core.llm.endpoint import Endpoint, endpoints, missing_endpoint
from core.llm.ledger import Ledger, Spent
from core.llm.words import bill, limits, money_words
from core.settings import Settings
from core.trouble import Trouble, attempt
from pages.ui import services
from pages.ui.plain import plain

_LOOK_S = 5.0  # a person waits at the screen
_SHOWN = 30  # models of a hosted service that stand in the list


def endpoint_list() -> None:
    """Every endpoint, or in one line what to set where there is none."""
    st.subheader("Endpoints")
    found = attempt(endpoints)
    if isinstance(found, Trouble):
        st.error(plain(found.message), icon=":material/error:")
        return
    if not found:
        st.info(plain(missing_endpoint()), icon=":material/cloud_off:")
        return
    spent = Ledger(services.settings().cache_dir).spent()
    _budget(spent)
    grid = st.grid("auto", min_column_width=520, gap="small")
    for place, one in enumerate(found):
        with grid.cell(), st.container(border=True, height="stretch", key=f"endpoint-{place}", gap="xsmall"):
            if isinstance(one, Endpoint):
                _endpoint(one, spent.get(one.name, Spent()))
            else:
                st.warning(plain(one), icon=":material/cloud_off:")


def _budget(spent: Mapping[str, Spent]) -> None:
    budget = Settings.read().llm_budget
    if budget is not None:
        gone = sum(one.money for one in spent.values())
        share = min(1.0, gone / budget) if budget else 1.0
        st.progress(share, f"{money_words(gone)} of the budget of {budget:g} spent at all endpoints")


def _endpoint(endpoint: Endpoint, spent: Spent) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(endpoint.title)}**")
        st.text(endpoint.base_url)
        st.badge("key is set" if endpoint.key else "no key", color="gray")
        st.space("stretch")
        st.button("List its models", key=f"models-{endpoint.title}", on_click=_look, args=(endpoint,))
    st.text(f"model {endpoint.model or '– none set –'} · {limits(endpoint)}")
    st.text(f"Spent so far: {bill(spent)}" if spent.questions else "Nothing was asked so far.")
    _served(endpoint)


def _look(endpoint: Endpoint) -> None:
    # imported when asked for: openai takes a second to import
    from core.llm.client import client

    quick = replace(endpoint, patience_s=min(_LOOK_S, endpoint.patience_s), retries=0)
    st.session_state[_place(endpoint)] = attempt(partial(client(quick).models))


def _served(endpoint: Endpoint) -> None:
    found: list[str] | Trouble | None = st.session_state.get(_place(endpoint))
    if isinstance(found, Trouble):
        st.error(plain(found.message), icon=":material/cloud_off:")
    elif found is not None:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        st.success(plain(f"Reachable. It serves {', '.join(found[:_SHOWN]) or 'no model'}{more}."))
        if endpoint.model and endpoint.model not in found:
            st.warning(plain(f"The model that is set, {endpoint.model}, is not among them."))


def _place(endpoint: Endpoint) -> str:
    """Where the session keeps what an endpoint answered: at another address that is forgotten."""
    return f"served-{endpoint.title}-{endpoint.fingerprint[:12]}"
