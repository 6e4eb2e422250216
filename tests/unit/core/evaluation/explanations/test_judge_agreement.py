"""The agreement of a judge with people, on grades that can be counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.errors import TouchstoneError
from core.evaluation.explanations.judge_agreement import GradePair, agreement_with_people
from core.evaluation.studies.judge_agreement import JudgeAgreement
from core.evaluation.study import StudyData
from core.results.cases.cases import build_cases
from core.stats.statistic import Estimate
from core.types import Grade, GradedExplanation, Sample, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample

RESAMPLES = 200

PAIRS: list[tuple[Grade | None, Grade]] = [
    ("entirely", "entirely"),
    ("entirely", "entirely"),
    ("partially", "entirely"),
    ("partially", "partially"),
    ("not", "not"),
    ("not", "not"),
    ("not", "not"),
    ("entirely", "not"),
]


def compared(pairs: Sequence[tuple[Grade | None, Grade]]) -> list[GradePair]:
    """Two explanations to a document."""
    return [GradePair(judged, human, f"d{place // 2}") for place, (judged, human) in enumerate(pairs)]


def figures(pairs: Sequence[tuple[Grade | None, Grade]]) -> dict[str, Estimate]:
    return agreement_with_people(compared(pairs), RESAMPLES)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # people: entirely 3, of which the judge calls 2 so; the rest 5, of which it calls 1 entirely
        ("balanced accuracy, entirely", (2 / 3 + 4 / 5) / 2),
        # people: at least partially 4, all found; not 4, of which 3 are refused
        ("balanced accuracy, at least partially", (4 / 4 + 3 / 4) / 2),
        # 6 of 8 alike; by chance (3·3 + 2·1 + 3·4) / 64
        ("kappa", (6 / 8 - 23 / 64) / (1 - 23 / 64)),
        # off by one step once and by two once; by chance (3·(1 + 2·4) + 2·(3 + 4) + 3·(2·3 + 1)) / 64 steps
        ("weighted kappa", 1 - (3 / 8) / (62 / 64)),
    ],
)
def test_a_figure_is_that_of_the_grades_counted_by_hand(name: str, value: float) -> None:
    found = figures(PAIRS)[name]
    assert found.value == pytest.approx(value)
    assert found.n == len(PAIRS)


def test_a_judge_that_says_what_people_say_agrees_wholly() -> None:
    found = figures([(human, human) for _, human in PAIRS])
    assert {name: estimate.value for name, estimate in found.items()} == pytest.approx(dict.fromkeys(found, 1.0))


def test_a_failed_judgement_counts_in_no_figure() -> None:
    pairs = [*PAIRS, (None, "entirely"), (None, "not")]
    found = figures(pairs)
    assert {name: one.value for name, one in found.items()} == {name: one.value for name, one in figures(PAIRS).items()}
    assert found["kappa"].n == 8


def test_a_figure_that_is_undefined_says_why_and_is_no_number() -> None:
    pairs: list[tuple[Grade | None, Grade]] = [("not", "not")] * 4
    pearson = figures(pairs)["pearson"]
    assert (pearson.value, pearson.error) == (None, "All 4 scores are the same (0).")


def test_the_interval_of_a_figure_holds_its_value() -> None:
    found = figures(PAIRS * 3)["pearson"]
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


JUDGES = ("judge-v1|model:one|x", "judge-v1|model:two|x")


def graded(id: str, human: str, *by_judges: str) -> Sample:
    """An explanation with the grade of a person, "" for none, and that of each judge, "" where it failed."""
    given = [GradedExplanation("why", "it", human, "ada")] if human else []
    given += [GradedExplanation("why", "it", grade, judge) for judge, grade in zip(JUDGES, by_judges, strict=False)]
    one = sample(id, Verdict.INCONSISTENT, {})
    return replace(one, item=replace(one.item, explanations=tuple(given)))


def test_stored_grades_of_judges_are_compared_with_those_of_people_and_with_one_another() -> None:
    samples = [
        graded("a", "entirely", "entirely", "entirely"),
        graded("b", "not", "not", "entirely"),
        graded("c", "partially", "partially", ""),
        graded("d", "", "not", "not"),
    ]
    report = JudgeAgreement().run(StudyData(datasets=("own",), cases=build_cases(samples), resamples=20))
    assert report.table("graded").rows == ((JUDGES[0], 3, 0), (JUDGES[1], 3, 1))
    people = report.table("with_people")
    assert people.figure("value", judge=JUDGES[0], agreement="weighted kappa").value == 1.0
    assert people.figure("value", judge=JUDGES[1], agreement="kappa").n == 2
    assert report.table("among_judges").figure("value", agreement="same grade").value == pytest.approx(2 / 3)
    assert report.sentences[0].startswith(f"{JUDGES[0]}, the best of 2 judges, agrees with people on 3 explanations")


def test_without_a_grade_of_a_person_or_a_second_judge_there_is_no_agreement() -> None:
    with pytest.raises(TouchstoneError, match="No person graded any"):
        JudgeAgreement().run(StudyData(cases=build_cases([graded("a", "", "not")])))
    with pytest.raises(TouchstoneError, match="Name a file"):
        JudgeAgreement().run(StudyData())
