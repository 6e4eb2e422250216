"""The Claims tab: the claims of the edited summary are found in some way, and rewritten, removed, added and restored by hand."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.edits import EditableClaim, EditableClaims
from core.errors import TouchstoneError
from core.model_reference import local_checkpoints
from core.models import ModelStatus, is_local_model
from core.registry import settings_of
from core.scoring import DECOMPOSERS, ConversationTask, Decomposer, GivenClaims, LanguageModelClaims, decomposition
from core.types import ClaimList, Failure
from pages.server import services
from pages.ui.probe.pair import current_pair, edited_summary, keep_draft, note_change
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.shared.endpoint_form import (
    available_endpoints,
    choose_endpoint_and_model,
    chosen_endpoint,
    chosen_model,
    download_button,
    estimate_line,
)
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.terms import term_caption

_LOOK_S = 0.3


def current_claims() -> EditableClaims | None:
    """The claims of the text in the editor; None where there are none, or those of another text."""
    claims = probe_state().claims
    return claims if claims and claims.summary == edited_summary() else None


def apply_claims() -> None:
    """Take what was found; claims of a text that was changed meanwhile wait until it is that text again."""
    request = probe_state().claims_request
    if request is None or request.running:
        return
    probe_state().claims_request = None
    for result in request.results:
        _take(result)
    if request.error:
        _save_error(request.error)


def claims_ready() -> bool:
    """True if claims were found that the page does not show yet."""
    request = probe_state().claims_request
    return request is not None and not request.running


def claims_tab() -> None:
    """The way to find them, and the claims of the text in the editor."""
    state = probe_state()
    _way_form()
    if state.claims_request:
        with st.container(horizontal=True, vertical_alignment="center"):
            _watch_claims()
            st.button("Cancel", key="claims-cancel", on_click=_cancel_request)
    if state.claims_error and state.claims_error_summary == edited_summary():
        st.error(escape_message(state.claims_error), icon=":material/error:")
    claims = current_claims()
    if claims is None:
        if state.claims:
            st.info(
                "The claims are of another text. Find those of this one, or undo the change.", icon=":material/info:"
            )
        else:
            term_caption(
                "Split the edited summary into single statements, rewrite, remove or add some, and compare what every "
                "metric gives each claim."
            )
        return
    number = len(claims.claims.claims)
    st.caption(
        escape_markdown(
            f"{number} claim{'' if number == 1 else 's'}, by {claims.claims.by}. Their scores are below the board."
        )
    )
    for place, row in enumerate(claims.rows):
        _claim_row(place, row)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Another claim", "", key=ProbeState.new_claim.key, placeholder="A statement that the summary makes"
        )
        st.button("Add", key="add-claim", on_click=_add_claim)


def _way_form() -> None:
    titles = {plugin.name: plugin.title for plugin in DECOMPOSERS if plugin is not GivenClaims}
    endpoint, unasked = "", False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Find the claims",
            list(titles),
            index=list(titles).index(ProbeState.claims_way.default),
            key=ProbeState.claims_way.key,
            format_func=lambda name: titles[name],
            on_change=partial(setattr, probe_state(), "claims_error", ""),
            width=230,
        )
        if name == LanguageModelClaims.name:
            endpoints = available_endpoints("claims")
            endpoint, model = choose_endpoint_and_model(endpoints, "claims")
            unasked = not endpoints and not is_local_model(model)
        elif settings_of(DECOMPOSERS.get(name)):
            st.text_input(
                "Settings",
                "",
                key=ProbeState.claims_settings.key,
                placeholder="extractor=folder",
                help=f"{', '.join(settings_of(DECOMPOSERS.get(name)))}; separated by commas. Empty: the published ones.",
                width=230,
            )
        st.button(
            "Find",
            key="find-claims",
            icon=":material/splitscreen:",
            type="primary",
            on_click=_find,
            args=(endpoint,),
            disabled=unasked,
        )
    if unasked:
        return
    try:
        way = _chosen_way(endpoint)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    if name == LanguageModelClaims.name:
        estimate_line([decomposition(way, current_pair().as_example("claims", edited_summary()))])
    else:
        pool = services.engine().pool
        states = {checkpoint: pool.state(checkpoint) for checkpoint in local_checkpoints(way.checkpoints())}
        for checkpoint, state in states.items():
            if state.status is ModelStatus.NEEDS_DOWNLOAD:
                st.caption(escape_message(state.message))
                download_button(checkpoint, f"claims-download-{checkpoint.kind}")


def _chosen_way(endpoint: str) -> Decomposer:
    """The way in the form, also in a callback; raises TouchstoneError for settings that it cannot take.

    `endpoint` is asked where the form leaves no choice of one.
    """
    name = probe_state().claims_way
    if name == LanguageModelClaims.name:
        return DECOMPOSERS.build(
            name, {"model": chosen_model("claims"), "endpoint": chosen_endpoint("claims", endpoint)}
        )
    settings = probe_state().claims_settings.strip() if settings_of(DECOMPOSERS.get(name)) else ""
    return DECOMPOSERS.parse(f"{name}[{settings}]" if settings else name)


def _find(endpoint: str) -> None:
    """Ask for the claims of the text in the editor; what was edited before is replaced when they are there."""
    note_change()
    _cancel_request()
    state = probe_state()
    state.claims_error = ""
    try:
        way = _chosen_way(endpoint)
    except TouchstoneError:
        return  # the form says why
    conversation = decomposition(way, current_pair().as_example("claims", edited_summary()))
    if way.checkpoints():
        state.claims_request = ConversationTask(services.engine(), [conversation])
        return
    for _, result in services.engine().converse([conversation]):
        _take(result)


def _take(result: ClaimList | Failure) -> None:
    if isinstance(result, Failure):
        _save_error(result.error)
        return
    _change(EditableClaims.of(result))


def _save_error(error: str) -> None:
    state = probe_state()
    state.claims_error, state.claims_error_summary = error, edited_summary()


def _change(claims: EditableClaims) -> None:
    probe_state().claims = claims
    keep_draft()


def _cancel_request() -> None:
    state = probe_state()
    if state.claims_request:
        state.claims_request.cancel()
    state.claims_request = None


@st.fragment(run_every=_LOOK_S)
def _watch_claims() -> None:
    """Look for the answer next to the page; where scores still arrive the page's own loop looks."""
    if claims_ready() or probe_state().claims_request is None:
        st.rerun()
    st.caption("The claims are being written …")
    endpoint_waits()


