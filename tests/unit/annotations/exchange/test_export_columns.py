"""The columns of exported rows, and the columns of tables that they come from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import pytest

from annotations.exchange.campaign_import import IMPORT_STEPS, import_rows
from annotations.exchange.export_columns import ExportedModel, LocalIds, columns_of
from annotations.exchange.export_rows import ExportedRow
from annotations.exchange.response_rows import ExportedComment, ExportedCorrection, ExportedDecision
from annotations.store.records import RecordError
from annotations.store.response_tables import Adjudication, Comment, Correction
from core.types import ErrorType

NOW = datetime(2026, 11, 28, tzinfo=UTC)
PSEUDONYMS = {"Dia": "p-1", "Ben": "p-2"}


def imported_ids() -> LocalIds:
    ids = LocalIds(names={"p-1": "Dia"}, people={"p-2": "person of Ben"})
    ids.tasks[3] = "task 3"
    ids.labels.update({"e1": 11, "e2": 12})
    return ids


@pytest.mark.parametrize("kind", get_args(ExportedRow), ids=lambda kind: str(kind.__name__))
def test_every_column_that_is_read_or_written_is_one_of_the_table(kind: type[ExportedModel]) -> None:
    stored = {column.stored or name for name, column in columns_of(kind).items() if column.read or column.write}
    assert stored <= kind.table.model_fields.keys()


@pytest.mark.parametrize("kind", [kind for kind, step in IMPORT_STEPS.items() if step is import_rows])
def test_rows_that_are_stored_as_they_are_have_every_column_of_their_table(kind: type[ExportedModel]) -> None:
    stored = {column.stored or name for name, column in columns_of(kind).items() if column.read}
    assert stored | {"id", "campaign_id"} >= kind.table.model_fields.keys()


def test_a_decision_is_exported_by_pseudonym_and_read_back_by_name_task_and_labels() -> None:
    row = Adjudication(
        task_id="task of another database",
        revision=2,
        answers={"verdict": "consistent"},
        cause="ambiguous text",
        note="See the title.",
        settles=[5, 6],
        by="Dia",
        event_id="d1",
        created_at=NOW,
    )
    exported = ExportedDecision.from_table(row, PSEUDONYMS, task=3, item_id="i", settles=("e1", "e2"))
    assert (exported.person, exported.task, exported.settles) == ("p-1", 3, ("e1", "e2"))
    changed = {"task_id": "task 3", "settles": [11, 12]}
    assert exported.table_values(imported_ids()) == row.model_dump(exclude={"id"}) | changed


def test_a_model_keeps_its_name_and_an_error_type_is_stored_as_its_word() -> None:
    row = Correction(
        response_id=5,
        item_id="i",
        revision=1,
        error_type="Coreference",
        note="",
        by="a model",
        event_id="c1",
        created_at=NOW,
    )
    exported = ExportedCorrection.from_table(row, PSEUDONYMS, label="e2")
    assert (exported.person, exported.error_type) == ("a model", ErrorType.COREFERENCE)
    stored = exported.table_values(imported_ids())
    assert (stored["by"], stored["response_id"], type(stored["error_type"])) == ("a model", 12, str)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": 4}, "names task 4, which is not in the file"),
        ({"annotator": "p-9"}, "names person 'p-9', which is not in the file"),
    ],
)
def test_a_name_or_number_that_no_row_of_the_file_has_is_named(changes: dict[str, object], message: str) -> None:
    row = Comment(task_id="t", annotator_id="a", role="annotator", text="Why?", by="Ben", event_id="t1", created_at=NOW)
    exported = ExportedComment.from_table(row, PSEUDONYMS, **{"task": 3, "annotator": "p-2", **changes})
    with pytest.raises(RecordError, match=message):
        exported.table_values(imported_ids())


@pytest.mark.parametrize("kind", get_args(ExportedRow), ids=lambda kind: str(kind.__name__))
def test_no_source_of_a_column_is_hidden_in_a_union(kind: type[ExportedModel]) -> None:
    """`X | None` with the source inside X would be read as a column of its own name."""
    hidden = [name for name, info in kind.model_fields.items() if "ExportColumn" in repr(info.annotation)]
    assert hidden == []


def test_a_conversation_without_an_annotator_stays_without() -> None:
    row = Comment(task_id="t", annotator_id=None, role="manager", text="Why?", by="Ben", event_id="t1", created_at=NOW)
    exported = ExportedComment.from_table(row, PSEUDONYMS, task=3, annotator=None)
    assert exported.table_values(imported_ids())["annotator_id"] is None
