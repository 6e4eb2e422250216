"""Metrics of our own score equal texts alike, however they are encoded, and locate in the texts as they were given."""

from __future__ import annotations

import unicodedata

import pytest

import touchstone as ts
from core.types import Span

DOCUMENT = "Zoë Brekke met the crew of Café Skarv in Malmö. It rained on the 3\u00a0400 guests."
SUMMARY = "Zoë Brekke met the crew of Café Skarv in Malmö."
OWN = [
    "word-support",
    "entity-overlap",
    "coverage",
    "density",
    "word-novelty",
    "sentence-novelty",
    "semantic-similarity",
]


def forms(text: str) -> list[str]:
    return [text, unicodedata.normalize("NFD", text), text.replace("rr", "r\u00adr").replace("e ", "e\u200b ")]


@pytest.mark.parametrize("metric", OWN)
def test_a_pair_has_one_score_in_all_its_encodings(metric: str) -> None:
    pairs = [(document, summary) for document in forms(DOCUMENT) for summary in forms(SUMMARY)]
    records = ts.score([ts.Example(f"{n}", *pair) for n, pair in enumerate(pairs)], metric)
    assert len({record["score"] for record in records}) == 1
    assert len({record["signature"] for record in records}) == 1


def test_sentences_words_and_evidence_stand_in_the_texts_as_they_were_given() -> None:
    document, summary = unicodedata.normalize("NFD", f"It rained. {DOCUMENT}"), unicodedata.normalize("NFD", SUMMARY)
    [record] = ts.score([ts.Example("a", document, summary)], "word-support")
    [sentence] = record["sentences"]
    assert sentence["text"] == summary
    assert [word["text"] for word in sentence["words"]][:2] == [unicodedata.normalize("NFD", "Zoë"), "Brekke"]
    evidence = Span(sentence["evidence"]["start"], sentence["evidence"]["end"])
    assert evidence.of(document).strip(" .") == summary.strip(".")
