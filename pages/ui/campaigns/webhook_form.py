"""Address that is told of the state of a campaign, and the state of the delivery."""

from __future__ import annotations

import streamlit as st

from annotations.campaigns.campaign import CampaignSettings
from annotations.management.mails import ANNOTATORS, MAILTO
from annotations.management.webhooks import EventKind, WebhookState
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager, campaigns_state
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import error_as_notice


def webhook_form(campaign: CampaignSettings) -> None:
    """Set, change or remove the URL; a failure is one line above it."""
    state = campaign_manager().webhook(campaign.id)
    if state and (state.error or state.events_error):
        st.warning(escape_markdown(format_webhook(state)), icon=":material/webhook:")
    if fresh := campaigns_state().fresh_secret:
        campaigns_state().fresh_secret = ""
        st.markdown("**The secret of the webhook**, shown this once:")
        st.code(fresh, language=None, wrap_lines=True)
    with st.expander(
        "Webhook or e-mail", icon=":material/webhook:", key=f"webhook-{campaign.id}", on_change="rerun"
    ) as box:
        if not box.open:
            return
        st.caption(
            "At the first label, when all items are labelled, the last day is over or the campaign is closed, and when it goes on "
            "after that, JSON with its counts is sent here, signed by HMAC-SHA256 with a secret that is shown once. Or a mail, to "
            f"`{MAILTO}` with addresses and commas between them, or to `{ANNOTATORS}` for those whose name here is their address."
        )
        if not services.settings().smtp_url.get_secret_value():
            st.caption(
                "No mail server is set here (TOUCHSTONE_SMTP_URL, TOUCHSTONE_SMTP_FROM), so that no mail is sent."
            )
        if state:
            st.text(format_webhook(state))
        with st.form(f"webhook-of-{campaign.id}", border=False):
            url = st.text_input(
                "URL or addresses",
                state.url if state else "",
                key=f"webhook-url-{campaign.id}",
                placeholder="https://…, or mailto:name@host.org",
            )
            kinds = st.pills(
                "Also each",
                list(EventKind),
                selection_mode="multi",
                default=state.kinds if state else (),
                key=f"webhook-kinds-{campaign.id}",
                help="One message for each item handed to a person, each label, each warning, pause or resumption, each exclusion, and what annotators wait for: new items, changed guidelines, answers to flags.",
            )
            # no callback: the form is in its expander, which is drawn again
            pressed = st.form_submit_button(
                "Save the address",
                disabled=services.settings().demo,
                help="Makes a secret for a URL. Without a URL or address nothing is sent.",
            )
        if pressed:
            with error_as_notice():
                if url.strip():
                    secret = campaign_manager().set_webhook(campaign.id, url.strip(), kinds)
                    campaigns_state().fresh_secret = (
                        "" if url.strip().startswith(MAILTO) else secret
                    )  # a mail is not signed
                else:
                    campaign_manager().remove_webhook(campaign.id)
            st.rerun()


def format_webhook(state: WebhookState) -> str:
    """Sentence on the state of the delivery to a webhook."""
    if state.events_error:
        again = (
            f"tried again at {state.events_next_at:%H:%M} UTC"
            if state.events_next_at
            else "given up; save the URL to try again"
        )
        return f"Events of people and items wait ({again}). {state.events_error}"
    if state.delivered_at:
        return f"Delivered to {state.url} on {state.delivered_at:%Y-%m-%d %H:%M} UTC."
    if not state.error:
        each = f", and for each {' and '.join(state.kinds)}" if state.kinds else ""
        return f"Goes to {state.url} when the campaign starts or ends{each}."
    if not state.attempts:
        return f"Nothing is sent while the campaign cannot be read. {state.error}"
    again = f"tried again at {state.next_at:%H:%M} UTC" if state.next_at else "given up; save the URL to try again"
    return f"The webhook failed (attempt {state.attempts}; {again}). {state.error}"
