"""The glossary: every term has a sentence, an example and a source, and a text marks its terms once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages.ui.shared.glossary import Term, mark_terms, read_glossary
from pages.ui.shared.terms import page_head

BAND = Term("Noise band", "A range.", "0.1", "us")
NOISE = Term("Noise", "A movement.", "0.2", "us")


def test_every_term_has_a_sentence_an_example_and_a_source() -> None:
    terms = read_glossary()
    assert len(terms) >= 30
    assert [term.name for term in terms if not (term.sentence.endswith(".") and term.example and term.source)] == []
    assert [term.name for term in terms if "](" in term.sentence + term.source or "`" in term.sentence] == []
    assert len({term.anchor for term in terms}) == len(terms)


def test_a_term_without_a_source_is_refused(tmp_path: Path) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "glossary.md").write_text("# Glossary\n\n## A\n\nB.\n\nExample: c.\n\nd\n", encoding="utf-8")
    with pytest.raises(ValueError, match="'A' of the glossary"):
        read_glossary(tmp_path)


def test_the_first_occurrence_of_the_longest_term_is_marked() -> None:
    parts = mark_terms("Noise bands and noise: a noise band.", [NOISE, BAND])
    assert [(part.text, part.term and part.term.name) for part in parts] == [
        ("Noise bands", "Noise band"),
        (" and ", None),
        ("noise", "Noise"),
        (": a noise band.", None),
    ]


def test_a_text_without_a_term_is_one_part() -> None:
    assert [part.text for part in mark_terms("Nothing here, noisebands.", [NOISE, BAND])] == [
        "Nothing here, noisebands."
    ]


def test_what_stands_around_a_term_is_text() -> None:
    page = page_head("heading.html", "<b>x</b> noise band", "guides/probe", title="<i>")
    assert '&lt;b&gt;x&lt;/b&gt; <a class="ts-term" href="/docs/start/glossary#noise-band"' in page
    assert "&lt;i&gt;" in page
