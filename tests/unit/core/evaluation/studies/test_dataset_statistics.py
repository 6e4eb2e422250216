"""Lengths of texts, counted by hand."""

from __future__ import annotations

from core.evaluation.reports.record import report_record
from core.evaluation.reports.text import report_text
from core.evaluation.studies.dataset_statistics import Lengths, dataset_statistics
from core.evaluation.study import StudyData
from core.types import Example, Item


def item(id: str, document: str, summary: str, domain: str) -> Item:
    return Item(Example(id, document, summary), group=id, domain=domain)


ITEMS = [
    item("a", "Rain fell. It was cold.", "It rained.", "law"),
    item("b", "Rain fell. It was cold.", "It was cold, and it rained.", "law"),
    item("c", "Nobody came.", "", "fiction"),
]


def test_a_text_counts_once_and_its_sentences_and_tokens_are_counted() -> None:
    """ "Rain fell." and "It was cold." are 3 + 4 tokens; the summaries of law are 3 and 8; that of fiction is missing."""
    whole, fiction, law = dataset_statistics("three", ITEMS)
    assert (whole.domain, whole.samples, whole.documents) == ("all", 3, (2, 1.5, 5.0))
    assert (law.domain, law.samples, law.documents) == ("law", 2, (1, 2.0, 7.0))
    assert law.summaries == (2, 1.0, 5.5)
    assert (fiction.documents, fiction.summaries) == ((1, 1.0, 3.0), (0, None, None))


def test_one_domain_has_one_line_and_what_is_missing_a_dash() -> None:
    report = Lengths().run(StudyData(items={"one": ITEMS[2:]}))
    [row] = report_record(report)["tables"]["lengths"]
    assert (row["dataset"], row["documents"], row["documents_tokens"], row["summaries_tokens"]) == ("one", 1, 3.0, None)
    assert report_text(report).splitlines()[1].split() == ["one", "all", "1", "1", "1", "3", "0", "–", "–"]
