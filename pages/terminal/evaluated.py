"""The samples of datasets that are evaluated together."""

from __future__ import annotations

from contextlib import closing

from annotations.sources import samples
from annotations.store import Store
from core.errors import TouchstoneError
from core.meta.cases import Cases
from core.meta.pooling import pooled
from core.settings import Settings
from pages.terminal.saying import say


def samples_of(dataset: list[str]) -> Cases:
    """The samples of datasets together; what was left out is said."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        found = pooled([samples(store, name) for name in dataset])
    for warning in found.warnings:
        say(warning)
    return found


def scored_samples_of(dataset: list[str]) -> Cases:
    """The same where at least one metric has a score."""
    found = samples_of(dataset)
    if not found.columns:
        raise TouchstoneError(
            f"No metric has a score in {', '.join(dataset)}. Score it: cli.py score-dataset NAME --metric …"
        )
    return found
