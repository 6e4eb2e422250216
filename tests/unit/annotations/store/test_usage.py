"""Use of a shared database by each person, and its limits."""

from __future__ import annotations

import pytest

from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from annotations.store.usage import load_usage


def test_runs_and_their_lines_count_for_who_began_them(store: Store) -> None:
    first = store.begin_run("first", "ada", "plan")
    store.append_run(first, ["one", "three"])
    store.begin_run("second", "ada", "plan")
    store.begin_run("third", "ben", "p" * 3_000_000)
    with read_session(store.engine) as session:
        usage = load_usage(session)
    assert (usage["ada"].runs, usage["ada"].characters) == (2, 16)
    assert (usage["ben"].runs, usage["ben"].megabytes) == (1, 3.0)


def test_who_has_as_many_runs_as_a_person_may_begins_no_more(store: Store) -> None:
    store.begin_run("first", "ada", "plan", 1)
    with pytest.raises(RecordError, match="ada has 1 stress runs, and a person of this server may have 1"):
        store.begin_run("second", "ada", "plan", 1)
    store.begin_run("second", "ben", "plan", 1)
    assert [run.owner for run in store.runs()] == ["ben", "ada"]


def test_who_holds_as_much_as_a_person_may_begins_no_more_runs(store: Store) -> None:
    store.begin_run("first", "ada", "p" * 1_500_000, None, 1)
    with pytest.raises(
        RecordError, match=r"The runs and pins of ada take 1\.5 MB, and those of a person of this server"
    ):
        store.begin_run("second", "ada", "plan", None, 1)
    store.begin_run("second", "ada", "plan", None, 2)
