"""Who uses this session: the one person of a local server, or whoever signed in to a shared one."""

from __future__ import annotations

from collections.abc import Mapping
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
_ALONE = "alone"

_mount = component("seat")


def seat() -> Member:
    """The person of this session; the page ends with the sign-in where a shared server does not know them."""
    member = _shared() if services.settings().shared else _alone()
    if member is None:
        _sign_in()
        st.stop()
    return member


def member() -> Member:
    """The person whom the gate let in, looked up again: a press comes before the gate.

    Raises RightsError where a shared server does not know them any more.
    """
    if not services.settings().shared:
        return _alone()
    person = _by_organisation() or _admitted(st.session_state.get("seat", ""))
    if person is None:
        raise RightsError("You are signed out: your personal link is not valid any more. Ask a manager for a new one.")
    return person


def sign_out(start: st.Page) -> None:
    """Forget who is here and go to the start, where the sign-in is."""
    st.session_state["seat"] = ""
    if _has_organisation() and st.user.is_logged_in:
        st.logout()
        st.stop()
    st.switch_page(start)


def _alone() -> Member:
    """On a local server everybody is the one person who may do everything."""
    state, name = st.session_state, services.settings().user
    if _ALONE not in state:
        demo = services.settings().demo
        state[_ALONE] = Member("local", name, Role.MANAGER) if demo else local(services.store(), name)
    person: Member = state[_ALONE]
    return person


def _shared() -> Member | None:
    """By the organisation where one is set up and vouches for them, else by a code.

    Looked up at every run: a revoked code ends a session at its next click.
    """
    person = _by_organisation()
    if person is None:
        return _by_code()
    _remember("")
    return person


def _by_code() -> Member | None:
    """By the code of the link, of this session, or of an earlier one."""
    linked = st.query_params.pop("invite", "")
    if linked:
        _enter(linked)
    state = st.session_state
    if "seat" not in state:
        state["seat"] = unquote(st.context.cookies.get(_COOKIE, ""))
    found = _admitted(state["seat"]) if state["seat"] else None
    _remember(state["seat"] if found else "")
    return found


def _remember(code: str) -> None:
    """Let the browser keep a code for the next visit, or forget the one that it has."""
    _mount(key="seat-cookie", data={"name": _COOKIE, "code": code})


def _sign_in() -> None:
    st.title("Sign in")
    if _has_organisation():
        _organisation_buttons()
    with st.form("sign-in", width=420, border=False):
        st.text_input("Your code", key="sign-in-code", type="password", autocomplete="off")
        st.form_submit_button("Sign in", type="primary", on_click=_enter_typed)
    if problem := st.session_state.get("sign-in-problem"):
        st.error(plain(problem), icon=":material/key_off:")
    st.caption("Open the personal link that you were sent, or type its code. No code? Ask a manager.")


def _organisation_buttons() -> None:
    """A button for each provider of Streamlit's secrets; or who signed in and is not known here."""
    if st.user.is_logged_in:
        st.error(plain(_unknown()), icon=":material/person_off:")
        st.button("Sign out", on_click=st.logout, key="logout")
        return
    named = [name for name, section in st.secrets["auth"].items() if isinstance(section, Mapping)]
    for name in named or [None]:
        label = f"Sign in with {plain(name)}" if name else "Sign in with your organisation"
        st.button(label, type="primary", on_click=st.login, args=(name,), key=f"login-{name}")


def _unknown() -> str:
    email = _email()
    if not email:
        return "Your organisation does not vouch for an e-mail address of yours. Ask a manager for a personal link."
    return f"{email} is not among the people here. Ask a manager to add that name."


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


def _by_organisation() -> Member | None:
    if not _has_organisation() or not st.user.is_logged_in:
        return None
    email = _email()
    with read(services.store().engine) as session:
        return find_person(session, email) or find_person(session, email.lower())


def _email() -> str:
    """The address that the provider vouches for; "" where it says that nobody has checked it."""
    told = st.user.to_dict()
    return str(told.get("email") or "") if told.get("email_verified", True) else ""


def _has_organisation() -> bool:
    """Whether sign-in by OIDC is configured in Streamlit's secrets and its package is here."""
    return find_spec("authlib") is not None and st.secrets.load_if_toml_exists() and "auth" in st.secrets


@st.cache_resource(show_spinner=False)
def _brake() -> Brake:
    return Brake()
