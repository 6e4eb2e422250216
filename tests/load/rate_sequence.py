"""Coverage of campaigns that stop by themselves, and the labels that they take, for each way to draw.

    python -m tests.load.rate_sequence --campaigns 2000

A campaign looks after each day's labels and stops when its interval is narrow enough. Prints a row of Markdown for each setting: how
often the interval at the stop holds the rate of the pool, the labels that it took, and how often the interval of the study
`prevalence` at the same moment holds it, which is made for one look.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from core.results.cases.pool_rates import draw_of_labels
from core.results.cases.summary_pool import SummaryPool
from core.stats.rates.prediction_powered import pool_ranks, score_features
from core.stats.rates.rate_sequence import DrawnPool, rate_sequence
from core.stats.rates.score_draw import (
    DrawWay,
    arrivals,
    draw_weights,
    drawn_first,
    expected_rates,
    selection_probabilities,
)
from tests.load.prevalence import simulated_pool

_A_DAY, _FIRST = 40, 520  # labels
_ONE_IN = 4  # campaigns, of which the other interval is computed too
_SETTINGS = ((0.75, 0.1, 0.04), (0.9, 0.1, 0.04), (0.5, 0.1, 0.04), (0.75, 0.3, 0.05), (0.75, 0.02, 0.02))
"""Area under the ROC curve, rate and margin."""

_HEAD = "| draw | AUC | rate, % | ± points | it holds the rate, % | labels, median | 90 % of campaigns | prevalence then holds it, % |"


@dataclass(frozen=True, slots=True)
class Setting:
    """A pool and a draw: what the owner assumed of it is a rate of 10 % and an area of .75, whatever is true."""

    way: DrawWay
    auc: float
    rate: float
    margin: float


@dataclass(frozen=True, slots=True)
class Campaign:
    """Result of a simulated campaign."""

    holds: bool
    labels: int
    prevalence_holds: bool | None


def campaign(setting: Setting, pool: SummaryPool, seed: int) -> Campaign:
    """Draw, label, look each day, stop."""
    truth = 1 - float(pool.labels.mean())
    features = score_features([pool_ranks(column.values) for column in pool.columns])
    expected = expected_rates(-features[:, 0], 0.1, 0.75)
    weights = draw_weights(expected, setting.way)
    times = arrivals(weights, seed)
    order = drawn_first(times, len(times))
    drawn = DrawnPool(weights, features, expected)
    labels = _FIRST
    while True:  # labels come in the order of the draw: what is known at a look is the beginning of what is known later
        labels = min(labels, len(order))
        found = rate_sequence(drawn, order[:labels], 1 - pool.labels[order[:labels]], setting.margin)
        looks = np.arange(_A_DAY, labels + 1, _A_DAY)
        narrow = looks[found.high[looks - 1] - found.low[looks - 1] <= 2 * setting.margin]
        if len(narrow) or labels == len(order):
            stop = int(narrow[0]) if len(narrow) else labels
            holds = bool(found.low[stop - 1] <= truth <= found.high[stop - 1])
            once = _prevalence_holds(pool, order[: stop + 1], weights, times, truth) if seed % _ONE_IN == 0 else None
            return Campaign(holds, stop, once)
        labels *= 2


def _prevalence_holds(
    pool: SummaryPool, order: np.ndarray, weights: np.ndarray, times: np.ndarray, truth: float
) -> bool:
    known, chances = np.full(len(pool.ids), np.nan), np.full(len(pool.ids), np.nan)
    rows = order[:-1]
    known[rows] = pool.labels[rows]
    chances[rows] = selection_probabilities(weights[rows], float(times[order[-1]]))
    draw = draw_of_labels(
        SummaryPool(pool.ids, known, np.arange(len(known)), pool.columns, probabilities=chances), "random"
    )
    low, high = draw.powered.interval()
    return low <= truth <= high


def simulated(campaigns: int, settings: Sequence[tuple[float, float, float]], ways: Sequence[DrawWay]) -> Iterator[str]:
    """A row for each draw, metric and rate."""
    yield _HEAD
    for auc, rate, margin in settings:
        for way in ways:
            setting = Setting(way, auc, rate, margin)
            rng = np.random.default_rng([round(1000 * auc), round(1000 * rate)])
            found = [campaign(setting, simulated_pool(rng, rate, auc, 1), seed) for seed in range(campaigns)]
            labels = [one.labels for one in found]
            cells = (
                way,
                auc,
                f"{100 * rate:g}",
                f"{100 * margin:g}",
                f"{100 * np.mean([one.holds for one in found]):.1f}",
            )
            cells += (f"{np.median(labels):.0f}", f"{np.quantile(labels, 0.9):.0f}")
            cells += (
                f"{100 * np.mean([one.prevalence_holds for one in found if one.prevalence_holds is not None]):.1f}",
            )
            yield f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--campaigns", type=int, default=2000)
    parser.add_argument(
        "--setting", type=int, choices=range(len(_SETTINGS)), help="one of them, by its number; all without"
    )
    parser.add_argument("--way", choices=get_args(DrawWay), help="all without")
    chosen = parser.parse_args()
    ways = get_args(DrawWay) if chosen.way is None else [chosen.way]
    settings = _SETTINGS if chosen.setting is None else [_SETTINGS[chosen.setting]]
    for row in simulated(chosen.campaigns, settings, ways):
        print(row, flush=True)  # noqa: T201  # its purpose
