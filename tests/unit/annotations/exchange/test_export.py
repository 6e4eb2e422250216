"""The long form: nothing dropped, nothing executed."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace

import pytest

from annotations.exchange.export import EXPORT_COLUMNS, ExportRow, all_rows, to_csv, to_jsonl
from annotations.people.people import Role, add_person
from annotations.store.store import Store
from annotations.store.tables import EditJudgement, Label, ScoreRow
from core.text.edits import apply, parse
from core.types import Context, Edit, Span
from tests.unit.annotations.pair_samples import DOCUMENT, EDITED, EDITS, ORIGINAL, PAIR, record


@pytest.fixture
def full(store: Store) -> Store:
    store.save_pair(PAIR)
    store.save_label(record("a"))
    store.save_label(record("b", confidence=2))
    store.save_label(record("c", annotator="cem", grade=None, cause=None))
    return store


def of_kind(store: Store, kind: str) -> list[ExportRow]:
    return [row for row in all_rows(store) if row["kind"] == kind]


def test_every_row_of_the_store_is_in_the_export(full: Store) -> None:
    counts = full.counts()
    found = Counter(row["kind"] for row in all_rows(full))
    assert found["pair"] + found["summary"] == counts["item"] == 2
    assert (found["score"], found["label"], found["edit_judgement"]) == (3, 3, 3)
    assert (found["explanation"], found["explanation_judgement"]) == (1, 2)
    assert counts["explanationjudgement"] == 2


def test_a_label_says_who_when_which_and_whether_blind(full: Store) -> None:
    first, second, other = of_kind(full, "label")
    assert [row["revision"] for row in (first, second, other)] == [1, 2, 1]
    assert (first["annotator"], first["event_id"], first["blind"]) == ("ben", "a", True)
    assert (first["verdict"], first["confidence"], first["note"]) == ("inconsistent", 4, "sold, not bought")
    assert first["created_at"].endswith("+00:00")
    assert first["item_id"] == of_kind(full, "pair")[0]["item_id"]


def test_a_score_keeps_its_signature_and_a_failure_its_reason(full: Store) -> None:
    scores = of_kind(full, "score")
    assert [(row["status"], row["value"], row["error_kind"]) for row in scores] == [
        ("ok", 0.75, None),
        ("ok", 0.25, None),
        ("failed", None, "needs download"),
    ]
    assert scores[0]["signature"] == "rouge2|split:punkt|touchstone:0.1.0"


def test_the_edits_of_a_pair_can_be_executed_again(full: Store) -> None:
    (pair,) = of_kind(full, "pair")
    assert (pair["document"], pair["original"], pair["summary"]) == (DOCUMENT, ORIGINAL, EDITED)
    assert parse(json.dumps(pair["edits"]), pair["original"], by="ada") == list(EDITS)


def test_an_insertion_can_be_executed_again_and_is_exact(store: Store) -> None:
    insertion = Edit(Span(4, 4), "old ", "no age is given", "ada")
    store.save_pair(replace(PAIR, edited="The old board bought two tugs.", edits=(insertion,), outcomes=()))
    (pair,) = of_kind(store, "pair")
    assert apply(ORIGINAL, parse(json.dumps(pair["edits"]), ORIGINAL)) == pair["summary"]
    assert (pair["edits"][0]["span"], pair["edits"][0]["inserted"]) == ([4, 4], "old ")


def test_a_pair_kept_by_two_people_has_a_row_for_each(store: Store) -> None:
    store.save_pair(PAIR)
    store.save_pair(replace(PAIR, by="cem"))
    assert [row["by"] for row in of_kind(store, "pair")] == ["ada", "cem"]


def test_how_the_metrics_reacted_leaves_with_the_pair(store: Store) -> None:
    kept = store.save_pair(replace(PAIR, reaction="You reversed a fact. 0 of 9 metrics noticed."))
    found = store.pair(kept.id)
    assert found is not None
    [row] = of_kind(store, "pair")
    assert row["reaction"] == found.pair.reaction == "You reversed a fact. 0 of 9 metrics noticed."


def test_people_are_exported_under_pseudonyms(full: Store) -> None:
    """Also in the ids, as far as they are made from names."""
    before = of_kind(full, "explanation_judgement")
    with full.writing() as session:
        for name in ("ada", "ben", "cem"):
            add_person(session, name, Role.ANNOTATOR)
    rows = list(all_rows(full))
    assert {row["annotator"][:2] for row in rows if "annotator" in row} == {"p-"}
    assert {row["by"][:2] for row in rows if row["kind"] in {"pair", "summary"} and "by" in row} == {"p-"}
    assert {edit["by"][:2] for row in rows for edit in row.get("edits", ())} == {"p-"}
    explanations = {row["explanation_id"] for row in rows if row["kind"] == "explanation"}
    judged = {row["explanation_id"] for row in rows if row["kind"] == "explanation_judgement"}
    assert judged <= explanations
    assert len(judged) == len({row["explanation_id"] for row in before})


def test_jsonl_is_exact(full: Store) -> None:
    full.save_label(record("d", note='=SUM(A1)\u2028\r\n"two" 🧪'))
    lines = list(to_jsonl(all_rows(full)))
    assert [json.loads(line) for line in lines] == list(all_rows(full))
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)


def test_columns_of_a_table_keep_its_order(full: Store) -> None:
    rows = list(all_rows(full))
    for kind, table in (("score", ScoreRow), ("label", Label), ("edit_judgement", EditJudgement)):
        columns = ["kind", *(name for name in table.model_fields if name != "id")]
        assert {tuple(row) for row in rows if row["kind"] == kind} == {tuple(columns)}


def test_csv_has_every_column_of_every_row(full: Store) -> None:
    full.save_pair(replace(PAIR, contexts=(Context("Board", Span(0, 32)),), question="What did it buy?"))
    table = list(csv.DictReader(io.StringIO("".join(to_csv(all_rows(full))), newline="")))
    expected = list(all_rows(full))
    assert len(table) == len(expected)
    assert {column for row in expected for column in row} == set(EXPORT_COLUMNS)
    for cells, row in zip(table, expected, strict=True):
        assert cells == {column: as_cell(row.get(column)) for column in EXPORT_COLUMNS}


def as_cell(value: object) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_that_a_spreadsheet_would_execute_gets_an_apostrophe(store: Store, start: str) -> None:
    store.save_label(record(note=f"{start}cmd|' /C calc'!A0"))
    table = csv.DictReader(io.StringIO("".join(to_csv(all_rows(store))), newline=""))
    notes = [cells["note"] for cells in table if cells["kind"] == "label"]
    assert notes == [f"'{start}cmd|' /C calc'!A0"]


def test_a_negative_number_stays_a_number() -> None:
    (_, line) = to_csv([{"kind": "score", "value": -1.5}])
    assert ",-1.5," in line
