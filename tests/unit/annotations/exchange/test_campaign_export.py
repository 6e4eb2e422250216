"""A campaign in long form, and the same campaign in another database."""

from __future__ import annotations

import codecs
import csv
import io
import json
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, select

from annotations.campaigns.campaign import CampaignSettings, NewTask, VersionContent, add_version, load_campaign
from annotations.campaigns.questions import bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.campaigns.withdrawals import load_withdrawals
from annotations.exchange import campaign_import
from annotations.exchange.campaign_export import find_campaign_id
from annotations.exchange.campaign_files import campaign_lines, is_campaign_file, one_way_export
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.export import to_jsonl
from annotations.exchange.export_format import EXPORT_FORMATS, ExportActions, ExportTerms, open_export
from annotations.exchange.samples import load_samples
from annotations.labelling.crowd import SessionRow
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.management.campaign_progress import CampaignProgress, compute_progress
from annotations.management.comments import AnnotatorComments, ManagerComments, SentComment
from annotations.management.item_actions import ItemActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role, load_people, member_of
from annotations.results.curation import CuratorActions
from annotations.results.label_agreement import LabelAgreement, compute_agreements
from annotations.results.progress_counts import count_changed
from annotations.results.results import load_cases
from annotations.store.campaign_tables import Task
from annotations.store.database import read_session
from annotations.store.dataset_import import DatasetSource
from annotations.store.people_tables import Person
from annotations.store.records import RecordError, RightsError, StoreError
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store
from annotations.store.tables import ItemRow as ItemRow
from core.text.edits import recover, to_records
from core.types import ErrorType, Example, Item
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign, save_items

PEOPLE = ("Benedict", "Cemile", "Diarmuid")
KNOWN = {"unfaithful": "right"}


def answer(opened: CampaignFixture, annotator: AnnotatorActions, wrong: str, why: str = "It was a boat.") -> None:
    """Say which side is a raft: rightly, or not where the number of the boat begins with one of `wrong`."""
    work = opened.next_task(annotator)
    side = "left" if work.left.startswith("Raft") else "right"
    if work.document[5] in wrong:
        side = {"left": "right", "right": "left"}[side]
    opened.send(annotator, work, answers={"unfaithful": side, "error_type": "Intrinsic Entity", "explanation": why})


def comment_on(opened: CampaignFixture, flagged: ShownTask) -> None:
    """Benedict comments on the flag of Cemile as a manager, answers among managers and resolves it."""
    manager = ManagerComments(opened.store, Member("", PEOPLE[0], Role.MANAGER))
    with read_session(opened.store.engine) as session:
        cem = session.exec(select(Person).where(Person.name == PEOPLE[1])).one()
    AnnotatorComments(opened.store, member_of(cem)).send(flagged.reservation, "Is it cut off?", "c1")
    [waiting] = manager.conversations(opened.campaign.id)
    for number, whose in enumerate((cem.id, None), start=2):
        manager.send(opened.campaign.id, SentComment(waiting.task, whose, "=It is.", f"c{number}"))
    manager.resolve(opened.campaign.id, waiting.flags[0].response, "Left as it is.", "f1")


def full(store: Store) -> CampaignFixture:
    """Pairs with everything that can happen to them: gold, qualification, repeats, changed minds, undos, decisions."""
    opened = make_campaign(
        store, "label-pairs", items=14, overlap=2, pass_right=1, repeat_every=4, gold_every=6, apart=0
    )
    opened.add_tasks([NewTask(id, "qualification", key=KNOWN, feedback="A boat.") for id in save_items(store, 70)])
    opened.add_tasks([NewTask(id, "gold", key=KNOWN) for id in save_items(store, 80)])
    ben, cem = (opened.annotator(name) for name in PEOPLE[:2])
    while isinstance(ben.next(opened.campaign.id), ShownTask):
        answer(opened, ben, wrong="0123")
    wording = VersionContent(bundled_question_sets()["label-pairs"], "Read twice.", opened.campaign.rules)
    with store.writing() as session:
        add_version(session, opened.campaign.id, PEOPLE[0], wording)
    for _ in range(12):
        answer(opened, cem, wrong="", why='=HYPERLINK("x")')
    flagged = opened.next_task(cem)
    opened.send(cem, flagged, "flag")
    comment_on(opened, flagged)
    last = ben.previous(opened.campaign.id, 10**6)
    assert last is not None
    opened.send(ben, last, "undo")
    answer(opened, ben, wrong="")
    opened.next_task(cem)  # one in hand
    judge = AdjudicatorActions(store, opened.person(PEOPLE[2], Role.ADJUDICATOR))
    task = judge.queue(opened.campaign.id).open[0].task
    shown = judge.task(opened.campaign.id, task)
    judge.save_decision(
        opened.campaign.id, SentDecision(task, shown.answers[0], DisagreementCause.EDGE_CASE, shown.responses, "d1")
    )
    return opened


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CampaignFixture]:
    """Such a campaign, only to be read."""
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('source') / 'touchstone.db'}")
    yield full(store)
    store.close()


