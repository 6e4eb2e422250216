"""Evaluated documents that a trained metric learned from, and if its figures on these are a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from pydantic import ValidationError

from core.errors import TouchstoneError
from core.model_reference import local_checkpoints
from core.models import CONFIG_FILE, DOCUMENTS_FILE, HeadConfig, locate
from core.scoring import METRICS, metric_title

_KINDS = {"word_support", "mlp"}


def training_overlaps(documents: Set[str], specs: Iterable[str]) -> Iterator[str]:
    """A starred sentence for each of these metrics that learned from some of these documents."""
    for spec in sorted(specs):
        if learned := documents & training_documents(spec):
            learning = f"★ {metric_title(spec)} learned from {len(learned)} of these {len(documents)} documents"
            if scores_out_of_fold(spec):
                yield (
                    f"{learning}. Each is scored by the part of it that did not learn from that document, so its figures are held out, "
                    "but on texts of a kind that it knows: they say little of other data."
                )
            else:
                yield f"{learning}: its figures here are no test. Leave it out, or choose data that it did not learn from."


def training_documents(spec: str) -> frozenset[str]:
    """The names of the documents that a metric was trained on here; none for any other metric, or where its folder is gone."""
    files = [folder / DOCUMENTS_FILE for folder in _folders(spec)]
    return frozenset(name for file in files if file.is_file() for name in file.read_text(encoding="utf-8").split())


def scores_out_of_fold(spec: str) -> bool:
    """True if a metric that was trained here scores the documents that it learned from by parts that did not."""
    folders = _folders(spec)
    for folder in folders:
        try:
            config = HeadConfig.model_validate_json((folder / CONFIG_FILE).read_bytes())
        except (OSError, ValidationError):  # another recipe's folder
            return False
        if not config.folds:
            return False
    return bool(folders)


def _folders(spec: str) -> list[Path]:
    try:
        models = local_checkpoints(METRICS.parse(spec).checkpoints())
        places = [locate(model) for model in models if model.kind in _KINDS]
    except TouchstoneError:  # a spec of another version, or a folder that was deleted
        return []
    return [place.parent if place.is_file() else place for place in places]
