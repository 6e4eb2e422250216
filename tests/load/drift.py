"""The study `drift` on drawn weeks: false alarms, alarms where the rate doubles, and how often the rates to expect hold the true one.

By hand: `python -m tests.load.drift --labels 200 --draws 300`. Four weeks, labels of the first alone, one metric whose scores of
both kinds are 1.5 standard deviations apart. It prints a line of JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import numpy as np
import typer

from core.evaluation.report import estimate_of
from core.evaluation.studies.drift import Drift
from core.evaluation.study import StudyData
from core.results.cases.cases import MetricColumn
from core.results.cases.summary_pool import SummaryPool
from core.stats.statistic import Mask

_WEEKS, _DISTANCE, _RATE = 4, 1.5, 0.1


def draw_weeks(last: float, size: int, labels: int, seed: int) -> tuple[SummaryPool, Mask]:
    """Weeks of `size` summaries, the last with another rate of inconsistent ones, and which are inconsistent, (N,)."""
    rng = np.random.default_rng(seed)
    week = np.repeat(np.arange(_WEEKS), size)
    wrong = rng.random(len(week)) < np.where(week == _WEEKS - 1, last, _RATE)
    known = np.full(len(week), np.nan)
    rows = rng.choice(size, labels, replace=False)
    known[rows] = 1 - wrong[rows]
    scores = rng.normal(size=len(week)) - _DISTANCE * wrong
    parts = {f"week {number}": week == number for number in range(_WEEKS)}
    ids = [str(number) for number in range(len(week))]
    return SummaryPool(ids, known, np.arange(len(week)), (MetricColumn("rouge2", scores),), parts=parts), wrong


def main(
    labels: Annotated[int, typer.Option(help="Of the first week.")] = 200,
    draws: Annotated[int, typer.Option()] = 300,
    size: Annotated[int, typer.Option(help="Summaries of a week.")] = 800,
) -> None:
    counts: Counter[str] = Counter()
    widths: dict[str, list[float]] = {"if_scores_hold": [], "if_errors_hold": []}
    for seed in range(draws):
        same, _ = draw_weeks(_RATE, size, labels, seed)
        counts["false alarms"] += Drift().run(StudyData(datasets=("drawn",), pool=same, by="dataset")).alarm
        worse, wrong = draw_weeks(2 * _RATE, size, labels, seed)
        report = Drift().run(StudyData(datasets=("drawn",), pool=worse, by="dataset"))
        counts["alarms"] += report.alarm
        truth, [*_, last] = float(wrong[-size:].mean()), report.table("rates").records()
        for name, found in widths.items():
            rate = estimate_of(last[name])
            if rate and rate.low is not None and rate.high is not None:
                counts[f"{name} holds it"] += rate.low <= truth <= rate.high
                found.append(rate.high - rate.low)
    shares = {name: round(count / draws, 3) for name, count in counts.items()}
    for name, found in widths.items():
        shares |= {f"{name} told": len(found) / draws, f"{name} width": round(float(np.mean(found)), 3)}
    typer.echo(json.dumps({"labels": labels, "draws": draws, **shares}))


if __name__ == "__main__":
    typer.run(main)
