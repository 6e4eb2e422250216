"""HaluEval and SummEval as they were released."""

from __future__ import annotations

from pathlib import Path

from core.types import ALL_JUDGES, Rating, Verdict
from tests.unit.core.data.datasets.reading import imported
from tests.unit.core.data.datasets.releases import DOCUMENT, SUMMARY, WRONG, hallucinated, rated_by_experts
from tests.unit.core.data.datasets.writing import lines


def test_the_two_summaries_of_halueval_are_a_right_and_a_wrong_one_of_the_same_document(tmp_path: Path) -> None:
    right, wrong = imported("halueval", tmp_path, lines("summarization_data.json"), hallucinated())
    assert (right.example.summary, right.intended) == (SUMMARY, Verdict.CONSISTENT)
    assert (wrong.example.summary, wrong.intended, wrong.system) == (WRONG, Verdict.INCONSISTENT, "ChatGPT")
    assert right.group == wrong.group
    assert wrong.parent is None


def test_a_summary_of_summeval_is_consistent_where_every_expert_gave_the_full_mark(tmp_path: Path) -> None:
    good, bad = imported(
        "summeval",
        tmp_path,
        lines("model_annotations.aligned.jsonl"),
        rated_by_experts("M11", SUMMARY, 5, 5, 5),
        rated_by_experts("M8", WRONG, 5, 4, 5, text=DOCUMENT),
    )
    assert (good.intended, bad.intended) == (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    assert (good.example.document, bad.example.document) == ("", DOCUMENT)
    assert (bad.example.id, bad.system, bad.group) == ("cnn-test-a1/M8", "M8", "cnn-test-a1")
    assert Rating("expert-2", "consistency", 4.0) in bad.ratings
    assert Rating(ALL_JUDGES, "consistency", 14 / 3) in bad.ratings
    assert len(bad.ratings) == 16
