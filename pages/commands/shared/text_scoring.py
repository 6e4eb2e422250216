"""Scores that a command computes figures from, asked with an estimate before and a bar meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice

from annotations.exchange.samples import load_texts
from annotations.store.score_writes import SavedScores
from annotations.store.store import Store
from core.assessment import AuditData, column_of, side_of_outcomes
from core.errors import TouchstoneError
from core.results import Cases
from core.scoring import Engine, Metric, read_code
from core.settings import Settings
from core.types import PRECOMPUTED, Example, Failure, Outcome
from pages.commands.shared.messages import download_models, print_estimate, with_progress

_SAVED_AT_ONCE = 500


def open_score_store(settings: Settings) -> Store:
    """Open the database, where scores and audits are saved with the code that made them."""
    return Store.open(settings.database_url, read_code=partial(read_code, settings.cache_dir))


def score_dataset(engine: Engine, dataset: str, metrics: Sequence[Metric]) -> tuple[SavedScores, int]:
    """Score every text of a dataset of the database, and save the scores there; number of those that failed.

    Raises TouchstoneError for the bundled examples, which are not in the database.
    """
    if dataset == PRECOMPUTED:
        raise TouchstoneError(
            f"{dataset} is not in the database, which keeps scores. Import the examples first: cli.py import bundled"
        )
    saved, failures = SavedScores(), 0
    with closing(open_score_store(Settings.read())) as store:
        texts = load_texts(store, dataset)
        download_models(engine.pool, metrics)
        results = with_progress(engine.run(metrics, texts), "scores")
        while outcomes := [outcome for _, outcome in islice(results, _SAVED_AT_ONCE)]:
            saved += store.save_outcomes(outcomes)
            failures += sum(isinstance(outcome, Failure) for outcome in outcomes)
    return saved, failures


def score_texts(engine: Engine, metrics: Sequence[Metric], texts: Sequence[Example]) -> list[Outcome]:
    """Score every text by every metric, whose models are downloaded first."""
    download_models(engine.pool, metrics)
    print_estimate(engine, engine.conversations(metrics, texts))
    results = with_progress(engine.run(metrics, texts), "scores", len(metrics) * len(texts))
    return [outcome for _, outcome in results]


def score_labelled(engine: Engine, data: AuditData, metrics: Sequence[Metric]) -> Cases:
    """Score labelled data: its cases with these metrics as their only columns."""
    return labelled_cases(data, metrics, score_texts(engine, metrics, data.texts))


def labelled_cases(data: AuditData, metrics: Sequence[Metric], outcomes: Sequence[Outcome]) -> Cases:
    """Cases of labelled data whose only columns are these outcomes of the metrics."""
    cases = data.cases_of(outcomes)
    columns = tuple(column_of(cases, side_of_outcomes(metric.spec, outcomes)) for metric in metrics)
    return replace(cases, columns=columns, separate=())
