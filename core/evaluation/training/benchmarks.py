"""Documents of benchmarks, recognised by hashes whatever the file that they come in is called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from core.data import DATASETS
from core.models import KnownDocuments
from core.types import Item, Split

_SKETCHES = Path(__file__).parent / "benchmark_documents.txt"
"""A line for each document of BUMP, eight domains of SummEdits, QAGS and LongSciVerify: the benchmark, a tab, and eight hashes of its runs of words."""


def reserve_test_data(items: Iterable[Item], importer: str) -> list[Item]:
    """The items with what is of a benchmark marked as test: of a dataset that a paper's tables rest on, unless its authors meant
    it for development, or with a document that is known to be of one."""
    of_dataset = importer in DATASETS.names() and DATASETS.get(importer).for_evaluation
    all_items = list(items)
    documents = {item.example.document for item in all_items if not item.split}
    tests = documents if of_dataset else {document for document in documents if is_of_benchmark(document)}
    return [
        replace(item, split=Split.TEST) if not item.split and item.example.document in tests else item
        for item in all_items
    ]


def is_of_benchmark(document: str) -> bool:
    """True if a document is one that a benchmark tests metrics on, or nearly so."""
    return _known_documents().fold(document) is not None


@cache
def _known_documents() -> KnownDocuments:
    lines = _SKETCHES.read_text(encoding="utf-8").splitlines()
    return KnownDocuments({sketch: 0 for _, _, sketch in (line.partition("\t") for line in lines)})
