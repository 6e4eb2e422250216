"""Which of several columns of texts is the summary: the text of the system, and never the reference beside it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from core.data.datasets.formats.column_inference import infer_column_map
from core.data.datasets.formats.summary_choice import choose_summary, summary_question
from core.data.datasets.generic import Generic
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
    question = (
        f"{other} is read as the summary, and not summary. Is it the text of the system? Else map another column."
    )
    assert f"check        {question}" in Generic().describe(tmp_path / "t.csv")


def test_a_column_of_its_own_is_no_choice() -> None:
    assert choose_summary(rows("summary"), ["document", "summary"]) == ("", ())


def test_a_reference_is_the_summary_where_nothing_else_is_and_that_is_asked_about() -> None:
    assert infer_column_map(rows("reference")).summary == "reference"
    assert summary_question(rows("reference"), "reference").startswith("reference is read as the summary, as no other")
