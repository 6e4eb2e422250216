"""Summaries of dialogues by GPT-4, Alpaca and fine-tuned models, with the spans that people marked (Ramprasad, Ferracane and Lipton 2024).

A row of the table: `docid`, `dialogue`, `model`, `summary`, `factual_error` ("1": something is wrong), and lists as Python writes
them, `nonfactual_spans` and `error_type`, an entry for each error. The errors of the fine-tuned models of FacEval have None for a span.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import edits
from core.types import Example, Item, Judgement, Verdict

_LABELS = {"0": Verdict.CONSISTENT, "1": Verdict.INCONSISTENT}


@DATASETS.add
class LLMDialogue(Importer):
    """xformer_llm_annotated.csv, or the folder it lies in; ids are `<origin>/<docid>/<model>`.

    Dialogues of SAMSum that are in FacEval, too, stand in the table twice, with one group; the origin is the domain. A span that the summary does not have is a note without a place; an error without a span is one of the categories alone.
    """

    name: ClassVar[str] = "llm-dialogue"
    title: ClassVar[str] = "LLM dialogue summaries"
    record_fields: ClassVar[frozenset[str]] = frozenset({"docid", "model", "nonfactual_spans", "factual_error"})
    licence: ClassVar[str] = "none stated (dialogues: SAMSum, DialogSum)"
    release: ClassVar[str] = "2,076 summaries of 325 dialogues"
    url: ClassVar[str] = "https://github.com/sanjanaramprasad/probing_summarization_factuality"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*llm_annotated*.csv"), _item)


def _item(row: Row, _: RecordPlace) -> list[Item]:
    group, system, summary = (fields.text(row, name) for name in ("docid", "model", "summary"))
    verdict = fields.choice(row, "factual_error", _LABELS)
    marked, kinds = fields.literals(row, "nonfactual_spans"), fields.literals(row, "error_type")
    if bool(kinds) != (verdict is Verdict.INCONSISTENT):
        raise TouchstoneError(
            f"The field 'factual_error' is {row['factual_error']!r}, and 'error_type' has {len(kinds)} errors."
        )
    origin = fields.text(row, "origin")
    name = f"{origin}/{group}/{system}"
    # where a span has no text the others cannot be told apart by their kind
    of_spans = kinds if len(kinds) == len(marked) else []
    judgements = []
    for words, kind in zip_longest(marked, of_spans, fillvalue=""):
        places = edits.occurrences(words, summary)
        span, note = (places[0], "") if places else (None, words)
        judgements.append(Judgement(name, "annotators", Verdict.INCONSISTENT, span, kind, note))
    return [
        Item(
            Example(name, fields.text(row, "dialogue"), summary),
            intended=verdict,
            domain=origin,
            group=group,
            judgements=tuple(judgements),
            categories=tuple(dict.fromkeys(kinds)),
            system=system,
        )
    ]
