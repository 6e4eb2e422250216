"""The summaries that commands work on: those of a file, or of a dataset of the store."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from annotations.sources import examples, samples
from annotations.store import Store
from core.dataset import Refusal
from core.errors import TouchstoneError
from core.settings import Settings
from core.stress.picking import pick, sound, sources
from core.stress.picking import whole as whole_samples
from core.stress.records import Plan, Run, Source
from core.types import Item
from pages.terminal.files import items_of, keep_apart


def named(pairs: Path | None, dataset: str | None, output: Path) -> str:
    """What a run is called by: the file or the dataset, of which one must be given."""
    if (pairs is None) == (dataset is None):
        raise TouchstoneError("Name a file of pairs, or an imported dataset with --dataset: one of the two.")
    if pairs:
        keep_apart(pairs, output)
    return pairs.name if pairs else dataset or ""


def given(
    pairs: Path | None, dataset: str | None, most: int | None, seed: int, refusals: list[Refusal]
) -> list[Source]:
    """The originals of a file, edited summaries being left to `score`; or those of a dataset."""
    if pairs:
        return [Source.of(item) for item in items_of(pairs, refusals) if not item.parent]
    return _imported_sources(dataset or "", most, seed)


def _imported_sources(dataset: str, most: int | None, seed: int) -> list[Source]:
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        among = sound(whole_samples(samples(store, dataset)))
        found = sources(pick(among, most or len(among), seed), examples(store, dataset))
    if not found:
        raise TouchstoneError(
            f"{dataset} has no summary that is stored with its document and not labelled inconsistent. Import one that has."
        )
    return found


def imported_items(dataset: str) -> list[Item]:
    """What a dataset of the store holds, with the documents."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        found = samples(store, dataset)
        documents = {example.id: example.document for example in examples(store, dataset)}
    texts = (replace(sample.item.example, document=documents.get(sample.stored, "")) for sample in found)
    return [replace(sample.item, example=text) for sample, text in zip(found, texts, strict=True)]


def begun_with(plan: Plan, sources: Iterable[Source]) -> Run:
    run = Run(plan)
    for source in sources:
        run.add(source)
    return run