@pytest.fixture(scope="module")
def exported(source: CampaignFixture) -> list[str]:
    return lines(source.store)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """A second, empty database."""
    store = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    yield store
    store.close()


def lines(store: Store, name: str = "Boats") -> list[str]:
    return list(to_jsonl(campaign_rows(store, find_campaign_id(store, name))))


def of_kind(exported: list[str], kind: str) -> list[dict[str, Any]]:
    return [row for row in map(json.loads, exported) if row["kind"] == kind]


def pseudonyms(session: Session) -> dict[str, str]:
    return {member.name: session.get_one(Person, member.id).pseudonym for member in load_people(session)}


def figures(store: Store, campaign: CampaignSettings) -> tuple[CampaignProgress, list[LabelAgreement], list[object]]:
    """Progress, agreement and final labels, with pseudonyms for names."""
    count_changed(store, campaign.id)
    with read_session(store.engine) as session:
        pseudonym_of = pseudonyms(session)
        going = replace(compute_progress(session, campaign), finish_at=None)  # counted from the moment of the call
        people = tuple(
            sorted((replace(one, name=pseudonym_of[one.name]) for one in going.people), key=lambda one: one.name)
        )
        agreed = [
            replace(
                one,
                kappas={frozenset(pseudonym_of[name] for name in pair): kappa for pair, kappa in one.kappas.items()},
                confusions={
                    frozenset(pseudonym_of[name] for name in pair): {
                        frozenset(zip((pseudonym_of[name] for name in pair), answers, strict=True)): number
                        for answers, number in table.items()
                    }
                    for pair, table in one.confusions.items()
                },
            )  # type: ignore[misc]  # two names have no order here
            for one in compute_agreements(session, campaign)
        ]
        settled = [
            (one.labels[0].item, one.provenance, one.answers, one.agreement) for one in load_cases(session, campaign)
        ]
    return replace(going, people=people), agreed, list(settled)


@pytest.mark.slow
def test_every_revision_says_who_when_how_and_where_its_label_comes_from(exported: list[str]) -> None:
    labels = of_kind(exported, "label")
    assert {row["act"] for row in labels} == {"answer", "flag", "undo"}
    first = labels[0]
    assert first["person"].startswith("p-")
    assert first["created_at"].endswith("Z") or first["created_at"].endswith("+00:00")
    assert {row["version"] for row in labels} == {1, 2}
    assert {row["swapped"] for row in labels} == {True, False}
    assert [row["order"] for row in labels if row["person"] == first["person"] and row["act"] == "answer"][:6] == [
        *range(1, 7)
    ]
    assert all(row["active_ms"] >= 0 and row["wall_ms"] >= 0 for row in labels)
    of_work = {row["provenance"] for row in labels if row["part"] == "work" and row["act"] == "answer"}
    assert {"unanimous", "adjudicated", "single"} <= of_work
    assert {row["provenance"] for row in labels if row["part"] != "work"} == {None}


def test_exported_answers_have_the_original_on_the_left(exported: list[str]) -> None:
    right = [row for row in of_kind(exported, "label") if row["part"] == "qualification"]
    assert {row["answers"]["unfaithful"] for row in right} == {"right"}


def test_an_exported_decision_names_its_labels(exported: list[str]) -> None:
    [decision] = of_kind(exported, "decision")
    settled = [row for row in of_kind(exported, "label") if row["event_id"] in decision["settles"]]
    assert len(settled) == 2
    assert {row["task"] for row in settled} == {decision["task"]}
    assert decision["cause"] == "real edge case"


