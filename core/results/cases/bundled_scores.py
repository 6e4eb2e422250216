"""Scores of the bundled examples by the metrics that need no download, computed beforehand; `make demo-data` computes them again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from core.data import bundled_items
from core.scoring import METRICS, Metric
from core.settings import Settings
from core.types import PRECOMPUTED, Example, Failure, Outcome, Sample, StoredScore

OFFLINE_METRICS = (
    *("bleu", "rouge2", "rouge2[measured=f1]", "bertscore-minilm"),
    *("semantic-similarity", "semantic-similarity[compared=sentences]"),
    *("conciseness[numerator=document]", "coverage", "density", "entity-overlap", "sentence-novelty", "word-novelty"),
)
"""Specs; the six features of `core.shallow` are among them, so that Evaluate compares with the surface at once."""
Scorer = Callable[[Sequence[Metric], Iterable[Example]], Iterable[tuple[Example, Outcome]]]
"""As `Engine.run`."""

_FILE = Path(__file__).with_name("bundled_scores.json")


@dataclass(frozen=True, slots=True)
class MetricScores:
    """Scores of one metric with one signature by the id of the example, "" where none is known, and errors of those that have none."""

    metric: str
    signature: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


_METRIC_SCORES: TypeAdapter[list[MetricScores]] = TypeAdapter(list[MetricScores])


@cache
def precomputed_scores() -> tuple[MetricScores, ...]:
    """The scores as stored in the repository, one metric after the other."""
    return tuple(_METRIC_SCORES.validate_json(_FILE.read_bytes()))


def bundled_samples() -> list[Sample]:
    """The dataset of the bundled examples, each under the id by which Probe opens it."""
    by_example: dict[str, list[StoredScore]] = defaultdict(list)
    for scores in precomputed_scores():
        for id, value in scores.scores.items():
            by_example[id].append(StoredScore(scores.metric, value, scores.signature))
        for id, error in scores.failures.items():
            by_example[id].append(StoredScore(scores.metric, None, scores.signature, error))
    stored = {id: tuple(scores) for id, scores in by_example.items()}  # as the store gives scores back
    return [
        Sample(
            PRECOMPUTED,
            replace(item, example=Example(item.example.id, "", item.example.summary)),
            stored=item.example.id,
            document=sha256(item.example.document.encode()).hexdigest()[:16],  # as the store names a document
            kept=stored[item.example.id],
        )
        for item in bundled_items()
    ]


def compute_scores(run: Scorer, specs: Sequence[str], examples: Iterable[Example]) -> list[MetricScores]:
    """The scores of examples by each metric, which `run` computes."""
    texts = list(examples)
    metric_scores = []
    for spec in specs:
        scores: dict[str, float] = {}
        failures: dict[str, str] = {}
        signature = ""
        for example, outcome in run([METRICS.parse(spec)], texts):
            if isinstance(outcome, Failure):
                failures[example.id] = outcome.error
            else:
                scores[example.id], signature = outcome.score, outcome.signature
        metric_scores.append(MetricScores(spec, signature, scores, failures))
    return metric_scores


def write_scores() -> None:
    """Compute the scores of all bundled examples and put them into the repository."""
    from core.scoring import Engine  # takes seconds to import, and whoever reads the scores needs none

    with closing(Engine.open(Settings.read())) as engine:
        metric_scores = compute_scores(engine.run, OFFLINE_METRICS, (item.example for item in bundled_items()))
    _FILE.write_bytes(_METRIC_SCORES.dump_json(metric_scores, indent=1) + b"\n")
