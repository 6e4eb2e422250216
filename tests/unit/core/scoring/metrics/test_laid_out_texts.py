"""Texts with headings, lists, tables, turns, times and markup: each sentence rests on its passage, and a false one is the worst."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import touchstone as ts

TEXTS = [json.loads(line) for line in (Path(__file__).parent / "laid_out_texts.jsonl").read_text("utf-8").splitlines()]
"""Pairs; `passages` say which sentence of a summary, by a part of it, rests on which passage, by a part of this."""


def sentences(text: dict[str, Any], metric: str) -> list[dict[str, Any]]:
    [record] = ts.score([ts.Example(text["id"], text["document"], text["summary"])], metric)
    parts: list[dict[str, Any]] = record["sentences"]
    return parts


@pytest.mark.parametrize("text", TEXTS, ids=[text["id"] for text in TEXTS])
def test_word_support_shows_the_passage_that_a_sentence_rests_on(text: dict[str, Any]) -> None:
    parts = sentences(text, "word-support")
    for part, passage in text["passages"]:
        [evidence] = [sentence["evidence"]["text"] for sentence in parts if part in sentence["text"]]
        assert passage in evidence
        assert evidence in text["document"]


@pytest.mark.parametrize("metric", ["word-support", "rouge2", "semantic-similarity", "bertscore-minilm"])
@pytest.mark.parametrize(
    "document",
    [
        "Region\tSales\tStaff\nNorth\t1,200\t14\nSouth\t980\t11\nWest\t2,450\t23\n",
        "| Region | Sales | Staff |\n|---|--:|--:|\n| North | 1,200 | 14 |\n| South | 980 | 11 |\n| West | 2,450 | 23 |\n",
        "Staff\n- North 1,200 14\n- South 980 11\n- West 2,450 23\n",
    ],
)
def test_evidence_is_a_row_and_no_table(metric: str, document: str) -> None:
    [part] = sentences({"id": "rows", "document": document, "summary": "West sold 2,450 with 23 people."}, metric)
    assert part["evidence"]["text"].startswith("West")
    assert "\n" not in part["evidence"]["text"]