def test_comments_and_resolved_flags_are_exported_by_pseudonym_with_what_they_are_about(exported: list[str]) -> None:
    [flag] = [row for row in of_kind(exported, "label") if row["act"] == "flag"]
    first, answer, among_managers = of_kind(exported, "comment")
    assert {row["task"] for row in (first, answer, among_managers)} == {flag["task"]}
    assert (first["role"], first["person"], first["annotator"]) == ("annotator", flag["person"], flag["person"])
    assert (answer["role"], answer["annotator"], among_managers["annotator"]) == ("manager", flag["person"], None)
    [resolution] = of_kind(exported, "resolution")
    assert (resolution["label"], resolution["note"]) == (flag["event_id"], "Left as it is.")


def test_no_name_of_a_person_is_in_an_export(exported: list[str]) -> None:
    assert not [name for name in PEOPLE if name in "".join(exported)]


def test_people_keep_their_pseudonyms(source: CampaignFixture, exported: list[str]) -> None:
    assert lines(source.store) == exported
    with read_session(source.store.engine) as session:
        known = set(pseudonyms(session).values())
    assert {row["person"] for row in of_kind(exported, "person")} <= known


def test_a_campaign_moves_between_databases_with_equal_statistics(store: Store, other: Store) -> None:
    opened = full(store)
    with read_session(store.engine) as session:
        original = load_campaign(session, opened.campaign.id)
    imported = import_campaign(other, lines(store))
    assert (imported.name, imported.version, imported.guidelines) == (original.name, 2, "Read twice.")
    assert figures(other, imported) == figures(store, original)
    assert lines(other) == lines(store)


def test_a_withdrawn_item_stays_withdrawn_in_another_database(store: Store, other: Store) -> None:
    opened = make_campaign(store, items=3, overlap=2)
    ada = opened.person("ada", Role.MANAGER)
    manager, items = ManagerActions(store, ada), ItemActions(store, ada)
    opened.label(opened.annotator("ben"), 3)
    first, second, third = (row.task for row in manager.tasks(opened.campaign.id))
    items.withdraw(opened.campaign.id, [first], "Cut off.")
    items.bring_back(opened.campaign.id, [first], "It is whole.")
    items.correct(opened.campaign.id, second, ("Boat 9 took crates.", "", "Boat 9 took them."), "A typing error.")
    items.withdraw(opened.campaign.id, [third], "Cut off.")
    imported = CampaignFixture(other, import_campaign(other, lines(store)), opened.events)
    there = ManagerActions(other, Member("", "eva", Role.MANAGER))
    rows = there.tasks(imported.campaign.id)
    assert [row.withdrawn for row in rows] == ["", "A typing error.", "Cut off.", ""]
    with read_session(other.engine) as session:
        withdrawn = load_withdrawals(session, imported.campaign.id)
    assert [withdrawn[rows[place].task].replaced_by for place in (1, 2)] == [rows[3].task, None]
    assert sorted(label.counts for label in there.labels(imported.campaign.id)) == [False, False, True]
    had = {task.left for task in imported.label(imported.annotator("cem"), 2)}
    assert had == {rows[0].summary, rows[3].summary}


def test_an_import_is_worth_as_much_as_the_original(store: Store, source: CampaignFixture, exported: list[str]) -> None:
    imported = import_campaign(store, exported)
    assert figures(store, imported) == figures(source.store, replace(source.campaign, version=2))
    assert lines(store) == exported


