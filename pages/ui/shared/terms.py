"""Texts of the pages in which the terms of the glossary are dotted, with a tooltip and a link to their place in it."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from pages.server.docs import docs_address
from pages.ui.shared.glossary import CHAPTER, mark_terms, read_glossary
from pages.ui.shared.markup import render_html


def page_head(template: str, about: str, chapter: str, **values: object) -> str:
    """The head of a page as HTML: a sentence with its terms marked, and the link to its chapter; every text is escaped."""
    return render_html(template, about=mark_terms(about), guide=docs_address(chapter), glossary=_glossary(), **values)


def term_caption(text: str) -> None:
    """A caption in which the terms are marked."""
    st.html(render_html("term_text.html", text=mark_terms(text), glossary=_glossary()))


def component_term(name: str) -> dict[str, str]:
    """A term as the heading of a component takes it; KeyError for one that the glossary does not have."""
    term = {term.name: term for term in read_glossary()}[name]
    return {**asdict(term), "anchor": term.anchor, "address": f"{_glossary()}#{term.anchor}"}


def _glossary() -> str:
    return docs_address(CHAPTER)
