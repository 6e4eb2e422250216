"""Which evaluated documents a trained metric learned from: its figures on these are no test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.errors import TouchstoneError
from core.metric import METRICS
from core.model_reference import local_checkpoints
from core.models.locations import locate
from core.trained.model import DOCUMENTS_FILE
from core.types import Sample

_KINDS = {"word_support", "mlp"}


def training_overlaps(samples: Sequence[Sample]) -> Iterator[str]:
    """A starred sentence for each scored metric that learned from documents of these samples."""
    documents = {sample.document for sample in samples} - {""}
    for spec in sorted({score.metric for sample in samples for score in sample.kept}):
        if learned := documents & training_documents(spec):
            yield (
                f"★ {spec} learned from {len(learned)} of these {len(documents)} documents: its figures here are no test. "
                "Leave it out, or choose data that it did not learn from."
            )


def training_documents(spec: str) -> frozenset[str]:
    """The names of the documents that a metric was trained on here; none for any other metric, or where its folder is gone."""
    try:
        models = local_checkpoints(METRICS.parse(spec).checkpoints())
        places = [locate(model) for model in models if model.kind in _KINDS]
    except TouchstoneError:  # a spec of another version, or a folder that was deleted
        return frozenset()
    files = [(place.parent if place.is_file() else place) / DOCUMENTS_FILE for place in places]
    return frozenset(name for file in files if file.is_file() for name in file.read_text(encoding="utf-8").split())
