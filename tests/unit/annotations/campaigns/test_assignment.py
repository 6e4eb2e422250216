"""Who sees which campaign, and what remains when people change."""

from __future__ import annotations

import pytest

from annotations.campaigns.assignment import CampaignPeople
from annotations.campaigns.campaign import NewTask
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.manage import ManagerActions, local_member
from annotations.people.people import Member, Role, find_person, read_people
from annotations.people.sign_in import (
    SessionEndedError,
    WrongCodeError,
    create_invite,
    member_by_code,
    member_by_session,
    start_session,
)
from annotations.store.database import read_session
from annotations.store.records import RecordError, RightsError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign, save_items


def boss(store: Store) -> ManagerActions:
    return ManagerActions(store, Member("0", "ada", Role.MANAGER))


def shown(store: Store, person: Member) -> list[str]:
    return [campaign.name for campaign in AnnotatorActions(store, person).campaigns()]


def test_a_campaign_for_some_is_there_for_nobody_else(store: Store) -> None:
    opened, manager = make_campaign(store), boss(store)
    ben, cem, dia = (opened.person(name) for name in ("ben", "cem", "dia"))
    assert [shown(store, one) for one in (ben, cem, dia)] == [["Boats"]] * 3
    manager.change_person(cem, ["Harbour team"])
    manager.assign(opened.campaign.id, CampaignPeople((ben.id,), ("Harbour team",)))
    assert [shown(store, one) for one in (ben, cem, dia)] == [["Boats"], ["Boats"], []]
    stranger, id = AnnotatorActions(store, dia), opened.campaign.id
    for attempt in (stranger.next, stranger.progress, lambda id: stranger.previous(id, 9)):
        with pytest.raises(RightsError, match="not assigned"):
            attempt(id)
    assert shown(store, opened.person("ada", Role.MANAGER)) == ["Boats"]
    manager.assign(opened.campaign.id, CampaignPeople())
    assert shown(store, dia) == ["Boats"]


def test_who_leaves_a_group_leaves_its_campaigns_and_an_open_item_can_still_be_answered(store: Store) -> None:
    opened, manager = make_campaign(store), boss(store)
    cem = opened.person("cem")
    manager.change_person(cem, ["Harbour team"])
    manager.assign(opened.campaign.id, CampaignPeople(groups=("Harbour team",)))
    annotator = AnnotatorActions(store, cem)
    work = opened.next_task(annotator)
    manager.change_person(cem, [])
    assert opened.send(annotator, work).counts
    with pytest.raises(RightsError):
        annotator.next(opened.campaign.id)
    with pytest.raises(RecordError, match="no person or group 'Nobody'"):
        manager.assign(opened.campaign.id, CampaignPeople(groups=("Nobody",)))
    assert [one.name for one in manager.progress(opened.campaign.id).people] == ["cem"]


def test_who_does_not_take_part_is_signed_out_and_let_in_by_no_way(store: Store) -> None:
    opened, manager = make_campaign(store), boss(store)
    ben = opened.person("ben")
    with store.writing() as session:
        code = create_invite(session, ben.id, "ada")
        started = start_session(session, code)
    gone = manager.change_person(Member(ben.id, "ben", Role.ANNOTATOR, active=False), [])
    with read_session(store.engine) as session:
        with pytest.raises(SessionEndedError, match="do not take part any more"):
            member_by_session(session, started.id)
        with pytest.raises(WrongCodeError):
            member_by_code(session, code)
    with pytest.raises(RecordError, match="Activate them first"):
        manager.invite(gone.id)
    manager.change_person(ben, [])
    with read_session(store.engine) as session:
        assert member_by_session(session, started.id) == ben


def test_a_person_with_a_new_name_and_role_keeps_what_is_theirs(store: Store) -> None:
    opened = make_campaign(store, items=0, overlap=3)
    ben, manager = opened.person("ben"), boss(store)
    opened.add_tasks([NewTask(save_items(store, 1, by="ben")[0]), NewTask(save_items(store, 2)[0])])
    eve = manager.change_person(Member(ben.id, "eve", Role.ADJUDICATOR), ["B", " A "])
    assert (eve, manager.groups()) == (find(store, "eve"), {ben.id: ("A", "B")})
    annotator = AnnotatorActions(store, eve)
    assert "Boat 2" in opened.label(annotator, 1)[0].document
    assert opened.no_task_reason(annotator) == "over"  # the other one is of their own making, by their former name
    rows = str([*campaign_rows(store, opened.campaign.id)])
    assert "'ben'" not in rows
    assert "'eve'" not in rows
    for other in ("ben", "eve"):
        with pytest.raises(RecordError, match="called"):
            manager.add_person(other, Role.ANNOTATOR)
    manager.change_person(ben, [])
    assert local_member(store, "eve").id == ben.id


def find(store: Store, name: str) -> Member | None:
    with read_session(store.engine) as session:
        return find_person(session, name)


def test_the_last_manager_stays(store: Store) -> None:
    opened, manager = CampaignFixture(store, make_campaign(store).campaign), boss(store)
    ada = opened.person("ada", Role.MANAGER)
    for changed in (Member(ada.id, "ada", Role.ANNOTATOR), Member(ada.id, "ada", Role.MANAGER, active=False)):
        with pytest.raises(RecordError, match="the only manager"):
            manager.change_person(changed, [])
    opened.person("bea", Role.MANAGER)
    assert manager.change_person(Member(ada.id, "ada", Role.ANNOTATOR), []).role is Role.ANNOTATOR


@pytest.mark.parametrize(
    "content",
    [
        b"name,role,groups\nJo Marsh,Annotator,A|B\nKit,,\n\n",
        "\ufeffName;Role;Groups\r\nJo Marsh;annotator;A | B\r\nKit;;\r\n".encode(),
        "email\trole\tgroup\nJo Marsh\tANNOTATOR\tA|B\nKit\n".encode("utf-16"),
    ],
)
def test_a_list_is_read_as_spreadsheets_write_it(store: Store, content: bytes) -> None:
    listed, manager = read_people(content), boss(store)
    assert [(one.name, one.role, one.groups) for one in listed] == [
        ("Jo Marsh", Role.ANNOTATOR, ("A", "B")),
        ("Kit", Role.ANNOTATOR, ()),
    ]
    kit = manager.add_person("Kit", Role.ADJUDICATOR)
    new = manager.import_people(listed)
    assert [person.name for person, _ in new] == ["Jo Marsh"]
    assert manager.groups() == {new[0][0].id: ("A", "B")}
    assert find(store, "Kit") == kit
    with read_session(store.engine) as session:
        assert member_by_code(session, new[0][1]).name == "Jo Marsh"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "no column 'name'"),
        (b"who\nJo\n", "no column 'name'"),
        (b"name,role\nJo,boss\n,annotator\n", "2: no role is called 'boss'.*3: no name"),
        (b"name\nJo\nJo\n", "2: 'Jo' comes twice"),
        (b"name\nJ\xff\n", "no UTF-8 text at byte 7"),
    ],
)
def test_a_list_that_cannot_be_used_adds_nobody(content: bytes, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        read_people(content)
