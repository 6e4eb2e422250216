"""Documents of benchmarks, recognised by hashes whatever the file that they come in is called."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from core.models.words.known_documents import KnownDocuments

_SKETCHES = Path(__file__).parent / "benchmark_documents.txt"
"""A line for each document of BUMP, eight domains of SummEdits, QAGS and LongSciVerify: the benchmark, a tab, and eight hashes of its runs of words."""


def is_of_benchmark(document: str) -> bool:
    """True if a document is one that a benchmark tests metrics on, or nearly so."""
    return _known_documents().fold(document) is not None


@cache
def _known_documents() -> KnownDocuments:
    lines = _SKETCHES.read_text(encoding="utf-8").splitlines()
    return KnownDocuments({sketch: 0 for _, _, sketch in (line.partition("\t") for line in lines)})
