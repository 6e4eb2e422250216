"""JSON of any layout: objects over several lines, columns as pandas writes them, repeated keys."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from core.data.datasets.formats.table_files import table_rows
from core.data.datasets.generic import preview_rows
from core.errors import TouchstoneError
from tests.unit.core.data.datasets.writing import put

ROWS = [
    {"document": "Rain fell, and hail.", "summary": "It rained.", "label": 1},
    {"document": "Snow fell.", "summary": "It hailed.", "label": 0},
]
FRAME = pd.DataFrame(ROWS)


def read(path: Path) -> list[dict[str, object]]:
    return [
        {name: row[name] for name in ("document", "summary", "label")}
        for _, row in table_rows(path)
        if not isinstance(row, str)
    ]


@pytest.mark.parametrize("orient", ["records", "columns", "index", "split", "table"])
@pytest.mark.parametrize("index", [None, ["a", "b"], ["2024-01-01", "2024-01-02"]])
def test_each_orient_of_pandas_gives_the_rows(orient: str, index: list[str] | None, tmp_path: Path) -> None:
    frame = FRAME if index is None else FRAME.set_index(pd.Index(index))
    frame.to_json(tmp_path / "t.json", orient=orient)
    assert read(tmp_path / "t.json") == ROWS


@pytest.mark.parametrize("form", ["dict", "list", "split", "tight", "records", "index"])
def test_each_form_of_a_dictionary_of_pandas_gives_the_rows(form: str, tmp_path: Path) -> None:
    assert read(put(tmp_path, "t.json", json.dumps(FRAME.to_dict(form), indent=1))) == ROWS


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(json.dumps(row, indent=2) for row in ROWS),
        "".join(json.dumps(row) for row in ROWS),
        ",\n".join(json.dumps(row) for row in ROWS),
        "\n\n".join(json.dumps(row) for row in ROWS),
        "\ufeff" + "\r\n".join(json.dumps(row, indent="\t") for row in ROWS),
    ],
)
def test_objects_after_each_other_are_rows_in_any_layout(text: str, tmp_path: Path) -> None:
    assert read(put(tmp_path, "t.jsonl", text)) == ROWS


def test_objects_that_break_off_are_refused(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(row, indent=2) for row in ROWS)
    with pytest.raises(TouchstoneError, match="breaks off in record 2"):
        read(put(tmp_path, "t.jsonl", text[:-20]))


def test_rows_without_names_are_refused(tmp_path: Path) -> None:
    FRAME.to_json(tmp_path / "t.json", orient="values")
    assert [str(row)[:22] for _, row in table_rows(tmp_path / "t.json")] == ["Expected a JSON object"]


def test_a_key_that_stands_twice_with_other_values_is_refused_with_both(tmp_path: Path) -> None:
    same = '{"document": "D.", "label": 1, "label": 1}\n'
    (_, first), (_, second) = table_rows(
        put(tmp_path, "t.jsonl", same + '{"document": "D.", "label": 1, "label": 0}\n')
    )
    assert first == {"document": "D.", "label": 1}
    assert second == "The key 'label' stands in this object several times, with '1' and '0'. Leave one."
    with pytest.raises(TouchstoneError, match="record 1: The key 'label' stands in this object several times"):
        list(table_rows(put(tmp_path, "t.json", '[{"document": "D.", "label": 1, "label": 0}]')))


def test_more_keys_than_any_record_has_are_refused(tmp_path: Path) -> None:
    record = {**ROWS[0], **{f"k{number}": 1 for number in range(12_000)}}
    ((_, reason),) = table_rows(put(tmp_path, "t.jsonl", json.dumps(record)))
    assert reason == "This object has 12,003 keys; 10,000 is the most. Write one JSON object a line."
    lines = [json.dumps({f"k{part}-{number}": 1 for number in range(600)}) for part in range(2)]
    with pytest.raises(TouchstoneError, match="has 1,200 columns; 1,000 is the most"):
        preview_rows(put(tmp_path, "u.jsonl", "\n".join(lines)))
