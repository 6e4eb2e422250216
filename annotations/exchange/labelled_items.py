"""The labelled items of a dataset with their documents, and where they come from: what a metric is trained on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotations.exchange.samples import load_provenance, load_samples, load_texts
from annotations.store.store import Store
from core.data import Bundled, bundled_items
from core.errors import TouchstoneError
from core.evaluation import reserve_test_data
from core.types import PRECOMPUTED, Example, Item, Sample, Split


@dataclass(frozen=True, slots=True)
class LabelledItems:
    """`importer` is who read them from a file, "" where people labelled them here."""

    name: str
    items: Sequence[Item]
    importer: str
    licence: str


def with_documents(samples: Iterable[Sample], texts: Iterable[Example]) -> list[Item]:
    """Items of samples with their documents, looked up by the ids of the store."""
    stored = {text.id: text for text in texts}
    return [
        replace(sample.item, example=replace(stored.get(sample.stored, sample.item.example), id=sample.item.example.id))
        for sample in samples
    ]


def load_items(store: Store, dataset: str) -> list[Item]:
    """The items of a dataset of the store, or the bundled examples, with their documents."""
    if dataset == PRECOMPUTED:
        return list(bundled_items())
    return with_documents(load_samples(store, dataset), load_texts(store, dataset))


def load_labelled_items(store: Store, dataset: str) -> LabelledItems:
    """An imported dataset, the settled labels of a campaign, the pairs that were kept, or the bundled examples.

    Raises TouchstoneError for a name that none of these has.
    """
    if dataset in (PRECOMPUTED, Bundled.name):
        return LabelledItems(PRECOMPUTED, bundled_items(), Bundled.name, Bundled.licence)
    samples = load_samples(store, dataset)
    if not samples:
        raise TouchstoneError(f"{dataset!r} holds no summary. `cli.py datasets` lists what does.")
    items = with_documents(samples, load_texts(store, dataset))
    files, _ = load_provenance(store, [dataset])
    licences = ", ".join(sorted({file.licence for file in files}))
    return LabelledItems(samples[0].dataset, items, files[0].importer if files else "", licences)


def benchmark_items(store: Store) -> dict[str, list[Item]]:
    """Test items of every imported dataset by its name, without those that lack a document."""
    by_dataset = {}
    for row in store.datasets():
        marked = reserve_test_data(load_items(store, row.name), row.files[0].importer)
        if tests := [item for item in marked if item.split is Split.TEST and item.example.document]:
            by_dataset[row.name] = tests
    return by_dataset
