"""Tokens of programs in the store: made for managers, kept as hashes, revoked."""

from __future__ import annotations

import pytest
from sqlmodel import select

from annotations.exchange.api_reads import ApiReads
from annotations.management.manage import ManagerActions
from annotations.people.people import Role
from annotations.people.tokens import WrongTokenError, use_token
from annotations.store.database import read_session
from annotations.store.people_tables import ApiToken
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import make_campaign


def test_a_token_is_kept_as_a_hash_and_reads_until_it_is_revoked(store: Store) -> None:
    opened = make_campaign(store, items=3)
    opened.label(opened.annotator("ben"), 3)
    manager = ManagerActions(store, opened.person("boss", Role.MANAGER))
    token = manager.create_token("dashboard", campaigns=[opened.campaign.id])
    with read_session(store.engine) as session:
        [row] = session.exec(select(ApiToken)).all()
    assert token not in str(row.model_dump())
    reads = ApiReads(store, token)
    first = reads.labels(opened.campaign.id, "", 2)
    rest = reads.labels(opened.campaign.id, str(first.next), 2)
    assert [len(first.rows), len(rest.rows), rest.next] == [2, 1, None]
    assert len(reads.items(opened.campaign.id, "1", 1000).rows) == 2
    assert reads.progress(opened.campaign.id)["complete"] == 3
    [listed] = manager.tokens()
    assert (listed.name, listed.owner, listed.campaigns, listed.valid) == ("dashboard", "boss", ("Boats",), True)
    assert listed.used_at
    for _ in range(2):
        manager.revoke_token(listed.id)
    with pytest.raises(WrongTokenError):
        use_token(store, token)
    manager.create_token("dashboard")  # the name is free again


def test_a_token_needs_a_name_of_its_own_a_manager_and_campaigns_that_are_there(store: Store) -> None:
    opened = make_campaign(store, items=1)
    manager, ben = ManagerActions(store, opened.person("boss", Role.MANAGER)), opened.person("ben")
    manager.create_token("dashboard")
    for wrong in (
        {"name": " "},
        {"name": "dashboard"},
        {"name": "x" * 301},
        {"name": "b", "owner_id": ben.id},
        {"name": "c", "owner_id": "nobody"},
        {"name": "d", "campaigns": ["none"]},
    ):
        with pytest.raises(RecordError):
            manager.create_token(**wrong)  # type: ignore[arg-type]
    with pytest.raises(RecordError):
        manager.revoke_token("none")
    assert len(manager.tokens()) == 1
