"""A campaign that was exported for Hugging Face or Label Studio, as items: an original and its edit for each pair, a summary for each other task."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.data.dataset import Refusal
from core.data.datasets.formats.exported_files import ANSWER, ExportedKind
from core.data.datasets.formats.fields import document_key
from core.data.datasets.formats.item_stream import parse_error_type
from core.data.datasets.formats.text_files import NumberedRow, Row
from core.text import edits, locate_contexts, parse_contexts
from core.types import Example, GradedExplanation, Item, Judgement, Span, Verdict

_MARKED = "wrong_words"
_NOTES = ("explanation", "reason")
_TEXTS = ("edit", *_NOTES)
_READ_ANSWERS = frozenset(
    {"error_type", "grade", "cause", "verdict", "unfaithful", "inconsistent", "possible", _MARKED, *_TEXTS}
)
"""Questions of the ready-made sets whose answers become parts of an item."""


@dataclass
class _ItemFacts:
    """Facts of one text, gathered over its tasks."""

    item: Item
    verdicts: list[Verdict] = field(default_factory=list)
    judgements: dict[tuple[str, Span | None], Judgement] = field(default_factory=dict)
    """Judgements by person, and by the passage that they are about."""

    def finished(self) -> Item:
        """The item with its label; borderline where tasks differ."""
        label = None if not self.verdicts else self.verdicts[0] if len(set(self.verdicts)) == 1 else Verdict.BORDERLINE
        return replace(self.item, intended=label, judgements=tuple(self.judgements.values()))


def unread_answers(columns: Iterable[str]) -> list[str]:
    """The questions, by their columns, whose answers have no place in an item."""
    ids = [name.removeprefix(ANSWER) for name in columns if name.startswith(ANSWER)]
    return [id for id in ids if id not in _READ_ANSWERS]


def campaign_items(parts: Mapping[ExportedKind, Iterable[NumberedRow]]) -> Iterator[Item | Refusal]:
    """The items of all tasks, an original before its edits; of rows for each task, for each label, or both.

    Without rows for each task they have no label, only the judgements of people.
    """
    texts: dict[str, _ItemFacts] = {}
    for kind in ("tasks", "label-studio", "labels"):
        for number, row in parts.get(kind, ()):
            if isinstance(row, str):  # a line that is no record
                yield Refusal(number, row)
                continue
            try:
                for record in _studio_records(row) if kind == "label-studio" else [row]:
                    _add_record(texts, record)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                yield Refusal(number, f"The row does not have the values of an export: {error}. Export it again.")
    yield from (facts.finished() for facts in texts.values())


def _add_record(texts: dict[str, _ItemFacts], row: Row) -> None:
    """Add the texts and verdicts of a task, or of a person's label of one."""
    original, summary = (str(row.get(name) or "") for name in ("original", "summary"))
    document, id = str(row.get("document") or ""), str(row["item_id"])
    contexts = locate_contexts(document, parse_contexts(row.get("contexts") or []))
    group, question = document_key(document), str(row.get("question") or "")
    parent = ""
    if original and original != summary:
        parent = hashlib.sha256(f"{document}\0{question}\0{original}".encode()).hexdigest()[:16]
        item = Item(Example(parent, document, original, contexts, question), group=group)
        _add_answers(texts.setdefault(parent, _ItemFacts(item)), row, "original_verdict", ("left",))
    item = Item(Example(id, document, summary, contexts, question), parent or None, group=group)
    if parent:
        item = replace(item, edits=tuple(edits.recover(original, summary)))
    facts = texts.setdefault(id, _ItemFacts(item))
    _add_answers(facts, row, "summary_verdict", ("summary", "right"))
    if not row.get("person"):
        _add_final_answers(facts, row)
    elif edited := str(row.get(f"{ANSWER}edit") or ""):
        _add_written_edit(texts, item, edited, row)


