"""Who uses this session, what must work before any page is shown to them, and which pages they may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import unquote

import streamlit as st

from annotations.campaigns.manage import local_member
from annotations.campaigns.people import Member, Right, Role, find_person
from annotations.campaigns.sign_in import WrongCodeError, WrongCodeLimiter, member_by_code
from annotations.database import read_session
from annotations.records import RightsError
from core.errors import TouchstoneError
from pages.ui import services
from pages.ui.markup import escape_markdown, register_component
from pages.ui.session_state import WidgetValue, page_state

_COOKIE_NAME = "touchstone_seat"

_cookie_component = register_component("sign_in_cookie")


@dataclass(eq=False)
class SessionUserState:
    """Who uses this session: on a local server one person, else by the code of a personal link; None before it was looked for.

    `name` is the name that labels and records are saved under.
    """

    local_member: Member | None = None
    code: str | None = None
    sign_in_problem: str = ""
    name = WidgetValue[str]("annotator", "")
    typed_code = WidgetValue[str]("sign-in-code", "")


def session_user_state() -> SessionUserState:
    return page_state(SessionUserState)


def user_name() -> str:
    """The name of the person of this session, also before it was asked for."""
    return SessionUserState.name.get() or services.settings().user


def require_member() -> Member:
    """The person of this session; the page ends with the sign-in where a shared server does not know them."""
    member = _signed_in_member() if services.settings().shared else _local_member()
    if member is None:
        _sign_in_form()
        st.stop()
    return member


def current_member() -> Member:
    """The person whom the gate let in, looked up again: a press comes before the gate.

    Raises RightsError where a shared server does not know them any more.
    """
    if not services.settings().shared:
        return _local_member()
    person = _member_of_organisation() or _member_of_code(session_user_state().code or "")
    if person is None:
        raise RightsError("You are signed out: your personal link is not valid any more. Ask a manager for a new one.")
    return person


def sign_out(start: st.Page) -> None:
    """Forget who is here and go to the start, where the sign-in is."""
    session_user_state().code = ""
    if _has_organisation() and st.user.is_logged_in:
        st.logout()
        st.stop()
    st.switch_page(start)


def _local_member() -> Member:
    """On a local server everybody is the one person who may do everything."""
    state, name = session_user_state(), services.settings().user
    if state.local_member is None:
        demo = services.settings().demo
        state.local_member = Member("local", name, Role.MANAGER) if demo else local_member(services.store(), name)
    return state.local_member


def _signed_in_member() -> Member | None:
    """By the organisation where one is set up and confirms them, else by a code.

    Looked up at every run: a revoked code ends a session at its next click.
    """
    person = _member_of_organisation()
    if person is None:
        return _member_of_session_code()
    _store_cookie("")
    return person


def _member_of_session_code() -> Member | None:
    """By the code of the link, of this session, or of an earlier one."""
    linked = st.query_params.pop("invite", "")
    if linked:
        _sign_in_with_code(linked)
    state = session_user_state()
    if state.code is None:
        state.code = unquote(st.context.cookies.get(_COOKIE_NAME, ""))
    found = _member_of_code(state.code) if state.code else None
    _store_cookie(state.code if found else "")
    return found


def _store_cookie(code: str) -> None:
    """Let the browser keep a code for the next visit, or forget the one that it has."""
    _cookie_component(key="sign-in-cookie", data={"name": _COOKIE_NAME, "code": code})


def _sign_in_form() -> None:
    st.title("Sign in")
    if _has_organisation():
        _organisation_buttons()
    with st.form("sign-in", width=420, border=False):
        st.text_input("Your code", key=SessionUserState.typed_code.key, type="password", autocomplete="off")
        st.form_submit_button("Sign in", type="primary", on_click=_sign_in_with_typed_code)
    if problem := session_user_state().sign_in_problem:
        st.error(escape_markdown(problem), icon=":material/key_off:")
    st.caption("Open the personal link that you were sent, or type its code. No code? Ask a manager.")


def _organisation_buttons() -> None:
    """A button for each provider of Streamlit's secrets; or who signed in and is not known here."""
    if st.user.is_logged_in:
        st.error(escape_markdown(_unknown_person_message()), icon=":material/person_off:")
        st.button("Sign out", on_click=st.logout, key="logout")
        return
    named = [name for name, section in st.secrets["auth"].items() if isinstance(section, Mapping)]
    for name in named or [None]:
        label = f"Sign in with {escape_markdown(name)}" if name else "Sign in with your organisation"
        st.button(label, type="primary", on_click=st.login, args=(name,), key=f"login-{name}")


def _unknown_person_message() -> str:
    email = _verified_email()
    if not email:
        return "Your organisation does not confirm an e-mail address of yours. Ask a manager for a personal link."
    return f"{email} is not among the people here. Ask a manager to add that name."


def _sign_in_with_typed_code() -> None:
    _sign_in_with_code(session_user_state().typed_code)


