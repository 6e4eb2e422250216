"""Time that an audit will take, from a dozen of its own pairs that are scored before."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from core.assessment.audit.evidence_work import EvidenceWork
from core.model_reference import asks_endpoint
from core.results import PLACES, planned_examples
from core.scoring import Engine, Metric
from core.types import Example

MEASURED_PAIRS = 12
"""Pairs of the data that are scored to tell how long all of them will take."""
_ROUND = 4  # pairs of them that are timed together
_LONG_PAIRS = 2  # besides, beside long documents, of which an audit scores hundreds
_UNEVEN = 1.4  # a machine that does other work meanwhile, and batches of other sizes: measured audits took 0.8 to 1.3 times the middle
_ANSWERS_S = 20.0  # for the questions of a metric once its scores are there, most of it resampling


def estimate_seconds(work: EvidenceWork) -> tuple[float, float] | None:
    """Fewest and most seconds for the scores and answers of an audit; None where endpoints are asked, whose pace only they know.

    A dozen pairs and two long ones are scored by an engine that remembers nothing, so that it does not matter what was asked before.
    """
    metrics = [metric for metric in work.metrics if not asks_endpoint(metric.checkpoints())]
    if not metrics or len(metrics) < len(work.metrics):
        return None
    short, long = _sample(work.data.texts), planned_examples(work.gathered.run)[: _LONG_PAIRS * len(PLACES)]
    long = [text for text in long if len(text.document) > 2 * len(short[0].document)][:_LONG_PAIRS]
    placed = len(planned_examples(work.gathered.run))
    rounds = [short[start : start + _ROUND] for start in range(1, len(short), _ROUND)] or [short]
    middle = 0.0
    with tempfile.TemporaryDirectory() as folder:
        settings = work.settings.model_copy(update={"cache_dir": Path(folder)})
        with closing(Engine.open(settings)) as engine:
            for metric in metrics:
                _seconds(engine, metric, short[:1])  # loads the model
                # the fastest of rounds: a page that opens beside it, or another program, makes a round many times slower
                each = min(_seconds(engine, metric, some) / len(some) for some in rounds)
                each_long = min((_seconds(engine, metric, [text]) for text in long), default=each)
                scores = work.counts[1] / len(work.metrics) - placed
                middle += scores * each + placed * each_long + _ANSWERS_S
    return middle / _UNEVEN, middle * _UNEVEN


def estimate_line(work: EvidenceWork) -> str:
    """As “About 7,192 scores, 2 to 4 min on this machine”; empty of metrics that were not timed."""
    seconds = estimate_seconds(work)
    if seconds is None:
        return ""
    low, high = (math.ceil(end / 60) for end in seconds)
    took = f"about {high} min" if low == high else f"{low} to {high} min"
    return f"About {work.counts[1]:,} scores, {took} on this machine, measured on {MEASURED_PAIRS} of the pairs"


def _sample(texts: Sequence[Example]) -> list[Example]:
    number = min(MEASURED_PAIRS + 1, len(texts))
    return [texts[place * len(texts) // number] for place in range(number)]


def _seconds(engine: Engine, metric: Metric, texts: Sequence[Example]) -> float:
    start = time.perf_counter()
    for _ in engine.run([metric], texts):
        pass
    return time.perf_counter() - start
