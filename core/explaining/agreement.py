"""How far a judge of explanations agrees with people: correlation, balanced accuracy and kappa."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.explaining.grades import WORTH, Grade
from core.stats import correlation, distance
from core.stats.correlation import Rated
from core.stats.discrimination import Labelled
from core.stats.estimate import Estimate
from core.stats.kappa import kappa
from core.stats.ratings import Ratings
from core.stats.resampling import RESAMPLES, Resamples
from core.stats.statistic import Numbers, Statistic, Values
from core.stats.thresholds import Threshold, balanced_accuracy

_CUTS = {"entirely": 0.75, "at least partially": 0.25}  # halfway between two grades


@dataclass(frozen=True, slots=True)
class Compared:
    """The grades of one explanation by a judge and by people, None where the judge gave none; `group` names the document."""

    judged: Grade | None
    human: Grade
    group: str


def agreement(compared: Sequence[Compared], resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Estimate]:
    """Each figure by its name with its 95 % interval, documents resampled; a failed judgement counts in none.

    Balanced accuracy takes people's grades as the truth, cut twice: entirely correct against the rest, and not correct
    against the rest. Weighted kappa counts half a grade apart as half as bad (Cohen 1968, linear weights).
    """
    groups = sorted({case.group for case in compared})
    documents = np.array([groups.index(case.group) for case in compared], dtype=np.intp)
    judged = np.array([WORTH[case.judged] if case.judged else np.nan for case in compared])
    human = np.array([WORTH[case.human] for case in compared])
    draws = Resamples.draw(len(groups), resamples, seed)
    return {name: draws.estimate(statistic) for name, statistic in _statistics(judged, human, documents).items()}


def _statistics(judged: Values, human: Values, documents: Numbers) -> dict[str, Statistic]:
    rated = Rated(judged, human, documents)
    ratings = Ratings(np.column_stack([judged, human]), documents, tuple(WORTH.values()))
    return {
        "pearson": correlation.pearson(rated),
        "spearman": correlation.spearman(rated),
        "kendall": correlation.kendall(rated),
        **{f"balanced accuracy, {name}": _balanced(rated, cut) for name, cut in _CUTS.items()},
        "kappa": kappa(ratings, 0, 1, distance.nominal),
        "weighted kappa": kappa(ratings, 0, 1, distance.linear),
    }


def _balanced(rated: Rated, cut: float) -> Statistic:
    # the cut lies between grades and was chosen on no document
    return balanced_accuracy(Labelled(rated.scores, rated.human > cut, rated.documents), Threshold(cut, 0, frozenset()))
