"""How stable a judge is: what counts as a sample, how often two differ, and that each sample is asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.evaluation.explanations.detect import Detection
from core.evaluation.explanations.judge import ExplanationGrade
from core.evaluation.explanations.stability import fresh_samplings, sample_strip, unanswered_failures
from core.types import Failure, FailureKind, Verdict
from tests.unit.core.evaluation.explanations.scenes import SAMPLING

YES = Detection(Verdict.CONSISTENT, "All is said.", "it")
NO = Detection(Verdict.INCONSISTENT, "It is not.", "it")
UNREADABLE = Failure("x", "it", FailureKind.INPUT, "The answer holds no object.")
SILENT = Failure("x", "it", FailureKind.ERROR, "The server cannot be reached.")


@pytest.mark.parametrize(
    ("outcomes", "rate"),
    [
        ([], None),
        ([YES], None),
        ([YES, YES, YES], 0.0),
        ([YES, NO], 1.0),
        ([YES, YES, NO, NO], 2 / 3),
        ([YES, YES, NO, UNREADABLE, SILENT], 2 / 3),
    ],
    ids=["none", "one", "alike", "two", "four", "those that have a verdict"],
)
def test_the_flip_rate_is_the_share_of_unequal_pairs(
    outcomes: list[Detection | ExplanationGrade | Failure], rate: float | None
) -> None:
    assert sample_strip(outcomes).flip_rate == (None if rate is None else pytest.approx(rate))


def test_what_could_not_be_read_is_a_mark_of_its_own_and_no_verdict() -> None:
    strip = sample_strip([NO, UNREADABLE, YES, NO])
    assert [sample.label for sample in strip.samples] == ["inconsistent", "", "consistent", "inconsistent"]
    assert strip.samples[1].text == UNREADABLE.error
    assert (strip.counts, strip.unreadable) == ({"inconsistent": 2, "consistent": 1}, 1)


def test_a_server_that_does_not_answer_draws_no_sample() -> None:
    outcomes = [YES, SILENT, UNREADABLE]
    assert len(sample_strip(outcomes).samples) == 2
    assert unanswered_failures(outcomes) == [SILENT]


def test_grades_are_sampled_as_verdicts_are() -> None:
    strip = sample_strip([ExplanationGrade("not", "No.", "it"), ExplanationGrade("entirely", "Yes.", "it")])
    assert (strip.counts, strip.flip_rate) == ({"not": 1, "entirely": 1}, 1.0)


def test_each_sample_has_a_number_of_its_own_and_is_the_same_otherwise() -> None:
    samples = fresh_samplings(SAMPLING, 7, 3)
    assert [one.sample for one in samples] == [7, 8, 9]
    assert {replace(one, sample=0) for one in samples} == {SAMPLING}
