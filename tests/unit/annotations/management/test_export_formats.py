"""A campaign as files of other tools: what is in them, and that our own importer and pyarrow read them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types

from annotations.campaigns.campaign import NewTask
from annotations.exchange.export_format import EXPORT_FORMATS, ExportActions, ExportTerms
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.people.people import Member, Role
from annotations.results.curation import CuratorActions
from annotations.store.records import PairRecord, RecordError
from annotations.store.store import Store
from core.data.datasets.bump import Bump
from core.text.edits import recover, to_records
from core.types import Context, Edit, ErrorType, Item, Span, Verdict
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign, save_items

TERMS = ExportTerms("CC-BY-4.0", "15 € an hour", "Signed.")
RIGHT = {"unfaithful": "right", "error_type": "Intrinsic Entity", "explanation": "It was a boat."}
NEITHER = {"unfaithful": "neither"}


def content(opened: CampaignFixture, name: str) -> bytes:
    manager = Member("1", "Ada", Role.MANAGER)
    return ExportActions(opened.store, manager).file(opened.campaign.id, name, TERMS)


def files(opened: CampaignFixture, name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content(opened, name))) as archive:
        return {file: archive.read(file) for file in archive.namelist()}


def imported(opened: CampaignFixture, folder: Path) -> list[Item]:
    (folder / "pairs.json").write_bytes(content(opened, "bump"))
    found = list(Bump().read(folder / "pairs.json"))
    assert all(isinstance(one, Item) for one in found), found
    return [one for one in found if isinstance(one, Item)]


def label(opened: CampaignFixture, name: str, *answers: dict[str, Any]) -> None:
    annotator = opened.annotator(name)
    for given in answers:
        work = opened.next_task(annotator)
        side = "left" if work.left.startswith("Raft") else "right"
        turned = {"unfaithful": side} if given.get("unfaithful") == "right" else {}
        opened.send(annotator, work, answers={**given, **turned})


def by_frank(store: Store) -> CampaignFixture:
    """One summary with every kind of answer of FRANK's set, and a character that is two units of UTF-16 before the passages."""
    opened = make_campaign(store, "label-frank", items=0)
    document, summary = "Boat 🚣 took 3 crates to the mill.", "Boat 🚣 took 4 crates."
    pair = PairRecord(document, summary, summary.replace("4", "5"), (Edit(Span(12, 13), "5", "-"),), by="Ada Lovelace")
    opened.add_tasks([NewTask(pair=pair)])
    answers = {
        "verdict": "inconsistent",
        "errors": ["CircE", "EntE"],
        "wrong_words": [[12, 13]],
        "links": [{"claim": [7, 20], "evidence": [7, 21]}],
    }
    label(opened, "Benedict", answers)
    return opened


def test_every_format_is_found_and_names_nobody(store: Store) -> None:
    opened = by_frank(store)
    assert {"bump", "csv", "data-statement", "hf-dataset", "jsonl", "label-studio"} <= set(EXPORT_FORMATS.names())
    for name in ("label-studio", "hf-dataset"):
        assert not [text for text in files(opened, name).values() if b"Benedict" in text or b"Lovelace" in text]
    assert b"Benedict" not in content(opened, "data-statement")


def test_an_explanation_of_a_summary_without_an_edit_is_in_every_format_but_that_of_pairs(store: Store) -> None:
    opened = make_campaign(store, "judge-summary-explanations", items=0)
    pair = PairRecord("It ran.", "It flew.", "It flew.", (), by="Ada Lovelace")
    opened.add_tasks([NewTask(pair=pair, asked={"explanation": "Nothing flew."})])
    label(opened, "Benedict", {"grade": "entirely", "evidence": [[0, 2]]})
    for name in ("csv", "data-statement", "jsonl"):
        assert b"entirely" in content(opened, name)
    [task] = json.loads(files(opened, "label-studio")["tasks.json"])
    assert {**task["data"], "document": ""} == {
        "document": "",
        "left": "",  # of a summary with an edit what it was made from
        "right": "It flew.",
        "explanation": "Nothing flew.",
    }
    labels = pq.read_table(io.BytesIO(files(opened, "hf-dataset")["labels.parquet"])).to_pylist()
    assert [(row["summary"], row["original"], row["answer.grade"]) for row in labels] == [
        ("It flew.", None, "entirely")
    ]
    with pytest.raises(RecordError, match="no minimal pair"):
        content(opened, "bump")


