"""User of this session, what must work before any page is shown to them, and the pages that they may see."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from annotations.management.manage import local_member
from annotations.people.people import Member, Role
from annotations.people.sign_in import (
    SessionEndedError,
    WrongCodeError,
    end_session,
    member_by_code,
    member_by_session,
)
from annotations.store.database import read_session
from annotations.store.records import RightsError, UnavailableError
from core.errors import TouchstoneError
from pages.server import services
from pages.server.sign_in import (
    LINK_PARAMETER,
    SESSION_COOKIE,
    SIGN_OUT,
    guess_delay,
    has_organisation,
    organisation_member,
    sign_in_path,
    verified_email,
)
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message, register_component
from pages.ui.shared.page_list import PAGES, PARTS, pages_of
from pages.ui.shared.script_run import end_run
from pages.ui.shared.session_state import WidgetValue, page_state

_LOGO = Path(__file__).parents[1] / "assets" / "logo.svg"

_sign_in_component = register_component("sign_in")
_sign_out_component = register_component("sign_out")


@dataclass(eq=False)
class SessionUserState:
    """User of this session: on a local server one person, else whoever is signed in under the id of the browser's cookie.

    The id is None before it was looked for. `name` is the name that labels and records are saved under. `let_in` is whom the
    gate let in last: while the database is away it keeps their page, on which nothing is read or saved.
    """

    local_member: Member | None = None
    let_in: Member | None = None
    session_id: str | None = None
    sign_in_error: str = ""
    name = WidgetValue[str]("annotator", "")


def session_user_state() -> SessionUserState:
    return page_state(SessionUserState)


def user_name() -> str:
    """The name of the person of this session, also before it was asked for."""
    return SessionUserState.name.get() or services.settings().user


def job_person() -> str:
    """The person whose jobs this session shows: by name on a shared server, the session in a demo, else the one person of the server."""
    settings = services.settings()
    if settings.demo:
        return services.session_owner()
    return user_name() if settings.shared else ""


def require_member() -> Member:
    """The person of this session; the page ends with the sign-in where a shared server does not know them."""
    state = session_user_state()
    try:
        if services.settings().shared:
            # looked up at every run: a revoked link ends a session at its next click
            member = _member_of_organisation() or _member_of_session()
            if linked := st.query_params.get(LINK_PARAMETER, ""):
                _refuse_or_ask(linked, member)
        else:
            member = _local_member()
        state.let_in = member
    except UnavailableError:
        if state.let_in is None:
            raise
        return state.let_in
    if member is None:
        st.set_page_config(page_title="Sign in · Touchstone")
        st.image(_LOGO, width=178, alt="Touchstone")
        st.title("Sign in")
        st.markdown(PAGES[0].purpose)
        if has_organisation():
            # a button for each provider of Streamlit's secrets; or who signed in and is not known here
            if st.user.is_logged_in:
                email = verified_email(st.user.to_dict())
                problem = (
                    f"{email} is not among the people here. Ask a manager to add that name, or to activate it."
                    if email
                    else "Your organisation does not confirm an e-mail address of yours. Ask a manager for a personal link."
                )
                st.error(escape_message(problem), icon=":material/person_off:")
                st.button("Sign out", on_click=st.logout, key="logout")
            else:
                providers = [name for name, section in st.secrets["auth"].items() if isinstance(section, Mapping)]
                for name in providers or [None]:
                    label = f"Sign in with {escape_markdown(name)}" if name else "Sign in with your organisation"
                    st.button(label, type="primary", on_click=st.login, args=(name,), key=f"login-{name}")
        _mount_sign_in("Sign in", problem=session_user_state().sign_in_error)
        st.caption("Open the personal link that you were sent, or type its code. No code? Ask a manager.")
        end_run()
    return member


def member_let_in() -> Member:
    """The person whom the gate let in at this run."""
    return session_user_state().let_in or require_member()


def current_member() -> Member:
    """The person whom the gate let in, looked up again: a press comes before the gate.

    Raises RightsError where a shared server does not know them any more.
    """
    if not services.settings().shared:
        return _local_member()
    person = _member_of_organisation() or _member_of_session()
    if person is None:
        raise RightsError(session_user_state().sign_in_error or "You are signed out. Open your personal link again.")
    return person


def member_later() -> Callable[[], Member]:
    """Function that looks up the user at the time of the call, for a deferred download. It raises RightsError."""
    person, session_id = current_member(), session_user_state().session_id

    def look_up() -> Member:
        if not services.settings().shared or not session_id:
            return person
        with read_session(services.store().engine) as session:
            member = member_by_session(session, session_id)
        if member is None:
            raise RightsError("You are signed out. Open your personal link again.")
        return member

    return look_up


def sign_out() -> None:
    """End the session and reload the page, which shows the sign-in."""
    state = session_user_state()
    if state.session_id:
        with services.store().writing() as session:
            end_session(session, state.session_id)
    state.session_id, state.sign_in_error, state.let_in = "", "", None
    if has_organisation() and st.user.is_logged_in:
        st.logout()
        end_run()
    _sign_out_component(key="sign-out")


def _local_member() -> Member:
    """The single user of a local server, who has every right."""
    state, name = session_user_state(), services.settings().user
    if state.local_member is None:
        demo = services.settings().demo
        state.local_member = Member("local", name, Role.MANAGER) if demo else local_member(services.store(), name)
    return state.local_member


def _member_of_session() -> Member | None:
    state = session_user_state()
    if state.session_id is None:
        state.session_id = st.context.cookies.get(SESSION_COOKIE, "")
    if not state.session_id:
        return None
    try:
        with read_session(services.store().engine) as session:
            member = member_by_session(session, state.session_id)
    except SessionEndedError as error:
        state.session_id, state.sign_in_error = "", str(error)
        return None
    if member is None:
        state.session_id = ""
        time.sleep(guess_delay().after_wrong(st.context.ip_address or ""))
    return member


def _refuse_or_ask(linked: str, person: Member | None) -> None:
    """The server signed nobody in by the link that was opened: it is not valid, or another person's."""
    if person is None:
        del st.query_params[LINK_PARAMETER]
        session_user_state().sign_in_error = "This code is not valid. Ask a manager for a new one."
        return
    try:
        with read_session(services.store().engine) as session:
            other = member_by_code(session, linked)
    except WrongCodeError:
        time.sleep(guess_delay().after_wrong(st.context.ip_address or ""))
        other = person
    if other.id == person.id:
        del st.query_params[LINK_PARAMETER]
        return
    st.set_page_config(page_title="Sign in · Touchstone")
    st.title(f"You are signed in as {escape_markdown(person.name)}")
    st.markdown(f"The link that you opened is the personal link of {escape_markdown(other.name)}.")
    _mount_sign_in(f"Sign in as {other.name}", code=linked)
    st.button(
        f"Stay signed in as {escape_label(person.name)}",
        key="stay",
        on_click=st.query_params.__delitem__,
        args=(LINK_PARAMETER,),
    )
    end_run()