def test_a_campaign_whose_labels_cannot_be_counted_now_is_imported(
    store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock(*_: object) -> None:
        raise StoreError("The database is locked.")

    opened = full(store)
    with monkeypatch.context() as patch:
        patch.setattr(campaign_import, "count_changed", lock)
        imported = import_campaign(other, lines(store))
    with read_session(store.engine) as session:
        original = load_campaign(session, opened.campaign.id)
    assert figures(other, imported) == figures(store, original)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_every_row_comes_back_from_a_file_of_each_form(store: Store, other: Store, tmp_path: Path, form: str) -> None:
    opened = full(store)
    file = tmp_path / "campaign.file"
    content = ExportActions(store, Member("", PEOPLE[0], Role.MANAGER)).file(opened.campaign.id, form, ExportTerms())
    file.write_bytes(content)
    assert content.startswith(codecs.BOM_UTF8) == (form == "csv")
    assert is_campaign_file(file)
    import_campaign(other, campaign_lines(file))
    assert lines(other) == lines(store)


@pytest.mark.parametrize("form", ["crowd-sessions", "data-statement"])
def test_an_export_without_texts_names_the_file_that_comes_back(store: Store, tmp_path: Path, form: str) -> None:
    opened = full(store)
    file = tmp_path / "campaign.file"
    if form == "crowd-sessions":  # of a campaign without participants there is none
        file.write_text(",".join(field.name for field in fields(SessionRow)) + "\n", encoding="utf-8")
    else:
        manager = Member("", PEOPLE[0], Role.MANAGER)
        file.write_bytes(ExportActions(store, manager).file(opened.campaign.id, form, ExportTerms()))
    assert not is_campaign_file(file)
    assert "comes back whole: `export --campaign NAME" in one_way_export(file)


def test_a_file_that_is_no_campaign_is_none(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("document,summary,label\nA boat.,A raft.,0\n", encoding="utf-8")
    assert not is_campaign_file(file)
    assert not one_way_export(file)


def test_work_goes_on_in_an_imported_campaign(store: Store, exported: list[str]) -> None:
    again = CampaignFixture(store, import_campaign(store, exported), count(1000))
    annotator = again.annotator("Eva")
    answer(again, annotator, wrong="")
    assert annotator.progress(again.campaign.id).answered == 1


def test_a_campaign_is_not_imported_twice(store: Store, exported: list[str]) -> None:
    import_campaign(store, exported)
    with pytest.raises(RecordError, match="a campaign called 'Boats' already"):
        import_campaign(store, exported)
    with pytest.raises(RecordError, match="are in this database already"):
        import_campaign(store, exported, "Boats again")
    assert store.counts()["campaign"] == 1


Harm = Callable[[list[str]], list[str]]


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda lines: [*lines, lines[-1][:20]], "Line [0-9]+ is no row of a campaign.*Nothing was imported"),
        (lambda lines: [*lines, '{"kind": "person", "person": 7, "role": "king"}'], "person.person: Input should be"),
        (lambda lines: [line for line in lines if '"kind": "task"' not in line], "names task [0-9]+, which is not in"),
        (lambda lines: [line.replace("Raft 1 took", "Raft 1 gave") for line in lines], "is not what it was"),
        (lambda lines: [line for line in lines if '"kind": "version"' not in line], "no export of one campaign"),
        (lambda lines: lines * 2, "no export of one campaign"),
        (lambda lines: [line.replace("crates", "\\u0000") for line in lines], "is no row of a campaign"),
    ],
)
def test_a_file_that_is_no_whole_export_leaves_nothing(other: Store, exported: list[str], harm: Harm, why: str) -> None:
    with pytest.raises(RecordError, match=why):
        import_campaign(other, harm(exported))
    assert not other.counts()["campaign"]
    assert not other.counts()["document"]


def test_what_was_judged_written_and_corrected_moves_too(store: Store, other: Store) -> None:
    opened = make_campaign(store, "write-typed", items=0)
    opened.add_tasks(
        [NewTask(id, asked={"error_type": "Intrinsic Entity"}) for id in save_items(store, 1, by="Adalbert")]
    )
    ben = opened.annotator("Benedict")
    work = opened.next_task(ben)
    records = to_records(work.left, recover(work.left, work.left.replace("took", "sold")))
    opened.send(ben, work, answers={"possible": "yes", "edit": records, "explanation": "It took them."})
    curator = CuratorActions(store, opened.person("Diarmuid", Role.ADJUDICATOR))
    [response] = curator.edits(opened.campaign.id)
    curator.correct(opened.campaign.id, response, ErrorType.EXTRINSIC_PREDICATE, "c1")

    imported = import_campaign(other, lines(store))
    with other.writing() as session:
        found = CuratorActions(other, replace(load_people(session)[0], name="Eva", role=Role.ADJUDICATOR))
    [moved] = [found.task(imported.id, response) for response in found.edits(imported.id)]
    assert (moved.required, moved.corrected_type) == ("Intrinsic Entity", ErrorType.EXTRINSIC_PREDICATE)
    assert moved.pair.edited == "Raft 1 sold crates."
    assert other.counts()["origin"] == store.counts()["origin"]


