"""FRANK (Pagnoni et al. 2021): how much of each summary is faithful, by kinds of error, with fifteen released metrics.

human_annotations.json: `hash` and `model_name` (the key), `dataset`, `split`, `Factuality` (share of faithful sentences)
and a column for each kind of error, where 1 says that there is none; `Flip_<kind>` is Factuality with these
errors forgiven. Beside it may lie baseline_factuality_metrics_outputs.json with the scores, benchmark_data.json with
`article` and `summary`, and human_annotations_sentence.json with `summary_sentences` and, for each, the kinds of error
that every annotator saw. Without them there are no scores and no votes, and the texts are to be joined later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Example, Item, Rating, Split, StoredScore, Verdict

_KEY = ("hash", "model_name")
_SPLITS = {"valid": Split.DEV, "test": Split.TEST}
_KINDS = ("RelE", "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE", "Other")
_NO_ERROR = "NoE"
_NOT_RATED = {*_KEY, "dataset", "split"}


@DATASETS.add
class Frank(Importer):
    """human_annotations.json, or the folder with it and its companions; a summary is `<hash>/<model_name>`.

    A summary counts as consistent where all its sentences are faithful, as in the SummaC benchmark.
    """

    name: ClassVar[str] = "frank"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "FRANK"
    record_fields: ClassVar[frozenset[str]] = frozenset({"hash", "model_name", "Factuality", "EntE"})
    licence: ClassVar[str] = "MIT (articles: CNN/DailyMail, XSum)"
    release: ClassVar[str] = "2,246 summaries, metrics as corrected in July 2021"
    url: ClassVar[str] = "https://github.com/artidoro/frank"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        for path in item_stream.matching_files(source, "human_annotations.json"):
            names = ("baseline_factuality_metrics_outputs", "benchmark_data", "human_annotations_sentence")
            tables: list[_Table] = []
            for companion in (path.with_name(f"{name}.json") for name in names):
                table: _Table = {}
                for number, row in file_rows(companion) if companion.is_file() else ():
                    if isinstance(row, str):
                        raise TouchstoneError(f"{companion.name}, record {number}: {row}")
                    table[_key(row)] = row
                tables.append(table)
            companions = _CompanionFiles(*tables)
            yield from item_stream.items_of_files([path], companions.item)


_Table = dict[tuple[str, str], Row]


def _key(row: Row) -> tuple[str, str]:
    return fields.text(row, "hash"), fields.text(row, "model_name")


@dataclass(frozen=True, slots=True)
class _CompanionFiles:
    """Tables of the files that come with the annotations, by summary."""

    scores: _Table
    texts: _Table
    sentences: _Table

    def item(self, row: Row, _: RecordPlace) -> list[Item]:
        document, system = key = _key(row)
        texts, sentences = self.texts.get(key, {}), self.sentences.get(key, {})
        summary = fields.optional(texts, "summary")
        if not summary and sentences:
            summary = " ".join(fields.texts(sentences, "summary_sentences"))
        votes = []
        if sentences:
            votes = [
                Rating(annotator, "Factuality", float(fields.texts(annotations, annotator) == [_NO_ERROR]), place)
                for place, annotations in enumerate(fields.records(sentences, "summary_sentences_annotations"))
                for annotator in annotations
            ]
        released = self.scores.get(key, {})
        values = {metric: fields.optional_number(released, metric) for metric in released if metric not in _NOT_RATED}
        return [
            Item(
                Example(f"{document}/{system}", fields.optional(texts, "article"), summary),
                intended=Verdict.CONSISTENT if fields.number(row, "Factuality") == 1 else Verdict.INCONSISTENT,
                domain=fields.text(row, "dataset"),
                group=document,
                categories=tuple(kind for kind in _KINDS if fields.number(row, kind) < 1),
                system=system,
                split=fields.choice(row, "split", _SPLITS),
                ratings=(
                    *[
                        Rating(ALL_JUDGES, aspect, fields.number(row, aspect))
                        for aspect in row
                        if aspect not in _NOT_RATED
                    ],
                    *votes,
                ),
                scores=tuple(StoredScore(metric, value) for metric, value in values.items() if value is not None),
            )
        ]