def test_label_studio_gets_regions_with_offsets_and_links_as_relations(store: Store) -> None:
    found = files(by_frank(store), "label-studio")
    [task] = json.loads(found["tasks.json"])
    [annotation] = task["annotations"]
    assert "completed_by" not in annotation
    assert annotation["meta"]["person"].startswith("p-")
    regions = {one["from_name"]: one for one in annotation["result"] if one["type"] != "relation"}
    assert {one["meta"]["text"][0] for one in regions.values()} == {annotation["meta"]["person"]}
    assert regions["errors"]["value"] == {"choices": ["CircE", "EntE"]}
    for name, words in (
        ("wrong_words-summary", "5"),
        ("links-claim", "took 5 crates"),
        ("links-evidence", "took 3 crates "),
    ):
        value, text = regions[name]["value"], task["data"][regions[name]["to_name"]]
        assert value["text"] == text[value["start"] : value["end"]] == words
    [relation] = [one for one in annotation["result"] if one["type"] == "relation"]
    assert (relation["from_id"], relation["to_id"]) == (regions["links-claim"]["id"], regions["links-evidence"]["id"])
    view = ElementTree.fromstring(found["config.xml"])
    controls = {tag.get("name"): tag.get("toName") for tag in view.iter() if tag.get("toName")}
    assert {name: one["to_name"] for name, one in regions.items()}.items() <= controls.items()
    assert {tag.get("value") for tag in view.iter("Text")} == {f"${name}" for name in task["data"]}


def test_label_studio_gets_both_sides_scales_and_the_decision(store: Store) -> None:
    pairs = make_campaign(store, "label-pairs", items=1, overlap=2)
    label(pairs, "ben", {**RIGHT, "wrong_words": []})
    label(pairs, "cem", NEITHER)
    judge = AdjudicatorActions(store, pairs.person("dia", Role.ADJUDICATOR))
    [case] = judge.queue(pairs.campaign.id).open
    shown = judge.task(pairs.campaign.id, case.task)
    judge.save_decision(
        pairs.campaign.id, SentDecision(case.task, NEITHER, DisagreementCause.SLIP, shown.responses, "d1")
    )
    [task] = json.loads(files(pairs, "label-studio")["tasks.json"])
    assert (task["data"]["left"], task["data"]["right"]) == ("Boat 0 took crates.", "Raft 0 took crates.")
    assert [one["ground_truth"] for one in task["annotations"]] == [False, False, True]
    assert task["annotations"][2]["result"][0]["value"] == {"choices": ["neither"]}
    assert task["meta"]["resolution"] == "adjudicated"


def test_a_dataset_has_a_row_for_each_label_and_for_each_item(store: Store) -> None:
    opened = make_campaign(store, items=2, overlap=2)
    for name in ("Benedict", "Cemile"):
        label(opened, name, {"verdict": "consistent", "confidence": 4}, {"verdict": "consistent", "confidence": 2})
    found = files(opened, "hf-dataset")
    labels, tasks = (pq.read_table(io.BytesIO(found[f"{name}.parquet"])) for name in ("labels", "tasks"))
    assert (labels.num_rows, tasks.num_rows) == (4, 2)
    assert sorted(labels.column("answer.confidence").to_pylist()) == [2, 2, 4, 4]
    assert set(tasks.column("resolution").to_pylist()) == {"unanimous"}
    head, card = found["README.md"].decode().removeprefix("---\n").split("---\n", maxsplit=1)
    stated = yaml.safe_load(head)
    assert stated["license"] == "cc-by-4.0"
    assert [one["data_files"][0]["path"] for one in stated["configs"]] == ["labels.parquet", "tasks.parquet"]
    assert all(f"`{name}`" in card for name in {*labels.column_names, *tasks.column_names})


def test_passages_and_links_are_structures_in_parquet(store: Store) -> None:
    table = pq.read_table(io.BytesIO(files(by_frank(store), "hf-dataset")["labels.parquet"]))
    assert table.column("answer.wrong_words").to_pylist() == [[{"start": 12, "end": 13, "side": "summary"}]]
    assert table.column("answer.links").to_pylist() == [[{"claim": [7, 20], "evidence": [7, 21]}]]
    assert table.column("answer.errors").to_pylist() == [["CircE", "EntE"]]


def test_pairs_that_people_confirm_are_read_back_by_our_importer(store: Store, tmp_path: Path) -> None:
    opened = make_campaign(store, "label-pairs", items=3)
    label(opened, "ben", RIGHT, NEITHER, {**RIGHT, "error_type": "Coreference"})
    original, edited, _, other = imported(opened, tmp_path)
    assert original.intended is Verdict.CONSISTENT
    assert edited.parent == original.example.id
    assert edited.example.summary.startswith("Raft")
    assert {edited.error_type, other.error_type} == {ErrorType.INTRINSIC_ENTITY, ErrorType.COREFERENCE}
    assert edited.required_type is None
    assert original.group != other.group


