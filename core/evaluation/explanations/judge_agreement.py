"""The agreement of judges of explanations with people and with one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from core.evaluation.report import Column, Table
from core.stats import (
    RESAMPLES,
    Estimate,
    LabelledScores,
    LabelMatrix,
    RatedScores,
    Resamples,
    Threshold,
    balanced_accuracy,
    cohen_kappa,
    correlation,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from core.stats.annotators import agreement as distance
from core.types import GRADE_VALUES, ExplanationFlaw, Grade

_GRADE_CUTS = {"entirely": 0.75, "at least partially": 0.25}  # halfway between two grades


Figures = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class GradePair:
    """The grades of one explanation by a judge and by people, None where the judge gave none; `group` names the document.

    The causes are what each found wrong, None where it was not asked or nothing is.
    """

    judge_grade: Grade | None
    human_grade: Grade
    group: str
    judge_cause: ExplanationFlaw | None = None
    human_cause: ExplanationFlaw | None = None


@dataclass(frozen=True, slots=True)
class JudgedExplanation:
    """The grades of one explanation by judge, and that of a person; `key` identifies it, `group` names the document."""

    key: tuple[str, ...]
    group: str
    grades: Mapping[str, Grade]
    human: Grade | None = None


def merge_judged(judged: Iterable[JudgedExplanation]) -> list[JudgedExplanation]:
    """Each explanation once, with the grades of all judges."""
    by_key: dict[tuple[str, ...], JudgedExplanation] = {}
    for explanation in judged:
        before = by_key.get(explanation.key, explanation)
        by_key[explanation.key] = replace(before, grades={**before.grades, **explanation.grades})
    return list(by_key.values())


def agreement_among_judges(
    judged: Sequence[JudgedExplanation], resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, Estimate]:
    """Raw agreement, Krippendorff's alpha, AC1 and the weighted kappa of every two judges, by name; empty below two judges.

    With 95 % intervals, documents resampled. An explanation counts where two judges graded it.
    """
    judges = judge_names(judged)
    if len(judges) < 2:
        return {}
    groups = sorted({explanation.group for explanation in judged})
    documents = np.array([groups.index(explanation.group) for explanation in judged], dtype=np.intp)
    labels = np.array(
        [
            [GRADE_VALUES[explanation.grades[name]] if name in explanation.grades else np.nan for name in judges]
            for explanation in judged
        ]
    )
    matrix = LabelMatrix(labels, documents, tuple(GRADE_VALUES.values()))
    draws = Resamples.draw(len(groups), resamples, seed)
    statistics = {
        "same grade": raw_agreement(matrix),
        "alpha (nominal)": krippendorff_alpha(matrix, distance.nominal_distance),
        "alpha (ordinal)": krippendorff_alpha(matrix, distance.ordinal_distance),
        "AC1": gwet_ac1(matrix),
        **{
            f"weighted kappa, {first + 1} × {second + 1}": cohen_kappa(matrix, first, second, distance.linear_distance)
            for first, second in combinations(range(len(judges)), 2)
        },
    }
    return {name: draws.estimate(statistic) for name, statistic in statistics.items()}


def judge_names(judged: Iterable[JudgedExplanation]) -> list[str]:
    """The judges, who are numbered from 1 in this order."""
    return list(dict.fromkeys(name for explanation in judged for name in explanation.grades))


AGREEMENT_COLUMNS = (
    Column("agreement"),
    Column("value", format="unsigned"),
    Column("n", format="count", help="Explanations that both graded, or at least two judges."),
    Column("remark", help="Reason why a figure is undefined, or why its interval must not be trusted."),
)


def judge_tables(judged: Sequence[JudgedExplanation], resamples: int = RESAMPLES) -> list[Table]:
    """Tables of the agreement among judges and of their numbers; none for fewer than two judges."""
    figures = agreement_among_judges(judged, resamples)
    if not figures:
        return []
    judges = tuple(
        (number, name, sum(name in explanation.grades for explanation in judged), len(judged))
        for number, name in enumerate(judge_names(judged), start=1)
    )
    return [
        Table(
            "among_judges",
            "The judges with one another",
            AGREEMENT_COLUMNS,
            tuple((name, estimate, estimate.n, estimate.error) for name, estimate in figures.items()),
        ),
        Table(
            "judges",
            "Judges by number",
            (
                Column("number", format="count"),
                Column("judge"),
                Column("graded", format="count"),
                Column("explanations", "of explanations", "count"),
            ),
            judges,
        ),
    ]


def agreement_with_people(
    compared: Sequence[GradePair], resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, Estimate]:
    """Each figure by name, with a 95 % interval over resampled documents; failed judgements are left out.

    Balanced accuracy takes people's grades as the truth, cut twice: entirely correct against the rest, and not correct
    against the rest. Weighted kappa counts half a grade apart as half as bad (Cohen 1968, linear weights).
    """
    groups = sorted({case.group for case in compared})
    documents = np.array([groups.index(case.group) for case in compared], dtype=np.intp)
    judged = np.array([GRADE_VALUES[case.judge_grade] if case.judge_grade else np.nan for case in compared])
    human = np.array([GRADE_VALUES[case.human_grade] for case in compared])
    draws = Resamples.draw(len(groups), resamples, seed)

    places = {cause: float(place) for place, cause in enumerate(ExplanationFlaw)}
    named = np.array(
        [[places[cause] if cause else np.nan for cause in (pair.judge_cause, pair.human_cause)] for pair in compared]
    )
    matrix = LabelMatrix(named, documents, tuple(places.values()))
    rated = RatedScores(judged, human, documents)
    ratings = LabelMatrix(np.column_stack([judged, human]), documents, tuple(GRADE_VALUES.values()))
    statistics = {
        "pearson": correlation.pearson(rated),
        "spearman": correlation.spearman(rated),
        "kendall": correlation.kendall(rated),
    }
    for name, cut in _GRADE_CUTS.items():
        # the cut lies between two grades, so no document was used to choose it
        labelled = LabelledScores(rated.scores, rated.human > cut, rated.documents)
        statistics[f"balanced accuracy, {name}"] = balanced_accuracy(labelled, Threshold(cut, 0, frozenset()))
    statistics["kappa"] = cohen_kappa(ratings, 0, 1, distance.nominal_distance)
    statistics["weighted kappa"] = cohen_kappa(ratings, 0, 1, distance.linear_distance)
    if matrix.labelled.all(axis=1).any():  # at least one explanation has a cause from both
        statistics["same cause"] = raw_agreement(matrix)
        statistics["kappa of causes"] = cohen_kappa(matrix, 0, 1, distance.nominal_distance)
    return {name: draws.estimate(statistic) for name, statistic in statistics.items()}
