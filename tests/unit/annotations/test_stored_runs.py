"""Stress runs in the database: lines in order, names that are taken, nothing lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from annotations.store.records import ReadOnlyError, RecordError
from annotations.store.store import Store


def test_a_run_gives_its_plan_and_its_lines_in_order(store: Store) -> None:
    id = store.begin_run("first", "local", "plan")
    store.append_run(id, ["a", "b"])
    store.append_run(id, [])
    store.append_run(id, ["c"])
    assert store.run_lines(id) == ["plan", "a", "b", "c"]


def test_runs_are_listed_newest_first_with_their_lines_counted(store: Store) -> None:
    old = store.begin_run("old", "local", "p")
    new = store.begin_run("new", "local", "p")
    store.append_run(old, ["a", "b"])
    assert [(row.id, row.name, row.lines) for row in store.runs()] == [(new, "new", 0), (old, "old", 2)]


def test_a_name_that_is_taken_says_what_to_do(store: Store) -> None:
    store.begin_run("mine", "local", "p")
    with pytest.raises(RecordError, match="Choose another name"):
        store.begin_run("mine", "local", "p")


def test_a_run_that_is_not_there_takes_no_lines_and_has_none(store: Store) -> None:
    with pytest.raises(RecordError, match="Begin it first"):
        store.append_run("none", ["a"])
    assert store.run_lines("none") == []


def test_several_writers_lose_nothing(store: Store) -> None:
    id = store.begin_run("shared", "local", "p")
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: store.append_run(id, [f"{number}-{line}" for line in range(25)]), range(8)))
    lines = store.run_lines(id)[1:]
    assert len(set(lines)) == 200
    for number in range(8):
        mine = [line for line in lines if line.startswith(f"{number}-")]
        assert mine == [f"{number}-{line}" for line in range(25)]


def test_a_demonstration_keeps_no_run(sqlite_url: str) -> None:
    store = Store.open(sqlite_url, read_only=True)
    with pytest.raises(ReadOnlyError, match="keeps nothing"):
        store.begin_run("mine", "local", "p")
    store.close()
