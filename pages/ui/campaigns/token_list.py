"""Tokens by which programs read campaigns over HTTP: made, shown once, listed and revoked."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotations.people.tokens import TokenRow
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager, campaigns_state
from pages.ui.shared.notices import error_as_notice


def token_form() -> None:
    """A new token of the person who is here, for all campaigns or some."""
    with st.expander("A token for a program", icon=":material/key:", key="new-token", on_change="rerun") as box:
        if not box.open:
            return
        st.caption(
            "A program reads campaigns, items, labels and progress with it, under `/api/v1/campaigns` of a shared server, "
            "and where it may write, adds items and people, and opens and closes campaigns. "
            "It stops when you are no manager any more."
        )
        names = {campaign.id: campaign.name for campaign in campaign_manager().campaigns()}
        with st.form("token", border=False):
            name = st.text_input("Name of the program", key="token-name", max_chars=300)
            campaigns = st.multiselect(
                "Reads",
                list(names),
                key="token-campaigns",
                format_func=lambda id: names[id],
                placeholder="All campaigns, new ones too",
            )
            writes = st.toggle(
                "It may also write", key="token-writes", help="Items, people, who labels, and the state of campaigns."
            )
            # no callback: the form is in its expander, which is drawn again
            pressed = st.form_submit_button("Make a token", disabled=services.settings().demo)
        if pressed:
            with error_as_notice():
                campaigns_state().fresh_token = campaign_manager().create_token(
                    name.strip(), campaigns=campaigns, writes=writes
                )
            st.rerun()


def show_fresh_token() -> None:
    """The token that was just made; gone with the next thing that is done here."""
    state = campaigns_state()
    if not state.fresh_token:
        return
    fresh, state.fresh_token = state.fresh_token, ""
    with st.container(border=True, key="fresh-token"):
        st.markdown("**The new token**, shown this once:")
        st.code(fresh, language=None, wrap_lines=True)
        st.caption("Whoever has it may do so. Only its hash is stored; revoke it below when it is lost.")


def token_rows() -> None:
    """The tokens that are not revoked, each with the way to revoke it."""
    tokens = [row for row in campaign_manager().tokens() if row.revoked_at is None]
    if not tokens:
        return
    st.subheader("Tokens")
    for row in tokens:
        revocable_row(
            format_token(row),
            ":material/key_off:",
            f"revoke-token-{row.id}",
            lambda id: campaign_manager().revoke_token(id),
            row.id,
        )


def revocable_row(text: str, icon: str, key: str, revoke: Callable[[str], None], id: str) -> None:
    """One line on what gives access, with the way to revoke it."""

    def press() -> None:
        with error_as_notice():
            revoke(id)

    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(text)
        st.button(
            "Revoke",
            icon=icon,
            key=key,
            on_click=press,
            type="tertiary",
            disabled=services.settings().demo,
        )


def format_token(row: TokenRow) -> str:
    """One line on a token: what it reads, whose it is and when it was used."""
    used = f"last used {row.used_at:%Y-%m-%d %H:%M}" if row.used_at else "not used yet"
    stopped = "" if row.valid else f"; stopped, as {row.owner} is no manager now"
    may = "reads and writes" if row.writes else "reads"
    return f"{row.name} {may} {', '.join(row.campaigns) or 'all campaigns'}; of {row.owner}, {used}{stopped}"
