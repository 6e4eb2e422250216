"""Records that hold several texts in objects: of systems, of numbered reviews, of a response with claims, of raters."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.datasets.formats.record_shapes import claimed_record, numbered_texts, rater_rows, system_rows
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item, Rating, Verdict
from tests.unit.core.data.datasets.writing import lines

REVIEWS = {"rev1": "The soup was cold and late.", "rev2": "Warm bread, kind waiters."}
FIRST = "Guests liked the bread."
SECOND = "Guests liked the soup."


def items(path: Path, **settings: str) -> list[Item]:
    records = list(Generic(**settings).read(path))
    assert all(isinstance(record, Item) for record in records)
    return [record for record in records if isinstance(record, Item)]


def test_the_texts_of_systems_in_an_object_are_a_sample_each(tmp_path: Path) -> None:
    record = {"reviews": REVIEWS, "model_output": {"bart": FIRST, "copycat": SECOND}}
    lines("t.jsonl")(tmp_path, [{"case": 1, **record}, {"case": 2, **record}])
    made = items(tmp_path / "t.jsonl")[:2]
    assert [(item.system, item.example.summary) for item in made] == [("bart", FIRST), ("copycat", SECOND)]
    assert {item.example.document for item in made} == {"\n".join(REVIEWS.values())}


def test_the_texts_of_systems_have_their_ratings(tmp_path: Path) -> None:
    systems = {
        "lead": {"summary": FIRST, "dimensions": {"Fluency": 4.5, "Faithfulness": 5}},
        "gpt": {"summary": SECOND, "dimensions": {"Fluency": 3.0, "Faithfulness": 1}},
    }
    record = {"reviews": REVIEWS, "summaries": systems}
    lines("t.jsonl")(tmp_path, [{"case": 1, **record}, {"case": 2, **record}])
    first, second, *_ = items(tmp_path / "t.jsonl")
    assert (first.system, second.system) == ("lead", "gpt")
    assert [rating.value for rating in second.ratings] == [3.0, 1.0]


def test_a_human_reference_beside_systems_is_asked_about(tmp_path: Path) -> None:
    record = {"reviews": REVIEWS, "summ": "People came for bread.", "model_output": {"bart": FIRST, "t5": SECOND}}
    lines("t.jsonl")(tmp_path, [record, record])
    with pytest.raises(TouchstoneError, match="--summary summ or --summary summary"):
        items(tmp_path / "t.jsonl")
    assert [item.example.summary for item in items(tmp_path / "t.jsonl", summary="summary")][:2] == [FIRST, SECOND]


@pytest.mark.parametrize("value", [{"a": "x y", "b": "y z"}, {"rev1": 1, "rev2": 2}, {"rev1": "One only."}])
def test_an_object_without_numbered_texts_is_none(value: dict[str, object]) -> None:
    assert numbered_texts(value) is None


@pytest.mark.parametrize("name", ["scores", "meta", "annotations"])
def test_an_object_of_another_name_holds_no_systems(name: str) -> None:
    assert system_rows({"document": "Rain all day.", name: {"bart": FIRST, "t5": SECOND}}) is None


def test_the_fields_of_a_pair_are_no_systems() -> None:
    assert system_rows({"output": {"summary": FIRST, "explanation": SECOND}}) is None


def test_the_ratings_of_several_people_are_those_of_each(tmp_path: Path) -> None:
    given = [{"consistency": 5, "fluency": 4}, {"consistency": 2, "fluency": 3}]
    record = {
        "id": "7",
        "dialogue": "Ann: Bread? Ben: Yes, two.",
        "summary": FIRST,
        "annotations": given,
        "model_id": "A",
    }
    lines("t.jsonl")(tmp_path, [record, {**record, "summary": SECOND, "model_id": "B"}])
    first, second = items(tmp_path / "t.jsonl")
    assert (first.system, second.system) == ("A", "B")
    assert first.ratings == (
        Rating("1", "consistency", 5),
        Rating("1", "fluency", 4),
        Rating("2", "consistency", 2),
        Rating("2", "fluency", 3),
    )


@pytest.mark.parametrize(
    "annotations", [[{"start": 1}, {"start": 2}], [{"a": 1, "b": 2}], [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]]
)
def test_other_lists_of_objects_are_no_ratings(annotations: list[object]) -> None:
    assert rater_rows({"summary": FIRST, "annotations": annotations}) is None


RESPONSE = "The ferry left at nine. It was full."


@pytest.mark.parametrize(
    "record",
    [
        {
            "response": RESPONSE,
            "claims": [
                {"claim": "The ferry left at nine.", "human_label": "Entailment"},
                {"claim": "It was full.", "human_label": "Contradiction"},
            ],
        },
        {
            "response": RESPONSE,
            "response_kg": [
                {"triplet": ["ferry", "left", "at nine"], "human_label": "Entailment"},
                {"triplet": ["ferry", "was", "full"], "human_label": "Contradiction"},
            ],
        },
        {
            "chatgpt_response": RESPONSE,
            "chatgpt_fact": ["The ferry left at nine.", "It was full."],
            "human_label": ["supported", "not supported"],
        },
    ],
)
def test_a_response_with_a_false_claim_is_one_inconsistent_sample(record: dict[str, object], tmp_path: Path) -> None:
    lines("t.jsonl")(tmp_path, [{"id": "a", **record}, {"id": "b", **record}])
    made = items(tmp_path / "t.jsonl")
    assert [(item.example.summary, item.intended) for item in made] == [(RESPONSE, Verdict.INCONSISTENT)] * 2
    assert [len(item.example.claims.claims) if item.example.claims else 0 for item in made] == [2, 2]


def test_the_label_of_a_response_counts_beside_those_of_its_claims(tmp_path: Path) -> None:
    claims = [{"claim": "The ferry left at nine.", "label": True}, {"claim": "It was full.", "label": False}]
    record = {"prompt": "When did the ferry leave?", "response": RESPONSE, "claims": claims}
    lines("t.jsonl")(tmp_path, [{**record, "label": False}, {**record, "label": True}])
    with pytest.raises(TouchstoneError, match="label says false, true"):
        items(tmp_path / "t.jsonl")
    made = items(tmp_path / "t.jsonl", label_of_1="consistent")
    assert [item.intended for item in made] == [Verdict.INCONSISTENT, Verdict.CONSISTENT]


def test_evidence_of_a_claim_is_a_document_each_and_no_claim_of_it() -> None:
    assert (
        claimed_record(
            {"claim": "It rained a lot.", "evidences": [{"evidence": "Rain fell.", "evidence_label": "SUPPORTS"}]}
        )
        is None
    )


def test_remarks_on_a_summary_are_no_samples(tmp_path: Path) -> None:
    remarks = [{"span": "the bread", "question": "Which bread is meant?"}, {"span": "Guests", "question": "Who came?"}]
    lines("t.jsonl")(tmp_path, [{"id": number, "summary": FIRST, "remarks": remarks} for number in range(3)])
    assert [item.example.summary for item in items(tmp_path / "t.jsonl")] == [FIRST] * 3
