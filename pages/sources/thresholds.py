"""Thresholds into the store under a name and out of it, or out of a file, for the commands and the pages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import TouchstoneError
from core.evaluation import OwnThreshold, parse_threshold, read_threshold, threshold_json
from core.scoring import METRICS

if TYPE_CHECKING:
    from annotations.store.store import Store


def require_free_name(store: Store, name: str) -> None:
    """Raises TouchstoneError for a name that is taken, or that of a metric."""
    if name in METRICS.names():
        raise TouchstoneError(f"{name} is the name of a metric. Choose another name for the threshold.")
    if name in kept_thresholds(store):
        raise TouchstoneError(f"There is a threshold called {name!r} already. Choose another name.")


def keep_threshold(store: Store, threshold: OwnThreshold) -> None:
    """Keep a threshold under its name. Raises TouchstoneError for a name that is empty, taken or that of a metric."""
    from annotations.store.records import ThresholdRecord

    require_free_name(store, threshold.name)
    record = ThresholdRecord(threshold.name, threshold.metric, threshold_json(threshold), datetime.now(UTC))
    store.save_threshold(record)


def kept_thresholds(store: Store) -> dict[str, OwnThreshold]:
    """The thresholds that were saved under a name, newest first."""
    return {row.name: parse_threshold(row.record, row.name) for row in store.thresholds()}


def open_thresholds(database_url: str, sources: Sequence[str]) -> list[OwnThreshold]:
    """Files of thresholds, or names of saved ones. Raises TouchstoneError for what is neither."""
    if all(Path(source).is_file() for source in sources):
        return [read_threshold(Path(source)) for source in sources]
    from annotations.store.store import Store  # a file that is scored need not wait for it

    with closing(Store.open(database_url)) as store:
        saved = kept_thresholds(store)
    thresholds = []
    for source in sources:
        if Path(source).is_file():
            thresholds.append(read_threshold(Path(source)))
        elif source in saved:
            thresholds.append(saved[source])
        else:
            hint = f"Saved are {', '.join(saved)}." if saved else "None is saved yet."
            raise TouchstoneError(
                f"{source} is neither a file nor a saved threshold. {hint} Save one: cli.py threshold METRIC --data DATA --name {source}"
            )
    return thresholds
