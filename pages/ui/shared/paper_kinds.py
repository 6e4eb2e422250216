"""The papers by title, and the perturbations of one under its own names, to be ticked."""

from __future__ import annotations

import streamlit as st

from core.assessment import PAPERS, Paper, read_published
from core.edits import Perturbation
from core.models import endpoint_problem
from pages.ui.shared.markup import escape_label, escape_markdown

_PAPERS = {
    "bump": ("BUMP (Ma et al. 2023)", "Which metrics prefer the faithful one of two summaries?"),
    "ramprasad": ("Ramprasad and Wallace (2024)", "How much of a metric is surface, and can it be gamed?"),
    "longdoc": (
        "Stress test of long documents (Mujahid et al. 2025)",
        "Do metrics inside retrieval hold still where the meaning does?",
    ),
    "summexecedit": ("SummExecEdit (Thorat et al. 2024)", "Do language models find and explain an edit?"),
    "frank": ("FRANK (Pagnoni et al. 2021)", "Which metric goes with people, and on which errors?"),
    "unieval": (
        "UniEval (Zhong et al. 2022)",
        "How does an evaluator of several aspects correlate with people?",
    ),
}
"""Title and question of each paper, in their order on the page; one that is not named here has its citation."""


def paper_title(name: str) -> str:
    return _PAPERS[name][0] if name in _PAPERS else read_published(name).citation


def paper_question(name: str) -> str:
    return _PAPERS[name][1] if name in _PAPERS else read_published(name).title


def ordered_papers() -> list[str]:
    """The names of all papers, those with a title first."""
    return [*dict.fromkeys([*_PAPERS, *PAPERS.names()])]


def papers_with_kinds() -> list[Paper]:
    """The papers that perturb summaries."""
    return [paper for name in ordered_papers() if (paper := PAPERS.get(name)()).kinds]


def paper_kinds(paper: Paper) -> list[Perturbation]:
    """The ticked perturbations; all of the paper at first, except those whose endpoint is not set."""
    missing, selected = endpoint_problem(), list[Perturbation]()
    for place, kinds in paper.perturbations().items():
        asks = any(kind.card.form == "prompt" for kind in kinds.values())
        titles = st.pills(
            place,
            list(kinds),
            selection_mode="multi",
            default=[] if asks and missing else list(kinds),
            format_func=escape_label,
            key=f"paper-kinds-{paper.name}-{place}-{asks and bool(missing)}",
            help="  \n".join(f"**{escape_markdown(title)}**: {kind.card.does}" for title, kind in kinds.items()),
            disabled=asks and bool(missing),
            wrap=True,
        )
        selected += [kinds[title] for title in titles]
        if asks and missing:
            st.caption(escape_markdown(f"Waits for an endpoint. {missing}"))
            st.page_link("views/metrics.py", label="Add an endpoint under Metrics", icon=":material/add_link:")
    return selected
