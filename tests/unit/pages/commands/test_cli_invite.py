"""The first manager of a shared server is invited from the terminal."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from annotations.people.people import Member, Role
from annotations.people.sign_in import member_by_code
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from cli import app


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database of this test, which the command line is told of."""
    named = f"sqlite:///{tmp_path / 'people.db'}"
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", named)
    return named


def invite(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["invite", *arguments])


def let_in(url: str, code: str) -> Member:
    with closing(Store.open(url)) as store, read_session(store.engine) as session:
        return member_by_code(session, code)


def test_the_code_that_is_printed_lets_the_manager_in(url: str) -> None:
    done = invite("Ada", "--role", "manager")
    code, told = done.stdout.strip(), done.stderr
    person = let_in(url, code)
    assert (person.name, person.role) == ("Ada", Role.MANAGER)
    assert f"/?invite={code}" in told


def test_somebody_who_is_here_gets_a_further_code(url: str) -> None:
    first, second = (invite("Ben", "--days", "7").stdout.strip() for _ in range(2))
    assert first != second
    assert let_in(url, first) == let_in(url, second)


def test_nobody_changes_their_role_by_a_new_code(url: str) -> None:
    invite("Ben")
    done = invite("Ben", "--role", "manager")
    assert isinstance(done.exception, RecordError)
    assert "'Ben' is here as annotator, not as manager. Invite them as annotator" in str(done.exception)
    with closing(Store.open(url)) as store:
        assert store.counts()["invite"] == 1
