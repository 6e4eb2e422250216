"""Any table: the guess at its columns, a mapping that is saved and read again, and reading by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.dataset import DATASETS, Refusal
from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.formats.column_map import ColumnMap, ScoreColumn, load_column_map
from core.data.datasets.formats.fields import document_key
from core.data.datasets.generic import Generic, preview_rows, read_with_map
from core.errors import TouchstoneError
from core.types import ErrorType, Item, Rating, Split, StoredScore, Verdict
from tests.unit.core.data.datasets.releases import DOCUMENT, OTHER, SUMMARY, WRONG, bump
from tests.unit.core.data.datasets.writing import Record, Write, book, lines, listed, parquet, put, table

PAIR = {"doc": DOCUMENT, "summary": SUMMARY}


def by(tmp_path: Path, columns: ColumnMap, *records: Record) -> list[Item | Refusal]:
    table("t.csv")(tmp_path, records)
    return list(read_with_map(tmp_path / "t.csv", columns))


def only(found: list[Item | Refusal]) -> Item:
    (item,) = found
    assert isinstance(item, Item), item
    return item


@pytest.mark.parametrize(
    ("column", "words", "consistent"),
    [
        ("is_faithful", ("yes", "no"), Verdict.CONSISTENT),
        ("w/ Error", ("yes", "no"), Verdict.INCONSISTENT),
        ("hallucination", ("True", "False"), Verdict.INCONSISTENT),
        ("factual_error", ("1", "0"), Verdict.INCONSISTENT),
    ],
)
def test_the_polarity_of_a_label_is_read_from_its_name(
    tmp_path: Path, column: str, words: tuple[str, str], consistent: Verdict
) -> None:
    rows = [{**PAIR, column: word} for word in words]
    table("t.csv")(tmp_path, rows)
    first, second = Generic().read(tmp_path / "t.csv")
    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert first.intended is consistent
    assert {first.intended, second.intended} == {Verdict.CONSISTENT, Verdict.INCONSISTENT}


def test_a_flipped_mapping_turns_yes_and_no_and_leaves_words_that_say_it_themselves() -> None:
    flipped = ColumnMap(summary="s").flipped()
    assert flipped.verdicts["yes"] is Verdict.INCONSISTENT
    assert flipped.verdicts["0"] is Verdict.CONSISTENT
    assert flipped.verdicts["faithful"] is Verdict.CONSISTENT
    assert flipped.flipped().verdicts == ColumnMap(summary="s").verdicts


def test_columns_without_known_names_are_told_by_their_length() -> None:
    found = infer_column_map(
        [{"a": "x", "kurz": SUMMARY, "lang": DOCUMENT * 3}, {"a": "y", "kurz": WRONG, "lang": OTHER * 3}]
    )
    assert (found.document, found.summary) == ("lang", "kurz")


def test_sentences_that_come_without_their_documents_are_no_documents() -> None:
    found = infer_column_map([{"doc_id": "d1", "topic": "Ferries to Kiel", "summ_sent": SUMMARY}])
    assert (found.document, found.summary, found.group) == ("", "summ_sent", "doc_id")


def test_a_table_without_texts_is_refused_with_its_columns() -> None:
    with pytest.raises(TouchstoneError, match=r"No column holds a summary\. The columns are a, b"):
        infer_column_map([{"a": 1, "b": "x"}])


def test_an_id_that_repeats_is_that_of_the_document() -> None:
    found = infer_column_map([{**PAIR, "id": "d1"}, {**PAIR, "id": "d1"}])
    assert (found.id, found.group) == ("", "id")


def test_columns_of_numbers_are_scores_and_counters_are_not() -> None:
    found = infer_column_map([{**PAIR, "": 0, "sent_idx": 3, "rouge-2_edited": "1e-39", "Q2_reference": 0.5}])
    assert found.scores == (
        ScoreColumn(column="rouge-2_edited", metric="rouge-2", edited=True),
        ScoreColumn(column="Q2_reference", metric="Q2"),
    )


def test_columns_of_one_judge_each_are_annotators_and_a_judge_by_name_is_none() -> None:
    found = infer_column_map([{**PAIR, "annotator": "kim", "rater_1": "yes", "rater_2": "4"}])
    assert found.annotators == ("rater_1", "rater_2")


@pytest.mark.parametrize("column", ["split", "label"])
def test_a_known_name_with_unknown_words_is_not_taken(column: str) -> None:
    assert getattr(infer_column_map([{**PAIR, column: "third"}]), column) == ""


def test_fields_of_an_object_are_columns(tmp_path: Path) -> None:
    listed("b.json")(tmp_path, [bump(0)])
    columns = infer_column_map(preview_rows(tmp_path / "b.json"))
    plain, edited = read_with_map(tmp_path / "b.json", columns)
    assert isinstance(plain, Item)
    assert isinstance(edited, Item)
    assert (plain.example.id, edited.parent, edited.group) == ("0", "0", "628")
    assert edited.error_type is ErrorType.INTRINSIC_PREDICATE
    assert plain.scores == (StoredScore("ROUGE-2", 0.8), StoredScore("Q2", 1.0))
    assert edited.scores == (StoredScore("ROUGE-2", 0.7), StoredScore("Q2", 1.0))


def test_a_mapping_is_saved_and_read_again(tmp_path: Path) -> None:
    columns = ColumnMap(summary="s", label="error", scores=(ScoreColumn(column="r", metric="ROUGE"),)).flipped()
    assert load_column_map(put(tmp_path, "m.json", columns.to_json())) == columns


def test_a_saved_mapping_is_a_setting_of_the_importer(tmp_path: Path) -> None:
    put(tmp_path, "m.json", ColumnMap(summary="b", document="a").to_json())
    table("t.csv")(tmp_path, [{"a": DOCUMENT, "b": SUMMARY}])
    reader = DATASETS.parse(f"generic[mapping={tmp_path / 'm.json'}]")
    assert only(list(reader.read(tmp_path / "t.csv"))).example.summary == SUMMARY


@pytest.mark.parametrize(
    ("text", "says"), [('{"summary": "s", "lable": "x"}', "lable"), ("{}", "summary"), ("{", "m.json")]
)
def test_a_mapping_that_cannot_be_read_names_the_field(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TouchstoneError, match=says):
        load_column_map(put(tmp_path, "m.json", text))


def test_a_mapping_of_another_table_is_refused_with_the_columns_there_are(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=r"no column 'claim' for the summary\. The columns are doc, summary"):
        by(tmp_path, ColumnMap(summary="claim"), PAIR)


@pytest.mark.parametrize(
    "columns",
    [
        ColumnMap(summary="summary", annotators=("kim",)),
        ColumnMap(summary="summary", scores=(ScoreColumn(column="kim", metric="BLEU"),)),
    ],
)
def test_votes_and_scores_that_are_not_there_are_not_passed_over(tmp_path: Path, columns: ColumnMap) -> None:
    with pytest.raises(TouchstoneError, match=r"no column 'kim' for the (annotator|score of BLEU)"):
        by(tmp_path, columns, PAIR)


def test_a_column_of_whole_numbers_with_gaps_holds_ids(tmp_path: Path) -> None:
    parquet("t.parquet")(tmp_path, [{**PAIR, "article": 7.0}, {**PAIR, "article": None}])
    columns = ColumnMap(summary="summary", document="doc", group="article")
    found = list(read_with_map(tmp_path / "t.parquet", columns))
    assert [item.group for item in found if isinstance(item, Item)] == ["7", document_key(DOCUMENT)]


def test_without_a_document_column_the_documents_are_joined_later(tmp_path: Path) -> None:
    item = only(by(tmp_path, ColumnMap(summary="summary", group="d"), {"d": "7", "summary": SUMMARY}))
    assert (item.example.document, item.group, item.example.id) == ("", "7", "t-2")


def test_an_edited_column_makes_a_pair_of_which_the_label_is_the_edits(tmp_path: Path) -> None:
    columns = ColumnMap(summary="summary", document="doc", edited="new", label="l", system="m", split="cut")
    plain, edited = by(tmp_path, columns, {**PAIR, "new": WRONG, "l": "0", "m": "BART", "cut": "valid"})
    assert isinstance(plain, Item)
    assert isinstance(edited, Item)
    assert (plain.intended, edited.intended) == (None, Verdict.INCONSISTENT)
    assert (plain.split, edited.system, edited.edits[0].new) == (Split.DEV, "BART", "night")


def test_annotators_vote_in_words_or_rate_in_numbers(tmp_path: Path) -> None:
    columns = ColumnMap(summary="summary", document="doc", annotators=("ann", "ben", "cy"))
    item = only(by(tmp_path, columns, {**PAIR, "ann": "Yes", "ben": "4.5", "cy": ""}))
    assert [(judgement.judge, judgement.verdict) for judgement in item.judgements] == [("ann", Verdict.CONSISTENT)]
    assert item.ratings == (Rating("ben", "rating", 4.5),)


def test_who_rates_from_one_to_five_does_not_vote_with_one(tmp_path: Path) -> None:
    columns = ColumnMap(summary="summary", document="doc", annotators=("ann",))
    rows = [{**PAIR, "ann": "1"}, {**PAIR, "ann": "5"}]
    found = [item for item in by(tmp_path, columns, *rows) if isinstance(item, Item)]
    assert [item.ratings for item in found] == [(Rating("ann", "rating", 1.0),), (Rating("ann", "rating", 5.0),)]
    assert not any(item.judgements for item in found)


def test_votes_that_contradict_the_label_are_guessed_to_be_meant_the_other_way_round(tmp_path: Path) -> None:
    rows = [{**PAIR, "w/ Error": word, "rater_1": vote} for word, vote in (("yes", "no"), ("no", "yes"), ("no", "no"))]
    columns = infer_column_map(rows)
    assert columns.opposed
    found = [item for item in by(tmp_path, columns, *rows) if isinstance(item, Item)]
    assert [item.intended for item in found] == [Verdict.INCONSISTENT, Verdict.CONSISTENT, Verdict.CONSISTENT]
    votes = [item.judgements[0].verdict for item in found]
    assert votes == [Verdict.INCONSISTENT, Verdict.CONSISTENT, Verdict.INCONSISTENT]


def test_votes_that_agree_with_the_label_are_meant_as_it_is() -> None:
    rows = [{**PAIR, "w/ Error": word, "rater_1": word} for word in ("yes", "no")]
    assert not infer_column_map(rows).opposed


def test_an_index_without_a_name_is_no_label(tmp_path: Path) -> None:
    item = only(by(tmp_path, ColumnMap(summary="summary", document="doc"), {"": "7", **PAIR}))
    assert item.intended is None


def test_gaps_of_a_column_of_labels_are_no_labels(tmp_path: Path) -> None:
    parquet("t.parquet")(tmp_path, [{**PAIR, "label": 1.0}, {**PAIR, "label": float("nan")}])
    found = list(Generic(label_of_1="consistent").read(tmp_path / "t.parquet"))
    assert [item.intended for item in found if isinstance(item, Item)] == [Verdict.CONSISTENT, None]


@pytest.mark.parametrize(
    ("cell", "kind", "categories"),
    [
        ("Intrinsic Entity Error", ErrorType.INTRINSIC_ENTITY, ("Intrinsic Entity Error",)),
        ("['EntE', 'OutE']", None, ("EntE", "OutE")),
        ("Typo", None, ("Typo",)),
        ("n/a", None, ()),
    ],
)
def test_error_types_of_bump_are_known_and_others_are_kept(
    tmp_path: Path, cell: str, kind: ErrorType | None, categories: tuple[str, ...]
) -> None:
    columns = ColumnMap(summary="summary", document="doc", error_type="e")
    item = only(by(tmp_path, columns, {**PAIR, "e": cell}))
    assert (item.error_type, item.categories) == (kind, categories)


def test_a_label_that_the_mapping_does_not_know_is_refused_with_what_it_knows(tmp_path: Path) -> None:
    (refusal,) = by(tmp_path, ColumnMap(summary="summary", document="doc", label="l"), {**PAIR, "l": "maybe"})
    assert isinstance(refusal, Refusal)
    assert "'l' is 'maybe'. Known: 1, 1.0, true, yes" in refusal.error


def test_a_row_without_a_label_is_read_without_one(tmp_path: Path) -> None:
    columns = ColumnMap(summary="summary", document="doc", label="l")
    assert only(by(tmp_path, columns, {**PAIR, "l": ""})).intended is None


@pytest.mark.parametrize(
    ("name", "write"), [("t.jsonl", lines), ("t.json", listed), ("t.csv", table), ("t.parquet", parquet)]
)
def test_every_format_is_read_by_the_guess(name: str, write: Write, tmp_path: Path) -> None:
    write(name)(tmp_path, [{**PAIR, "label": 1}, {"doc": OTHER, "summary": WRONG, "label": 0}])
    found = list(Generic(label_of_1="consistent").read(tmp_path / name))
    assert [item.intended for item in found if isinstance(item, Item)] == [Verdict.CONSISTENT, Verdict.INCONSISTENT]


def test_a_workbook_is_read_by_the_guess(tmp_path: Path) -> None:
    book(tmp_path / "t.xlsx", {"sheet": [{**PAIR, "label": 1.0}]})
    assert only(list(Generic(label_of_1="consistent").read(tmp_path / "t.xlsx"))).intended is Verdict.CONSISTENT


def test_columns_of_ones_own_name_slices(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(
        "document,summary,label,newspaper,tags,long\n"
        "It rained on the town all day.,It rained.,1,Courier,weather; town,1\n"
        "It snowed on the town all day.,It rained.,0,,,\n",
        encoding="utf-8",
    )
    guessed = infer_column_map(preview_rows(path))
    assert guessed.slices == ("tags",)
    mapped = guessed.model_copy(update={"slices": ("newspaper", "tags", "long"), "scores": (), "ratings": ()})
    found = [one.slices for one in read_with_map(path, mapped) if isinstance(one, Item)]
    assert found == [("newspaper: Courier", "weather", "town", "long: 1"), ()]


def test_a_saved_mapping_keeps_its_slices(tmp_path: Path) -> None:
    saved = tmp_path / "mapping.json"
    saved.write_text(ColumnMap(summary="text", slices=("newspaper",)).to_json(), encoding="utf-8")
    assert load_column_map(saved).slices == ("newspaper",)


@pytest.mark.parametrize(
    ("reader", "says"),
    [
        (Generic(summary="sumary"), "no column 'sumary' for the summary. The columns are doc, summary, label, errors"),
        (Generic(document="text"), "no column 'text' for the document"),
        (Generic(summary="doc", document="doc"), "doc cannot be two of summary, document and label"),
        (Generic(summary="summary", label="summary"), "summary cannot be two of"),
        (Generic(label_of_1="consistent", consistent="0"), "label_of_1 and consistent both say"),
        (Generic(higher="errors", lower="errors"), "errors is named as higher is better and as lower is better"),
    ],
)
def test_answers_that_contradict_each_other_or_name_no_column_are_refused(
    reader: Generic, says: str, tmp_path: Path
) -> None:
    table("t.csv")(tmp_path, [{**PAIR, "label": number % 2, "errors": number} for number in range(4)])
    for use in (reader.question, reader.read):
        with pytest.raises(TouchstoneError, match=says):
            use(tmp_path / "t.csv")


def test_the_answer_that_there_is_no_document_names_no_column(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, [{**PAIR, "is_faithful": number % 2} for number in range(4)])
    assert not Generic(document="none", label="is_faithful").columns(tmp_path / "t.csv").document
