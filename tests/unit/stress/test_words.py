"""Sentences on what a run could not have, and why."""

from __future__ import annotations

from dataclasses import replace

from core.guard import Mark
from core.stress.matrix import applied
from core.stress.records import Check, Run
from core.stress.words import failures, guarded, reason_and_answer, refusals, verdict
from tests.unit.stress.stressed import METRIC, run_of

FLAGGED = "The model changed nothing. The model said: “{}”"


def test_refusals_are_counted_by_their_reason_whatever_the_model_said() -> None:
    run = run_of({"shuffled": [0.1, 0.2, 0.3]})
    for source, answer in (("s0", "One."), ("s1", "Two.")):
        run.add(replace(run.variants[source, "shuffled"], summary=None, refusal=FLAGGED.format(answer)))
    assert refusals(applied(run)) == ["shuffled: not applied to 2 of 3. The model changed nothing."]


def test_the_raw_answer_stands_apart_from_the_reason() -> None:
    assert reason_and_answer(FLAGGED.format("Sure! “Here”")) == ("The model changed nothing.", "Sure! “Here”")
    assert reason_and_answer("One sentence only.") == ("One sentence only.", "")


def test_each_reason_why_a_metric_has_no_score_is_counted() -> None:
    assert failures(run_of({"shuffled": [0.1, None]})) == [f"{METRIC}: no score of 1 of 4 texts. It broke."]


def test_a_verdict_says_who_says_what_and_how_sure() -> None:
    assert verdict(Check("a", "k", Mark(True, "entailment", 0.934))) == (
        "Contradicts the original, says entailment, p = 0.93."
    )
    said = Mark(False, "tiny|prompt:x", said="Same.", notes=("One sentence was not read.",))
    assert verdict(Check("a", "k", said)) == (
        "Does not contradict the original, says tiny|prompt:x. “Same.” One sentence was not read."
    )
    assert verdict(Check("a", "k", None, "Too short.")) == "Not checked: Too short."


def test_what_the_guard_found_is_counted() -> None:
    run = Run(replace(run_of({"shuffled": [0.1]}).plan, guard="entailment"))
    run.add(Check("s0", "shuffled", Mark(True, "entailment", 0.9)))
    run.add(Check("s1", "shuffled", Mark(False, "entailment", 0.1)))
    run.add(Check("s2", "shuffled", None, "Too short."))
    assert guarded(run) == [
        "entailment: 1 of 2 variants contradict their original.",
        "entailment: 1 not checked. Too short.",
    ]
