"""PsiloQA (Rykov et al. 2025): answers of models in 14 languages to questions on Wikipedia, with the spans that are wrong.

Parquet files by split: `id`, `lang`, `wiki_title`, `wiki_passage`, `question`, `golden_answer`, `llm_checkpoint`, `llm_answer`, `complexity`
and `labels`: the [start, end) of each wrong span of the answer. The spans are GPT-4o's, which people checked on a sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Span, Split, Verdict

_JUDGE = "GPT-4o"
_SPLITS = {"train": Split.TRAIN, "validation": Split.DEV, "test": Split.TEST}
_ENDS = 2


@DATASETS.add
class PsiloQa(Importer):
    """A file whose name begins with its split, or a folder of them; an answer without a span is consistent, and the language the domain."""

    name: ClassVar[str] = "psiloqa"
    title: ClassVar[str] = "PsiloQA"
    record_fields: ClassVar[frozenset[str]] = frozenset({"wiki_passage", "question", "llm_answer", "labels", "lang"})
    licence: ClassVar[str] = "CC-BY-4.0"
    release: ClassVar[str] = "63,792, 3,355 and 2,897 answers in 14 languages, labelled by GPT-4o"
    url: ClassVar[str] = "https://huggingface.co/datasets/s-nlp/PsiloQA"
    hub: ClassVar[str] = "s-nlp/PsiloQA"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        patterns = (f"{split}*.{form}" for split in _SPLITS for form in ("parquet", "jsonl", "json"))
        return item_stream.items_of_files(item_stream.matching_files(source, *patterns), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    name, document, answer = (fields.text(row, field) for field in ("id", "wiki_passage", "llm_answer"))
    spans = [_span(ends, answer) for ends in _list(row, "labels")]
    stem = place.path.stem
    split = next((part for part in _SPLITS if stem.startswith(part)), "")
    return [
        Item(
            Example(name, document, answer, question=fields.text(row, "question")),
            intended=Verdict.INCONSISTENT if spans else Verdict.CONSISTENT,
            domain=fields.text(row, "lang"),
            group=fields.document_key(document),
            title=fields.optional(row, "wiki_title"),
            judgements=tuple(Judgement(name, _JUDGE, Verdict.INCONSISTENT, span) for span in spans),
            system=fields.optional(row, "llm_checkpoint"),
            split=_SPLITS.get(split),
            source=fields.optional(row, "complexity"),
        )
    ]


def _list(row: Row, name: str) -> list[object]:
    entries = fields.value(row, name)
    if not isinstance(entries, list):  # none at all is no label, where an empty list says that nothing is wrong
        raise TouchstoneError(f"The field {name!r} must be a list of [start, end]; got {type(entries).__name__}.")
    return entries


def _span(ends: object, answer: str) -> Span:
    if not (isinstance(ends, list) and len(ends) == _ENDS and all(type(end) is int for end in ends)):
        raise TouchstoneError(f"The field 'labels' must be a list of [start, end]; got {str(ends)[:60]}.")
    start, end = ends
    if not 0 <= start < end <= len(answer):
        raise TouchstoneError(
            f"The field 'labels' has [{start}, {end}], outside the answer of {len(answer)} characters."
        )
    return Span(start, end)
