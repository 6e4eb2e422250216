"""Datasets and label sets as files for the hub: what is in them, and what keeps them from being pushed."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types

from annotations.exchange.dataset_export import (
    dataset_files,
    hub_campaign_files,
    hub_dataset_files,
    licence_id,
    licence_remarks,
    push_error,
)
from annotations.exchange.export_format import ExportTerms, open_export
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import LOCAL_LABELS, RecordError
from annotations.store.store import Store
from core.data.dataset import DATASETS
from core.types import Example, Item, Judgement, Rating, Split, Verdict
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign
from tests.unit.annotations.pair_samples import DOCUMENT, EDITED, ORIGINAL, PAIR, record

SOURCE = DatasetSource("tugs", "bump", "tugs.json", "ab" * 32, "MIT (articles: CNN/DailyMail)", "1.0", "Ada Lovelace")
SEED = Item(Example("t1", DOCUMENT, ORIGINAL), intended=Verdict.CONSISTENT, domain="news", group="tug")
CHANGED = Item(
    Example("t1/edited", DOCUMENT, EDITED),
    parent="t1",
    intended=Verdict.INCONSISTENT,
    group="tug",
    split=Split.DEV,
    judgements=(Judgement("t1/edited", "a1", Verdict.INCONSISTENT, note="It was bought."),),
    ratings=(Rating("a1", "factuality", 0.5, 0),),
)
TERMS = ExportTerms("cc-by-4.0", "15 € an hour", "Signed.")


def import_tugs(store: Store, licence: str = SOURCE.licence, importer: str = "bump") -> None:
    store.import_dataset(replace(SOURCE, licence=licence, importer=importer), [SEED, CHANGED], dict)


def rows(files: dict[str, bytes]) -> list[dict[str, Any]]:
    return list(pq.read_table(io.BytesIO(files["items.parquet"])).to_pylist())


def header(files: dict[str, bytes]) -> dict[str, Any]:
    return dict(yaml.safe_load(files["README.md"].decode().split("---\n")[1]))


def labelled(store: Store) -> CampaignFixture:
    opened = make_campaign(store, items=1)
    opened.label(opened.annotator("Benedict"), 1)
    return opened


def test_a_dataset_has_a_row_for_each_summary_and_a_card_with_licence_source_counts_and_meaning(store: Store) -> None:
    import_tugs(store)
    files = hub_dataset_files(store, "tugs")
    seed, changed = rows(files)
    assert (seed["document"], seed["summary"], seed["label"]) == (DOCUMENT, ORIGINAL, "consistent")
    assert (changed["parent"], changed["original"], changed["split"]) == ("t1", ORIGINAL, "dev")
    vote = {"judge": "a1", "verdict": "inconsistent", "category": "", "start": None, "end": None}
    assert changed["judgements"] == [vote]
    assert changed["ratings"] == [{"judge": "a1", "aspect": "factuality", "value": 0.5, "sentence": 0}]
    card = files["README.md"].decode()
    assert header(files)["license"] == "mit"
    assert "2 summaries of 1 documents, 1 of them edits" in card
    assert "| `inconsistent` | 1 | the summary says something that" in card
    assert all(said in card for said in ("tugs.json", "https://github.com/dataminr-ai/BUMP", "ab" * 32, SOURCE.licence))
    assert all(f"`{name}`" in card for name in seed)
    assert not [content for content in files.values() if b"Lovelace" in content or b"It was bought." in content]


def test_the_licence_is_that_of_the_data_or_of_the_person(store: Store) -> None:
    import_tugs(store)
    with pytest.raises(RecordError, match=r"came under mit, not under cc-by-4\.0"):
        dataset_files(store, "tugs", "cc-by-4.0")
    assert header(dataset_files(store, "tugs", "MIT"))["license"] == "mit"
    assert licence_remarks(store, "tugs") == [
        "'tugs' is under MIT (articles: CNN/DailyMail): see whether that permits to share its texts."
    ]


def test_the_licence_of_ones_own_texts_has_to_be_stated_before_a_push(store: Store) -> None:
    import_tugs(store, "your own", "pairs")
    assert header(dataset_files(store, "tugs"))["license"] == "unknown"
    with pytest.raises(RecordError, match="Nobody has stated a licence of 'tugs'"):
        hub_dataset_files(store, "tugs")
    assert header(hub_dataset_files(store, "tugs", "CC-BY-4.0"))["license"] == "cc-by-4.0"
    assert header(hub_dataset_files(store, "tugs", "ours"))["license_name"] == "ours"


@pytest.mark.parametrize(
    ("licence", "why"),
    [
        ("CC-BY-ND-4.0 (for evaluation only)", "forbids to share it in another form"),
        ("none stated", "has no licence that permits it"),
        ("Apache-2.0 (tool), none stated for the annotations", "has no licence that permits it"),
    ],
)
def test_texts_that_may_not_be_shared_are_exported_but_not_pushed(store: Store, licence: str, why: str) -> None:
    import_tugs(store, licence)
    assert len(rows(dataset_files(store, "tugs"))) == 2
    with pytest.raises(RecordError, match=why):
        hub_dataset_files(store, "tugs")
    store.save_pair(PAIR)  # of the same document
    assert why in push_error(store, LOCAL_LABELS, "cc-by-4.0")


def test_what_was_kept_names_nobody(store: Store) -> None:
    store.save_label(record("e1", annotator="Benedict"))
    opened = make_campaign(store, items=0)
    opened.annotator("Cemile")
    store.save_label(record("e2", annotator="Cemile"))
    assert "Nobody has stated a licence" in push_error(store, LOCAL_LABELS, "")
    files = hub_dataset_files(store, LOCAL_LABELS, "cc-by-4.0")
    assert len({row["group"] for row in rows(files)}) == 1  # both are of one document
    judges = [given["judge"] for row in rows(files) for given in row["judgements"]]
    assert [judge.split("-")[0] for judge in judges] == ["person", "p"]
    assert not [content for content in files.values() if b"Benedict" in content or b"Cemile" in content]


def test_a_campaign_is_pushed_when_licence_and_consent_are_stated(store: Store) -> None:
    opened = labelled(store)
    with (
        open_export(store, opened.campaign.id, ExportTerms(pay="Nothing")) as export,
        pytest.raises(RecordError, match="State the licence of the labels and what people consented to before a push"),
    ):
        hub_campaign_files(export)
    with open_export(store, opened.campaign.id, TERMS) as export:
        files = hub_campaign_files(export)
    assert files.keys() == {"README.md", "labels.parquet", "tasks.parquet"}
    [label] = pq.read_table(io.BytesIO(files["labels.parquet"])).to_pylist()
    assert label["person"].startswith("p-")
    assert not [content for content in files.values() if b"Benedict" in content]


def test_a_campaign_on_texts_that_may_not_be_shared_or_without_labels_is_not_pushed(store: Store) -> None:
    empty = make_campaign(store, items=1)
    with (
        open_export(store, empty.campaign.id, TERMS) as export,
        pytest.raises(RecordError, match="Nothing of 'Boats' is labelled yet"),
    ):
        hub_campaign_files(export)
    boat = Item(Example("b", "Boat 0 took 0 crates to the mill.", "Boat 0 sank."), group="boat")
    store.import_dataset(replace(SOURCE, licence="none stated", importer="qags"), [boat], dict)
    empty.label(empty.annotator("ben"), 1)
    with (
        open_export(store, empty.campaign.id, TERMS) as export,
        pytest.raises(RecordError, match=r"'tugs' has no licence .* refer others to https://github.com/W4ngatang/qags"),
    ):
        hub_campaign_files(export)


def test_a_campaign_is_not_exported_as_a_dataset(store: Store) -> None:
    with pytest.raises(RecordError, match="--campaign 'Boats'"):
        dataset_files(store, "campaign: Boats")


def test_the_licence_of_every_importer_is_an_identifier_or_known_to_be_none() -> None:
    without = {importer.name for importer in DATASETS if not licence_id(importer.licence)}
    own = {importer.name for importer in DATASETS if importer.licence == "your own"}
    assert without - own == {
        "aggrefact",
        "clearfacts",
        "cliff",
        "faithjudge",
        "genaudit",
        "llm-dialogue",
        "qags",
        "ragtruth-plus",
        "referencematters",
        "summac",
        "unisumeval",
    }
    assert licence_id(DATASETS.get("wice").licence) == "odc-by"
