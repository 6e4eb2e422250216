"""FaithBench (Bao et al. 2025): summaries of ten models on which detectors disagreed, with spans that people marked.

A batch is one object, `samples`: [{`sample_id` (in this batch), `source`, `summary`, `annotations` [{`annotator_name`, `label`
(from the general to the special), `note`, `summary_start`, `summary_end`, …}], `metadata` {`summarizer`, and the detectors'
outputs, 1 consistent}}]. Who looked at a sample and marked nothing is not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace, SeenItems
from core.data.datasets.formats.json_files import json_object
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Span, StoredScore, Verdict

_VERDICTS = {
    "benign": Verdict.BORDERLINE,
    "questionable": Verdict.BORDERLINE,
    "unwanted": Verdict.INCONSISTENT,
}
_CSV_VERDICTS = {"consistent": Verdict.CONSISTENT, **_VERDICTS}
_TABLE = "FaithBench.csv"
_NO_DETECTORS = {"summarizer", "raw_sample_id"}


@DATASETS.add
class FaithBench(Importer):
    """A `batch_<n>.json`, or a folder of them; ids are `<batch>-<sample_id>`. Or FaithBench.csv, ids `row-<row>`.

    The label is that of the worst mark: unwanted is inconsistent, questionable and benign are borderline, none is
    consistent. Both labels of the table are categories, such as `best Benign`. A folder with batches is read by them alone.
    """

    name: ClassVar[str] = "faithbench"
    title: ClassVar[str] = "FaithBench"
    record_fields: ClassVar[frozenset[str]] = frozenset({"sample_id", "source", "summary", "annotations", "metadata"})
    licence: ClassVar[str] = "CC-BY-NC-SA-4.0 (non-commercial, share alike)"
    release: ClassVar[str] = "batches 1 to 16 without 13; the table of 800"
    url: ClassVar[str] = "https://github.com/vectara/FaithBench"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        seen: SeenItems = {}
        paths = item_stream.matching_files(source, "batch_?.json", "batch_??.json", _TABLE)
        batches = [path for path in paths if path.suffix.lower() != ".csv"]
        for path in batches:
            yield from item_stream.items_of_rows(
                enumerate(fields.records(json_object(path), "samples"), start=1), path, _item, seen
            )
        if not batches:
            yield from item_stream.items_of_files(paths, _table_item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    name = f"{place.path.stem}-{fields.text(row, 'sample_id')}"
    document, summary = fields.text(row, "source"), fields.text(row, "summary")
    # a mark without a label is a remark
    marks = [mark for mark in fields.records(row, "annotations") if fields.texts(mark, "label")]
    judgements = []
    for mark in marks:
        labels = fields.texts(mark, "label")
        verdict = fields.choice({"label": labels[0].partition(".")[0]}, "label", _VERDICTS)
        start, end = (int(fields.number(mark, side)) for side in ("summary_start", "summary_end"))
        if not 0 <= start < end <= len(summary):
            raise TouchstoneError(
                f"The fields 'summary_start' and 'summary_end' are {start} and {end}, outside the summary of {len(summary)} characters."
            )
        judge = fields.text(mark, "annotator_name")  # an annotator has another id in each batch
        span, note = Span(start, end), fields.optional(mark, "note")
        judgements.append(Judgement(name, judge, verdict, span, labels[-1], note))
    metadata = fields.record(row, "metadata")
    scores = {name: fields.optional_number(metadata, name) for name in metadata if name not in _NO_DETECTORS}
    verdicts = {judgement.verdict for judgement in judgements}
    worst = Verdict.BORDERLINE if verdicts else Verdict.CONSISTENT
    if Verdict.INCONSISTENT in verdicts:
        worst = Verdict.INCONSISTENT
    return [
        Item(
            Example(name, document, summary),
            intended=worst,
            group=fields.document_key(document),
            judgements=tuple(judgements),
            categories=tuple(dict.fromkeys(judgement.category for judgement in judgements)),
            system=fields.optional(metadata, "summarizer"),
            scores=tuple(StoredScore(name, value) for name, value in scores.items() if value is not None),
        )
    ]


def _table_item(row: Row, place: RecordPlace) -> list[Item]:
    document = fields.text(row, "source")
    return [
        Item(
            Example(f"row-{place.number}", document, fields.text(row, "summary")),
            intended=fields.choice(row, "worst-label", _CSV_VERDICTS),
            group=fields.document_key(document),
            categories=tuple(f"{side} {fields.text(row, f'{side}-label')}" for side in ("worst", "best")),
            system=fields.text(row, "LLM"),
        )
    ]
