"""Variants as lines of pairs that other commands read."""

from __future__ import annotations

from dataclasses import replace

from core.edits import PERTURBATIONS
from core.results.runs.stress_run import Source, Variant
from core.scoring import JsonRecord
from core.text import optional_fields, to_records
from core.types import Example, Verdict


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


def document_source(source: Source) -> Source:
    """The source whose text to perturb is the document, against itself; its contexts, which it would move, are left out."""
    document = source.example.document
    return replace(source, example=Example(source.example.id, document, document))


def document_variant_record(source: Source, variant: Variant) -> JsonRecord:
    """A line of pairs whose document was perturbed, beside the summary as it was; refused, it has the document of before.

    It has no label: nothing says if the summary is consistent with another document. Its edits have no explanation, and a refusal says
    which text is meant: both are worded for a summary.
    """
    made, document = variant.summary is not None, source.example.document
    return {
        "id": f"{source.example.id}/document/{variant.kind}",
        "source": source.example.id,
        "kind": variant.kind,
        "of": "document",
        "status": "ok" if made else "refused",
        "error": f"The document, read in place of a summary: {variant.error}" if variant.error else None,
        "document": variant.summary if made else document,
        "summary": source.example.summary,
        "original_document": document,
        "document_edits": to_records(document, [replace(edit, explanation="") for edit in variant.edits])
        if made
        else None,
        "signature": variant.signature or None,
        "remarks": list(variant.remarks),
        "group": source.group,
        "domain": source.domain,
    }
