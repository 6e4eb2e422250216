"""Choice of a template for a new campaign, and its differences from the paper."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from annotations.campaigns.campaign import CampaignRules
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.management.campaign_templates import CampaignTemplate, campaign_templates
from core.stats import format_count
from pages.ui.shared.markup import escape_markdown

_NONE = ""


def template_choice(key: str) -> CampaignTemplate | None:
    """The template that the form begins with; None for an empty form."""
    templates = {template.name: template for template in campaign_templates()}
    name = st.selectbox(
        "Template",
        [_NONE, *templates],
        key=f"{key}-template",
        format_func=lambda name: templates[name].title if name else "None: set everything yourself",
        help="Sets the questions, the rules, training and known answers at once. Everything can be changed below.",
    )
    return templates.get(name)


def template_notes(template: CampaignTemplate, rules: CampaignRules, known: Mapping[str, int]) -> None:
    """Show parts of the template, and its differences from the paper under these rules."""
    parts = [f"{format_count(number, 'item')} of {part}" for part, number in known.items() if number]
    if template.qualification:
        title = read_questions(bundled_question_sets()[template.qualification]).title
        parts.append(f"a campaign before it, “{title}”, of which {template.qualification_pass} answers must be right")
    if rules.check_code:
        parts.append("a code in the guidelines, asked once a session")
    source = f"{template.source}. " if template.source else ""
    st.caption(escape_markdown(f"{source}With {', '.join(parts) or 'its rules'}."))
    differences = template.differences(rules)
    if differences:
        title = "How this differs from the paper" if template.source else "What this does not do"
        with st.expander(f"{title} ({len(differences)})", icon=":material/difference:"):
            st.markdown("\n".join(f"- {escape_markdown(sentence)}" for sentence in differences))
