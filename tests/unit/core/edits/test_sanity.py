"""The sanity battery: about two hundred pairs whose rank nobody disputes."""

from __future__ import annotations

from collections import Counter

from core.data.datasets.bundled import bundled_items
from core.edits.sanity import CONTENTLESS, SANITY_SOURCES, SanityPair, sanity_pairs
from core.text.canonical import canonical
from core.text.layout import read_layout
from core.text.typography import plain_typography
from core.types import Example, Verdict


def originals() -> list[Example]:
    return [item.example for item in bundled_items() if item.intended is Verdict.CONSISTENT and not item.parent]


def words(text: str) -> list[str]:
    reading = read_layout(canonical(text))
    return plain_typography(reading.text if reading else canonical(text)).lower().split()


def by_id(examples: list[Example]) -> dict[str, Example]:
    return {example.id: example for example in examples}


def test_the_bundled_summaries_give_about_two_hundred_pairs_of_every_kind() -> None:
    pairs = sanity_pairs(originals())
    assert 180 <= len(pairs) <= 240
    counts = Counter(pair.expectation for pair in pairs)
    assert set(counts) == {"copy", "contentless", "foreign", "shuffled", "twin"}
    assert counts["foreign"] == counts["shuffled"] == SANITY_SOURCES
    assert {pair.kind for pair in pairs if pair.expectation == "contentless"} == set(CONTENTLESS)
    assert len({pair.example.id for pair in pairs}) == len(pairs)
    assert pairs == sanity_pairs(originals())
    assert pairs != sanity_pairs(originals(), seed=1)


def test_a_copy_stands_in_the_document_and_a_foreign_summary_is_of_another() -> None:
    sources = by_id(originals())
    for pair in sanity_pairs(originals()):
        source = sources[pair.source]
        assert pair.example.document == source.document
        if pair.expectation == "copy":
            assert pair.example.summary.strip() in source.document
        if pair.expectation == "foreign":
            others = [example for example in sources.values() if example.document != source.document]
            assert pair.example.summary in {example.summary for example in others}


def test_twins_and_shuffled_summaries_have_the_words_of_their_source() -> None:
    sources = by_id(originals())
    for pair in sanity_pairs(originals()):
        before, after = words(sources[pair.source].summary), words(pair.example.summary)
        if pair.expectation == "twin":
            assert after == before, pair.kind
        if pair.expectation == "shuffled":
            assert sorted(after) == sorted(before)
            assert pair.example.summary != sources[pair.source].summary


def test_one_document_has_no_foreign_summary() -> None:
    pairs: list[SanityPair] = sanity_pairs(originals()[:1])
    assert pairs
    assert "foreign" not in {pair.expectation for pair in pairs}
    assert sanity_pairs([]) == []
