"""The search of the documents: every section by the beginnings of its words, headings first, and nothing in a query runs."""

from __future__ import annotations

import pytest

from pages.server.docs import docs_address
from pages.server.docs_search import docs_sections, search_docs
from tests.unit.pages.server.test_docs import Links, client


@pytest.mark.parametrize(
    "words", ["train", "latex", "upload", "import", "glossary", "noise band", "qualification gold"]
)
def test_usual_words_lead_to_sections_that_have_them(words: str) -> None:
    places = search_docs(words)
    assert places
    for hit in places:
        text = f"{hit.section.chapter} {hit.section.heading} {hit.section.text}".casefold()
        assert all(word in text for word in words.split())


def test_a_section_with_the_word_in_its_heading_comes_first() -> None:
    assert "Noise band" in search_docs("noise band")[0].section.heading


def test_every_section_has_an_anchor_of_its_page() -> None:
    for name in {section.page for section in docs_sections()}:
        anchors = Links(client().get(docs_address(name)).text).anchors
        assert {section.anchor for section in docs_sections() if section.page == name} <= anchors, name


def test_a_query_is_text_and_one_without_words_finds_nothing() -> None:
    page = client().get(docs_address("search"), params={"q": "<script>alert(1)</script>"})
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert search_docs(" ?! ") == []
