"""Two summaries in both orders: a win in both, a tie, orders that differ, and what cannot be read or compared."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.errors import MissingEndpointError, TouchstoneError
from core.evaluation.explanations.pairwise import PREFERENCES, PairwiseAnswer, compare_summaries, format_preferences
from core.types import Failure, FailureKind
from tests.drive import drive
from tests.unit.core.evaluation.explanations.commands import lines, run
from tests.unit.core.evaluation.explanations.scenes import DOCUMENT, SAMPLING, SEED, SUMMARY, told
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

pytestmark = pytest.mark.usefixtures("terminal")


def place(more: str) -> str:
    return json.dumps({"because": f"It is the {more}.", "more_consistent": more})


@pytest.mark.parametrize(
    ("original_first", "edited_first", "preference"),
    [
        ("first", "second", "original"),
        ("second", "first", "edited"),
        ("same", "same", "tie"),
        ("first", "first", "order-inconsistent"),
        ("first", "same", "order-inconsistent"),
    ],
)
def test_a_win_counts_where_both_orders_say_so(
    monkeypatch: pytest.MonkeyPatch, original_first: str, edited_first: str, preference: str
) -> None:
    answers = place(original_first), place(edited_first)
    found, asked = told(monkeypatch, lambda: compare_summaries(DOCUMENT, SEED, SUMMARY, SAMPLING), *answers)
    assert found.preference == preference
    assert found.reasons == (f"It is the {original_first}.", f"It is the {edited_first}.")
    assert found.by.startswith("pairwise|model:tiny|")
    orders = [body["messages"][1]["content"] for _, body in asked]
    assert [one.index(SEED) < one.index(SUMMARY) for one in orders] == [True, False]


def test_an_answer_that_cannot_be_read_is_no_preference(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TouchstoneError, match="The model said: “Both"):
        told(
            monkeypatch, lambda: compare_summaries(DOCUMENT, SEED, SUMMARY, SAMPLING), place("first"), "Both.", "Both."
        )


def test_the_same_summary_is_not_compared_with_itself() -> None:
    with pytest.raises(TouchstoneError, match="The two summaries are the same"):
        drive(compare_summaries(DOCUMENT, SEED, f"{SEED} ", SAMPLING))


def test_preferences_are_counted_with_those_of_the_first_place() -> None:
    won = PairwiseAnswer("original", "original", ("", ""), "x")
    first = PairwiseAnswer("original", "edited", ("", ""), "x")
    counted = format_preferences([won, won, first, Failure("c", "pairwise", FailureKind.INPUT, "no")])
    assert (
        counted
        == "original 2, edited 0, tie 0, order-inconsistent 1, failed 1; the summary shown first won 67% of the questions"
    )
    assert {won.preference, first.preference} < set(PREFERENCES)


def test_the_edits_of_a_file_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_path: str, body: Body) -> Reply:
        [first] = re.findall(r"<first-\w+>\n(.*?)\n</first", body["messages"][1]["content"], re.DOTALL)
        return text(place("second" if "pilot" in first else "first"))

    edits = [{"original_text": "harbour master", "replace_text": "pilot's wife", "explanation": "He said so."}]
    record = {"id": "a", "document": DOCUMENT, "summary": SEED, "edits": edits}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(record))
    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        printed = run("pairwise", "pairs.jsonl", "-o", "out.jsonl").stderr
    assert "Estimate: 2 questions to endpoints" in printed
    assert "original 1, edited 0, tie 0, order-inconsistent 0; the summary shown first won 50%" in printed
    [compared] = lines(tmp_path / "out.jsonl")
    assert (compared["id"], compared["preference"], compared["status"]) == ("a/edited", "original", "ok")


def test_without_an_endpoint_or_an_edit_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"id": "a", "document": DOCUMENT, "summary": SEED}))
    with pytest.raises(MissingEndpointError):
        run("pairwise", "pairs.jsonl", "-o", "out.jsonl")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(TouchstoneError, match="has no edited summary"):
        run("pairwise", "pairs.jsonl", "-o", "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
