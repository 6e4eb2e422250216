"""Tables as people have them, imported at first try: the mapping is shown, nothing is lost without a word."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from core.data.dataset import ImportCounts, Refusal, readable_items
from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.formats.column_map import ColumnMap
from core.data.datasets.generic import Generic, preview_rows, read_with_map
from core.types import Item, Judgement, Rating, StoredScore, Verdict
from tests.unit.core.data.datasets.releases import DOCUMENT, OTHER, SUMMARY, WRONG
from tests.unit.core.data.datasets.writing import Record, book, lines, put, table

ANSWERED = Generic(label_of_1="consistent")
PAIRS = [{"document": DOCUMENT, "summary": SUMMARY}, {"document": OTHER, "summary": WRONG}]


def items(path: Path, reader: Generic | None = None) -> list[Item]:
    found = list((reader or Generic()).read(path))
    assert [one for one in found if isinstance(one, Refusal)] == []
    return [one for one in found if isinstance(one, Item)]


def format_mapping(path: Path) -> str:
    return "\n".join(Generic().describe(path))


def rows(**columns: list[object]) -> list[Record]:
    """The pairs in turn, with these cells."""
    number = len(next(iter(columns.values())))
    return [{**PAIRS[place % 2], **{name: cells[place] for name, cells in columns.items()}} for place in range(number)]


def test_minimal_pairs_without_a_label_are_labelled_by_their_side(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, [{"document": DOCUMENT, "summary": SUMMARY, "edited_summary": WRONG}])
    plain, edited = items(tmp_path / "t.csv")
    assert (plain.intended, edited.intended) == (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    assert "no label: edited summaries are inconsistent, the others consistent" in format_mapping(tmp_path / "t.csv")
    columns = infer_column_map(preview_rows(tmp_path / "t.csv")).model_copy(update={"edited_label": None})
    assert [one.intended for one in read_with_map(tmp_path / "t.csv", columns) if isinstance(one, Item)] == [None, None]


def test_minimal_pairs_with_a_label_keep_it(tmp_path: Path) -> None:
    record = {"document": DOCUMENT, "summary": SUMMARY, "edited_summary": WRONG, "label": "1"}
    table("t.csv")(tmp_path, [record, {**record, "label": "0"}])
    assert [one.intended for one in items(tmp_path / "t.csv", ANSWERED)] == [
        None,
        Verdict.CONSISTENT,
        None,
        Verdict.INCONSISTENT,
    ]


def test_numbers_with_gaps_and_errors_stay_scores_and_their_failures_are_counted(tmp_path: Path) -> None:
    cells = ["0.5", "N/A", "error", "Infinity", "0,25", "", "1e-3", ".5", "0.75", "-2"]
    table("t.csv")(tmp_path, rows(alignscore=cells, id=[str(number) for number in range(10)]))
    tally = ImportCounts()
    found = list(readable_items(Generic().read(tmp_path / "t.csv"), tally))
    kept = [score.value for item in found for score in item.scores]
    assert kept == [0.5, 0.25, 0.001, 0.5, 0.75, -2.0]
    assert tally.counts()["failed_scores"] == {"alignscore": 3}


def test_a_column_of_words_is_no_score_because_some_are_numbers(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(remark=["good", "bad", "3", "4", "5"]))
    assert infer_column_map(preview_rows(tmp_path / "t.csv")).scores == ()
    assert "left out     remark" in format_mapping(tmp_path / "t.csv")


def test_a_third_class_is_shown_for_a_decision_and_unknown_is_no_label(tmp_path: Path) -> None:
    words = ["consistent", "inconsistent", "neutral", "unknown", "consistent"]
    table("t.csv")(tmp_path, rows(label=words))
    assert [one.intended for one in items(tmp_path / "t.csv")] == [
        *(Verdict.CONSISTENT, Verdict.INCONSISTENT, None, None, Verdict.CONSISTENT)
    ]
    printed = format_mapping(tmp_path / "t.csv")
    assert "neutral: no label (1)" in printed
    assert (
        "label also says neutral: read as no label. Put a word under consistent, inconsistent or borderline." in printed
    )


def test_a_label_of_one_half_is_borderline_and_asked_about(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(label=["1.0", "0.5", "0.0", "1.0"]))
    assert [one.intended for one in items(tmp_path / "t.csv", ANSWERED)][:3] == [
        Verdict.CONSISTENT,
        Verdict.BORDERLINE,
        Verdict.INCONSISTENT,
    ]
    assert "label also says 0.5: read as borderline. Is it a rating?" in format_mapping(tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["consistency", "fluency", "stars"])
def test_levels_from_one_to_five_are_ratings_by_their_name(name: str, tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(**{name: ["1", "3", "5", "4"]}))
    assert [one.ratings for one in items(tmp_path / "t.csv")][:2] == [
        (Rating("all", name, 1.0),),
        (Rating("all", name, 3.0),),
    ]
    assert f"{name} is read as a rating that people gave" in format_mapping(tmp_path / "t.csv")


def test_levels_and_scores_of_unclear_direction_are_left_out_and_asked_about(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(label=["1", "3", "5", "4"], fathom=["0.1", "0.5", "0.25", "0.75"]))
    assert [(one.ratings, one.scores) for one in items(tmp_path / "t.csv")] == [((), ())] * 4
    assert "label, fathom: which way is better? Left out until you say: --higher-is-better label" in format_mapping(
        tmp_path / "t.csv"
    )
    first, *_ = items(tmp_path / "t.csv", Generic(higher="label", lower="fathom"))
    assert first.ratings == (Rating("all", "label", 1.0),)
    assert first.scores == (StoredScore("fathom (negated)", -0.1),)


def test_percentages_are_numbers_and_asked_about(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(overlap=["85%", "7 %", "99.5%"]))
    assert [one.scores for one in items(tmp_path / "t.csv")][:2] == [
        (StoredScore("overlap", 85.0),),
        (StoredScore("overlap", 7.0),),
    ]
    assert "overlap is between 0 and 100. Is it a rating that people gave?" in format_mapping(tmp_path / "t.csv")


def test_a_row_for_each_annotator_becomes_judgements_with_the_label_of_most(tmp_path: Path) -> None:
    given = [("ann", "1", "4"), ("ben", "0", "2"), ("cy", "0", "3")]
    found = [{**PAIRS[0], "annotator": who, "label": vote, "fluency": level} for who, vote, level in given]
    found += [{**PAIRS[1], "annotator": who, "label": vote, "fluency": level} for who, vote, level in given[:2]]
    table("t.csv")(tmp_path, [found[0], found[3], found[1], found[4], found[2]])
    first, second = items(tmp_path / "t.csv", ANSWERED)
    assert first.judgements == tuple(
        Judgement(first.example.id, who, verdict)
        for who, verdict in (("ann", Verdict.CONSISTENT), ("ben", Verdict.INCONSISTENT), ("cy", Verdict.INCONSISTENT))
    )
    assert (first.intended, second.intended) == (Verdict.INCONSISTENT, None)
    assert first.ratings[0] == Rating("ann", "fluency", 4.0)
    assert "annotator    annotator" in format_mapping(tmp_path / "t.csv")


def test_columns_of_annotators_without_a_label_give_the_label_of_most(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(rater_1=["yes", "no"], rater_2=["yes", "yes"]))
    assert [one.intended for one in items(tmp_path / "t.csv", ANSWERED)] == [Verdict.CONSISTENT, None]
    assert "what most annotators say; no label where they tie" in format_mapping(tmp_path / "t.csv")


def test_a_score_whose_name_speaks_of_errors_is_turned_and_said_to_be(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(hallucination_rate=["0.1", "0.9"], rouge=["0.5", "0.25"]))
    first, _ = items(tmp_path / "t.csv")
    assert first.scores == (StoredScore("hallucination_rate (negated)", -0.1), StoredScore("rouge", 0.5))
    assert "hallucination_rate (lower is better), rouge (higher is better)" in format_mapping(tmp_path / "t.csv")


@pytest.mark.parametrize("pretty", [None, 1])
def test_an_object_of_records_is_a_table(pretty: int | None, tmp_path: Path) -> None:
    put(tmp_path, "t.json", json.dumps({"a": {**PAIRS[0], "label": 1}, "b": {**PAIRS[1], "label": 0}}, indent=pretty))
    assert [(one.example.id, one.intended) for one in items(tmp_path / "t.json", ANSWERED)] == [
        ("a", Verdict.CONSISTENT),
        ("b", Verdict.INCONSISTENT),
    ]


def test_a_list_of_sentences_is_a_document(tmp_path: Path) -> None:
    sentences = DOCUMENT.split(". ")
    lines("t.jsonl")(tmp_path, [{"article": sentences, "claim": SUMMARY, "label": 1}])
    (item,) = items(tmp_path / "t.jsonl", ANSWERED)
    assert item.example.document == "\n".join(sentences)


def test_the_samples_that_a_document_lists_are_rows(tmp_path: Path) -> None:
    samples = [{"summary": SUMMARY, "label": 1}, {"summary": WRONG, "label": 0}]
    lines("t.jsonl")(tmp_path, [{"document": DOCUMENT, "samples": samples}])
    assert [(one.example.id, one.example.summary, one.intended) for one in items(tmp_path / "t.jsonl", ANSWERED)] == [
        ("t-1.1", SUMMARY, Verdict.CONSISTENT),
        ("t-1.2", WRONG, Verdict.INCONSISTENT),
    ]


def test_further_sheets_are_named_and_can_be_read(tmp_path: Path) -> None:
    book(tmp_path / "t.xlsx", {"one": [PAIRS[0]], "two": [PAIRS[1]]})
    assert "Other sheets are not read: two. Name one: generic[sheet=two]." in format_mapping(tmp_path / "t.xlsx")
    (item,) = items(tmp_path / "t.xlsx", Generic(sheet="two"))
    assert item.example.summary == WRONG


def test_a_table_in_another_encoding_is_read_in_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(
        "document;summary;label\nDie Fähre fuhr um zwölf.;Sie fuhr mittags los.;1\n".encode("latin-1")
    )
    (item,) = items(tmp_path / "t.csv", Generic(encoding="latin-1", label_of_1="consistent"))
    assert item.example.document == "Die Fähre fuhr um zwölf."


def test_exact_duplicates_are_counted_and_kept(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, [{**PAIRS[0], "label": "1"}, {**PAIRS[0], "label": "1"}, {**PAIRS[0], "label": "0"}])
    tally = ImportCounts()
    assert len(list(readable_items(ANSWERED.read(tmp_path / "t.csv"), tally))) == 3
    assert tally.counts()["exact_duplicates"] == 1


def test_where_no_row_can_be_read_the_reason_of_the_first_is_given(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"has no row that can be read. Line 1: This is not JSON"):
        infer_column_map(preview_rows(put(tmp_path, "t.jsonl", "{'document': 'a'}\n{'document': 'b'}\n")))


def test_what_nothing_reads_is_named(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(comment=["fine text", "other text"], sent_idx=["1", "2"]))
    printed = format_mapping(tmp_path / "t.csv")
    assert "left out     comment" in printed
    assert "measured     sent_idx" in printed
    assert "No column is a label, a rating or an annotator" in printed


def test_the_new_fields_of_a_mapping_are_saved_and_read_again(tmp_path: Path) -> None:
    columns = ColumnMap(
        summary="s", edited="e", edited_label=Verdict.INCONSISTENT, ratings=("fluency",), annotator="who"
    )
    path = put(tmp_path, "m.json", columns.to_json())
    reader = Generic(mapping=str(path))
    table("t.csv")(tmp_path, [{"s": SUMMARY, "e": WRONG, "fluency": "3", "who": "ann"}])
    counted = Counter(one.intended for one in items(tmp_path / "t.csv", reader))
    assert counted == {Verdict.CONSISTENT: 1, Verdict.INCONSISTENT: 1}
