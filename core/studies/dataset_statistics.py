"""What a dataset consists of: its documents and summaries, and how long they are (2511.07689, table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.stats.text_tables import align_columns
from core.text import sentences
from core.types import Item

ALL_DOMAINS = "all"


@dataclass(frozen=True, slots=True)
class TextLengths:
    """How many different texts there are, and their means; None where there is none. Tokens are those of NLTK's word tokenizer."""

    texts: int
    sentences: float | None
    tokens: float | None


@dataclass(frozen=True, slots=True)
class DatasetStatistics:
    """The samples of a dataset, or of one of its domains; a text that occurs several times counts once among the texts."""

    dataset: str
    domain: str
    samples: int
    documents: TextLengths
    summaries: TextLengths


def dataset_statistics(name: str, items: Sequence[Item]) -> list[DatasetStatistics]:
    """That of the whole, then of each domain where there are several."""
    domains = sorted({item.domain for item in items})
    parts = [(domain or "–", [item for item in items if item.domain == domain]) for domain in domains]
    return [_statistics(name, *part) for part in [(ALL_DOMAINS, list(items)), *(parts if len(parts) > 1 else [])]]


def format_statistics(found: Sequence[DatasetStatistics]) -> str:
    """One line a dataset and domain, in columns."""
    head = ("dataset", "domain", "samples", *(f"{what} {of}" for of in ("documents", "summaries") for what in _COUNTED))
    return align_columns([head, *map(_cells, found)])


_COUNTED = ("different", "sentences in", "tokens in")


def _cells(row: DatasetStatistics) -> tuple[str, ...]:
    lengths = [
        cell
        for of in (row.documents, row.summaries)
        for cell in (str(of.texts), *("–" if value is None else f"{value:.1f}" for value in (of.sentences, of.tokens)))
    ]
    return (row.dataset, row.domain, str(row.samples), *lengths)


def _statistics(name: str, domain: str, items: Sequence[Item]) -> DatasetStatistics:
    documents = _text_lengths(item.example.document for item in items)
    return DatasetStatistics(name, domain, len(items), documents, _text_lengths(item.example.summary for item in items))


def _text_lengths(texts: Iterable[str]) -> TextLengths:
    different = [text for text in dict.fromkeys(texts) if text.strip()]
    if not different:
        return TextLengths(0, None, None)
    from nltk import NLTKWordTokenizer  # it takes two seconds, and the page counts nothing at its start

    tokenizer = NLTKWordTokenizer()
    spans = [[span.of(text) for span in sentences(text)] for text in different]
    tokens = sum(len(tokenizer.tokenize(sentence)) for found in spans for sentence in found)
    return TextLengths(len(different), sum(map(len, spans)) / len(different), tokens / len(different))
