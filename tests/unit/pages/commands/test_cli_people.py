"""People are listed, changed, imported and assigned from the terminal."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from annotations.campaigns.assignment import CampaignPeople, load_assignment
from annotations.exchange.api_reads import ApiReads
from annotations.people.people import Role
from annotations.people.sign_in import member_by_code
from annotations.store.database import read_session
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.errors import TouchstoneError
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.command_line import run


def test_a_manager_at_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'people.db'}"
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    (tmp_path / "people.csv").write_text("name,role,groups\nJo,annotator,A\nKit,adjudicator,\n")
    printed = run("people", "import", tmp_path / "people.csv", "--server", "https://lab.example/").stdout
    jo, kit = (line.split("\t") for line in printed.splitlines())
    assert (jo[0], kit[0]) == ("Jo", "Kit")
    with closing(Store.open(url)) as store:
        with read_session(store.engine) as session:
            person = member_by_code(session, jo[1].removeprefix("https://lab.example/?invite="))
        assert person.name == "Jo"
        campaign = make_campaign(store, items=1).campaign
    assert run("people", "change", "Jo", "--rename", "Jo Marsh", "--role", "researcher", "--no-active").exit_code == 0
    assert run("people").stdout.splitlines() == ["Jo Marsh\tresearcher\tA\tnot active", "Kit\tadjudicator"]
    assert [line.split("\t")[0] for line in run("people", "links").stdout.splitlines()] == ["Kit"]
    assert "Boats is for Kit, A." in run("people", "assign", "Kit", "--group", "A", "--campaign", "Boats").stderr
    with closing(Store.open(url)) as store, read_session(store.engine) as session:
        [kit_id] = load_assignment(session, campaign.id).people
        assert load_assignment(session, campaign.id) == CampaignPeople((kit_id,), ("A",))
    for wrong in (["change", "Jo"], ["change"], ["import", tmp_path / "none.csv"], ["assign", "--campaign", "Ships"]):
        assert isinstance(run("people", *wrong).exception, TouchstoneError), wrong


def test_tokens_at_the_terminal(database: str) -> None:
    with closing(Store.open(database)) as store:
        opened = make_campaign(store, items=1)
        opened.person("Kit", Role.MANAGER)
        opened.person("Jo")
    token = run("people", "token", "dashboard", "--owner", "Kit", "--campaign", "Boats").stdout.strip()
    with closing(Store.open(database)) as store:
        [row] = ApiReads(store, token).campaigns("", 10).rows
        assert row["name"] == "Boats"
    [line] = run("people", "token").stdout.splitlines()
    assert line.split("\t")[:3] == ["dashboard", "Kit", "Boats"]
    assert token not in line
    for wrong in (["second"], ["second", "--owner", "Jo"], ["second", "--revoke"], ["a", "b", "--owner", "Kit"]):
        assert isinstance(run("people", "token", *wrong).exception, RecordError), wrong
    assert "Nobody reads" in run("people", "token", "dashboard", "--revoke").stderr
    [line] = run("people", "token").stdout.splitlines()
    assert line.endswith("\tnot valid")
