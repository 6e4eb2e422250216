"""Coverage of the intervals of the study `prevalence` on simulated pools and on splits of real labels.

    python -m tests.load.prevalence simulated --pools 2000
    python -m tests.load.prevalence real --database sqlite:///data.db --dataset frank --splits 1000

Prints a row of Markdown for each setting: how often the interval holds the rate of the pool, its mean width in points, and
how many labels would alone give that.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from annotations.exchange.samples import load_samples
from annotations.store.store import Store
from core.results.cases.cases import MetricColumn
from core.results.cases.pool_rates import draw_of_labels, grade_means
from core.results.cases.pooling import pool_cases
from core.results.cases.summary_pool import SummaryPool, pool_of_cases
from core.stats.rates.prediction_powered import label_worth
from core.stats.rates.rate import Rate
from core.stats.statistic import Numbers, Values

_SUMMARIES = 4000  # of a simulated pool
_SHARED = 0.3  # of the variance of labels and of scores that lies between documents
_HEAD = "| labels | AUC | rate, % | a document | alone holds, % | with scores, % | exact, % of pools | width alone | with scores | worth |"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Two intervals of one draw: whether they hold the rate, their widths, and what labels with scores are worth."""

    alone: bool
    powered: bool
    exact: bool
    width_alone: float
    width_powered: float
    worth: float


def simulated_pool(rng: np.random.Generator, rate: float, auc: float, per_document: int) -> SummaryPool:
    """A pool whose labels and scores share some of their variance within documents; all are labelled."""
    from scipy.special import ndtri

    documents = np.arange(_SUMMARIES) // per_document
    of_label, of_score = rng.normal(size=(2, documents[-1] + 1))[:, documents]
    own, noise = rng.normal(size=(2, _SUMMARIES))
    wrong = np.sqrt(_SHARED) * of_label + np.sqrt(1 - _SHARED) * own < ndtri(rate)
    scores = np.sqrt(_SHARED) * of_score + np.sqrt(1 - _SHARED) * noise - np.sqrt(2) * ndtri(auc) * wrong
    names = [str(row) for row in range(_SUMMARIES)]
    return SummaryPool(names, 1.0 - wrong, documents, (MetricColumn("simulated", scores),))


def drawn_rows(rng: np.random.Generator, pool: SummaryPool, labels: int, *, documents: bool) -> Numbers:
    """Rows of a draw: of single summaries, or of whole documents of equal size."""
    if not documents:
        return rng.choice(len(pool.ids), labels, replace=False)
    number = int(pool.documents.max()) + 1
    taken = rng.choice(number, round(labels * number / len(pool.ids)), replace=False)
    return np.flatnonzero(np.isin(pool.documents, taken))


def outcome(pool: SummaryPool, rows: Numbers) -> Outcome:
    """The intervals where only these rows keep their label."""
    known: Values = np.full(len(pool.ids), np.nan)
    known[rows] = pool.labels[rows]
    truth = 1 - float(pool.labels.mean())
    draw = draw_of_labels(replace(pool, labels=known))
    (low, high), (powered_low, powered_high) = draw.alone.interval(), draw.powered.interval()
    return Outcome(
        alone=low <= truth <= high,
        powered=powered_low <= truth <= powered_high,
        exact=draw.powered.exact,
        width_alone=high - low,
        width_powered=powered_high - powered_low,
        worth=_worth(draw.powered, draw.alone, len(pool.ids)),
    )


def _worth(powered: Rate, alone: Rate, size: int) -> float:
    return float(alone.n) if powered.exact else label_worth(powered, alone, size)


def table_row(settings: tuple[object, ...], outcomes: list[Outcome]) -> str:
    """The settings and the means of the outcomes, the median of what labels are worth."""
    alone, powered, exact = (
        100 * np.mean([getattr(one, name) for one in outcomes]) for name in ("alone", "powered", "exact")
    )
    widths = (100 * np.mean([getattr(one, name) for one in outcomes]) for name in ("width_alone", "width_powered"))
    worth = np.median([one.worth for one in outcomes])
    cells = (*map(str, settings), f"{alone:.1f}", f"{powered:.1f}", f"{exact:.0f}", *(f"{w:.1f}" for w in widths))
    return f"| {' | '.join(cells)} | {worth:.0f} |"


