"""The papers as cards, and the head of one that the address names."""

from __future__ import annotations

import streamlit as st

from core.assessment import PAPERS, Paper, missing_steps, printed_coverage, printed_tables, read_published
from core.models import installed_texts, printed_words, replacements_folder
from pages.server.docs import docs_address
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.paper_kinds import ordered_papers, paper_question, paper_title
from pages.ui.shared.terms import term_caption

PAPER_PARAMETER, _ALL = "paper", "all"
_CARD_PX = 420


def chosen_paper() -> Paper | None:
    """The paper that the address names; None where it names none that exists."""
    name = st.query_params.get(PAPER_PARAMETER, "")
    return PAPERS.get(name)() if name in PAPERS.names() else None


def open_paper(name: str, **parameters: str) -> None:
    """Let the address name a paper, so that a reload finds it; an empty name leads to the cards."""
    st.query_params.from_dict({PAPER_PARAMETER: name or _ALL, **parameters})


def paper_cards() -> None:
    """A card for each paper: its question, and what of it is here."""
    term_caption(
        "Choose a paper: take its prompts out of your copy, put your pairs and metrics through its perturbations, and see its "
        "printed figures beside yours."
    )
    grid = st.grid("auto", min_column_width=_CARD_PX, gap="small")
    for name in ordered_papers():
        with grid.container(border=True, height="stretch", gap="xsmall", key=f"paper-{name}"):
            st.button(
                f"**{escape_markdown(paper_title(name))}**",
                key=f"open-paper-{name}",
                type="tertiary",
                icon=":material/chevron_right:",
                on_click=open_paper,
                args=(name,),
            )
            st.markdown(paper_question(name))
            st.caption(escape_markdown(" · ".join(_facts(PAPERS.get(name)()))))


def paper_head(paper: Paper) -> None:
    """The title of the paper with the ways to it, to its experiments in the documents and back to all papers."""
    published = read_published(paper.name)
    st.set_page_config(page_title=f"Evaluate · {paper_title(paper.name)} · Touchstone")
    st.subheader(published.title, anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("All papers", icon=":material/arrow_back:", on_click=open_paper, args=("",), key="all-papers")
        st.caption(
            f"{escape_markdown(published.citation)}. [The paper]({published.url}) · "
            f"[its experiments, by command and page]({docs_address(f'papers/{paper.name}')})"
        )


def words_state(name: str) -> str:
    """The number of printed texts that are installed; empty for a paper that prints none that are used here."""
    words = printed_words(name)
    if words is None:
        return ""
    texts = installed_texts(replacements_folder(), name)
    here = sum(piece.part in texts.get(piece.name, {}) for piece in words.pieces)
    return f"{here} of {len(words.pieces)} printed texts here"


def _facts(paper: Paper) -> list[str]:
    printed = printed_coverage(printed_tables(paper.name)).printed
    metrics = paper.metrics()
    ready = sum(not missing_steps(metric) for metric in metrics)
    kinds = sum(map(len, paper.kinds.values()))
    return [
        *([f"{printed} printed figures"] if printed else []),
        *([f"{kinds} perturbations"] if kinds else []),
        *([f"{ready} of {len(metrics)} metrics ready"] if metrics else []),
        *filter(None, [words_state(paper.name)]),
    ]
