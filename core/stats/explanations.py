"""Detection and explanation of inserted errors (SummExecEdit, Thorat, Laban and Wu 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.statistic import Mask, Numbers, Statistic, Values, mean, undefined


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """What a model said of each summary, (n,) each.

    `inconsistent` is the truth, `flagged` the model's verdict. `grades` judge the explanation of the error: 1 entirely,
    0.5 partially, 0 not correct, and nan where there is none to judge.
    """

    inconsistent: Mask
    flagged: Mask
    grades: Values
    documents: Numbers


def detection_accuracy(explained: Explained) -> Statistic:
    """DA: share of right verdicts over consistent and inconsistent summaries."""
    right = explained.inconsistent == explained.flagged
    return mean(right.astype(np.float64), explained.documents)


def detection_score(explained: Explained) -> Statistic:
    """DS: share of the inconsistent summaries that are found out."""
    return _over(explained.inconsistent, explained.flagged.astype(np.float64), explained)


def explanation_score(explained: Explained) -> Statistic:
    """ES: mean grade of the explanations of the errors that were found."""
    return _over(explained.inconsistent & explained.flagged, explained.grades, explained)


def joint_score(explained: Explained) -> Statistic:
    """JS: mean over the inconsistent summaries of detection times grade; an error that is missed counts 0."""
    joint = np.where(explained.flagged, explained.grades, 0.0)
    return _over(explained.inconsistent, joint, explained)


def _over(chosen: Mask, values: Values, explained: Explained) -> Statistic:
    if not chosen.any():
        return undefined(0, "No error was found." if explained.inconsistent.any() else "No summary is inconsistent.")
    return mean(values[chosen], explained.documents[chosen])
