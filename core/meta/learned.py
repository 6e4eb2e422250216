"""What the surface alone can do: a shallow model of the six features, judged on what it never saw (Ramprasad and Wallace 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import TouchstoneError
from core.meta.cases import Cases, Column
from core.meta.correlations import signed
from core.meta.figures import Row, rows
from core.meta.report import aligned, percent
from core.meta.slices import FIELDS, Slice, slices
from core.meta.surface import missing_features
from core.shallow.model import FEATURES, Facts, Output
from core.shallow.training import Table, Task, fit
from core.stats.correlation import Rated, spearman
from core.stats.estimate import Estimate
from core.stats.resampling import Resamples
from core.stats.statistic import Numbers, Statistic, Values, quotient, undefined

MODEL = "the surface alone"
"""The name under which the shallow model stands among metrics."""

_FOLDS = 4
_LEAST = 20  # summaries to learn from


@dataclass(frozen=True, slots=True)
class Share:
    """How well the surface predicts a metric on documents that were held out.

    `order` is Spearman's correlation of prediction and score, `variance` the share of the scores' variance (R²), which is
    negative where their mean would predict better.
    """

    metric: str
    order: Estimate
    variance: Estimate


def shares(cases: Cases, drawn: Resamples, seed: int = 0) -> Iterator[Share]:
    """Every metric that is no feature itself. Raises TouchstoneError where a feature was not scored."""
    features, folds = _features(cases), _folds(cases, seed)
    for column in cases.columns:
        if column.name not in FEATURES:
            predicted = _predicted(features, column.values, folds, "score", seed)
            order = spearman(Rated(predicted, column.values, cases.documents))
            variance = _variance(predicted, column.values, cases.documents)
            yield Share(column.name, drawn.estimate(order), drawn.estimate(variance))


def against_metrics(cases: Cases, drawn: Resamples, seed: int = 0) -> list[Row]:
    """The AUC of the surface beside that of every metric, a slice for each dataset.

    The model learned the labels of the other datasets; where there is only one, those of other documents. Raises
    TouchstoneError where a feature was not scored.
    """
    names = np.unique([sample.dataset for sample in cases.samples], return_inverse=True)[1].astype(np.intp)
    apart = names if names.max() else _folds(cases, seed)
    predicted = _predicted(_features(cases), cases.labels, _unshared(cases, apart), "probability", seed)
    metrics = tuple(column for column in cases.columns if column.name not in FEATURES)
    beside = replace(cases, columns=(Column(MODEL, predicted), *metrics))
    found = rows(beside, _datasets(beside), drawn, ("auc",))
    return [replace(row, n=row.figures["auc"].estimate.n) for row in found]


def table(found: Sequence[Share]) -> str:
    """One line a metric, in columns."""
    head = ("metric", "n", "Spearman of prediction and score", "share of variance")
    return aligned([head, *((one.metric, str(one.order.n), signed(one.order), percent(one.variance)) for one in found)])


def _datasets(cases: Cases) -> list[Slice]:
    """A slice for each dataset, without the one of all."""
    found = slices(cases, "dataset")
    return found[1:] if len({FIELDS["dataset"](sample) for sample in cases.samples}) > 1 else found[:1]


def _features(cases: Cases) -> Values:
    """The six features in their order, (samples, 6), nan where one is undefined."""
    if missing := missing_features(cases):
        raise TouchstoneError(f"Not scored yet: {', '.join(missing)}. Score the data with them first.")
    columns = {column.name: column.values for column in cases.columns}
    return np.column_stack([columns[name] for name in FEATURES])


def _folds(cases: Cases, seed: int) -> Numbers:
    """A fold for each sample, (samples,): documents stay together."""
    dealt = np.random.default_rng(seed).permutation(max(1, cases.clusters)) % _FOLDS
    folds: Numbers = dealt[cases.documents].astype(np.intp)
    return folds


def _unshared(cases: Cases, apart: Numbers) -> Numbers:
    """Parts of which none shares a document with another: a document goes with its first sample."""
    first = np.unique(cases.documents, return_index=True)[1]
    parts: Numbers = apart[first][cases.documents]
    return parts


def _predicted(features: Values, targets: Values, parts: Numbers, output: Output, seed: int) -> Values:
    """What a model that never saw a part says of it, (samples,); nan where too little is left to learn from."""
    said = np.full(len(targets), np.nan)
    scored = ~np.isnan(features).all(axis=1)
    for part in np.unique(parts):
        learnt = scored & (parts != part) & ~np.isnan(targets)
        if learnt.sum() >= _LEAST and np.ptp(targets[learnt]) > 0:
            asked = scored & (parts == part)
            model = fit(Table(features[learnt], targets[learnt], parts[learnt]), *_task(output, seed))
            said[asked] = model.predict(features[asked])
    return said


def _task(output: Output, seed: int) -> tuple[Task, Facts]:
    """The papers of a model that lives for one table only."""
    measure = "ROC AUC" if output == "probability" else "Spearman"
    facts = Facts(
        dataset="",
        target="",
        seed=seed,
        pairs=0,
        documents=0,
        held_out_pairs=0,
        held_out_documents=0,
        measure=measure,
        agreement=None,
        signatures={},
    )
    return Task("", "", output, seed), facts


def _variance(predicted: Values, scores: Values, documents: Numbers) -> Statistic:
    """R² with the mean of the scores as they are."""
    kept = ~np.isnan(predicted) & ~np.isnan(scores)
    if not kept.any() or np.ptp(scores[kept]) == 0:
        return undefined(int(kept.sum()), "The scores do not vary, or too few are known to learn from.")
    missed, spread = (predicted - scores)[kept] ** 2, (scores[kept] - scores[kept].mean()) ** 2
    left = quotient(missed, spread, documents[kept])
    return replace(left, weigh=lambda weights: 1 - left.weigh(weights))
