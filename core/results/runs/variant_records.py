"""Variants as lines of pairs that other commands read."""

from __future__ import annotations

from core.edits import PERTURBATIONS
from core.results.runs.stress_run import Source, Variant
from core.scoring import JsonRecord
from core.text import optional_fields, to_records
from core.types import Verdict


def variant_record(source: Source, variant: Variant) -> JsonRecord:
    """A line of pairs that other commands read; `edited` and `edits` are None where `status` is "refused".

    `label` is what the perturbation is meant to make: the original counts as consistent.
    """
    card = PERTURBATIONS.parse(variant.kind).card
    made = variant.summary is not None
    return {
        "id": f"{source.example.id}/{variant.kind}",
        "source": source.example.id,
        "kind": variant.kind,
        "intent": card.intent,
        "form": card.form,
        "status": "ok" if made else "refused",
        "error": variant.error or None,
        "document": source.example.document,
        **optional_fields(source.example),
        "summary": source.example.summary,
        "edited": variant.summary,
        "edits": to_records(source.example.summary, variant.edits) if made else None,
        "label": (Verdict.INCONSISTENT if card.intent == "breaking" else Verdict.CONSISTENT) if made else None,
        "error_type": card.error_type.value if card.error_type else None,
        "signature": variant.signature or None,
        "remarks": list(variant.remarks),
        "group": source.group,
        "domain": source.domain,
    }