def _mount_sign_in(action: str, *, code: str = "", problem: str = "") -> None:
    data = {
        "path": sign_in_path(),
        "parameter": LINK_PARAMETER,
        "action": action,
        "code": code,
        "problem": problem,
    }
    _sign_in_component(key="sign-in", data=data)


def _member_of_organisation() -> Member | None:
    return organisation_member(st.user.to_dict()) if has_organisation() and st.user.is_logged_in else None


def open_session() -> Member:
    """The person of this session; or a sentence that says what keeps Touchstone from working, or the sign-in.

    On a shared server everything is saved under the name of who signed in.
    """
    try:
        services.settings()
        services.store()
        services.shared_engine()
    except TouchstoneError as error:
        st.set_page_config(page_title="Touchstone cannot start")
        st.error(f"Touchstone cannot start. {escape_message(str(error))}", icon=":material/error:")
        st.caption("Reload this page when it is fixed; a changed setting needs a restart.")
        end_run()
    person = require_member()
    if services.settings().shared:
        SessionUserState.name.set(person.name)
        services.charge(person.name)
    return person


_NEVER_FIRST = ("home", "projects")  # they say little to a stranger


def pages_for(member: Member) -> dict[str, list[st.Page]]:
    """The pages of a person in one row, in which rules of the theme part the groups; on a shared server also the way out.

    The bare address leads to the first page to work on, and the address of a former page to what it is a part of.
    """
    allowed = pages_of(member)
    first = next(page for page in allowed if page.name not in _NEVER_FIRST)
    pages = {
        page.name: st.Page(
            f"views/{page.name}.py",
            title=page.title,
            icon=f":material/{page.icon}:",
            url_path="" if page is first else page.name,
            default=page is first,
        )
        for page in allowed
    }
    # the default page has no name in its address, but links that somebody of another role sends have it
    named = st.Page(
        lambda: st.switch_page(pages[first.name], query_params=st.query_params.to_dict()),
        title=first.title,
        url_path=first.name,
        visibility="hidden",
    )
    former = [_former_page(name, pages[page]) for name, (_, page, _) in PARTS.items() if page in pages]
    groups = {"": [named, *pages.values(), *former]}
    if not services.settings().shared:
        return groups
    out = st.Page(sign_out, title="Sign out", icon=":material/logout:", url_path=SIGN_OUT)
    return groups | {escape_markdown(f"{member.name}, {member.role.value}"): [out]}


def _former_page(name: str, page: st.Page) -> st.Page:
    """The address of a former page, which opens what it is a part of, with the parameters that it has."""
    title, _, query = PARTS[name]

    def lead_on() -> None:
        st.switch_page(page, query_params={**query, **st.query_params.to_dict()})

    return st.Page(lead_on, title=title, url_path=name, visibility="hidden")