def simulated(pools: int, *, documents: bool) -> Iterator[str]:
    """A row for each number of labels, area under the curve, rate and number of summaries a document."""
    yield _HEAD
    for per_document, labels, auc, rate in product((1, 5, 20), (50, 100, 200, 500), (0.5, 0.6, 0.75, 0.9), (2, 10, 30)):
        if documents and (per_document == 1 or labels // per_document < 20):
            continue
        rng = np.random.default_rng([per_document, labels, round(100 * auc), rate])
        found = []
        for _ in range(pools):
            pool = simulated_pool(rng, rate / 100, auc, per_document)
            found.append(outcome(pool, drawn_rows(rng, pool, labels, documents=documents)))
        yield table_row((labels, auc, rate, per_document), found)


def methods(pools: int) -> Iterator[str]:
    """The rate by strata of score, and the mean of a grade that is the score and as much noise: how often each is held, its mean width."""
    yield "| labels | AUC | rate, % | by stratum holds, % | width, both | by stratum | mean grade holds, % | width alone | with scores |"
    for labels, auc, rate in product((100, 500), (0.6, 0.9), (10, 30)):
        rng = np.random.default_rng([labels, round(100 * auc), rate])
        found = []
        for _ in range(pools):
            pool = simulated_pool(rng, rate / 100, auc, 1)
            scores = pool.columns[0].values
            grades = scores / scores.std() + rng.normal(size=_SUMMARIES)
            rows = drawn_rows(rng, pool, labels, documents=False)
            known: Values = np.full(_SUMMARIES, np.nan)
            known[rows] = pool.labels[rows]
            draw = draw_of_labels(replace(pool, labels=known, grades={"grade": grades}))
            (low, high), (first, last) = draw.stratified.interval(), draw.powered.interval()
            ends = [float(end or 0) for mean in grade_means(draw)["grade"] for end in (mean.low, mean.high)]
            found.append(
                (
                    *(low <= 1 - pool.labels.mean() <= high, last - first, high - low),
                    *(ends[0] <= grades.mean() <= ends[1], ends[3] - ends[2], ends[1] - ends[0]),
                )
            )
        holds, both, strata, grade, alone, powered = np.mean(found, axis=0)
        cells = (
            f"{100 * holds:.1f}",
            f"{100 * both:.1f}",
            f"{100 * strata:.1f}",
            f"{100 * grade:.1f}",
            f"{alone:.3f}",
            f"{powered:.3f}",
        )
        yield f"| {' | '.join(map(str, (labels, auc, rate, *cells)))} |"


def real(database: str, dataset: str, splits: int) -> Iterator[str]:
    """The same for random splits of the labelled summaries of a dataset into few and hidden, by all of its metrics."""
    with closing(Store.open(database, read_only=True)) as store:
        whole = pool_of_cases(pool_cases([load_samples(store, dataset)]))
    kept = whole.labelled
    pool = SummaryPool(
        [whole.ids[row] for row in kept],
        whole.labels[kept],
        whole.documents[kept],
        tuple(replace(column, values=column.values[kept]) for column in whole.columns),
    )
    yield f"{dataset}: {len(kept):,} labels, {100 * (1 - pool.labels.mean()):.1f} % inconsistent, {len(pool.columns)} metrics"
    for labels in (50, 100, 200):
        if labels < len(kept) / 2:
            rng = np.random.default_rng(labels)
            found = [outcome(pool, drawn_rows(rng, pool, labels, documents=False)) for _ in range(splits)]
            yield table_row((dataset, labels), found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("simulated", "documents", "methods", "real"))
    parser.add_argument("--pools", type=int, default=2000)
    parser.add_argument("--database", default="")
    parser.add_argument("--dataset", default="")
    parser.add_argument("--splits", type=int, default=1000)
    chosen = parser.parse_args()
    rows = (
        real(chosen.database, chosen.dataset, chosen.splits)
        if chosen.kind == "real"
        else methods(chosen.pools)
        if chosen.kind == "methods"
        else simulated(chosen.pools, documents=chosen.kind == "documents")
    )
    for row in rows:
        print(row, flush=True)  # noqa: T201  # its purpose
