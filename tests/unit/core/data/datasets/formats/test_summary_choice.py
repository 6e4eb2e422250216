"""Which of several columns of texts is the summary: the text of the system, and never the reference beside it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.formats.summary_choice import choose_summary, summary_question
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item
from tests.unit.core.data.datasets.writing import table

SYSTEMS = (
    "candidate",
    "generated",
    "generated_summary",
    "response",
    "prediction",
    "model_output",
    "decoded",
    "SystemSummary",
)
REFERENCES = (
    "reference",
    "highlights",
    "gold",
    "gold_summary",
    "target",
    "ground_truth",
    "referenceSummary",
    "human_summary",
)


def rows(*columns: str) -> list[dict[str, object]]:
    return [
        {
            "document": "Rain fell all day in the valley, and hail.",
            **{name: f"{name} {number} of it." for name in columns},
            "label": number % 2,
        }
        for number in range(4)
    ]


@pytest.mark.parametrize(("system", "reference"), [*product(SYSTEMS, REFERENCES)])
def test_the_text_of_a_system_is_the_summary_and_its_reference_is_not(system: str, reference: str) -> None:
    for columns in ((system, reference), (reference, system)):
        mapped = infer_column_map(rows(*columns))
        assert (mapped.summary, mapped.document) == (system, "document")
        assert choose_summary(rows(*columns), ["document", *columns]) == (system, ())


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_reference_beside_a_summary_is_left_out(reference: str) -> None:
    assert infer_column_map(rows(reference, "summary")).summary == "summary"


@pytest.mark.parametrize("other", ["response", "candidate", "generated"])
def test_a_summary_beside_the_text_of_a_system_is_a_guess_and_asked_about(other: str, tmp_path: Path) -> None:
    assert choose_summary(rows("summary", other), ["summary", other]) == (other, ("summary",))
    table("t.csv")(tmp_path, rows("summary", other))
    with pytest.raises(TouchstoneError, match=rf"{other}, summary may each be the summary") as refused:
        Generic(label_of_1="consistent").read(tmp_path / "t.csv")
    assert f"  {other}: “{other} 0 of it.”" in str(refused.value)
    assert f"--summary {other} or --summary summary" in str(refused.value)
    for column in ("summary", other):
        reader = Generic(summary=column, label_of_1="consistent")
        items = [item for item in reader.read(tmp_path / "t.csv") if isinstance(item, Item)]
        assert [item.example.summary for item in items] == [f"{column} {number} of it." for number in range(4)]
        assert reader.settings_used(tmp_path / "t.csv")["summary"] == column


def test_a_column_of_its_own_is_no_choice() -> None:
    assert choose_summary(rows("summary"), ["document", "summary"]) == ("", ())


def test_a_reference_is_the_summary_where_nothing_else_is_and_that_is_asked_about() -> None:
    assert infer_column_map(rows("reference")).summary == "reference"
    assert "--summary reference" in summary_question(rows("reference"), infer_column_map(rows("reference")))
