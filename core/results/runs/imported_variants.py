"""Variants of a table, made by other people, as a stress run: originals, variants, and what each kind is meant to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from core.data import FIELD_NAMES, Refusal, clean_text, document_key, file_rows
from core.edits import IMPORTED, PERTURBATIONS, Intent, Perturbation
from core.errors import TouchstoneError
from core.results.runs.filters import rule_remarks
from core.results.runs.stress_run import RunRecord, Source, StressRun, Variant
from core.text import recover
from core.types import Example

VARIANT_FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "document": FIELD_NAMES["document"],
        "original": ("original", *FIELD_NAMES["summary"]),
        "variant": ("variant", "perturbed", *FIELD_NAMES["edited"]),
        "kind": ("kind", "perturbation", "type", "error_type"),
        "intent": ("intent", "meant"),
        "group": FIELD_NAMES["group"],
        "domain": FIELD_NAMES["domain"],
    }
)
"""Names that a column may have: the first one that is there counts. Group and domain may be absent."""

_REQUIRED = ("document", "original", "variant", "kind", "intent")
_INTENT_WORDS: Mapping[str, Intent] = MappingProxyType(
    {
        "preserving": "preserving",
        "harmless": "preserving",
        "consistent": "preserving",
        "breaking": "breaking",
        "error": "breaking",
        "inconsistent": "breaking",
        "gaming": "gaming",
    }
)


@dataclass(frozen=True, slots=True)
class ImportedVariants:
    """The originals and variants of a table; `refusals` are the lines that could not be read."""

    sources: tuple[Source, ...]
    variants: tuple[Variant, ...]
    refusals: tuple[Refusal, ...]

    @property
    def kinds(self) -> list[Perturbation]:
        return [PERTURBATIONS.parse(kind) for kind in dict.fromkeys(variant.kind for variant in self.variants)]

    def fill(self, run: StressRun) -> StressRun:
        """The run with the originals and variants; a source without a variant of some kind will be refused there."""
        records: tuple[RunRecord, ...] = (*self.sources, *self.variants)
        for record in records:
            run.add(record)
        return run


def read_variants(path: Path) -> ImportedVariants:
    """The variants of a CSV, TSV or JSONL file with the columns of `VARIANT_FIELDS`.

    Raises TouchstoneError for a file that cannot be read or holds no variant.
    """
    sources: dict[tuple[str, str], Source] = {}
    variants: dict[tuple[str, str], Variant] = {}
    refusals: list[Refusal] = []
    for line, row in file_rows(path):
        try:
            source, variant = _read_row(row if isinstance(row, Mapping) else _refuse(row))
            source = sources.setdefault(
                (source.example.document, source.example.summary),
                replace(source, example=replace(source.example, id=f"original-{len(sources) + 1}")),
            )
            kind = PERTURBATIONS.parse(variant.kind)
            edits = tuple(
                replace(edit, by=kind.spec) for edit in recover(source.example.summary, variant.summary or "")
            )
            remarks = rule_remarks(kind.card, source.example, edits)
            variant = replace(variant, source=source.example.id, signature=kind.signature, edits=edits, remarks=remarks)
            if (source.example.id, variant.kind) in variants:
                _refuse(
                    f"This original has a variant of the kind {variant.kind} already. Give the second another kind."
                )
            variants[source.example.id, variant.kind] = variant
        except TouchstoneError as error:
            refusals.append(Refusal(line, str(error)))
    if not variants:
        reason = f" Line {refusals[0].line}: {refusals[0].error}" if refusals else " It has no lines of data."
        raise TouchstoneError(f"{path.name} holds no variant that can be read.{reason}")
    held = {source for source, _ in variants}
    return ImportedVariants(
        tuple(source for source in sources.values() if source.example.id in held),
        tuple(variants.values()),
        tuple(refusals),
    )


def _read_row(row: Mapping[str, object]) -> tuple[Source, Variant]:
    spelt = {"_".join(name.lower().replace("-", " ").split()): name for name in row}
    values = {}
    for field, names in VARIANT_FIELDS.items():
        filled = [spelt[name] for name in names if name in spelt and row[spelt[name]] not in (None, "")]
        if filled:
            values[field] = clean_text(field, row[filled[0]]).strip()
    for field in _REQUIRED:
        if not values.get(field):
            spellings = " or ".join(VARIANT_FIELDS[field][:3])
            _refuse(
                f"There is no {field}. Name a column {spellings} and fill it; the columns here are {', '.join(row)}."
            )
    intent = _INTENT_WORDS.get(values["intent"].lower())
    if intent is None:
        _refuse(f"The intent {values['intent'][:40]!r} is not known. Write one of {', '.join(_INTENT_WORDS)}.")
    document, original, made = values["document"], values["original"], values["variant"]
    if made == original:
        _refuse("The variant is the original itself.")
    source = Source(
        Example("", document, original), values.get("group") or document_key(document), values.get("domain", "")
    )
    return source, Variant("", IMPORTED[intent](kind=values["kind"]).spec, summary=made)


def _refuse(reason: str) -> NoReturn:
    raise TouchstoneError(reason)
