"""The scores of the bundled examples computed: what `make scores` puts into the repository, and a test compares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.bundled_scores import OFFLINE_METRICS, MetricScores, replace_precomputed_scores
from core.datasets.bundled import bundled_items
from core.engine.engine import Engine
from core.metric import METRICS
from core.types import Example, Failure


def compute_scores(engine: Engine, names: Sequence[str], examples: Iterable[Example]) -> list[MetricScores]:
    """The scores of examples by metrics with their default settings."""
    texts = list(examples)
    return [_scores_of(engine, name, texts) for name in names]


def _scores_of(engine: Engine, name: str, examples: Sequence[Example]) -> MetricScores:
    scores: dict[str, float] = {}
    failures: dict[str, str] = {}
    signature = ""
    for example, outcome in engine.run([METRICS.parse(name)], examples):
        if isinstance(outcome, Failure):
            failures[example.id] = outcome.message
        else:
            scores[example.id], signature = outcome.score, outcome.signature
    return MetricScores(name, signature, scores, failures)


def write_scores(engine: Engine) -> None:
    """Compute the scores of all bundled examples and put them into the repository."""
    replace_precomputed_scores(compute_scores(engine, OFFLINE_METRICS, (item.example for item in bundled_items())))
