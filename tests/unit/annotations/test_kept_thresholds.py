"""Thresholds in the database: newest first, a name once, and part of a backup."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotations.store.backup import backup, restore
from annotations.store.records import ReadOnlyError, RecordError, ThresholdRecord
from annotations.store.store import Store

NOW = datetime(2026, 1, 1, tzinfo=UTC)
THRESHOLD = ThresholdRecord("own", "rouge2", "{}", NOW)


def test_thresholds_are_given_newest_first(store: Store) -> None:
    later = replace(THRESHOLD, name="later", created_at=NOW + timedelta(days=1))
    for one in (THRESHOLD, later):
        store.save_threshold(one)
    assert store.thresholds() == [later, THRESHOLD]


@pytest.mark.parametrize(("name", "why"), [("own", "already"), (" ", "is empty"), ("a\0b", "U\\+0000")])
def test_a_name_that_cannot_be_kept_is_refused(store: Store, name: str, why: str) -> None:
    store.save_threshold(THRESHOLD)
    with pytest.raises(RecordError, match=why):
        store.save_threshold(replace(THRESHOLD, name=name))
    assert store.thresholds() == [THRESHOLD]


def test_a_demonstration_keeps_no_threshold(sqlite_url: str) -> None:
    with closing(Store.open(sqlite_url, read_only=True)) as store, pytest.raises(ReadOnlyError):
        store.save_threshold(THRESHOLD)


@pytest.mark.slow
def test_a_backup_has_the_thresholds(url: str, tmp_path: Path) -> None:
    with closing(Store.open(url)) as store:
        store.save_threshold(THRESHOLD)
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    assert backup(url, tmp_path / "kept.db")["threshold"] == 1
    restore(tmp_path / "kept.db", restored, replace=False)
    with closing(Store.open(restored)) as store:
        assert store.thresholds() == [THRESHOLD]
