"""Sentences on what a run could not have, and why."""

from __future__ import annotations

from dataclasses import replace

from core.results.runs.matrix import kind_coverage
from core.results.runs.run_sentences import (
    check_sentence,
    check_sentences,
    failure_sentences,
    refusal_sentences,
    split_refusal,
)
from core.results.runs.stress_run import Check, StressRun
from core.scoring.nli_check import NliResult
from tests.unit.core.results.runs.stressed import METRIC, run_of

FLAGGED = "The model changed nothing. The model said: “{}”"


def test_refusals_are_counted_by_their_reason_whatever_the_model_said() -> None:
    run = run_of({"shuffled": [0.1, 0.2, 0.3]})
    for source, answer in (("s0", "One."), ("s1", "Two.")):
        run.add(replace(run.variants[source, "shuffled"], summary=None, error=FLAGGED.format(answer)))
    assert refusal_sentences(kind_coverage(run)) == ["shuffled: not applied to 2 of 3. The model changed nothing."]


def test_the_raw_answer_stands_apart_from_the_reason() -> None:
    assert split_refusal(FLAGGED.format("Sure! “Here”")) == ("The model changed nothing.", "Sure! “Here”")
    assert split_refusal("One sentence only.") == ("One sentence only.", "")


def test_each_reason_why_a_metric_has_no_score_is_counted() -> None:
    assert failure_sentences(run_of({"shuffled": [0.1, None]})) == [f"{METRIC}: no score of 1 of 4 texts. It broke."]


def test_a_verdict_says_who_says_what_and_how_sure() -> None:
    assert check_sentence(Check("a", "k", NliResult(True, "entailment", 0.934))) == (
        "Contradicts the original, says entailment, p = 0.93."
    )
    said = NliResult(False, "tiny|prompt:x", said="Same.", notes=("One sentence was not read.",))
    assert check_sentence(Check("a", "k", said)) == (
        "Does not contradict the original, says tiny|prompt:x. “Same.” One sentence was not read."
    )
    assert check_sentence(Check("a", "k", None, "Too short.")) == "Not checked: Too short."


def test_what_the_guard_found_is_counted() -> None:
    run = StressRun(replace(run_of({"shuffled": [0.1]}).plan, guard="entailment"))
    run.add(Check("s0", "shuffled", NliResult(True, "entailment", 0.9)))
    run.add(Check("s1", "shuffled", NliResult(False, "entailment", 0.1)))
    run.add(Check("s2", "shuffled", None, "Too short."))
    assert check_sentences(run) == [
        "entailment: 1 of 2 variants contradict their original.",
        "entailment: 1 not checked. Too short.",
    ]
