"""The pairs of a folder of results as the samples that the evaluation of metrics takes, and as what `import` reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from core.bulk.results import open_stored_results
from core.dataset import Importer, Refusal
from core.datasets.formats.fields import document_key
from core.types import Failure, Item, Outcome, Sample, StoredScore


@dataclass(frozen=True)
class StoredResultsImporter(Importer):
    """The pairs of a folder of results, whose scores are saved after them."""

    name: ClassVar[str] = "results"
    title: ClassVar[str] = "Results of blocks"
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return (item for item, _ in open_stored_results(str(source)))


def samples_of_results(url: str) -> list[Sample]:
    """The labelled pairs and the originals of edits, with our scores and without the texts of the documents.

    Raises TouchstoneError where the folder is none of results.
    """
    found = [(item, outcomes) for item, outcomes in open_stored_results(url) if item.intended or item.parent]
    parents = {item.parent for item, _ in found if item.parent}
    known = {item.example.id for item, _ in found}
    if parents - known:
        more = open_stored_results(url)
        found += [(item, outcomes) for item, outcomes in more if item.example.id in parents - known]
    return [_sample(url, item, outcomes) for item, outcomes in found]


def _sample(url: str, item: Item, outcomes: list[Outcome]) -> Sample:
    document = document_key(item.example.document)
    scores = tuple(stored_score(outcome) for outcome in outcomes)
    without_text = replace(item, example=replace(item.example, document=""))
    return Sample(url, without_text, item.example.id, document, scores)


def stored_score(outcome: Outcome) -> StoredScore:
    """A score as a database keeps it."""
    if isinstance(outcome, Failure):
        return StoredScore(outcome.metric, "", None, outcome.message)
    return StoredScore(outcome.metric, outcome.signature, outcome.score)
