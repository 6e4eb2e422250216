"""Exports of Touchstone: a dataset as Parquet, and a campaign for Hugging Face, Label Studio or as BUMP; the zip, the unpacked folder or one file.

A campaign comes back as a dataset: its texts, final verdicts and error types, grades of explanations, and what each person said by
pseudonym. `describe` names what such a file does not carry.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import TypeAdapter, ValidationError

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.bump import minimal_pair
from core.data.datasets.formats.exported_campaign import campaign_items, unread_answers
from core.data.datasets.formats.exported_files import (
    ExportedKind,
    exported_columns,
    exported_licence,
    exported_parts,
    exported_rows,
)
from core.data.datasets.formats.fields import document_key
from core.data.datasets.formats.item_stream import RecordConverter, RecordPlace, items_of_rows, matching_files
from core.data.datasets.formats.mapped_rows import majority
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import edits, locate_contexts, parse_contexts
from core.types import Item

_ITEM: TypeAdapter[Item] = TypeAdapter(Item)
_OWN_NAMES = {"intended": "label", "example": "texts"}
_NOT_IN_A_CAMPAIGN = (
    "originals that nobody saw, wording of the questions, guidelines, earlier revisions of labels, comments, flags, exclusions and times; the JSONL of "
    "`export --campaign` has them and comes back as a campaign"
)


@DATASETS.add
class Exported(Importer):
    """A zip, folder or file of `export --dataset`, or of `export --campaign` with the format hf-dataset, label-studio or bump."""

    name: ClassVar[str] = "exported"
    title: ClassVar[str] = "An export of Touchstone"
    licence: ClassVar[str] = "your own"

    def describe(self, source: Path) -> list[str]:
        parts = exported_parts(source)
        if "bump" in parts:
            return [f"Not in such a file: judgements of people, the other texts, {_NOT_IN_A_CAMPAIGN}."]
        if "items" in parts:
            return ["Not in such a file: notes of judges, scores of your metrics, and earlier versions of the dataset."]
        answers = sorted({name for part in parts.values() for name in unread_answers(exported_columns(source, part))})
        listed = f"answers to {', '.join(answers)}; " if answers else ""
        return [f"Not read from such a file: {listed}not in it: {_NOT_IN_A_CAMPAIGN}."]

    def licence_of(self, source: Path) -> str:
        parts = exported_parts(source)
        return next(filter(None, (exported_licence(source, name) for name in parts.values())), self.licence)

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        parts = exported_parts(source)
        whole = next((kind for kind in _CONVERTERS if kind in parts), None)
        if whole:
            yield from items_of_rows(exported_rows(source, parts[whole]), source, _CONVERTERS[whole], {})
        elif parts:
            items = campaign_items({kind: exported_rows(source, name) for kind, name in parts.items()})
            yield from map(_with_majority, items) if parts.keys() == {"labels"} else items
        else:
            matching_files(source, "*")
            raise TouchstoneError(
                f"{source.name} is no export of Touchstone. Leave the importer out: the content of the file says what it is."
            )


def describe_export(source: Path) -> str:
    """Sentence that names an export of Touchstone; "" for any other file or folder, and for what cannot be read."""
    try:
        parts = exported_parts(source)
    except TouchstoneError:
        return ""
    if not parts:
        return ""
    tool = "Label Studio" if "label-studio" in parts else "Hugging Face"
    labels = "the minimal pairs of a campaign" if "bump" in parts else f"the labels of a campaign, for {tool},"
    content = "a dataset" if "items" in parts else labels
    return f"This looks like {content} that Touchstone exported."


def _dataset_item(row: Mapping[str, Any], _: RecordPlace) -> list[Item]:
    """The item of a row. Raises TouchstoneError, which names the field, for a value that it cannot have."""
    document, contexts = row.get("document") or "", row.get("contexts") or []
    example = {
        "id": row.get("id"),
        "document": document,
        "summary": row.get("summary"),
        "contexts": locate_contexts(document, parse_contexts(contexts)) if document else (),
        "question": row.get("question") or "",
    }
    try:
        facts = json.loads(row.get("facts") or "{}")
        values = {
            **facts,
            "example": {**example, "claims": facts.get("claims")},
            "parent": row.get("parent"),
            "intended": row.get("label"),
            **{name: row.get(name) for name in ("error_type", "split")},
            **{name: row.get(name) or "" for name in ("domain", "system", "source")},
            "group": row.get("group") or document_key(document),
            **{name: row.get(name) or () for name in ("categories", "slices", "ratings")},
            "judgements": [_judgement(row, entry) for entry in row.get("judgements") or ()],
        }
        item = _ITEM.validate_python(values)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(_OWN_NAMES.get(str(part), str(part)) for part in detail['loc'])}: {detail['msg']}"
            for detail in error.errors()[:3]
        )
        raise TouchstoneError(f"The fields do not have the values of an export: {wrong}. Export it again.") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise TouchstoneError(f"The facts or judgements cannot be read: {error}. Export it again.") from None
    if item.parent and not item.edits and row.get("original"):  # exported before the edits were in it
        return [_with_edits(item, str(row["original"]))]
    return [item]


def _minimal_pair(row: Row, place: RecordPlace) -> list[Item]:
    return [
        replace(item, domain="", source="", group=document_key(item.example.document))
        for item in minimal_pair(row, place)
    ]


_CONVERTERS: Mapping[ExportedKind, RecordConverter] = {"items": _dataset_item, "bump": _minimal_pair}


def _judgement(row: Row, entry: Row) -> dict[str, object]:
    start, end = entry.get("start"), entry.get("end")
    span = None if start is None or end is None else {"start": start, "end": end}
    named = {name: entry.get(name) or "" for name in ("judge", "verdict", "category")}
    return {**named, "example_id": row.get("id"), "span": span}


def _with_edits(item: Item, original: str) -> Item:
    return replace(item, edits=tuple(edits.recover(original, item.example.summary)))


def _with_majority(item: Item | Refusal) -> Item | Refusal:
    """An item of labels without final answers: its label is that of most people, none where they tie."""
    if isinstance(item, Refusal):
        return item
    votes = [judgement for judgement in item.judgements if judgement.span is None]
    return replace(item, intended=majority(votes))
