"""The numbers that people gave to summaries, one of each aspect for a summary."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import numpy as np

from core.results.cases.cases import Cases
from core.stats import Values
from core.types import ALL_JUDGES, Verdict

VERDICT_ASPECT = "share of judges who say consistent"
"""The aspect that verdicts of several judges make."""

VERDICT_VALUES = {Verdict.CONSISTENT: 1.0, Verdict.BORDERLINE: 0.5, Verdict.INCONSISTENT: 0.0}


def mean_ratings(cases: Cases) -> dict[str, Values]:
    """The rating of each aspect, (samples,); nan where nobody rated.

    It is the dataset's own summary of its judges where there is one, else the mean over judges of their sentences' mean.
    """
    by_aspect: dict[str, Values] = defaultdict(lambda: np.full(len(cases.samples), np.nan))
    for place, sample in enumerate(cases.samples):
        by_judge: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for rating in sample.item.ratings:
            by_judge[rating.aspect][rating.judge].append(rating.value)
        ratings: dict[str, list[float]] = {}
        for rated, judges in by_judge.items():
            counted = [judges[ALL_JUDGES]] if ALL_JUDGES in judges else judges.values()
            ratings[rated] = [fmean(values) for values in counted]
        if len(sample.item.judgements) > 1:
            ratings[VERDICT_ASPECT] = [VERDICT_VALUES[judgement.verdict] for judgement in sample.item.judgements]
        for aspect, values in ratings.items():
            by_aspect[aspect][place] = np.mean(values)
    return dict(by_aspect)
