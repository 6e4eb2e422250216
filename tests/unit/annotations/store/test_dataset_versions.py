"""Versions of an imported dataset: a changed file makes the next one, and nothing of an older one moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from annotations.exchange.samples import (
    compare_dataset_versions,
    dataset_references,
    load_provenance,
    load_samples,
    load_texts,
    newer_references,
)
from annotations.store.dataset_import import DatasetSource, ImportResult
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.data import format_diff, label_rows
from core.types import PRECOMPUTED, Example, Item, Verdict

FILE = DatasetSource("mill", "generic", "labels.csv", "aa" * 32, "your own", "", "ada")
DOCUMENT = "The mill of Lindvale burned down in May."
BURNED = Item(Example("1", DOCUMENT, "The mill burned."), intended=Verdict.CONSISTENT, group="mill")
BUILT = Item(Example("2", DOCUMENT, "The mill was built."), intended=Verdict.INCONSISTENT, group="mill")
MAY = Item(Example("3", DOCUMENT, "It burned in May."), intended=Verdict.CONSISTENT, group="mill")


def put(store: Store, items: Iterable[Item], sha256: str = "aa", **changes: str | None) -> ImportResult:
    return store.import_dataset(replace(FILE, sha256=sha256 * 32, **changes), items, dict)


def put_two_versions(store: Store) -> ImportResult:
    """Version 2 has lost the second sample, has another label of the first and another text of the third, and a fourth."""
    put(store, [BURNED, BUILT, MAY])
    relabelled = replace(BURNED, intended=Verdict.INCONSISTENT)
    reworded = replace(MAY, example=replace(MAY.example, summary="It burned in June."))
    new = replace(MAY, example=replace(MAY.example, id="4", summary="It is gone."))
    return put(store, [relabelled, reworded, new], "bb")


def texts_and_labels(store: Store, reference: str) -> dict[str, tuple[str, Verdict | None]]:
    samples = load_samples(store, reference)
    return {sample.item.example.id: (sample.item.example.summary, sample.item.intended) for sample in samples}


def test_a_changed_file_of_the_same_name_makes_the_next_version_in_its_place(store: Store) -> None:
    before = put(store, [BURNED, BUILT, MAY])
    first = load_samples(store, "mill")
    result = put_two_versions(store)
    assert (before.version, result.version, result.removed, result.replaced) == (1, 2, 1, ("labels.csv",))
    assert texts_and_labels(store, "mill") == {
        "1": ("The mill burned.", Verdict.INCONSISTENT),
        "3": ("It burned in June.", Verdict.CONSISTENT),
        "4": ("It is gone.", Verdict.CONSISTENT),
    }
    assert [replace(sample, dataset="mill") for sample in load_samples(store, "mill@1")] == first
    assert {text.summary for text in load_texts(store, "mill@1")} == {sample.item.example.summary for sample in first}


def test_the_same_content_makes_no_version_whatever_its_file_and_order(store: Store) -> None:
    put(store, [BURNED, BUILT, MAY])
    before = store.counts()
    for sha256, items in (("aa", [BURNED, BUILT, MAY]), ("cc", [MAY, BURNED, BUILT])):
        result = put(store, items, sha256)
        assert (result.added, result.removed, result.version) == (0, 0, 1)
    assert store.counts() == before


def test_a_reading_of_the_same_bytes_with_other_labels_is_a_version(store: Store) -> None:
    put(store, [BURNED])
    assert put(store, [replace(BURNED, intended=Verdict.INCONSISTENT)]).version == 2
    assert texts_and_labels(store, "mill@1")["1"][1] is Verdict.CONSISTENT


def test_an_older_state_comes_back_as_a_version_with_the_same_content(store: Store) -> None:
    put_two_versions(store)
    put(store, [BURNED, BUILT, MAY])
    [row] = store.datasets()
    first, second, third = (version.content for version in row.versions)
    assert first == third != second


def test_a_file_of_another_name_that_contradicts_is_asked_about_and_one_that_adds_is_not(store: Store) -> None:
    put(store, [BURNED, BUILT])
    changed = replace(BURNED, intended=Verdict.INCONSISTENT)
    with pytest.raises(RecordError, match=r"1 of its 1 samples .* '1'.*--replaces labels\.csv.*--add"):
        put(store, [changed], "bb", file="second.csv")
    assert len(store.datasets()[0].versions) == 1
    assert put(store, [MAY], "cc", file="more.csv").replaced == ()
    assert texts_and_labels(store, "mill").keys() == {"1", "2", "3"}
    assert put(store, [changed], "bb", file="second.csv", replaces="labels.csv").replaced == ("labels.csv",)
    assert texts_and_labels(store, "mill").keys() == {"3", "1"}


def test_a_file_that_shares_its_name_and_no_sample_is_asked_about(store: Store) -> None:
    put(store, [BURNED])
    with pytest.raises(RecordError, match=r"no sample of this 'labels\.csv'"):
        put(store, [BUILT], "bb")
    assert put(store, [BUILT], "bb", replaces="").version == 2
    with pytest.raises(
        RecordError, match=r"called 'x\.csv'. It has labels\.csv \(aaaaaaaa\), labels\.csv \(bbbbbbbb\)"
    ):
        put(store, [BUILT], "cc", replaces="x.csv")
    assert put(store, [MAY], "cc", replaces="bbbbbbbb").removed == 1


def test_a_file_of_another_name_with_the_same_pairs_under_other_ids_is_asked_about(store: Store) -> None:
    put(store, [BURNED, BUILT, MAY])
    renamed = [replace(item, example=replace(item.example, id=f"b{item.example.id}")) for item in (MAY, BURNED)]
    with pytest.raises(RecordError, match="2 of its 2 pairs are there under another id, as 'b3'"):
        put(store, renamed, "bb", file="again.csv")
    other = replace(MAY, example=Example("9", DOCUMENT, "Nobody was there."))
    more = replace(MAY, example=Example("8", DOCUMENT, "It rained."))
    assert put(store, [renamed[0], other, more], "cc", file="more.csv").version == 2
    assert put(store, renamed, "dd", file="again.csv", replaces="").version == 3


def test_a_document_that_comes_later_is_joined_in_its_own_version_alone(store: Store) -> None:
    lacking = replace(BURNED, example=replace(BURNED.example, document=""))
    document = Item(Example("document", DOCUMENT, ""), group="mill")
    put(store, [lacking])
    put(store, [document], "bb", file="documents.jsonl")
    assert [sample.document for sample in load_samples(store, "mill@1")] == [""]
    assert [text.document for text in load_texts(store, "mill@2")] == [DOCUMENT]
    changed = replace(document, example=replace(document.example, document="It burned in June."))
    put(store, [changed], "cc", file="documents.jsonl")
    assert [text.document for text in load_texts(store, "mill@3")] == ["It burned in June."]
    assert [text.document for text in load_texts(store, "mill@2")] == [DOCUMENT]


def test_a_name_is_the_newest_version_and_results_call_it_by_its_number(store: Store) -> None:
    put(store, [BURNED, BUILT, MAY])
    assert dataset_references(store, ["mill", "mill@1", PRECOMPUTED]) == ["mill", "mill", PRECOMPUTED]
    assert newer_references(store, ["mill", "mill@1"]) == {}
    put_two_versions(store)
    assert dataset_references(store, ["mill", "mill@1"]) == ["mill@2", "mill@1"]
    assert {sample.dataset for sample in load_samples(store, "mill")} == {"mill@2"}
    assert newer_references(store, ["mill", "mill@1", "mill@2", PRECOMPUTED]) == {"mill": "mill@2", "mill@1": "mill@2"}
    assert store.version_references() == {"mill": ["mill@2", "mill@1"]}
    assert [(file.dataset, file.sha256[:2]) for file in load_provenance(store, ["mill@1", "mill"])[0]] == [
        ("mill@1", "aa"),
        ("mill@2", "bb"),
    ]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("mill@3", "has no version '3': it has versions 1 to 2, tagged draft"),
        ("mill@0", "has no version '0'"),
        ("mill@final", "has no version 'final'"),
        ("boat@1", "No dataset is named 'boat'. Imported: mill"),
    ],
)
def test_a_version_that_is_not_there_is_refused_with_those_that_are(store: Store, reference: str, message: str) -> None:
    put_two_versions(store)
    store.tag_version("mill@1", "draft", "ada")
    with pytest.raises(RecordError, match=message):
        load_samples(store, reference)


def test_a_tag_is_that_version_for_good(store: Store) -> None:
    put(store, [BURNED, BUILT, MAY])
    store.tag_version("mill", "camera-ready", "ada")
    put_two_versions(store)
    assert store.version("mill@camera-ready").number == 1
    store.tag_version("mill@1", "camera-ready", "ada")
    assert [version.tags for version in store.datasets()[0].versions] == [("camera-ready",), ()]
    with pytest.raises(RecordError, match="is version 1 of 'mill', and results refer to it"):
        store.tag_version("mill", "camera-ready", "ada")
    for tag in ("2", "a b", "a@b", ""):
        with pytest.raises(RecordError, match="tag"):
            store.tag_version("mill", tag, "ada")


def test_a_new_dataset_is_not_named_as_a_version(store: Store) -> None:
    with pytest.raises(RecordError, match="reads as a version"):
        put(store, [BURNED], dataset="mill@2")


def test_the_difference_counts_samples_texts_and_labels_by_class(store: Store) -> None:
    put_two_versions(store)
    diff = compare_dataset_versions(store, "mill@1", "mill@2")
    assert {kind: number for kind, number in diff.counts.items() if number} == {
        "added": 1,
        "removed": 1,
        "changed texts": 1,
        "changed labels": 1,
    }
    assert [(row["label"], row["changed to it"], row["changed from it"]) for row in label_rows(diff)] == [
        ("consistent", "", "1 to inconsistent"),
        ("inconsistent", "1 from consistent", ""),
    ]
    assert "From mill, version 1 to mill, version 2: 1 added, 1 removed" in format_diff(diff)
