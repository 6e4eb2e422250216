"""A variant, and a cell of the table, as JSON-able records: what the command line writes."""

from __future__ import annotations

from dataclasses import asdict

from core.edits import to_records
from core.perturbation import PERTURBATIONS
from core.report import Record
from core.stress.matrix import Cell
from core.stress.records import Source, Variant


def as_pair(source: Source, variant: Variant) -> Record:
    """A line of pairs that other commands read; `edited` and `edits` are None where `status` is "refused"."""
    card = PERTURBATIONS.parse(variant.kind).card
    made = variant.summary is not None
    return {
        "id": f"{source.example.id}/{variant.kind}",
        "source": source.example.id,
        "kind": variant.kind,
        "intent": card.intent,
        "form": card.form,
        "status": "ok" if made else "refused",
        "error": variant.refusal or None,
        "document": source.example.document,
        "summary": source.example.summary,
        "edited": variant.summary,
        "edits": to_records(source.example.summary, variant.edits) if made else None,
        "error_type": card.error_type.value if card.error_type else None,
        "signature": variant.signature or None,
        "remarks": list(variant.remarks),
        "group": source.group,
        "domain": source.domain,
    }


def as_cell(cell: Cell) -> Record:
    """One cell of the table with its intervals; shares in 0..1."""
    return asdict(cell)