def test_a_table_has_a_column_for_each_question_and_executes_nothing(source: CampaignFixture) -> None:
    manager = Member("1", "Ada", Role.MANAGER)
    text = ExportActions(source.store, manager).file(source.campaign.id, "csv", ExportTerms()).decode("utf-8-sig")
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    labels = [row for row in table if row["kind"] == "label" and row["act"] == "answer"]
    assert {row["answer.unfaithful"] for row in labels} <= {"left", "right"}
    assert '\'=HYPERLINK("x")' in {row["answer.explanation"] for row in labels}
    assert json.loads(labels[0]["answers"])["error_type"] == labels[0]["answer.error_type"]
    cells = [cell for row in table for cell in row.values() if cell]
    assert not [cell for cell in cells if cell[0] in "=+@\t\r"]


def test_only_a_manager_may_export(source: CampaignFixture) -> None:
    for role in (Role.ANNOTATOR, Role.ADJUDICATOR, Role.RESEARCHER):
        with pytest.raises(RightsError, match="may not manage"):
            ExportActions(source.store, Member("1", "Ada", role))


def test_an_unknown_campaign_is_named_with_those_there_are(source: CampaignFixture) -> None:
    with pytest.raises(RecordError, match=r"No campaign is called 'Ships'. There are: Boats"):
        find_campaign_id(source.store, "Ships")


@pytest.mark.slow
def test_agreement_by_error_type_moves_with_items_of_a_dataset(store: Store, other: Store) -> None:
    """The dataset itself stays where it is."""
    item = Item(
        Example("a", "Boat 1 took 1 crates to the mill.", "Raft 1 took crates."), error_type=ErrorType.COREFERENCE
    )
    store.import_dataset(DatasetSource("boats", "blocks", "boats.txt", "0"), [item], dict)
    opened = make_campaign(store, items=0, overlap=2)
    stored = next(sample.stored for sample in load_samples(store, "boats"))
    opened.add_tasks([NewTask(stored)])
    for name in PEOPLE[:2]:
        opened.label(opened.annotator(name), 1)
    imported = import_campaign(other, lines(store))
    assert {one.slice for one in figures(other, imported)[1]} == {"Overall", "Coreference"}
    assert figures(other, imported) == figures(store, opened.campaign)
    assert lines(other) == lines(store)


def add_labels(opened: CampaignFixture, numbers: range) -> None:
    """Tasks with these numbers, each on an item of its own, labelled by whoever labelled one."""
    campaign, shared = opened.campaign.id, {"created_at": datetime(2026, 11, 2, tzinfo=UTC)}
    with opened.store.writing() as session:
        reservation = session.exec(select(Reservation).where(Reservation.number == 1)).one().model_dump()
        response = session.exec(select(Response)).first()
        document = session.exec(select(ItemRow.document_id)).first() or ""
        assert response
        given = response.model_dump(exclude={"id"})
        ids = {number: f"more{number:05}" for number in numbers}
        places = {id: {"group": id, "position": number, "shuffle": number} for number, id in ids.items()}
        rows: tuple[list[Any], ...] = (
            [ItemRow(id=id, document_id=document, text=f"Boat {id}.", **shared) for id in places],
            [Task(id=id, campaign_id=campaign, part="work", item_id=id, **at, **shared) for id, at in places.items()],
            [Reservation(**reservation | {"id": n, "task_id": id, "number": n}) for n, id in ids.items()],
            [Response(**given | {"reservation_id": n, "event_id": id, "number": n}) for n, id in ids.items()],
        )
        for of_table in rows:
            session.add_all(of_table)
            session.flush()


def peak_of_export(opened: CampaignFixture) -> int:
    """The most bytes that objects of Python take while a campaign is written as JSONL, line by line."""
    with open_export(opened.store, opened.campaign.id, ExportTerms()) as export:
        tracemalloc.start()
        lines = sum(1 for _ in EXPORT_FORMATS.get("jsonl")().content(export))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert lines > 1000
    return peak


@pytest.mark.slow
def test_an_export_takes_as_much_memory_for_three_times_the_labels(store: Store) -> None:
    opened = make_campaign(store, items=1)
    opened.label(opened.annotator("ben"), 1)
    add_labels(opened, range(1000, 2500))
    few = peak_of_export(opened)
    add_labels(opened, range(3000, 6000))
    assert peak_of_export(opened) < 1.15 * few
