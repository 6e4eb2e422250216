"""Codes beside words that say what they mean: a contradiction is named in whatever row it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.dataset import Refusal
from core.data.datasets.formats.codebook import codebook_of
from core.data.datasets.generic import Generic
from tests.unit.core.data.datasets.writing import Record, table


def rows(number: int, wrong: int | None = None) -> list[Record]:
    return [
        {
            "document": f"It rained all day in town {place}.",
            "summary": f"It rained {place}.",
            "label": place % 2,
            "label_text": ("faithful" if (place % 2 == 0) != (place == wrong) else "hallucinated"),
        }
        for place in range(number)
    ]


@pytest.mark.parametrize("label", ["", "label", "label_text"])
def test_a_contradiction_after_the_first_rows_is_refused_with_its_row(label: str, tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(700, wrong=650))
    settings = {"label": label, "label_of_1": "inconsistent"} if label == "label" else {"label": label}
    refused = [record for record in Generic(**settings).read(tmp_path / "t.csv") if isinstance(record, Refusal)]
    assert [refusal.line for refusal in refused] == [652]
    assert "label is 0, and label_text says inconsistent here and consistent in an earlier row" in refused[0].error


def test_columns_that_agree_are_read(tmp_path: Path) -> None:
    table("t.csv")(tmp_path, rows(700))
    assert not [record for record in Generic().read(tmp_path / "t.csv") if isinstance(record, Refusal)]


@pytest.mark.parametrize("columns", [["label"], ["label", "label_time"], ["text", "label"]])
def test_other_columns_are_no_codebook(columns: list[str]) -> None:
    assert codebook_of(columns, "label") is None
