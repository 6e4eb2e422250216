"""Codes let their person in, browsers stay signed in under an id of their own, and guessing gets slower."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.people.sign_in import (
    GuessDelay,
    SessionEndedError,
    StartedSession,
    end_session,
    member_by_code,
    member_by_session,
    start_session,
)
from annotations.store.database import read_session
from annotations.store.records import RightsError
from annotations.store.store import Store

LATER = datetime.now(UTC) + timedelta(days=31)


@pytest.fixture
def manager(store: Store) -> ManagerActions:
    return ManagerActions(store, Member("0", "ada", Role.MANAGER))


@pytest.fixture
def ben(manager: ManagerActions) -> Member:
    return manager.add_person("ben", Role.ANNOTATOR)


def let_in(store: Store, code: str) -> Member:
    with read_session(store.engine) as session:
        return member_by_code(session, code)


def sign_in(store: Store, code: str, replaced: str = "") -> StartedSession:
    with store.writing() as session:
        return start_session(session, code, replaced)


def signed_in(store: Store, id: str, now: datetime | None = None) -> Member | None:
    with read_session(store.engine) as session:
        return member_by_session(session, id, now)


def test_a_code_lets_its_person_in_and_is_not_in_the_database(
    store: Store, manager: ManagerActions, ben: Member
) -> None:
    code = manager.invite(ben.id)
    assert let_in(store, f" {code} ") == ben
    started = sign_in(store, code)
    assert started.member == ben
    with read_session(store.engine) as session:
        rows = [*session.connection().execute(text("SELECT * FROM invite"))]
        rows += session.connection().execute(text("SELECT * FROM signin"))
    kept = " ".join(str(value) for row in rows for value in row)
    assert code not in kept
    assert started.id not in kept


def test_a_revoked_code_is_refused_and_ends_what_was_signed_in_by_it(
    store: Store, manager: ManagerActions, ben: Member
) -> None:
    code = manager.invite(ben.id)
    started = sign_in(store, code)
    assert signed_in(store, started.id) == ben
    [row] = manager.invites()
    manager.revoke(row.id)
    manager.revoke(row.id)
    assert [invite.revoked for invite in manager.invites()] == [True]
    with pytest.raises(RightsError, match="not valid"):
        let_in(store, code)
    with pytest.raises(SessionEndedError, match="was revoked"):
        signed_in(store, started.id)


def test_an_expired_code_is_refused_and_a_session_ends_with_it(
    store: Store, manager: ManagerActions, ben: Member
) -> None:
    code = manager.invite(ben.id, days=1)
    started = sign_in(store, code)
    tomorrow = datetime.now(UTC) + timedelta(days=2)
    with read_session(store.engine) as session, pytest.raises(RightsError, match="not valid"):
        member_by_code(session, code, tomorrow)
    with pytest.raises(SessionEndedError, match="has expired"):
        signed_in(store, started.id, tomorrow)


def test_a_session_ends_by_itself_after_thirty_days(store: Store, manager: ManagerActions, ben: Member) -> None:
    started = sign_in(store, manager.invite(ben.id))
    assert signed_in(store, started.id) == ben
    with pytest.raises(SessionEndedError, match="more than 30 days ago"):
        signed_in(store, started.id, LATER)


def test_signing_in_again_changes_the_id_and_signing_out_ends_it(
    store: Store, manager: ManagerActions, ben: Member
) -> None:
    code = manager.invite(ben.id)
    first = sign_in(store, code)
    second = sign_in(store, code, replaced=first.id)
    assert signed_in(store, first.id) is None
    assert signed_in(store, second.id) == ben
    with store.writing() as session:
        end_session(session, second.id)
        end_session(session, second.id)
    assert signed_in(store, second.id) is None


@pytest.mark.parametrize("wrong", ["", "wrong", "' OR 1=1 --"])
def test_a_wrong_code_or_id_lets_nobody_in(store: Store, manager: ManagerActions, ben: Member, wrong: str) -> None:
    sign_in(store, manager.invite(ben.id))
    with pytest.raises(RightsError, match="not valid"):
        sign_in(store, wrong)
    assert signed_in(store, wrong) is None


def test_who_guesses_waits_longer_each_time_and_nobody_else_does() -> None:
    delay = GuessDelay(seconds=1000)
    waits = [delay.after_wrong("there") for _ in range(12)]
    assert waits[:6] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
    assert set(waits[6:]) == {8.0}
    assert delay.after_wrong("here") == 0.25


def test_wrong_codes_are_forgotten() -> None:
    delay = GuessDelay(seconds=-1)
    assert [delay.after_wrong("here") for _ in range(5)] == [0.25] * 5
