"""Things that one can do, views and chapters that one can read, and terms, as places that the search finds by words for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from annotations.people.people import Member
from core.evaluation import STUDIES, Input
from pages.server.docs import docs_address
from pages.server.docs_pages import read_contents
from pages.server.docs_search import docs_sections
from pages.ui.home.places import Place
from pages.ui.shared.glossary import CHAPTER, read_glossary
from pages.ui.shared.page_list import IMPORT_PARAMETERS, pages_of

_ACTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = MappingProxyType(
    {
        "Upload or paste a document and a summary": ("probe", {}),
        "Run a stress test: upload pairs or choose a dataset": ("stress", {}),
        "Import a dataset, a benchmark or an export of another tool": ("evaluate", IMPORT_PARAMETERS),
        "Score a dataset with metrics": ("evaluate", {"tab": "Data"}),
        "Compare metrics on labels": ("evaluate", {"tab": "measures"}),
        "Estimate how many summaries are wrong": ("evaluate", {"tab": "prevalence"}),
        "Combine metrics into one": ("evaluate", {"tab": "combine"}),
        "Choose a threshold": ("evaluate", {"tab": "calibration"}),
        "Train a metric": ("evaluate", {"tab": "Train"}),
        "Export tables and figures for a paper (LaTeX, CSV, SVG, PDF)": ("evaluate", {"tab": "Paper pack"}),
        "Put your pairs through a published paper": ("evaluate", {"paper": "all"}),
        "Audit a metric": ("audit", {}),
        "Label items": ("annotate", {}),
        "Set up a campaign: upload items, choose what is asked": ("campaigns", {"campaign": "new"}),
        "Adjudicate where annotators differ": ("campaigns", {"tab": "Review"}),
        "Export labels of a campaign": ("campaigns", {"tab": "Progress"}),
        "Export kept pairs and labels (JSONL, CSV)": ("home", {"open": "records"}),
        "Add an endpoint or a key of a language model": ("metrics", {}),
        "Add a metric from Hugging Face or a folder": ("metrics", {}),
        "Download the weights of a metric": ("metrics", {}),
        "Replace a prompt": ("metrics", {"prompt": "all"}),
        "Write a report of pinned results": ("projects", {}),
    }
)
"""By what one wants to do: the page, and the parameters that open the place for it there."""


def action_places(member: Member) -> Iterator[Place]:
    """Places of what the person may do."""
    names = {page.name for page in pages_of(member)}
    for title, (page, query) in _ACTIONS.items():
        if page in names:
            yield Place("action", title, page, dict(query))


def study_places(member: Member) -> Iterator[Place]:
    """The studies by their titles, each as the view that it is."""
    names = {page.name for page in pages_of(member)}
    for study in STUDIES:
        page = "stress" if Input.RUN in study.takes else "evaluate"
        if page in names and "page" not in study.without:
            yield Place("view", f"{study.title} ({study.group})", page, {"tab": study.name})


def reading_places() -> Iterator[Place]:
    """The chapters of the documents with their sections, and the terms of the glossary; their view is empty, and `href` leads there."""
    for term in read_glossary():
        yield Place("term", term.name, "", {"href": f"{docs_address(CHAPTER)}#{term.anchor}"})
    titles = {name: title for chapters in read_contents().values() for name, title in chapters.items()}
    for section in docs_sections():
        if section.page in titles and (section.page != CHAPTER or section.heading == section.chapter):
            chapter = titles[section.page]
            title = chapter if section.heading == section.chapter else f"{chapter}: {section.heading}"
            yield Place("document", title, "", {"href": f"{docs_address(section.page)}#{section.anchor}"})


def found_places(member: Member) -> Iterator[Place]:
    """All of these."""
    yield from action_places(member)
    yield from study_places(member)
    yield from reading_places()
