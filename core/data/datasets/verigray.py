"""VeriGray (Ding et al. 2025): summaries of passages by thirteen models, each sentence with one of seven labels.

A line each: `question` (the passage), `answer` (the summary), `generator` (the model) and `sentences` [{`range` [start, end] in the
summary, `annotation`}]: explicitly-supported, implicitly-supported (generally-supported), out-dependent, ambiguous (not sure),
fabricated, inconsistent (contradicting), no-fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Span, Verdict

OUT_DEPENDENT = "out-dependent"
"""Label of a sentence that depends on knowledge outside the document."""

_LABELS = {
    "explicitly-supported": ("explicitly-supported", Verdict.CONSISTENT),
    "implicitly-supported": ("implicitly-supported", Verdict.CONSISTENT),
    "generally-supported": ("implicitly-supported", Verdict.CONSISTENT),
    "no-fact": ("no-fact", Verdict.CONSISTENT),
    OUT_DEPENDENT: (OUT_DEPENDENT, Verdict.BORDERLINE),
    "ambiguous": ("ambiguous", Verdict.BORDERLINE),
    "not sure": ("ambiguous", Verdict.BORDERLINE),
    "fabricated": ("fabricated", Verdict.INCONSISTENT),
    "inconsistent": ("inconsistent", Verdict.INCONSISTENT),
    "contradicting": ("inconsistent", Verdict.INCONSISTENT),
}
"""By the words of the release: the label's name in the paper, and its verdict."""


@DATASETS.add
@dataclass(frozen=True)
class VeriGray(Importer):
    """The file, or a folder with it; a summary has the label of its worst sentence, and sentences that are not supported are marked.

    A sentence that depends on knowledge outside the document counts as `out_dependent` says: borderline, which AUC and thresholds
    leave out, or consistent or inconsistent. Ambiguous ones are borderline. Both are categories, by which studies give figures.
    """

    name: ClassVar[str] = "verigray"
    title: ClassVar[str] = "VeriGray"
    record_fields: ClassVar[frozenset[str]] = frozenset({"question", "answer", "generator", "sentences"})
    licence: ClassVar[str] = "CC-BY-NC-SA-4.0 (non-commercial, share alike)"
    release: ClassVar[str] = "412 summaries, 2,044 labelled sentences"
    url: ClassVar[str] = "https://huggingface.co/datasets/Ding-Qiang/veri-gray"
    hub: ClassVar[str] = "Ding-Qiang/veri-gray"
    out_dependent: str = "borderline"

    def __post_init__(self) -> None:
        if self.out_dependent not in [*Verdict]:
            raise TouchstoneError(f"out_dependent must be {', '.join(Verdict)}; got {self.out_dependent!r}.")

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        paths = item_stream.matching_files(source, "*[Vv]eri*[Gg]ray*.jsonl", "*sentence_level_reannotated*.jsonl")
        return item_stream.items_of_files(paths, self._items)

    def _items(self, row: Row, place: RecordPlace) -> list[Item]:
        name, document, summary = (
            f"{place.path.stem}-{place.number}",
            fields.text(row, "question"),
            fields.text(row, "answer"),
        )
        sentences = fields.records(row, "sentences")
        if not sentences:
            raise TouchstoneError("The field 'sentences' is empty: the summary has no label. Remove the record.")
        judgements = [self._judgement(sentence, name, summary) for sentence in sentences]
        marks = tuple(judgement for judgement in judgements if judgement.category not in _UNMARKED)
        return [
            Item(
                Example(name, document, summary),
                intended=fields.worst(judgement.verdict for judgement in judgements),
                group=fields.document_key(document),
                judgements=marks,
                categories=tuple(dict.fromkeys(mark.category for mark in marks)),
                system=fields.optional(row, "generator"),
            )
        ]

    def _judgement(self, sentence: Row, name: str, summary: str) -> Judgement:
        label, verdict = fields.choice(sentence, "annotation", _LABELS)
        ends = fields.value(sentence, "range")
        if not (isinstance(ends, list) and len(ends) == 2 and all(type(end) is int for end in ends)):
            raise TouchstoneError(f"The field 'range' must be two whole numbers; got {str(ends)[:60]}.")
        start, end = ends
        if not 0 <= start < end <= len(summary):
            raise TouchstoneError(
                f"The field 'range' is {start} to {end}, outside the summary of {len(summary)} characters."
            )
        if label == OUT_DEPENDENT:
            verdict = Verdict(self.out_dependent)
        return Judgement(name, "annotators", verdict, Span(start, end), label, fields.optional(sentence, "rationale"))


_UNMARKED = frozenset(label for label, verdict in _LABELS.values() if verdict is Verdict.CONSISTENT)
