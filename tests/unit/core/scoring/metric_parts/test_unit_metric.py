"""Metrics of our own score equal texts alike, however they are encoded, and locate in the texts as they were given."""

from __future__ import annotations

import unicodedata

import pytest

import touchstone as ts
from core.scoring.metric import METRICS
from core.types import ClaimList, Example, Span, SummaryClaim
from tests.drive import drive

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


ITEMS = ["Zoë Brekke met the crew of Café Skarv in Malmö", "It rained on 9 guests"]


@pytest.mark.parametrize("metric", [*OWN, "information-density", "retrieve"])
@pytest.mark.parametrize("mark", ["- {}", "{}.", "# News\n\n* **{}**", "<li>{}</li>"])
def test_items_of_a_list_are_scored_like_sentences(metric: str, mark: str) -> None:
    summary = "\n\n".join(mark.format(item) for item in ITEMS)
    prose, listed = ts.score(
        [ts.Example("prose", DOCUMENT, ". ".join(ITEMS)), ts.Example("list", DOCUMENT, summary)], metric
    )
    assert listed["score"] == pytest.approx(prose["score"], abs=0.05)
    assert len(listed["sentences"]) == len(prose["sentences"])
    for sentence, item in zip(listed["sentences"][-2:], ITEMS[-len(listed["sentences"]) :], strict=False):
        assert item in sentence["text"]


def test_a_false_item_of_a_list_is_the_part_with_the_lowest_score() -> None:
    summary = "1. Zoë Brekke met the crew of Café Skarv in Malmö\n2. Zoë Brekke sold the crew to Peru"
    [record] = ts.score([ts.Example("a", DOCUMENT, summary)], "word-support")
    right, wrong = record["sentences"]
    assert wrong["text"] == "Zoë Brekke sold the crew to Peru"
    assert wrong["score"] < 0.5 < right["score"]


def test_a_published_metric_reads_sentences_and_notes_other_units() -> None:
    pair = ts.Example("a", DOCUMENT, "- Zoë Brekke met the crew\n- It rained")
    [record] = ts.score([pair], "retrieve[units=sentences]")
    assert "has 2 units by its layout" in record["seen"]["notes"][-1]
    assert "split:punkt-touchstone|" in record["signature"].replace("punkt-tab", "punkt-touchstone")
    [by_layout] = ts.score([pair], "retrieve")
    assert "+layout|" in by_layout["signature"]
    assert len(by_layout["sentences"]) == 2


def test_lines_are_units_where_a_setting_says_so() -> None:
    summary = "It rained. Zoë Brekke met the crew.\nIt snowed"
    [record] = ts.score([ts.Example("a", DOCUMENT, summary)], "sentence-novelty[units=lines]")
    assert record["score"] == 1.0
    assert "+lines|" in record["signature"]


@pytest.mark.parametrize("metric", ["entity-overlap", "coverage", "word-support"])
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("3400000 crowns", "4400000 crowns"),
        ("three point four million crowns", "four point four million crowns"),
        ("$5,000", "$6,000"),
        ("five per cent of the cars", "six per cent of the cars"),
        ("1 km", "2 km"),
        ("2024-01-05", "2024-01-06"),
    ],
)
def test_a_right_number_in_another_form_scores_above_a_wrong_one(metric: str, right: str, wrong: str) -> None:
    document = "The board spent 3,400,000 crowns, 5 thousand dollars and 5 percent of the cars on 1,000 m of pier on 5 January 2024."
    pairs = [
        ts.Example(name, document, f"The board spent {form}.") for name, form in (("right", right), ("wrong", wrong))
    ]
    of_right, of_wrong = ts.score(pairs, metric)
    assert of_right["score"] > of_wrong["score"]
    assert of_right["sentences"][0]["text"] == f"The board spent {right}."


def test_a_sentence_without_a_claim_and_a_claim_of_other_words_are_noted() -> None:
    summary = "It rained. Nobody came."
    made = (SummaryClaim("It rained.", Span(0, 10)), SummaryClaim("Bananas are yellow"))
    example = Example("a", "It rained on Malmö.", summary, claims=ClaimList(summary, made))
    score = drive(METRICS.parse("claims[metric=coverage,by=given]").rounds(example))
    notes = " ".join(score.seen.notes)
    assert "No claim is of the sentence “Nobody came.”" in notes
    assert "Claim 2 shares no word with the summary" in notes


def test_a_text_is_like_itself_at_any_length() -> None:
    text = " ".join(f"The crew of boat {number} slept in harbour {number * 7}." for number in range(90))
    [record] = ts.score([ts.Example("a", text, text)], "bertscore-minilm")
    assert record["score"] == pytest.approx(1.0, abs=1e-4)
