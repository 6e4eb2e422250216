"""Claims with labels under one response: one sample, inconsistent if one claim is, with the claims and their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.datasets.generic import Generic
from core.types import Item, Span, Verdict
from tests.unit.core.data.datasets.writing import Record, lines, table

DOCUMENT = "Rain fell all day. The road was closed. Snow is expected."
CLAIMS = ["It rained all day.", "The road was open.", "Snow is expected."]
RESPONSE = " ".join(CLAIMS[:2])
OTHER = CLAIMS[2]
SPANS = [Span(0, 18), Span(19, 37)]


def items(path: Path) -> list[Item]:
    records = list(Generic().read(path))
    assert all(isinstance(record, Item) for record in records)
    return [record for record in records if isinstance(record, Item)]


def rows(whole: str, claim: str, label: str, words: tuple[str, str]) -> list[Record]:
    labelled = [(RESPONSE, CLAIMS[0], words[0]), (RESPONSE, CLAIMS[1], words[1]), (OTHER, CLAIMS[2], words[0])]
    return [{"document": DOCUMENT, whole: response, claim: text, label: word} for response, text, word in labelled]


def check(found: list[Item]) -> None:
    first, second = found
    assert (first.example.summary, second.example.summary) == (RESPONSE, OTHER)
    assert (first.intended, second.intended) == (Verdict.INCONSISTENT, Verdict.CONSISTENT)
    assert first.example.claims is not None
    assert [claim.text for claim in first.example.claims.claims] == CLAIMS[:2]
    assert [claim.span for claim in first.example.claims.claims] == SPANS


@pytest.mark.parametrize("whole", ["response", "summary", "model_summary"])
@pytest.mark.parametrize("claim", ["claim", "sentence", "atomic_fact"])
@pytest.mark.parametrize(("label", "words"), [("label", ("supported", "unsupported")), ("is_supported", ("1", "0"))])
def test_rows_of_claims_are_one_sample(
    whole: str, claim: str, label: str, words: tuple[str, str], tmp_path: Path
) -> None:
    table("t.csv")(tmp_path, rows(whole, claim, label, words))
    check(items(tmp_path / "t.csv"))
    assert (
        "check        the claims of a response are one sample: inconsistent if one of them is."
        in Generic().describe(tmp_path / "t.csv")
    )


def test_listed_claims_keep_their_places(tmp_path: Path) -> None:
    listed = [
        [
            {"text": CLAIMS[0], "label": "supported"},
            {"text": CLAIMS[1], "label": "unsupported", "start": 19, "end": 37},
        ],
        [{"text": CLAIMS[2], "label": "supported"}],
    ]
    records = [
        {"document": DOCUMENT, "response": response, "claims": claims}
        for response, claims in zip([RESPONSE, OTHER], listed, strict=True)
    ]
    lines("t.jsonl")(tmp_path, records)
    check(items(tmp_path / "t.jsonl"))


def test_claims_of_responses_of_their_own_stay_rows(tmp_path: Path) -> None:
    made = rows("response", "claim", "is_supported", ("1", "0"))
    table("t.csv")(
        tmp_path, [{**row, "response": f"{row['claim']} Number {number}."} for number, row in enumerate(made)]
    )
    assert [item.example.summary for item in items(tmp_path / "t.csv")] == CLAIMS


def test_equal_responses_of_other_documents_are_samples_of_their_own(tmp_path: Path) -> None:
    made = rows("response", "claim", "is_supported", ("1", "0"))[:2]
    table("t.csv")(tmp_path, [*made, *({**row, "document": f"{DOCUMENT} Again."} for row in made)])
    assert len(items(tmp_path / "t.csv")) == 2
