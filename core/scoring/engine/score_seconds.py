"""Seconds that metrics take for a score, measured: what one costs beside another where nobody states it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from core.errors import TouchstoneError
from core.scoring.engine.engine import Engine
from core.scoring.metric import Metric
from core.settings import Settings
from core.types import Example, Failure

TIMED_EXAMPLES = 8
_LEAST_S = 0.01
"""Below it metrics are equally cheap: what the machine does besides would decide."""


def score_seconds(settings: Settings, metrics: Sequence[Metric], examples: Sequence[Example]) -> dict[str, float]:
    """Seconds of each metric for a score in a run of some of the examples, to a hundredth, by its spec.

    No answer comes from a cache, and the first example, which loads the models, does not count. At least one example.
    Raises TouchstoneError for a metric that scores none of them.
    """
    sample = list(examples[:: max(1, len(examples) // (TIMED_EXAMPLES + 1))])[: TIMED_EXAMPLES + 1]
    first, timed = sample[:1], sample[1:] or sample
    seconds_by_metric = {}
    for metric in metrics:
        # a cache of its own: metrics that ask a model the same would cost the first of them alone
        with (
            TemporaryDirectory() as folder,
            closing(Engine.open(settings.model_copy(update={"cache_dir": Path(folder)}))) as engine,
        ):
            list(engine.run([metric], first))
            begun = perf_counter()
            outcomes = [outcome for _, outcome in engine.run([metric], timed)]
            seconds = perf_counter() - begun
        failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
        if len(failures) == len(outcomes):
            raise TouchstoneError(f"{metric.spec} scored none of {len(outcomes)} summaries: {failures[0].error}")
        seconds_by_metric[metric.spec] = max(_LEAST_S, round(seconds / len(timed), 2))
    return seconds_by_metric