def _claim_row(place: int, row: EditableClaim) -> None:
    if row.removed:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            with st.container(width="stretch"):
                st.markdown(f"{place + 1}. ~~{escape_markdown(row.text)}~~")
            st.button(
                f"Restore {place + 1}", key=f"restore-claim-{place}", type="tertiary", on_click=_restore, args=(place,)
            )
        return
    widget = ProbeState.claim_text.of(place)
    widget.follow(row.text)

    def rewrite() -> None:
        if claims := current_claims():
            _change(claims.rewrite(place, widget.get()))

    def remove() -> None:
        if claims := current_claims():
            _change(claims.remove(place))

    origin = " (added)" if row.original is None else " (rewritten)" if row.is_changed else ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_area(
            f"Claim {place + 1}{origin}",
            row.text,
            key=widget.key,
            height="content",
            on_change=rewrite,
            width="stretch",
        )
        if row.original and row.is_changed:
            st.button(
                f"Restore {place + 1}", key=f"restore-claim-{place}", type="tertiary", on_click=_restore, args=(place,)
            )
        st.button(f"Remove {place + 1}", key=f"remove-claim-{place}", type="tertiary", on_click=remove)


def _restore(place: int) -> None:
    if claims := current_claims():
        _change(claims.restore(place))


def _add_claim() -> None:
    claims, state = current_claims(), probe_state()
    if claims and state.new_claim.strip():
        _change(claims.add(state.new_claim))
        state.new_claim = ""
