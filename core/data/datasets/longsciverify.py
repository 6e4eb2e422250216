"""LongSciVerify (Bishop et al. 2024): three summaries of each of fifteen papers, three sentences of each checked by three reviewers.

One `<corpus>_reviewer_<n>.csv` a reviewer, all with the same rows in the same order: `id`, the texts of three systems, and
for each `model_<m>_coherence`, `model_<m>_fluency` (1 to 3) and `model_<m>_sent_<s>_factuality` (1 factual). Which
sentences were judged is not marked, so a rating's sentence counts the judged ones. `<corpus>_test.json` has the papers in the
same order; a spreadsheet took zeros from arXiv's ids, so they are joined by order and checked by what is left of the id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace, SeenItems
from core.data.datasets.formats.json_files import json_rows as listed
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.data.datasets.formats.text_tables import csv_rows as table
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Example, Item, Rating

_SYSTEMS = ("gencomparesumabs", "dancersum", "section_conditional")
_LEVELS = ("coherence", "fluency")
_SENTENCES = (1, 2, 3)


@DATASETS.add
class LongSciVerify(Importer):
    """The folder with the reviewers' tables, and with the papers where they are at hand, or one reviewer's table in it.

    An item is `<corpus>/<id>/<system>`; the figure "all" is the mean over reviewers of the shares of factual sentences.
    """

    name: ClassVar[str] = "longsciverify"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "LongSciVerify"
    record_fields: ClassVar[frozenset[str]] = frozenset({"gencomparesumabs", "dancersum"})
    licence: ClassVar[str] = "MIT"
    release: ClassVar[str] = "PubMed and arXiv, 15 papers each"
    url: ClassVar[str] = "https://github.com/jbshp/LongDocFACTScore"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        seen: SeenItems = {}
        folder = source.parent if source.is_file() else source
        for first in item_stream.matching_files(folder, "*_reviewer_1.csv"):
            corpus = first.name.removesuffix("_reviewer_1.csv")
            reviewers = sorted(first.parent.glob(f"{corpus}_reviewer_*.csv"))
            papers = next(iter(sorted(folder.rglob(f"{corpus}_test.json"))), None)
            joined = _Papers(corpus, [_rows(path) for path in reviewers], _rows(papers) if papers else None)
            # the header is line 1
            yield from item_stream.items_of_rows(enumerate(joined.tables[0], start=2), first, joined.items, seen)


def _rows(path: Path) -> list[Row]:
    lines: Iterator[NumberedRow] = listed(path) if path.suffix == ".json" else table(path)
    numbered_rows = list(lines)
    broken = next(((number, row) for number, row in numbered_rows if isinstance(row, str)), None)
    if broken:
        raise TouchstoneError(f"{path.name}, line {broken[0]}: {broken[1]}")
    return [row for _, row in numbered_rows if not isinstance(row, str)]


@dataclass(frozen=True, slots=True)
class _Papers:
    """The reviewers' rows of one corpus, and its papers where they are at hand."""

    corpus: str
    tables: list[list[Row]]
    papers: list[Row] | None

    def items(self, row: Row, place: RecordPlace) -> list[Item]:
        where = place.number - 2
        reviews = [self._review(table, where, row) for table in self.tables]
        paper: Row = {}
        if self.papers is not None:
            papers = self.papers[where : where + 1]
            whole = fields.text(papers[0], "article_id") if papers else "missing"
            # the row is not of the paper whose zeros got lost
            if whole.strip("0") != _id(row).strip("0"):
                raise TouchstoneError(f"The field 'id' is {_id(row)!r}, but the paper in its place is {whole!r}.")
            paper = papers[0]
        name = fields.text(paper, "article_id") if paper else _id(row)
        document = "\n".join(fields.texts(paper, "article_text")) if paper else ""
        return [
            Item(
                Example(f"{self.corpus}/{name}/{system}", document, fields.text(row, system)),
                domain=self.corpus,
                group=name,
                system=system,
                ratings=_ratings(reviews, model),
            )
            for model, system in enumerate(_SYSTEMS, start=1)
        ]

    def _review(self, table: list[Row], where: int, row: Row) -> Row:
        """A reviewer's row of the same paper."""
        if where >= len(table) or _id(table[where]) != _id(row):
            raise TouchstoneError(
                f"The field 'id' is {_id(row)!r}, but another reviewer's row {where + 2} has another."
            )
        return table[where]


def _id(row: Row) -> str:
    """An id without the blanks, also those that do not break, that a spreadsheet put around it."""
    return fields.text(row, "id").strip()


def _ratings(reviews: list[Row], model: int) -> tuple[Rating, ...]:
    """Ratings by each reviewer, and the mean over reviewers of their shares of factual sentences."""
    ratings: list[Rating] = []
    shares = []
    for number, review in enumerate(reviews, start=1):
        levels = [(aspect, None, fields.optional_number(review, f"model_{model}_{aspect}")) for aspect in _LEVELS]
        sentences = [
            ("factuality", sentence - 1, fields.optional_number(review, f"model_{model}_sent_{sentence}_factuality"))
            for sentence in _SENTENCES
        ]
        own = [
            Rating(f"reviewer-{number}", aspect, value, place)
            for aspect, place, value in [*levels, *sentences]
            if value is not None  # a cell that was left blank
        ]
        ratings += own
        factual = [rating.value for rating in own if rating.sentence is not None]
        shares += [fsum(factual) / len(factual)] if factual else []
    overall = [Rating(ALL_JUDGES, "factuality", fsum(shares) / len(shares))] if shares else []
    return (*overall, *ratings)
