"""Choice of a template for a new campaign, and its differences from the paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from annotations.campaigns.campaign import CampaignRules
from annotations.campaigns.questions import QuestionSet, bundled_question_sets, read_questions
from annotations.management.campaign_templates import CampaignTemplate, campaign_templates
from core.assessment import printed_instructions
from core.errors import TouchstoneError
from core.stats import format_count
from pages.ui.shared.markup import escape_markdown, escape_message

_NONE = ""
_PICTURES = Path(__file__).parents[1] / "pictures"
_PICTURE_PX = 480


def template_choice(key: str) -> CampaignTemplate | None:
    """The template that the form begins with; None for an empty form."""
    templates = {template.name: template for template in campaign_templates()}
    name = st.selectbox(
        "Template",
        [_NONE, *templates],
        key=f"{key}-template",
        format_func=lambda name: (
            templates[name].title if name else "None: set questions, rules and known answers yourself"
        ),
    )
    template = templates.get(name)
    if template:
        alt = f"What annotators see of “{template.title}”"
        st.image(template_picture(template.name), escape_markdown(alt), width=_PICTURE_PX, alt=alt)
    return template


def template_picture(name: str) -> Path:
    """File of the picture of a template, which `python -m tests.template_pictures` takes."""
    return _PICTURES / f"template-{name}.webp"


def printed_guidelines(template: CampaignTemplate, questions: QuestionSet, key: str) -> str | None:
    """The paper's instructions, where a copy of it was read and they are preferred to ours; None for ours."""
    if not template.words:
        return None
    try:
        printed = printed_instructions(template.words, questions.name)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return None
    preferred = st.toggle(
        "Guidelines in the paper's own words",
        key=f"{key}-printed",
        disabled=not printed,
        help="As the paper prints them; they can be changed below."
        if printed
        else f"They are no part of Touchstone: give your copy of the paper under Papers, or to the command paper-words {template.words}.",
    )
    return printed if preferred and printed else None


def template_notes(template: CampaignTemplate, rules: CampaignRules, known: Mapping[str, int]) -> None:
    """Show parts of the template, and its differences from the paper under these rules."""
    parts = [f"{format_count(number, 'item')} of {part}" for part, number in known.items() if number]
    if template.qualification and rules.skills:
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
