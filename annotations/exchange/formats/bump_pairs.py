"""The minimal pairs of a campaign as BUMP (Ma et al. 2023) releases its own, which `cli.py import bump` reads again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from sqlmodel import col, select

from annotations.exchange.export_format import EXPORT_FORMATS, CampaignExport, ExportFormat
from annotations.exchange.samples import load_campaign_samples
from annotations.results.results import given_error_types
from annotations.store.records import CAMPAIGN_PREFIX, RecordError
from annotations.store.tables import Document, Origin
from core.text import contexts_from_json, optional_fields
from core.types import Example, Sample, Verdict


@EXPORT_FORMATS.add
class BumpExport(ExportFormat):
    """A list of pairs, one record each, made from all samples at once: an original and its edits may lie far apart.

    Of a pair people say, or of a written edit its author meant, that the edit alone is inconsistent; its error type is
    known. `error_type` is the type that was asked for or given before, `corrected_error_type` the one that people found; a
    record without a type of before has only `error_type`, as those of task 2. A document of named contexts or with a question
    has the fields `contexts` and `question` besides, and every record `campaign`, which readers of BUMP pass over and our importer takes.
    """

    name: ClassVar[str] = "bump"
    title: ClassVar[str] = "BUMP"
    about: ClassVar[str] = (
        "Minimal pairs as JSON in the form of BUMP: those whose edit, and nothing else, is inconsistent, with a known error type."
    )
    suffix: ClassVar[str] = "-bump.json"

    def nothing_to_export(self, export: CampaignExport) -> str:
        if next(pair_records(export), None):
            return ""
        return (
            f"{export.campaign.name!r} has no minimal pair to export: BUMP takes pairs whose edit people find inconsistent, "
            "its original consistent, with an error type. Settle disagreement under Review first, or choose another format."
        )

    def content(self, export: CampaignExport) -> list[bytes]:
        if reason := self.nothing_to_export(export):
            raise RecordError(reason)
        records = list(pair_records(export))
        return [json.dumps(records, ensure_ascii=False, allow_nan=False, indent=1).encode()]


def pair_records(export: CampaignExport) -> Iterator[dict[str, Any]]:
    """The records, numbered from 0; `article_id` numbers the documents."""
    samples = {
        sample.stored: sample
        for sample in load_campaign_samples(export.session, CAMPAIGN_PREFIX + export.campaign.name)
    }
    written = select(Origin.item_id, Origin.error_type).where(
        Origin.source == f"campaign {export.campaign.name}", col(Origin.error_type).is_not(None)
    )
    required_types = {item: kind for item, kind in export.session.exec(written) if kind} | given_error_types(
        export.session, export.campaign
    )
    articles = dict[str, int]()
    pairs = [
        (samples[sample.item.parent], sample)
        for sample in samples.values()
        if sample.item.parent in samples and _is_minimal_pair(samples[sample.item.parent], sample)
    ]
    for number, (original, edited) in enumerate(pairs):
        before = required_types.get(edited.stored)
        now = f"{edited.item.error_type} Error"

        document = export.session.get_one(Document, edited.document)
        example = Example("", document.text, "", contexts_from_json(document.contexts), document.question)
        yield {
            "id": number,
            "campaign": export.campaign.name,  # by which our own importer knows the file
            "article_id": articles.setdefault(edited.document, len(articles)),
            "article": document.text,
            **optional_fields(example),
            "reference_summary": original.item.example.summary,
            "edited_summary": edited.item.example.summary,
            **({"error_type": f"{before} Error", "corrected_error_type": now} if before else {"error_type": now}),
            "scores": _scores(original, "reference") | _scores(edited, "edited"),
        }


def _is_minimal_pair(original: Sample, edited: Sample) -> bool:
    sound = original.item.intended in {None, Verdict.CONSISTENT}
    return sound and edited.item.intended is Verdict.INCONSISTENT and edited.item.error_type is not None


def _scores(sample: Sample, side: str) -> dict[str, float]:
    return {f"{score.metric}_{side}": score.value for score in sample.kept if score.value is not None}
