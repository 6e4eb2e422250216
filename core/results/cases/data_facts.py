"""Facts about evaluated data: a hash of documents, summaries and labels, by which two are known to be the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.types import Sample


@dataclass(frozen=True, slots=True)
class DataFacts:
    """Identity of the data of an audit: enough to know if another audit rests on the same."""

    name: str
    sha256: str
    summaries: int
    documents: int


def data_facts(name: str, samples: Sequence[Sample]) -> DataFacts:
    """The hash is of documents, summaries and labels, wherever they lie and whatever they are called."""
    rows = sorted(
        (
            sample.document,
            sample.item.example.summary,
            str(sample.item.intended or ""),
            str(sample.item.error_type or ""),
        )
        for sample in samples
    )
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    return DataFacts(name, digest, len(samples), len({sample.document for sample in samples}))
