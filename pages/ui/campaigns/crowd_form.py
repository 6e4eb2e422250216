"""The study of a crowd platform whose participants label a campaign: its link, its codes, its pay, and the sessions so far."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.labelling.crowd import PLATFORMS, Platform, StudyTerms, study_address
from annotations.labelling.signed_links import signed_address
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import error_as_notice

_HIDDEN = ("study", "submission", "code")


def crowd_form(campaign: CampaignSettings) -> None:
    """Set up the study, and end sessions that participants returned."""
    import pandas as pd

    with st.expander(
        "Prolific and MTurk", icon=":material/groups:", key=f"crowd-{campaign.id}", on_change="rerun"
    ) as box:
        if not box.open:
            return
        study = campaign_manager().study(campaign.id)
        if not services.settings().shared:
            st.caption("Study links work on a shared server: start it with TOUCHSTONE_SHARED=1.")
        if study:
            key, terms = study
            server = (st.context.url or "").rpartition("/")[0]
            if services.settings().study_secret.get_secret_value():
                _signed_links(campaign, server, key, terms.platform)
            else:
                st.markdown(f"**The link of the study**, to be entered on {PLATFORMS[terms.platform]}:")
                st.code(study_address(server, key, terms.platform), language=None, wrap_lines=True)
        _terms_form(campaign, study[1] if study else StudyTerms("prolific"), is_new=study is None)
        if study:
            rows = campaign_manager().sessions(campaign.id)
            if not rows:
                st.caption("No participant has come yet.")
                return
            frame = pd.DataFrame([asdict(row) for row in rows]).drop(columns=list(_HIDDEN))
            frame.columns = frame.columns.str.replace("_", " ")
            st.dataframe(frame, hide_index=True, alt="Sessions of participants")
            st.caption("“Sessions of participants” under “Other formats” is this table with codes, as CSV.")
            still_open = [row.participant for row in rows if row.outcome == "open"]
            if not still_open:
                return
            with st.form(f"returned-{campaign.id}", border=False):
                participant = st.selectbox("Returned on the platform", still_open, format_func=escape_markdown)
                pressed = st.form_submit_button("Free the place", disabled=services.settings().demo)
            if pressed:
                with error_as_notice():
                    campaign_manager().return_session(campaign.id, participant)
                st.rerun()


def _signed_links(campaign: CampaignSettings, server: str, key: str, platform: Platform) -> None:
    """A link for each of the participants whose ids are typed."""
    st.caption("Links of this server are signed: each is for one participant, and any other is refused.")
    typed = st.text_area("Ids of participants", key=f"signed-{campaign.id}", help="One a line.")
    secret = services.settings().study_secret.get_secret_value()
    with error_as_notice():
        links = [signed_address(server, key, platform, participant, secret) for participant in typed.split()]
        if links:
            st.code("\n".join(links), language=None)


def _terms_form(campaign: CampaignSettings, terms: StudyTerms, *, is_new: bool) -> None:
    with st.form(f"crowd-of-{campaign.id}", border=False):
        platform = st.radio(
            "Platform",
            list(PLATFORMS),
            index=list(PLATFORMS).index(terms.platform),
            format_func=lambda platform: PLATFORMS[platform],
            horizontal=True,
        )
        with st.container(horizontal=True):
            places = st.number_input("Places", 1, 100_000, terms.places, help="Participants who may take part.")
            minutes = st.number_input(
                "Minutes",
                1,
                7 * 24 * 60,
                terms.minutes,
                help="The longest session, as on the platform; then it is timed out.",
            )
        st.caption("The number of items of a session is “Most items per person” under Guidelines and rules.")
        with st.container(horizontal=True):
            completed = st.text_input(
                "Code of completion", terms.completed_code, help="As the study on Prolific has it."
            )
            screened = st.text_input("Code of screening out", terms.screened_out_code, help="For who did not qualify.")
            paused = st.text_input(
                "Code of a stop by the limits",
                terms.paused_code,
                help="For manual review there; without it no code is given.",
            )
        with st.container(horizontal=True):
            pay = st.number_input("Pay of a session", 0.0, value=terms.pay, step=0.5, format="%.2f")
            screened_pay = st.number_input(
                "Pay of screening out", 0.0, value=terms.screened_out_pay, step=0.1, format="%.2f"
            )
            currency = st.text_input("Currency", terms.currency, max_chars=3)
        # no callback: the form is in its expander, which is drawn again
        pressed = st.form_submit_button(
            "Make the link" if is_new else "Save", icon=":material/check:", disabled=services.settings().demo
        )
    if not pressed:
        return
    codes = (completed.strip(), screened.strip(), paused.strip())
    with error_as_notice():
        campaign_manager().set_study(
            campaign.id, StudyTerms(platform, int(places), int(minutes), *codes, pay, screened_pay, currency.strip())
        )
    st.rerun()