def _sign_in_with_code(code: str) -> None:
    """Sign in with a code, unless too many were wrong recently."""
    state = session_user_state()
    try:
        _rate_limit().check(_client_address())
        with read_session(services.store().engine) as session:
            member_by_code(session, code)
    except RightsError as error:
        if isinstance(error, WrongCodeError):
            _rate_limit().record_failure(_client_address())
        state.sign_in_problem = str(error)
        return
    state.code, state.sign_in_problem = code, ""


def _client_address() -> str:
    """Where the browser is, as far as the server can tell."""
    return st.context.ip_address or ""


def _member_of_code(code: str) -> Member | None:
    try:
        with read_session(services.store().engine) as session:
            return member_by_code(session, code)
    except WrongCodeError:
        session_user_state().code = ""
        return None


def _member_of_organisation() -> Member | None:
    if not _has_organisation() or not st.user.is_logged_in:
        return None
    email = _verified_email()
    with read_session(services.store().engine) as session:
        return find_person(session, email) or find_person(session, email.lower())


def _verified_email() -> str:
    """The address that the provider confirms; "" where it says that it is not verified."""
    claims = st.user.to_dict()
    return str(claims.get("email") or "") if claims.get("email_verified", True) else ""


def _has_organisation() -> bool:
    """Whether sign-in by OIDC is configured in Streamlit's secrets and its package is here."""
    return find_spec("authlib") is not None and st.secrets.load_if_toml_exists() and "auth" in st.secrets


@st.cache_resource(show_spinner=False)
def _rate_limit() -> WrongCodeLimiter:
    return WrongCodeLimiter()


def open_session() -> Member:
    """The person of this session; or a sentence that says what keeps Touchstone from working, or the sign-in.

    On a shared server everything is saved under the name of who signed in.
    """
    try:
        services.settings()
        services.store()
        services.engine()
    except TouchstoneError as error:
        st.error(f"Touchstone cannot start. {escape_markdown(str(error))}", icon=":material/error:")
        st.caption("Reload this page when it is fixed; a changed setting needs a restart.")
        st.stop()
    person = require_member()
    if services.settings().shared:
        SessionUserState.name.set(person.name)
    return person


@dataclass(frozen=True, slots=True)
class _PageOfRight:
    """A page for those who have a right: its file, what it is called, and what one does there."""

    right: Right
    name: str
    title: str
    icon: str
    purpose: str


_PAGES = (
    _PageOfRight(
        Right.EXPLORE,
        "probe",
        "Probe",
        "science",
        "Edit a summary and see how every metric reacts. Select a score for its evidence.",
    ),
    _PageOfRight(
        Right.EXPLORE,
        "stress",
        "Stress test",
        "bolt",
        "Perturb many summaries: which metrics move when the meaning stays, and which stay when it breaks?",
    ),
    _PageOfRight(
        Right.LABEL, "annotate", "Annotate", "rate_review", "Label one item after the other, blind to the scores."
    ),
    _PageOfRight(Right.ADJUDICATE, "review", "Review", "gavel", "Decide where annotators differ, the worst first."),
    _PageOfRight(
        Right.MANAGE, "campaigns", "Campaigns", "assignment", "Set up labelling, and follow progress and agreement."
    ),
    _PageOfRight(
        Right.EXPLORE,
        "evaluate",
        "Evaluate",
        "leaderboard",
        "Which metric can be trusted, on which errors, with what certainty? From datasets and your own labels.",
    ),
    _PageOfRight(Right.EXPLORE, "data", "Records", "inventory_2", "Look at what was kept and labelled, and export it."),
    _PageOfRight(
        Right.EXPLORE,
        "metrics",
        "Metrics",
        "straighten",
        "What each metric measures and what it needs; load models, set endpoints.",
    ),
    _PageOfRight(
        Right.EXPLORE, "prompts", "Prompts", "chat", "Read what language models are sent, and replace it by your own."
    ),
)


def page_heading(shown: st.Page) -> None:
    """The name of the product and what one does on this page, in one line."""
    purpose = next((page.purpose for page in _PAGES if page.title == shown.title), "")
    if purpose:
        st.caption(f"**Touchstone · {shown.title}** — {purpose}")


def pages_for(member: Member) -> dict[str, list[st.Page]]:
    """The pages of a person; the first of them is where the bare address leads. On a shared server also the way out."""
    allowed = [page for page in _PAGES if member.may(page.right)]
    pages = [
        st.Page(
            f"views/{page.name}.py",
            title=page.title,
            icon=f":material/{page.icon}:",
            url_path=page.name,
            default=page is allowed[0],
        )
        for page in allowed
    ]
    if not services.settings().shared:
        return {"": pages}
    out = st.Page(lambda: sign_out(pages[0]), title="Sign out", icon=":material/logout:", url_path="sign-out")
    return {"": pages, escape_markdown(f"{member.name}, {member.role.value}"): [out]}
