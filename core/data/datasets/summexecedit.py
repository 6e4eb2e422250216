"""SummExecEdit (Thorat et al. 2024): executable edits of SummEdits' seeds, with a reference explanation of each error.

A record: `sample_id`, `doc_id`, `doc`, `original_summary`, `original_text`, `replace_text`, `edited_summary`, `explanation`,
`domain`, `model` (the editor), `edit_type`: "summedits" marks the consistent edits, taken from SummEdits without its
seeds, "summexecedit" the inconsistent ones. There is no split and no other label.
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
from core.text import edits
from core.types import Edit, Example, Item, Span, Verdict

_LABELS = {"summedits": Verdict.CONSISTENT, "summexecedit": Verdict.INCONSISTENT}


@DATASETS.add
class SummExecEdit(Importer):
    """The released file; the seed of a record is `seed-<doc_id>-<hash>`, without a label since the release has none for it."""

    name: ClassVar[str] = "summexecedit"
    for_evaluation: ClassVar[bool] = True
    title: ClassVar[str] = "SummExecEdit"
    record_fields: ClassVar[frozenset[str]] = frozenset(
        {"original_summary", "original_text", "replace_text", "edited_summary"}
    )
    licence: ClassVar[str] = "CC-BY-4.0"
    release: ClassVar[str] = "4,241 summaries"
    url: ClassVar[str] = "https://huggingface.co/datasets/Salesforce/summexecedit"
    hub: ClassVar[str] = "Salesforce/summexecedit"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "*.json", "*.jsonl"), _items)


def _items(row: Row, _: RecordPlace) -> list[Item]:
    document, original = fields.text(row, "doc"), fields.text(row, "original_summary")
    group, domain = fields.text(row, "doc_id"), fields.optional(row, "domain")
    seed = Item(
        Example(f"seed-{group}-{fields.document_key(original)}", document, original), group=group, domain=domain
    )
    edited = Example(fields.text(row, "sample_id"), document, fields.text(row, "edited_summary"))
    changed = edited.summary != original
    variant = Item(
        edited,
        parent=seed.example.id if changed else None,
        edits=_edits(row, original, edited.summary) if changed else (),
        intended=fields.choice(row, "edit_type", _LABELS),
        domain=domain,
        group=group,
        system=fields.optional(row, "model"),
    )
    return [seed, variant] if changed else [variant]


def _edits(row: Row, original: str, edited: str) -> tuple[Edit, ...]:
    """The edit as it was executed, at the occurrence that gives the edited summary; the consistent ones declare none."""
    old, new = (fields.clean_text(name, row.get(name)) for name in ("original_text", "replace_text"))
    if not old:
        return tuple(edits.recover(original, edited))
    by, why = fields.optional(row, "model"), fields.optional(row, "explanation")
    possible = [Edit(place, new, why, by) for place in edits.occurrences(old, original)]
    executed = [edit for edit in possible if edits.apply(original, [edit]) == edited]
    if executed:
        return (executed[0],)

    apart: list[Edit] = []
    last = Span(0, 0)
    for edit in possible:
        if edit.span.start >= last.end:
            apart.append(edit)
            last = edit.span
    everywhere = tuple(apart)

    if edits.apply(original, everywhere) == edited:
        return everywhere
    raise TouchstoneError(
        f"The field 'original_text' is {old[:60]!r}, which stands {len(possible)} times in the original summary; "
        "replaced by 'replace_text' it does not give the 'edited_summary'."
    )
