"""FaithJudge (Tamber et al. 2025): the labelled summaries and answers that its judge sees as examples, of FaithBench and RAGTruth.

faithbench_summary.jsonl: `source_id`, `source`, `summaries` [{`sample_id`, `summary`, `annotations` [[{`annotator`, `label`, `note`,
`summary_start`, `summary_end`}]] by annotator, `computed_ground_truth_label_majority`, `meta_model`}]. ragtruth_<task>.jsonl: `source_id`, `source` (a text,
`question` and `passages`, or data), `responses` [{`response`, `model`, `labels` as RAGTruth has them}].
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.data.datasets.ragtruth import source_example, span_judgement
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Span, Verdict

_VERDICTS = {
    "consistent": Verdict.CONSISTENT,
    "benign": Verdict.BORDERLINE,
    "questionable": Verdict.BORDERLINE,
    "unwanted": Verdict.INCONSISTENT,
}


@DATASETS.add
class FaithJudge(Importer):
    """The files of its folder eval_data, or the folder; the label of a summary of FaithBench is that of most annotators."""

    name: ClassVar[str] = "faithjudge"
    title: ClassVar[str] = "FaithJudge's sets"
    record_fields: ClassVar[frozenset[str]] = frozenset({"source_id", "source", "summaries"})
    licence: ClassVar[str] = "FaithBench: CC-BY-NC-SA-4.0 (non-commercial); RAGTruth: MIT"
    release: ClassVar[str] = "summaries of FaithBench; summaries, answers and data-to-text of RAGTruth"
    url: ClassVar[str] = "https://github.com/vectara/FaithJudge"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        paths = item_stream.matching_files(source, "faithbench_*.jsonl", "ragtruth_*.jsonl")
        return item_stream.items_of_files(paths, _items)


def _items(row: Row, place: RecordPlace) -> list[Item]:
    group = f"{place.path.stem}-{fields.text(row, 'source_id')}"
    if "summaries" in row:
        document = fields.text(row, "source")
        return [
            _summary(summary, f"{group}/{number}", group, document)
            for number, summary in enumerate(fields.records(row, "summaries"), 1)
        ]
    source = {"source_info": fields.value(row, "source")}
    return [
        _response(response, f"{group}/{number}", group, source, place.path.stem)
        for number, response in enumerate(fields.records(row, "responses"), 1)
    ]


def _summary(row: Row, name: str, group: str, document: str) -> Item:
    summary = fields.text(row, "summary")
    by_annotator = fields.value(row, "annotations")
    if not isinstance(by_annotator, list):
        raise TouchstoneError(
            f"The field 'annotations' must be a list for each annotator; got {str(by_annotator)[:60]}."
        )
    marks = [
        _mark(mark, name, summary)
        for annotations in by_annotator
        for mark in fields.records({"annotations": annotations}, "annotations")
        if fields.texts(mark, "label")
    ]
    return Item(
        Example(name, document, summary),
        intended=fields.choice(row, "computed_ground_truth_label_majority", _VERDICTS),
        domain="summary",
        group=group,
        judgements=tuple(marks),
        categories=tuple(dict.fromkeys(mark.category for mark in marks)),
        system=fields.optional(row, "meta_model"),
        source="faithbench_summary",
    )


def _mark(mark: Row, name: str, summary: str) -> Judgement:
    labels = fields.texts(mark, "label")
    verdicts = [fields.meaning("label", label.partition(".")[0].strip().lower(), _VERDICTS) for label in labels]
    verdict = fields.worst(verdicts)
    category = [label for label, its in zip(labels, verdicts, strict=True) if its is verdict][-1]
    judge, note = fields.text(mark, "annotator"), fields.optional(mark, "note")
    ends = [fields.optional_number(mark, side) for side in ("summary_start", "summary_end")]
    if ends == [None, None]:  # of the whole summary
        return Judgement(name, judge, verdict, None, category, note)
    start, end = (int(fields.number(mark, side)) for side in ("summary_start", "summary_end"))
    if not 0 <= start < end <= len(summary):
        raise TouchstoneError(
            f"The fields 'summary_start' and 'summary_end' are {start} and {end}, outside the summary of {len(summary)} characters."
        )
    return Judgement(name, judge, verdict, Span(start, end), category, note)


def _response(row: Row, name: str, group: str, source: Row, part: str) -> Item:
    response = fields.text(row, "response")
    judgements = tuple(span_judgement(label, name, response) for label in fields.records(row, "labels"))
    return Item(
        source_example(name, source, response),
        intended=Verdict.INCONSISTENT if judgements else Verdict.CONSISTENT,
        domain=part.removeprefix("ragtruth_"),
        group=group,
        judgements=judgements,
        categories=tuple(dict.fromkeys(judgement.category for judgement in judgements)),
        system=fields.optional(row, "model"),
        source=part,
    )
