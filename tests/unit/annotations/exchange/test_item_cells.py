"""The owner's columns come out again with each label: as tables of labels and of items, and in the files of other tools."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from annotations.campaigns.campaign import NewTask
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.management.item_actions import ItemActions
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role
from annotations.store.records import PairRecord
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import CampaignFixture, campaign_rows, make_campaign

MANAGER = Member("1", "Ada", Role.MANAGER)


def file(store: Store, campaign: str, name: str) -> bytes:
    return ExportActions(store, MANAGER).file(campaign, name, ExportTerms())


def table(opened: CampaignFixture, name: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(file(opened.store, opened.campaign.id, name).decode("utf-8-sig")))]


def own_campaign(store: Store) -> CampaignFixture:
    """Three own rows by two people: agreed, disputed and decided, and one that one person labelled."""
    opened = make_campaign(store, items=0, overlap=2)
    rows = [("q-7", "lead-3", "-0.5"), ("q-8", "bart", ""), ("q-9", "bart", "-3")]
    opened.add_tasks(
        [
            NewTask(
                pair=PairRecord(f"Ship {id} came.", f"It came, {id}.", f"It came, {id}.", (), by=""),
                columns={"id": id, "system": system, "delta": delta, "task": "harbour"},
            )
            for id, system, delta in rows
        ]
    )
    answers = {
        "Benedict": {"q-7": "consistent", "q-8": "inconsistent", "q-9": "consistent"},
        "Cemile": {"q-7": "consistent", "q-8": "consistent"},
    }
    for name, own in answers.items():
        annotator = opened.annotator(name)
        for _ in own:
            work = opened.next_task(annotator)
            id = work.left.removeprefix("It came, ").removesuffix(".")
            if id not in own:  # its turn comes with the next
                opened.send(annotator, work, "skip")
                work = opened.next_task(annotator)
                id = work.left.removeprefix("It came, ").removesuffix(".")
            reason = {"reason": "No ship."} if own[id] == "inconsistent" else {}
            opened.send(annotator, work, answers={"verdict": own[id], "confidence": 3, **reason}, active_ms=1500)
    judge = AdjudicatorActions(store, opened.person("Dia", Role.ADJUDICATOR))
    [case] = judge.queue(opened.campaign.id).open
    shown = judge.task(opened.campaign.id, case.task)
    decision = {"verdict": "inconsistent", "confidence": 5, "reason": "No ship."}
    judge.save_decision(
        opened.campaign.id, SentDecision(case.task, decision, DisagreementCause.SLIP, shown.responses, "d1")
    )
    return opened


def test_the_table_of_labels_has_own_columns_texts_answers_and_seconds(store: Store) -> None:
    rows = table(own_campaign(store), "labels")
    assert list(rows[0])[:7] == ["item_id", "id", "system", "delta", "task", "document", "summary"]
    assert {(row["id"], row["system"], row["delta"], row["task"]) for row in rows} == {
        ("q-7", "lead-3", "-0.5", "harbour"),
        ("q-8", "bart", "", "harbour"),
        ("q-9", "bart", "-3", "harbour"),
    }
    assert sorted((row["id"], row["answer.verdict"]) for row in rows) == [
        ("q-7", "consistent"),
        ("q-7", "consistent"),
        ("q-8", "consistent"),
        ("q-8", "inconsistent"),
        ("q-9", "consistent"),
    ]
    assert {row["seconds"] for row in rows} == {"1.5"}
    assert {row["version"] for row in rows} == {"1"}
    assert all(row["document"] == f"Ship {row['id']} came." for row in rows)
    assert {row["touchstone.task"] for row in rows} == {"1", "2", "3"}  # the owner's column of the name goes first
    assert not any("Benedict" in cell for row in rows for cell in row.values())


def test_the_table_of_items_says_how_each_was_decided_by_a_column_a_person(store: Store) -> None:
    opened = own_campaign(store)
    rows = {row["id"]: row for row in table(opened, "items")}
    assert {id: (row["decided.verdict"], row["decision"]) for id, row in rows.items()} == {
        "q-7": ("consistent", "unanimous"),
        "q-8": ("inconsistent", "adjudicated"),
        "q-9": ("consistent", "of one person"),
    }
    people = [name for name in rows["q-7"] if name.startswith("p-")]
    assert sorted(rows["q-8"][name] for name in people) == ["consistent", "inconsistent"]
    assert sorted(rows["q-9"][name] for name in people) == ["", "consistent"]


def test_an_item_that_nobody_labelled_is_in_the_table_too(store: Store) -> None:
    opened = make_campaign(store, items=2)
    opened.label(opened.annotator("ben"), 1)
    assert sorted(row["decision"] for row in table(opened, "items")) == ["not labelled", "of one person"]


def test_both_texts_of_a_pair_are_there(store: Store) -> None:
    opened = make_campaign(store, "label-pairs", items=1)
    opened.label(opened.annotator("ben"), 1)
    [row] = table(opened, "labels")
    assert (row["original"], row["summary"]) == ("Boat 0 took crates.", "Raft 0 took crates.")


def test_other_formats_have_the_own_columns_with_each_label(store: Store) -> None:
    opened = own_campaign(store)
    ids = {"q-7", "q-8", "q-9"}
    labels: list[dict[str, Any]] = [
        row for row in campaign_rows(store, opened.campaign.id) if row["kind"] == "label" and row["act"] == "answer"
    ]
    assert {row["columns"]["id"] for row in labels} == ids
    assert {row["id"] for row in table(opened, "csv") if row["kind"] == "label"} == ids
    with zipfile.ZipFile(io.BytesIO(file(store, opened.campaign.id, "hf-dataset"))) as archive:
        parquet = pq.read_table(io.BytesIO(archive.read("labels.parquet"))).to_pylist()
        card = archive.read("README.md").decode()
    assert {(row["id"], row["own.task"]) for row in parquet} == {(id, "harbour") for id in ids}
    assert "`own.task`" in card
    with zipfile.ZipFile(io.BytesIO(file(store, opened.campaign.id, "label-studio"))) as archive:
        tasks = json.loads(archive.read("tasks.json"))
    assert {task["data"]["id"] for task in tasks} == ids


def test_own_columns_survive_export_and_import(store: Store, tmp_path: Path) -> None:
    opened = own_campaign(store)
    lines = file(store, opened.campaign.id, "jsonl").decode().splitlines()
    with closing(Store.open(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        again = CampaignFixture(other, import_campaign(other, lines))
        before, after = table(opened, "labels"), table(again, "labels")
    assert [(row["id"], row["delta"], row["answer.verdict"]) for row in after] == [
        (row["id"], row["delta"], row["answer.verdict"]) for row in before
    ]


def test_a_withdrawn_item_says_why_in_both_tables_and_in_the_archive_which_brings_it_back(
    store: Store, tmp_path: Path
) -> None:
    opened = own_campaign(store)
    items = ItemActions(store, MANAGER)
    [task] = [
        row.task for row in ManagerActions(store, MANAGER).tasks(opened.campaign.id) if row.columns["id"] == "q-7"
    ]
    items.withdraw(opened.campaign.id, [task], "It is not ours.")
    decisions = {row["id"]: (row["decision"], row["withdrawn"], row["labels"]) for row in table(opened, "items")}
    assert decisions["q-7"] == ("withdrawn", "It is not ours.", "0")
    assert decisions["q-9"] == ("of one person", "", "1")
    labels = [(row["counts"], row["withdrawn"]) for row in table(opened, "labels") if row["id"] == "q-7"]
    assert labels == [("no", "It is not ours.")] * 2
    archive = file(store, opened.campaign.id, "jsonl").decode().splitlines()
    with closing(Store.open(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        again = CampaignFixture(other, import_campaign(other, archive))
        assert decisions == {
            row["id"]: (row["decision"], row["withdrawn"], row["labels"]) for row in table(again, "items")
        }
        assert again.next_task(again.annotator("Dia")).left != "It came, q-7."
