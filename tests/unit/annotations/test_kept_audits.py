"""Audits in the database: in their order, by metric, never changed, and part of a backup."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from annotations.store.backup import backup, restore
from annotations.store.records import AuditRecord, ReadOnlyError, RecordError
from annotations.store.store import Store

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AUDIT = AuditRecord("rouge2", "rouge2|1", "few", "a" * 64, "0.1.0", "{}", NOW)


def test_audits_of_a_metric_are_given_oldest_first(store: Store) -> None:
    later = replace(AUDIT, signature="rouge2|2", created_at=NOW + timedelta(days=1))
    store.save_audits([replace(AUDIT, metric="bleu"), later])
    store.save_audits([AUDIT])
    assert store.audits("rouge2") == [AUDIT, later]
    assert store.audits("other") == []
    assert [*store.audited()] == [("rouge2", "few"), ("bleu", "few")]


@pytest.mark.parametrize("statement", ["UPDATE audit SET report = 'x'", "DELETE FROM audit"])
def test_a_kept_audit_is_neither_changed_nor_deleted(store: Store, statement: str) -> None:
    store.save_audits([AUDIT])
    with pytest.raises(DBAPIError), store.engine.begin() as connection:
        connection.execute(text(statement))
    assert store.audits("rouge2") == [AUDIT]


def test_what_no_database_holds_is_refused(store: Store) -> None:
    with pytest.raises(RecordError, match="U\\+0000"):
        store.save_audits([replace(AUDIT, data="a\0b")])


def test_a_demonstration_keeps_no_audit(sqlite_url: str) -> None:
    with closing(Store.open(sqlite_url, read_only=True)) as store, pytest.raises(ReadOnlyError):
        store.save_audits([AUDIT])


def test_a_backup_has_the_audits(url: str, tmp_path: Path) -> None:
    with closing(Store.open(url)) as store:
        store.save_audits([AUDIT])
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    assert backup(url, tmp_path / "kept.db")["audit"] == 1
    restore(tmp_path / "kept.db", restored, replace=False)
    with closing(Store.open(restored)) as store:
        assert store.audits("rouge2") == [AUDIT]
