"""Who uses this session: the one person of a local server, or whoever signed in to a shared one."""

from __future__ import annotations

from importlib.util import find_spec
from urllib.parse import unquote

import streamlit as st

from annotations.campaigns.inviting import Brake, WrongCodeError, admit
from annotations.campaigns.people import Member, Role, find_person, local
from annotations.database import read
from annotations.errors import RightsError
from pages.ui import services
from pages.ui.component import component
from pages.ui.plain import plain

_COOKIE = "touchstone_seat"
_MEMBER = "member"

_mount = component("seat")


def seat() -> Member:
    """The person of this session; the page ends with the sign-in where a shared server does not know them."""
    member = _shared() if services.settings().shared else _alone()
    if member is None:
        _sign_in()
        st.stop()
    st.session_state[_MEMBER] = member
    return member


def member() -> Member:
    """The person whom the gate let in."""
    person: Member = st.session_state[_MEMBER]
    return person


def sign_out_button() -> None:
    """Who is signed in, and the way out; nothing on a local server."""
    if not services.settings().shared:
        return
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="seat-bar"):
        st.caption(f"Signed in as {plain(member().name)}, {member().role.value}")
        st.button("Sign out", key="sign-out", icon=":material/logout:", type="tertiary", on_click=_sign_out)


def _alone() -> Member:
    """On a local server everybody is the one person who may do everything."""
    known: Member | None = st.session_state.get(_MEMBER)
    name = services.settings().user
    if known:
        return known
    return Member("local", name, Role.MANAGER) if services.settings().demo else local(services.store(), name)


def _shared() -> Member | None:
    """By the provider where one is set up, else by the code of the link, of this session, or of an earlier one.

    Looked up at every run: a revoked code ends a session at its next click.
    """
    if _has_provider():
        return _by_provider()
    linked = st.query_params.pop("invite", "")
    if linked:
        _enter(linked)
    state = st.session_state
    if "seat" not in state:
        state["seat"] = unquote(st.context.cookies.get(_COOKIE, ""))
    found = _admitted(state["seat"]) if state["seat"] else None
    _mount(key="seat-cookie", data={"name": _COOKIE, "code": state["seat"] if found else ""})
    return found


def _sign_in() -> None:
    st.title("Sign in")
    if _has_provider():
        st.button("Sign in with your organisation", type="primary", on_click=st.login, key="login")
        if st.user.is_logged_in:
            st.error(f"{plain(str(st.user.email))} is not among the people here. Ask a manager to add that name.")
            st.button("Sign out", on_click=st.logout, key="logout")
        return
    with st.form("sign-in", width=420, border=False):
        st.text_input("Your code", key="sign-in-code", type="password", autocomplete="off")
        st.form_submit_button("Sign in", type="primary", on_click=_enter_typed)
    if problem := st.session_state.get("sign-in-problem"):
        st.error(plain(problem), icon=":material/key_off:")
    st.caption("Open the personal link that you were sent, or type its code. No code? Ask a manager.")


def _enter_typed() -> None:
    _enter(st.session_state["sign-in-code"])


def _enter(code: str) -> None:
    """Take a code that somebody brought, unless too many were wrong of late."""
    state = st.session_state
    try:
        _brake().check(_place())
        with read(services.store().engine) as session:
            admit(session, code)
    except RightsError as error:
        if isinstance(error, WrongCodeError):
            _brake().was_wrong(_place())
        state["sign-in-problem"] = str(error)
        return
    state["seat"], state["sign-in-problem"] = code, ""


def _place() -> str:
    """Where the browser is, as far as the server can tell."""
    return st.context.ip_address or ""


def _admitted(code: str) -> Member | None:
    try:
        with read(services.store().engine) as session:
            return admit(session, code)
    except WrongCodeError:
        st.session_state["seat"] = ""
        return None


def _by_provider() -> Member | None:
    if not st.user.is_logged_in:
        return None
    with read(services.store().engine) as session:
        return find_person(session, str(st.user.email))


def _has_provider() -> bool:
    """Whether sign-in by OIDC is configured in Streamlit's secrets and its package is here."""
    return find_spec("authlib") is not None and st.secrets.load_if_toml_exists() and "auth" in st.secrets


def _sign_out() -> None:
    if _has_provider():
        st.logout()
    st.session_state["seat"] = ""


@st.cache_resource(show_spinner=False)
def _brake() -> Brake:
    return Brake()
