"""The parts of the code that made a score stand in the database, for machines that have another cache folder."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from annotations.exchange.samples import load_texts
from annotations.store.backup import backup, restore
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import AuditRecord
from annotations.store.store import Store
from core.base.code_version import code_hash
from core.scoring.engine.cache import keep_code, read_code
from core.types import Example, Item, Result, Seen
from tests.unit.annotations.pair_samples import PAIR
from tests.unit.command_line import run

BEFORE = {"core/scoring/metrics/rouge.py": "aaaaaaaaaaaa", "numpy": "2.4.5"}
AFTER = {"core/scoring/metrics/rouge.py": "bbbbbbbbbbbb", "numpy": "2.4.5"}
ONE, TWO = (f"rouge2|measured:precision|code:{code_hash(parts)}" for parts in (BEFORE, AFTER))
FILE = DatasetSource("harbour", "pairs", "harbour.jsonl", "ab" * 32, "your own", "1.0", "local")


def known(folder: Path) -> Path:
    """A cache folder in which both codes scored."""
    for parts in (BEFORE, AFTER):
        keep_code(folder, parts)
    return folder


def result(id: str, signature: str) -> Result:
    return Result(id, "rouge2", signature, 0.5, (), Seen(), 0.1, "cpu")


def save_scores(store: Store, *signatures: str) -> None:
    store.import_dataset(FILE, [Item(Example("h1", "The harbour was closed.", "It was closed."))], dict)
    [text] = load_texts(store, "harbour")
    store.save_outcomes([result(text.id, signature) for signature in signatures])


def test_scores_are_saved_with_the_parts_of_their_code(store: Store, tmp_path: Path) -> None:
    save_scores(replace(store, read_code=partial(read_code, known(tmp_path))), ONE, TWO)
    assert (store.code(code_hash(BEFORE)), store.code(code_hash(AFTER))) == (BEFORE, AFTER)
    assert store.counts()["codeparts"] == 2


def test_kept_pairs_and_audits_are_saved_with_the_parts_of_their_code(store: Store, tmp_path: Path) -> None:
    reading = replace(store, read_code=partial(read_code, known(tmp_path)))
    reading.save_pair(replace(PAIR, outcomes=(result("edited", ONE),)))
    reading.save_audits([AuditRecord("rouge2", TWO, "harbour", "ab" * 32, "0.1.0", "{}", datetime.now(UTC))])
    assert (store.code(code_hash(BEFORE)), store.code(code_hash(AFTER))) == (BEFORE, AFTER)


def test_code_that_this_machine_does_not_know_is_left_out_and_added_later(store: Store, tmp_path: Path) -> None:
    save_scores(replace(store, read_code=partial(read_code, tmp_path / "none")), ONE)
    assert store.code(code_hash(BEFORE)) is None
    save_scores(replace(store, read_code=partial(read_code, known(tmp_path))), ONE)
    assert store.code(code_hash(BEFORE)) == BEFORE


@pytest.mark.parametrize("damaged", ['{"numpy": "2.4', '{"numpy": "2.4.9"}'])
def test_a_damaged_record_of_code_stops_no_score(store: Store, tmp_path: Path, damaged: str) -> None:
    (known(tmp_path) / "code" / f"{code_hash(BEFORE)}.json").write_text(damaged, encoding="utf-8")
    save_scores(replace(store, read_code=partial(read_code, tmp_path)), ONE)
    assert store.counts()["score"] == 1
    assert store.code(code_hash(BEFORE)) is None


def test_a_hash_names_no_file_outside_the_folder_of_code(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"password": "1"}', encoding="utf-8")
    assert read_code(known(tmp_path / "cache"), "../../secret") is None


@pytest.mark.slow
def test_a_backup_has_the_code(url: str, tmp_path: Path) -> None:
    with closing(Store.open(url, read_code=partial(read_code, known(tmp_path)))) as store:
        save_scores(store, ONE)
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    assert backup(url, tmp_path / "kept.db")["codeparts"] == 1
    restore(tmp_path / "kept.db", restored, replace=False)
    with closing(Store.open(restored)) as store:
        assert store.code(code_hash(BEFORE)) == BEFORE


def test_another_machine_explains_signatures_from_the_database(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store.open(sqlite_url, read_code=partial(read_code, known(tmp_path / "here")))) as store:
        save_scores(store, ONE, TWO)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", sqlite_url)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "there"))
    assert run("explain-signature", ONE, TWO).stdout.splitlines()[1:] == [
        "  core/scoring/metrics/rouge.py: aaaaaaaaaaaa → bbbbbbbbbbbb"
    ]
    assert "  core/scoring/metrics/rouge.py  aaaaaaaaaaaa" in run("explain-signature", ONE).stdout
