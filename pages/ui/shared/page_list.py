"""The pages and the parts that were pages, who may open each and what one does there, with the heading and the modules of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from annotations.people.people import Member, Right
from pages.server import startup
from pages.ui.shared.terms import page_head


@dataclass(frozen=True, slots=True)
class PageOfRight:
    """A page for those who have a right: its file, what it is called, what one does there, and its chapter in the documents."""

    right: Right
    name: str
    title: str
    icon: str
    purpose: str
    chapter: str


PAGES = (
    PageOfRight(
        Right.EXPLORE,
        "home",
        "Home",
        "home",
        "Test whether a metric of factual consistency notices what is wrong in a summary, label pairs, and judge metrics by them.",
        "start/first-minute",
    ),
    PageOfRight(
        Right.EXPLORE,
        "projects",
        "Projects",
        "folder_open",
        "A question, the work that answers it, and a report of results that you pinned: check, share and export it.",
        "guides/report",
    ),
    PageOfRight(
        Right.EXPLORE,
        "probe",
        "Probe",
        "science",
        "Edit a summary and see how every metric reacts. Select a score for its evidence.",
        "guides/probe",
    ),
    PageOfRight(
        Right.EXPLORE,
        "stress",
        "Stress test",
        "bolt",
        "Perturb many summaries: which metrics move when the meaning stays, and which stay when it breaks?",
        "guides/stress-test",
    ),
    PageOfRight(
        Right.EXPLORE,
        "evaluate",
        "Evaluate",
        "leaderboard",
        "Which metric can be trusted, on which errors, with what certainty? From datasets and your own labels.",
        "guides/evaluation",
    ),
    PageOfRight(
        Right.EXPLORE,
        "audit",
        "Audit",
        "fact_check",
        "Can a metric be trusted on your data? A verdict for each question, down to the pairs.",
        "guides/audit",
    ),
    PageOfRight(
        Right.LABEL,
        "annotate",
        "Annotate",
        "rate_review",
        "Label one item after the other, blind to the scores.",
        "guides/annotation",
    ),
    PageOfRight(
        Right.ADJUDICATE,
        "campaigns",
        "Campaigns",
        "assignment",
        "Set up labelling, follow progress and agreement, and decide where people differ.",
        "guides/annotation",
    ),
    PageOfRight(
        Right.EXPLORE,
        "metrics",
        "Metrics",
        "straighten",
        "What each metric measures and what it needs; load models, set endpoints, read and replace prompts.",
        "guides/metrics",
    ),
)


GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Test a metric": ("probe", "stress", "evaluate", "audit"),
        "Label": ("annotate", "campaigns"),
        "Metrics": ("metrics",),
    }
)
"""The pages for each of the three things that one does here; Home and Projects are for all of them."""

PARTS: Mapping[str, tuple[str, str, Mapping[str, str]]] = MappingProxyType(
    {
        "review": ("Review", "campaigns", {"tab": "Review"}),
        "papers": ("Papers", "evaluate", {"paper": "all"}),
        "data": ("Records", "home", {"open": "records"}),
        "prompts": ("Prompts", "metrics", {"prompt": "all"}),
    }
)
"""By the name of a former page: its title, the page that it is a part of, and the parameters that open it there."""

OPEN_PARAMETER = "open"
"""A dialog or part that a page opens with."""
JUDGE_PARAMETER = "judge"
"""On Evaluate: a metric that the form of scores begins with."""
IMPORT_PARAMETERS: Mapping[str, str] = MappingProxyType({"tab": "Data", OPEN_PARAMETER: "import"})
"""Of Evaluate with the dialog of the import."""


def page_heading(shown: st.Page) -> None:
    """The name of the page as its heading and in the tab, and what one does there; Probe has its verdict instead."""
    page = next((page for page in PAGES if page.title == shown.title), None)
    if page:
        st.set_page_config(page_title=f"{page.title} · Touchstone")
        st.html(page_head("heading.html", page.purpose, page.chapter, title=page.title))


def load_page(shown: st.Page) -> str:
    """The name of a page, once what it needs is imported; the first visitor of a server sees that it loads, and the way out needs nothing."""
    name = next((page.name for page in PAGES if page.title == shown.title), "")
    if name and not (startup.is_loaded(startup.METRICS) and startup.is_loaded(name)):
        with st.spinner(f"Loading the metrics and the page {shown.title}…"):
            startup.load(startup.METRICS)
            startup.load(name)
    return name


def pages_of(member: Member) -> list[PageOfRight]:
    """The pages that a person may open."""
    return [page for page in PAGES if member.may(page.right)]
