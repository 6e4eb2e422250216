"""TofuEval (Tang et al. 2024): sentences of topic-focused dialogue summaries, each called consistent or not by an expert.

A row is a sentence: `doc_id`, `annotation_id`, `topic`, `model_name`, `sent_idx`, `summ_sent`, `sent_label` (yes is
consistent), `exp` (why not), `type` (kinds of error, separated by commas). The sentences of a summary stand one after the
other. The dialogues (MediaSum, MeetingBank) are not released with it: they are joined later by `doc_id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace, SeenItems
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.types import Example, Item, Judgement, Span, Split, Verdict

_LABELS = {"yes": Verdict.CONSISTENT, "no": Verdict.INCONSISTENT}
_SENTENCES = "sentences"


@DATASETS.add
class TofuEval(Importer):
    """A `<corpus>_factual_eval_<split>.csv`, or a folder of them; ids are `<doc_id>/<topic>/<model_name>`.

    A summary counts as inconsistent where one of its sentences is; its topic is the question that it answers.
    """

    name: ClassVar[str] = "tofueval"
    title: ClassVar[str] = "TofuEval"
    record_fields: ClassVar[frozenset[str]] = frozenset(
        {"doc_id", "annotation_id", "sent_idx", "summ_sent", "sent_label"}
    )
    licence: ClassVar[str] = "MIT-0 (for evaluation only)"
    release: ClassVar[str] = "factual consistency, dev and test"
    url: ClassVar[str] = "https://github.com/amazon-science/tofueval"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        seen: SeenItems = {}
        for path in item_stream.matching_files(source, "*factual_eval*.csv"):
            yield from item_stream.items_of_rows(_summaries(file_rows(path)), path, _item, seen)


def _summaries(lines: Iterator[NumberedRow]) -> Iterator[NumberedRow]:
    """Neighbouring rows of one summary as one record; a row that cannot be read stays a reason."""
    key_fields = ("doc_id", "topic", "model_name")
    for key, group in groupby(
        lines, key=lambda line: None if isinstance(line[1], str) else tuple(line[1].get(name) for name in key_fields)
    ):
        rows = list(group)
        if key is None:
            yield from rows
            continue
        yield rows[0][0], {_SENTENCES: [row for _, row in rows]}


def _item(record: Row, place: RecordPlace) -> list[Item]:
    sentences = sorted(fields.records(record, _SENTENCES), key=lambda row: fields.number(row, "sent_idx"))
    first = sentences[0]
    group, topic, system = (fields.text(first, name) for name in ("doc_id", "topic", "model_name"))
    name = f"{group}/{topic}/{system}"

    judged, start = [], 0
    for sentence in sentences:
        span = Span(start, start + len(fields.text(sentence, "summ_sent")))
        verdict = fields.choice(sentence, "sent_label", _LABELS)
        judged.append(
            Judgement(name, "expert", verdict, span, ", ".join(_kinds(sentence)), fields.optional(sentence, "exp"))
        )
        start = span.end + 1
    judgements = tuple(judged)

    corpus, _, split = place.path.stem.partition("_factual_eval_")
    verdicts = {judgement.verdict for judgement in judgements}
    return [
        Item(
            Example(name, "", " ".join(fields.text(sentence, "summ_sent") for sentence in sentences), question=topic),
            intended=Verdict.INCONSISTENT if Verdict.INCONSISTENT in verdicts else Verdict.CONSISTENT,
            domain=corpus,
            group=group,
            title=topic,
            judgements=judgements,
            categories=tuple(dict.fromkeys(kind for sentence in sentences for kind in _kinds(sentence))),
            system=system,
            split={"dev": Split.DEV, "test": Split.TEST}.get(split),
        )
    ]


def _kinds(sentence: Row) -> list[str]:
    return [kind.strip() for kind in fields.optional(sentence, "type").split(",") if kind.strip()]
