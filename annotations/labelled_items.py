"""The labelled items of a dataset with their documents, and where they come from: what a metric is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotations.samples import load_provenance, load_samples, load_texts
from annotations.store import Store
from core.datasets.bundled import Bundled, bundled_items
from core.errors import TouchstoneError
from core.types import PRECOMPUTED, Item


@dataclass(frozen=True, slots=True)
class LabelledItems:
    """`importer` is who read them from a file, "" where people labelled them here."""

    name: str
    items: Sequence[Item]
    importer: str
    licence: str


def load_labelled_items(store: Store, dataset: str) -> LabelledItems:
    """An imported dataset, the settled labels of a campaign, the pairs that were kept, or the bundled examples.

    Raises TouchstoneError for a name that none of these has.
    """
    if dataset in (PRECOMPUTED, Bundled.name):
        return LabelledItems(PRECOMPUTED, bundled_items(), Bundled.name, Bundled.licence)
    samples = load_samples(store, dataset)
    if not samples:
        raise TouchstoneError(f"{dataset!r} holds no summary. `cli.py datasets` lists what does.")
    documents = {example.id: example.document for example in load_texts(store, dataset)}
    items = [
        replace(sample.item, example=replace(sample.item.example, document=documents.get(sample.stored, "")))
        for sample in samples
    ]
    files = load_provenance(store, [dataset]).files
    licences = ", ".join(sorted({file.licence for file in files}))
    return LabelledItems(dataset, items, files[0].importer if files else "", licences)
