"""Worth of few labels to a combination of metrics: fitted on a draw of documents, tested on the others.

    python -m tests.load.combine --database sqlite:///data.db --dataset frank --draws 200

Prints a row of Markdown for each number of labels: the ROC AUC of the combination and of the member that the same labels choose, and
in how many draws the combination is better.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from annotations.exchange.samples import load_samples
from annotations.store.store import Store
from core.results.cases.cases import select_metrics
from core.results.cases.combining import MIN_CLASS, Combining
from core.results.cases.measures import draw_resamples
from core.results.cases.pooling import pool_cases
from core.stats.discrimination import LabelledScores, auc
from core.stats.noisy_or import Bags
from core.stats.nonnegative_logistic import fit_nonnegative, standard_scores
from core.stats.statistic import Mask, Values

_LABELS = (24, 60, 120, 240)


def area(values: Values, found: Combining, rows: Mask) -> float:
    """The area under the ROC curve on some summaries, without resamples."""
    statistic = auc(LabelledScores(values[rows], found.labels[rows], found.documents[rows]))
    return float(statistic.weigh(np.ones((len(statistic.documents), 1)))[0])


def drawn_labels(rng: np.random.Generator, found: Combining, labels: int) -> Mask:
    """Labelled summaries of documents drawn one after the other until there are so many."""
    taken = np.zeros(len(found.labels), dtype=np.bool_)
    for document in rng.permutation(np.unique(found.documents)):
        taken |= (found.documents == document) & found.complete
        if taken.sum() >= labels:
            break
    rows = rng.permutation(np.flatnonzero(taken))[:labels]
    return np.isin(np.arange(len(taken)), rows)


def outcome(found: Combining, taught: Mask) -> tuple[float, float] | None:
    """The areas of the combination and of the member that these labels choose, on other documents; None for too few of one kind."""
    tested = found.complete & ~np.isin(found.documents, found.documents[taught])
    kinds = [kind[rows].sum() for rows in (taught, tested) for kind in (found.labels, ~found.labels)]
    if min(kinds) < MIN_CLASS:
        return None
    features = standard_scores(found.scores, found.scores[taught].mean(axis=0), found.scores[taught].std(axis=0))
    fit = fit_nonnegative(Bags.singles(features[taught]), found.labels[taught])
    chosen = int(np.argmax([area(column, found, taught) for column in found.scores.T]))
    return area(features @ fit[1:], found, tested), area(found.scores[:, chosen], found, tested)


def rows_of(database: str, dataset: str, metrics: list[str], draws: int) -> Iterator[str]:
    """A row for each number of labels."""
    with closing(Store.open(database, read_only=True)) as store:
        cases = pool_cases([load_samples(store, dataset)])
    cases = select_metrics(cases, metrics) if metrics else cases
    found = Combining.of(cases, {}, draw_resamples(cases, 10))
    yield f"{dataset}: {int(found.complete.sum()):,} summaries, {len(found.names)} members"
    for labels in _LABELS:
        if labels < found.complete.sum() / 2:
            rng = np.random.default_rng(labels)
            outcomes = np.array(
                [one for _ in range(draws) if (one := outcome(found, drawn_labels(rng, found, labels)))]
            )
            combined, chosen = 100 * outcomes.T
            low, high = np.quantile(combined - chosen, [0.05, 0.95])
            yield (
                f"| {labels} | {len(outcomes)} | {combined.mean():.1f} | {chosen.mean():.1f} | "
                f"{(combined - chosen).mean():+.1f} [{low:+.1f}, {high:+.1f}] | {100 * np.mean(combined > chosen):.0f} |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", required=True)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--metric", action="append", default=[])
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args()
    for row in rows_of(given.database, given.dataset, given.metric, given.draws):
        print(row, flush=True)  # noqa: T201  # its purpose
