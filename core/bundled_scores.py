"""Scores of the bundled examples by the metrics that need no download, computed beforehand; `make scores` computes them again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from core.datasets.bundled import bundled_items
from core.types import PRECOMPUTED, Example, Sample, StoredScore

OFFLINE_METRICS = (
    *("bleu", "rouge2", "rouge2[measured=f1]", "bertscore-minilm", "semantic-similarity"),
    *("conciseness", "coverage", "density", "entity-overlap", "sentence-novelty", "word-novelty"),
)
"""Specs; the six features of `core.shallow` are among them, so that Evaluate compares with the surface at once."""
_FILE = Path(__file__).with_name("bundled_scores.json")


@dataclass(frozen=True, slots=True)
class MetricScores:
    """What one metric with one signature says: its scores, and why it has none, by the id of the example."""

    metric: str
    signature: str
    scores: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


_METRIC_SCORES: TypeAdapter[list[MetricScores]] = TypeAdapter(list[MetricScores])


@cache
def precomputed_scores() -> tuple[MetricScores, ...]:
    """The scores as they lie in the repository, a metric after the other."""
    return tuple(_METRIC_SCORES.validate_json(_FILE.read_bytes()))


def bundled_samples() -> list[Sample]:
    """The dataset of the bundled examples, each under the id by which Probe opens it."""
    kept = _scores_by_example()
    return [
        Sample(
            PRECOMPUTED,
            replace(item, example=Example(item.example.id, "", item.example.summary)),
            stored=item.example.id,
            document=sha256(item.example.document.encode()).hexdigest()[:16],  # as the store names a document
            kept=kept[item.example.id],
        )
        for item in bundled_items()
    ]


def _scores_by_example() -> dict[str, tuple[StoredScore, ...]]:
    """As the store gives scores back, by the id of the example."""
    found: dict[str, list[StoredScore]] = defaultdict(list)
    for one in precomputed_scores():
        for id, value in one.scores.items():
            found[id].append(StoredScore(one.metric, one.signature, value))
        for id, reason in one.failures.items():
            found[id].append(StoredScore(one.metric, one.signature, None, reason))
    return {id: tuple(scores) for id, scores in found.items()}


def replace_precomputed_scores(found: Sequence[MetricScores]) -> None:
    """Put other scores into the repository."""
    _FILE.write_bytes(_METRIC_SCORES.dump_json(list(found), indent=1) + b"\n")
