"""Labels of another tool count in a campaign as those of people, and stay apart as imported ones."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

from annotations.campaigns.campaign import CampaignRules, CampaignSettings, NewTask, VersionContent
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.candidates import (
    candidate_from_pair,
    candidates_from_items,
    earlier_answers,
    tasks_for_candidate,
)
from annotations.management.manage import ManagerActions
from annotations.people.people import Member, Role, add_person
from annotations.store.records import PairRecord
from annotations.store.store import Store
from core.data import ImportCounts, readable_items
from core.data.datasets.generic import Generic
from core.types import Judgement, Verdict
from tests.unit.annotations.campaigns.actors import CampaignFixture, save_items

TEXT = bundled_question_sets()["label-summaries"]
VOTES = [("consistent", "consistent"), ("inconsistent", "consistent"), ("inconsistent", "")]


def own_table(folder: Path) -> Path:
    """Three summaries with a column for each of two people."""
    path = folder / "votes.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "document", "summary", "annotator_mira", "annotator_joan"])
        for number, votes in enumerate(VOTES):
            writer.writerow([f"v-{number}", f"Boat {number} took crates to the mill.", f"Raft {number} came.", *votes])
    return path


def campaign_of_file(store: Store, folder: Path, people: list[str]) -> tuple[ManagerActions, CampaignSettings]:
    tally = ImportCounts()
    items = readable_items(Generic().read(own_table(folder)), tally)
    questions = read_questions(TEXT)
    tasks = [
        task
        for candidate in candidates_from_items(items, "votes.csv")[0]
        for task in tasks_for_candidate(candidate, questions)
    ]
    with store.writing() as session:
        ada = add_person(session, "ada", Role.MANAGER)
    manager = ManagerActions(store, ada)
    content = VersionContent(TEXT, "", CampaignRules(overlap=2))
    return manager, manager.create("Votes", content, tasks, earlier=people)


def names(folder: Path) -> list[str]:
    items = readable_items(Generic().read(own_table(folder)), ImportCounts())
    return sorted({judgement.judge for item in items for judgement in item.judgements})


def test_labels_of_a_column_for_each_person_take_places_and_count_in_agreement(store: Store, tmp_path: Path) -> None:
    people = names(tmp_path)
    assert len(people) == 2
    manager, campaign = campaign_of_file(store, tmp_path, people)
    labels = manager.labels(campaign.id)
    assert len(labels) == 5
    assert {label.mode for label in labels} == {"imported"}
    assert sorted(label.person for label in labels)[0].endswith("(imported)")
    ben = AnnotatorActions(store, _annotator(store))
    opened = CampaignFixture(store, campaign)
    assert [task.left for task in opened.label(ben, 1)] == ["Raft 2 came."]
    assert opened.no_task_reason(ben) == "over"
    figures = {
        figure.slice: (figure.labels, figure.people)
        for figure in manager.agreements(campaign.id)
        if figure.question == "verdict"
    }
    assert figures["Overall"] == (6, 3)
    assert figures["Imported labels"] == (5, 2)
    assert "5 of 6 first labels were given in another tool" in manager.describe_modes(campaign.id)
    progress = manager.progress(campaign.id)
    assert (progress.answered, progress.required) == (6, 6)
    assert progress.active_s is not None
    assert [person.active_s for person in progress.people if person.name.endswith("(imported)")] == [None, None]
    table = ExportActions(store, Member("1", "Ada", Role.MANAGER)).file(campaign.id, "labels", ExportTerms())
    rows = [*csv.DictReader(io.StringIO(table.decode("utf-8-sig")))]
    assert sorted(row["mode"] for row in rows) == ["imported"] * 5 + ["unaided"]


def test_only_people_who_are_named_come_along(store: Store, tmp_path: Path) -> None:
    first, _ = names(tmp_path)
    manager, campaign = campaign_of_file(store, tmp_path, [first])
    assert {label.person for label in manager.labels(campaign.id)} == {f"{first} (imported)"}
    assert [person.active for person in manager.people() if person.name.startswith(first)] == [False]


def test_people_who_differ_elsewhere_ask_for_one_more_label(store: Store) -> None:
    _, campaign = campaign_of_votes(store, {"mira": "consistent", "joan": "inconsistent"}, overlap=2, most_overlap=3)
    assert len(CampaignFixture(store, campaign).label(AnnotatorActions(store, _annotator(store)), 2)) == 2


def test_more_labels_than_an_item_needs_are_none_of_another(store: Store) -> None:
    votes = {"mira": "consistent", "joan": "inconsistent", "eva": "consistent"}
    manager, campaign = campaign_of_votes(store, votes, overlap=1)
    progress = manager.progress(campaign.id)
    assert (progress.answered, progress.required, progress.complete, progress.remaining) == (1, 2, 1, 1)


def test_a_figure_over_several_people_is_no_person() -> None:
    pair = PairRecord("Boat 1 took crates.", *["Boat 1 took crates."] * 2, (), by="ada", source="pasted")
    judgements = tuple(
        Judgement("b-1", name, Verdict.CONSISTENT) for name in (" Majority ", "gold", "all", " ", " mira ")
    )
    candidate = replace(candidate_from_pair("b-1", pair), judgements=judgements)
    assert earlier_answers(candidate, read_questions(TEXT)) == {"mira": "consistent"}


def campaign_of_votes(store: Store, votes: dict[str, str], **rules: int) -> tuple[ManagerActions, CampaignSettings]:
    """A campaign of two summaries, of which one has earlier labels."""
    with store.writing() as session:
        ada = add_person(session, "ada", Role.MANAGER)
    tasks = [NewTask(save_items(store, 1)[0], earlier=votes), NewTask(save_items(store, 2)[0])]
    manager = ManagerActions(store, ada)
    content = VersionContent(TEXT, "", CampaignRules.model_validate(rules))
    return manager, manager.create("Votes", content, tasks, earlier=list(votes))


def _annotator(store: Store) -> Member:
    with store.writing() as session:
        return add_person(session, "ben", Role.ANNOTATOR)
