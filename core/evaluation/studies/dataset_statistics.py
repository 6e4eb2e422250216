"""Content of a dataset: its documents and summaries, and how long they are (2511.07689, table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.text import import_nltk, sentences
from core.types import Item

ALL_DOMAINS = "all"


TextLengths = tuple[int, float | None, float | None]
"""Number of different texts, and their mean sentences and tokens by NLTK's word tokenizer; None where there is no text."""


@dataclass(frozen=True, slots=True)
class DatasetStatistics:
    """The samples of a dataset, or of one of its domains; a text that occurs several times counts once among the texts."""

    dataset: str
    domain: str
    samples: int
    documents: TextLengths
    summaries: TextLengths


def dataset_statistics(name: str, items: Sequence[Item]) -> list[DatasetStatistics]:
    """Statistics of the whole, then of each domain where there are several."""
    domains = sorted({item.domain for item in items})
    parts = [(domain or "–", [item for item in items if item.domain == domain]) for domain in domains]
    rows = []
    for domain, of_domain in [(ALL_DOMAINS, list(items)), *(parts if len(parts) > 1 else [])]:
        documents = _text_lengths(item.example.document for item in of_domain)
        summaries = _text_lengths(item.example.summary for item in of_domain)
        rows.append(DatasetStatistics(name, domain, len(of_domain), documents, summaries))
    return rows


def _text_lengths(texts: Iterable[str]) -> TextLengths:
    different = [text for text in dict.fromkeys(texts) if text.strip()]
    if not different:
        return 0, None, None
    import_nltk()  # the page counts nothing at its start
    from nltk import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    spans = [[span.of(text) for span in sentences(text)] for text in different]
    tokens = sum(len(tokenizer.tokenize(sentence)) for text_sentences in spans for sentence in text_sentences)
    return len(different), sum(map(len, spans)) / len(different), tokens / len(different)


@STUDIES.add
class Lengths(Study):
    """Numbers of documents and summaries, and their mean lengths, overall and by domain."""

    name: ClassVar[str] = "dataset-statistics"
    title: ClassVar[str] = "Documents and summaries"
    does: ClassVar[str] = (
        "Count documents and summaries of datasets, with their mean sentences and tokens, overall and by domain."
    )
    group: ClassVar[Group] = "Data"
    place: ClassVar[int] = 10
    takes: ClassVar[tuple[Input, ...]] = (Input.ITEMS,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "It counts texts, and the audit judges metrics; each audit names its data with their size.",
            "pack": "The pack has a data card, which counts the texts of its datasets.",
        }
    )

    def run(self, data: StudyData) -> Report:
        if not data.items:
            raise TouchstoneError("Name a dataset with --dataset; `datasets` lists them.")
        rows = [row for name, items in data.items.items() for row in dataset_statistics(name, items)]
        lengths = Table(
            "lengths",
            self.title,
            (
                *(Column("dataset"), Column("domain"), Column("samples", format="count")),
                *(
                    column
                    for of in ("documents", "summaries")
                    for column in (
                        Column(of, f"different {of}", "count", "A text that occurs several times counts once."),
                        Column(f"{of}_sentences", f"sentences in {of}", "number", "Mean over the different texts."),
                        Column(f"{of}_tokens", f"tokens in {of}", "number", "Mean, by the word tokenizer of NLTK."),
                    )
                ),
            ),
            tuple(
                (
                    *(row.dataset, row.domain, row.samples),
                    *(*row.documents, *row.summaries),
                )
                for row in rows
            ),
        )
        return self.report(data, [lengths])