def _add_written_edit(texts: dict[str, _ItemFacts], original: Item, edited: str, row: Row) -> None:
    """Add the edit that a person wrote; its label is inconsistent where the task was to make an error."""
    if edited == original.example.summary:
        return
    id = hashlib.sha256(f"{original.example.id}\0{edited}".encode()).hexdigest()[:16]
    item = replace(
        original,
        example=replace(original.example, id=id, summary=edited),
        parent=original.example.id,
        edits=tuple(edits.recover(original.example.summary, edited)),
        error_type=parse_error_type(str(row.get("asked_error_type") or "")),
    )
    is_error = row.get(f"{ANSWER}possible") == "yes"
    texts.setdefault(id, _ItemFacts(item, [Verdict.INCONSISTENT] if is_error else []))


def _add_answers(facts: _ItemFacts, row: Row, name: str, sides: tuple[str, ...]) -> None:
    """Add the verdict of a row on a text, and the passages in which a person saw an error."""
    person, id = str(row.get("person") or ""), facts.item.example.id
    verdict = Verdict(str(row[name])) if row.get(name) else None
    if not person:
        facts.verdicts += [verdict] if verdict else []
        return
    if verdict:
        notes = [str(row.get(f"{ANSWER}{id}") or "") for id in _NOTES] if name == "summary_verdict" else []
        note = next(filter(None, notes), "")
        facts.judgements[person, None] = Judgement(id, person, verdict, note=note)
    marked = row.get(f"{ANSWER}{_MARKED}")
    for passage in marked if isinstance(marked, list) else ():
        if passage.get("side") in sides:
            span = Span(passage["start"], passage["end"])
            facts.judgements[person, span] = Judgement(id, person, Verdict.INCONSISTENT, span)


def _add_final_answers(facts: _ItemFacts, row: Row) -> None:
    error_type = parse_error_type(str(row.get(f"{ANSWER}error_type") or ""))
    if error_type and facts.item.error_type is None:
        facts.item = replace(facts.item, error_type=error_type)
    grade, cause = (str(row.get(f"{ANSWER}{name}") or "") for name in ("grade", "cause"))
    if grade:
        judged = GradedExplanation(str(row.get("explanation") or ""), "", grade, str(row["resolution"]), cause=cause)
        facts.item = replace(facts.item, explanations=(*facts.item.explanations, judged))


def _studio_records(task: Row) -> list[dict[str, Any]]:
    """A task for Label Studio as the rows of Parquet: its final answers, then each person's."""
    data, meta = _object(task["data"]), _object(task["meta"])
    document = str(data.get("document") or "")
    shared = {
        "item_id": meta["item_id"],
        "document": document,
        "contexts": [
            {"name": part["name"], "text": document[part["start"] : part["end"]]} for part in data.get("contexts") or ()
        ],
        "question": data.get("document_question"),
        "original": data.get("left"),
        "summary": data.get("right", data.get("summary")),
        "explanation": data.get("explanation"),
        "asked_error_type": data.get("error_type"),
    }
    answers = {f"{ANSWER}{id}": answer for id, answer in _object(meta["answers"]).items()}
    verdicts = {name: meta.get(name) for name in ("summary_verdict", "original_verdict", "resolution")}
    labels = [
        {
            **shared,
            **{
                name: _object(annotation["meta"]).get(name)
                for name in ("person", "summary_verdict", "original_verdict")
            },
        }
        | _studio_answers(annotation)
        for annotation in _list(task["annotations"])
        if not annotation.get("ground_truth")
    ]
    return [{**shared, **verdicts, **answers}, *labels]


def _studio_answers(annotation: Row) -> dict[str, Any]:
    """Texts and marked passages of a person, of the questions that become parts of an item."""
    answers: dict[str, Any] = {f"{ANSWER}{_MARKED}": []}
    for region in _list(annotation["result"]):
        name, value = str(region.get("from_name") or ""), _object(region.get("value") or {})
        if region.get("type") == "textarea" and name in _TEXTS:
            answers[f"{ANSWER}{name}"] = "\n".join(value["text"])
        elif region.get("type") == "choices" and name == "possible":
            [answers[f"{ANSWER}{name}"]] = value["choices"]
        elif region.get("type") == "labels" and name.rpartition("-")[0] == _MARKED:
            passage = {"start": value["start"], "end": value["end"], "side": region["to_name"]}
            answers[f"{ANSWER}{_MARKED}"].append(passage)
    return answers


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"got {type(value).__name__} for an object")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"got {type(value).__name__} for a list")
    return value
