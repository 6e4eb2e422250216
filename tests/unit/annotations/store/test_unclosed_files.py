"""A database file that was not closed properly is checked before it is opened, and a damaged one is refused."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotations.store.records import StoreError
from annotations.store.store import Store
from annotations.store.unclosed_files import check_unclosed_file
from tests.unit.annotations.pair_samples import PAIR


@pytest.fixture
def in_use(tmp_path: Path) -> Iterator[Path]:
    """A database that is open, with rows in its file and more in its log."""
    file = tmp_path / "used.db"
    with closing(Store.open(f"sqlite:///{file}")) as store:
        store.save_pair(PAIR)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.save_draft("draft", "ben", "half")
        yield file


def copied(file: Path, folder: Path, *ends: str) -> str:
    """URL of a copy of these files of a database, as a file manager makes it."""
    folder.mkdir()
    for end in ends:
        shutil.copyfile(f"{file}{end}", folder / f"copy.db{end}")
    return f"sqlite:///{folder / 'copy.db'}"


def test_a_file_with_its_log_is_checked_and_has_every_row(
    in_use: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = copied(in_use, tmp_path / "both", "", "-wal")
    with caplog.at_level(logging.WARNING):
        check_unclosed_file(url)
    assert "copy.db was not closed properly, or is in use. Checked: it is whole." in caplog.text
    with closing(Store.open(url)) as store:
        assert store.counts("origin", "draft") == {"origin": 1, "draft": 1}


def test_a_damaged_file_with_its_log_is_refused_with_advice(in_use: Path, tmp_path: Path) -> None:
    url = copied(in_use, tmp_path / "damaged", "", "-wal")
    file = tmp_path / "damaged" / "copy.db"
    content = bytearray(file.read_bytes())
    content[8192:-8192] = b"\xff" * (len(content) - 16_384)
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"was not closed properly: .*The file is damaged.*cli\.py restore FILE"):
        check_unclosed_file(url)


def test_a_copy_that_lacks_pages_is_refused_when_it_is_opened(in_use: Path, tmp_path: Path) -> None:
    url = copied(in_use, tmp_path / "alone", "")
    file = tmp_path / "alone" / "copy.db"
    file.write_bytes(file.read_bytes()[:-8192])
    check_unclosed_file(url)
    with pytest.raises(StoreError, match=r"malformed\. The file is damaged, as is a copy without its -wal"):
        Store.open(url)


def test_a_file_that_was_closed_is_not_checked(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    url = f"sqlite:///{tmp_path / 'closed.db'}"
    check_unclosed_file(url)
    Store.open(url).close()
    check_unclosed_file(url)
    assert not caplog.text
