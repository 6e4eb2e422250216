"""Which rows belong to one document: equal summaries, keys of documents, ids that begin again in joined files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.data.dataset import ImportCounts, Refusal, format_counts, readable_items
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item, Verdict
from tests.unit.core.data.datasets.writing import Record, lines, put, table

NOTHING = "No change was reported that day."


def items(path: Path) -> list[Item]:
    records = list(Generic().read(path))
    assert [record for record in records if isinstance(record, Refusal)] == []
    return [record for record in records if isinstance(record, Item)]


def parts(number: int, of: int) -> list[Record]:
    """Rows of joined files whose ids begin again; two summaries for each document."""
    return [
        {
            "id": row,
            "document": f"Report {part}, page {row // 2}.",
            "summary": f"Page {row} of {part}.",
            "faithful": row % 2,
        }
        for part in range(number)
        for row in range(of)
    ]


def test_ids_that_begin_again_are_kept_and_name_no_document(tmp_path: Path) -> None:
    lines("t.jsonl")(tmp_path, parts(3, 4))
    read = items(tmp_path / "t.jsonl")
    assert [item.example.id for item in read] == [*"0123", *("0-2", "1-2", "2-2", "3-2"), *("0-3", "1-3", "2-3", "3-3")]
    assert sorted(Counter(item.group for item in read).values()) == [2] * 6
    assert any(
        "id begins again after some rows, as in joined files" in line
        for line in Generic().describe(tmp_path / "t.jsonl")
    )


def test_the_parts_may_be_files_of_a_folder(tmp_path: Path) -> None:
    for part in range(2):
        table(f"{part}.csv")(tmp_path / "parts", parts(2, 3)[part * 3 :][:3])
    assert [item.example.id for item in items(tmp_path / "parts")] == ["0", "1", "2", "0-2", "1-2", "2-2"]


def test_files_of_a_folder_with_other_columns_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "parts/a.csv", "document,summary\nRain fell.,It rained.\n")
    put(tmp_path, "parts/b.csv", "document,summary,label\nRain fell.,It rained.,1\n")
    with pytest.raises(TouchstoneError, match=r"a.csv and b.csv do not have the same columns \(label\)"):
        items(tmp_path / "parts")


def test_an_id_that_repeats_beside_the_same_document_names_it(tmp_path: Path) -> None:
    rows = [
        {"id": page, "document": f"Page {page} of it.", "summary": f"{page}, {side} side."}
        for page in "ab"
        for side in "lr"
    ]
    lines("t.jsonl")(tmp_path, rows)
    assert [item.group for item in items(tmp_path / "t.jsonl")] == ["a", "a", "b", "b"]


def test_an_id_that_repeats_anywhere_beside_other_documents_is_left_out(tmp_path: Path) -> None:
    rows = [{"id": id, "document": f"Page {page} of it.", "summary": "A page."} for page, id in enumerate("abbac")]
    lines("t.jsonl")(tmp_path, rows)
    read = items(tmp_path / "t.jsonl")
    assert len({item.group for item in read}) == len({item.example.id for item in read}) == 5


@pytest.mark.parametrize("key", ["doc_ref", "bbcid", "article_id", "source_url", "StoryID"])
def test_equal_summaries_of_other_documents_are_other_samples_without_their_texts(key: str, tmp_path: Path) -> None:
    rows = [
        {key: document, "annotator": who, "summary": NOTHING, "faithful": label}
        for document, label in (("a", 1), ("b", 0))
        for who in ("ann", "ben")
    ]
    table("t.csv")(tmp_path, rows)
    assert [(item.group, item.intended) for item in items(tmp_path / "t.csv")] == [
        ("a", Verdict.CONSISTENT),
        ("b", Verdict.INCONSISTENT),
    ]


def test_equal_summaries_of_other_documents_are_no_duplicates(tmp_path: Path) -> None:
    table("t.csv")(
        tmp_path, [{"document": f"Day {day} was quiet.", "summary": NOTHING, "faithful": day % 2} for day in range(4)]
    )
    counts = ImportCounts()
    assert len({item.group for item in readable_items(Generic().read(tmp_path / "t.csv"), counts)}) == 4
    assert (counts.duplicates, counts.contradictory) == (0, 0)


def test_contradictory_labels_of_a_pair_are_counted_and_said(tmp_path: Path) -> None:
    labels = [("noon", 1), ("noon", 0), ("noon", 1), ("night", 0), ("dawn", 1), ("dawn", 1)]
    table("t.csv")(
        tmp_path,
        [
            {"document": "It left at noon.", "summary": f"It left at {time}.", "faithful": label}
            for time, label in labels
        ],
    )
    counts = ImportCounts()
    assert len(list(readable_items(Generic().read(tmp_path / "t.csv"), counts))) == 6
    assert counts.contradictory == 1
    assert "contradictory labels 1" in "\n".join(format_counts(counts.counts()))
