"""Processor time of the engine of one version, printed as JSON: run by `tests.bench.version_gate` in a process of its own.

Nothing is imported but `core`, which is that of the version: `timed_version.py SPEC PAIRS CACHE`.
"""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch

from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Answer, Example, Failure

_VALUES = (0.6, 0.3, 0.1)
_READS = 3  # of the cache, which takes a tenth of the time


def main(spec: str, pairs: Path, cache: Path) -> None:
    """Time the metric of a spec on pairs whose network gives constants: asked once, and from the cache."""
    torch.set_num_threads(1)
    metric = METRICS.parse(spec)
    texts: list[tuple[str, str]] = json.loads(pairs.read_text("utf-8"))
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=cache))
    [checkpoint] = metric.checkpoints()
    with engine.pool.lease(checkpoint) as leased:
        model: Any = leased
        model.forward = lambda rows: [Answer(_VALUES, tokens=row.length) for row in rows]
    # what is imported late is here
    _run(engine, metric, [Example("first", "A cold wind blew over the bay.", "Wind blew over the cold bay.")])
    asked, *cached = (
        _run(engine, metric, [Example(f"{turn}/{place}", *pair) for place, pair in enumerate(texts)])
        for turn in range(1 + _READS)
    )
    engine.close()
    print(json.dumps({"asked": asked, "cached": median(cached), "memory": _most_memory()}))  # noqa: T201  # its purpose


def _run(engine: Engine, metric: Any, examples: list[Example]) -> float:
    """Microseconds of processor time for a question: one that was asked, where any was."""
    before, began = engine.counts(), time.process_time()
    for _, outcome in engine.run([metric], examples):
        assert not isinstance(outcome, Failure), outcome
    spent, after = time.process_time() - began, engine.counts()
    return 1e6 * spent / (after.asked - before.asked or after.planned - before.planned)


def _most_memory() -> float:
    """Largest resident set in MB; not a number where the system does not say. `resource` counts that of the parent too."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return math.nan
    [peak] = [line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM")]
    return int(peak.split()[1]) / 1024


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