def test_contexts_and_question_go_to_every_tool(store: Store, tmp_path: Path) -> None:
    opened = make_campaign(store, "label-pairs", items=0)
    document, edits = "It was a boat.\n\nIt took crates.", (Edit(Span(0, 4), "Raft", "-"),)
    contexts = (Context("harbour", Span(0, 14)), Context("mill", Span(16, 31)))
    pair = PairRecord(
        document,
        "Boat took crates.",
        "Raft took crates.",
        edits,
        by="Ada",
        contexts=contexts,
        question="What took them?",
    )
    opened.add_tasks([NewTask(pair=pair), NewTask(save_items(store, 1)[0])])
    label(opened, "ben", RIGHT, RIGHT)
    named = [{"name": "harbour", "text": "It was a boat."}, {"name": "mill", "text": "It took crates."}]

    rows = pq.read_table(io.BytesIO(files(opened, "hf-dataset")["tasks.parquet"])).to_pylist()
    assert [(row["contexts"], row["question"]) for row in rows] == [(named, "What took them?"), ([], None)]
    studio = files(opened, "label-studio")
    first, second = (task["data"] for task in json.loads(studio["tasks.json"]))
    assert (first["document_question"], second["document_question"]) == ("What took them?", "")
    assert [document[one["start"] : one["end"]] for one in first["contexts"]] == [one["text"] for one in named]
    assert "contexts" not in second
    assert "$document_question" in {
        tag.get("value") for tag in ElementTree.fromstring(studio["config.xml"]).iter("Text")
    }
    original, edited = (one for one in imported(opened, tmp_path) if one.example.question)
    for one in (original, edited):
        assert (one.example.document, one.example.contexts, one.example.question) == (document, contexts, pair.question)


def test_written_edits_keep_the_type_that_was_asked_for_and_the_one_that_was_found(
    store: Store, tmp_path: Path
) -> None:
    opened = make_campaign(store, "write-typed", items=0)
    opened.add_tasks([NewTask(id, asked={"error_type": "Intrinsic Entity"}) for id in save_items(store, 1)])
    ben = opened.annotator("ben")
    work = opened.next_task(ben)
    records = to_records(work.left, recover(work.left, work.left.replace("took", "sold")))
    opened.send(ben, work, answers={"possible": "yes", "edit": records, "explanation": "It took them."})
    curator = CuratorActions(store, opened.person("dia", Role.ADJUDICATOR))
    [response] = curator.edits(opened.campaign.id)
    curator.correct(opened.campaign.id, response, ErrorType.EXTRINSIC_PREDICATE, "c1")
    written = [one for one in imported(opened, tmp_path) if one.parent]
    assert [(one.example.summary, one.required_type, one.error_type) for one in written] == [
        ("Raft 1 sold crates.", ErrorType.INTRINSIC_ENTITY, ErrorType.EXTRINSIC_PREDICATE)
    ]


def test_a_campaign_without_pairs_says_why(store: Store) -> None:
    opened = make_campaign(store, items=1)
    label(opened, "ben", {"verdict": "consistent", "confidence": 4})
    with pytest.raises(RecordError, match="no minimal pair to export"):
        content(opened, "bump")


def test_a_data_statement_counts_people_by_role_and_says_what_is_not_stated(store: Store) -> None:
    opened = make_campaign(store, items=2, overlap=2)
    label(opened, "Benedict", {"verdict": "consistent", "confidence": 4})
    label(opened, "Cemile <b>", {"verdict": "inconsistent", "confidence": 4, "reason": "No."})
    text = content(opened, "data-statement").decode()
    assert "Labelled by 2 (2 as annotator)" in text
    assert "Pay: 15 € an hour" in text
    assert "| `verdict` | 2 | 2 |" in text
    assert "Labels: 2 by version 1." in text
    unstated = ExportActions(store, Member("1", "Ada", Role.MANAGER)).file(
        opened.campaign.id, "data-statement", ExportTerms()
    )
    assert b"Pay: Not stated." in unstated


def test_what_nobody_labelled_yet_is_an_empty_dataset(store: Store) -> None:
    opened = make_campaign(store, items=1)
    assert json.loads(files(opened, "label-studio")["tasks.json"]) == []
    assert pq.read_table(io.BytesIO(files(opened, "hf-dataset")["labels.parquet"])).num_rows == 0
    assert b"Labelled by 0 (nobody)" in content(opened, "data-statement")
