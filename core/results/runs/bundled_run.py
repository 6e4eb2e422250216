"""A stress run of the bundled examples that comes with Touchstone, to be looked at before anything was run; `make demo-data` computes it again."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from functools import cache
from pathlib import Path

from core.base import apart_from_code
from core.data import bundled_items
from core.edits import Battery, standard_battery
from core.results.cases.bundled_scores import BUNDLED_METRICS
from core.results.runs.shifts import Shift, score_shifts
from core.results.runs.stress_run import Plan, Source, StressRun, run_from_lines, run_lines
from core.scoring import METRICS
from core.settings import Settings
from core.types import PRECOMPUTED

BUNDLED_RUN_METRICS = (*BUNDLED_METRICS, "entity-overlap", "coverage")
"""Those of the bundled dataset, and two statistics of the surface as controls."""
_FILE = Path(__file__).with_name("bundled_run.jsonl.gz")


@cache
def bundled_run_lines() -> tuple[str, ...]:
    """The run as it lies in the repository: its plan and then its records."""
    return tuple(gzip.decompress(_FILE.read_bytes()).decode("utf-8").split("\n"))


@cache
def bundled_harmless_shifts() -> Mapping[str, tuple[Shift, ...]]:
    """The shifts of the run under perturbations that keep the meaning, by the signature of the metric."""
    run = run_from_lines(bundled_run_lines())
    preserving = {kind.spec for kind in bundled_run_battery().of_intent("preserving")}
    by_signature: defaultdict[str, list[Shift]] = defaultdict(list)
    for shift in score_shifts(run):
        if shift.kind in preserving and shift.size is not None:
            by_signature[apart_from_code(run.readings[shift.source, shift.kind, shift.metric].signature)].append(shift)
    return {signature: tuple(shifts) for signature, shifts in by_signature.items()}


def bundled_run_battery() -> Battery:
    """The standard one with single synonyms: the smallest harmless edits, of which the noise of small edits is known."""
    return standard_battery().with_kinds(["synonyms[most=1]"])


def plan_bundled_run() -> StressRun:
    """Its battery on every bundled summary that is not a variant itself, without results."""
    metrics, battery = [METRICS.parse(spec) for spec in BUNDLED_RUN_METRICS], bundled_run_battery()
    run = StressRun(Plan.of(PRECOMPUTED, battery.perturbations(), metrics, battery=battery.signature))
    for item in bundled_items():
        if not item.parent:
            run.add(Source.of(item))
    return run


def write_bundled_run() -> None:
    """Carry the run out and put it into the repository."""
    from core.results.runs.runner import continue_run
    from core.scoring import Engine  # takes seconds to import, and whoever reads the run needs none

    run = plan_bundled_run()
    with closing(Engine.open(Settings.read())) as engine:
        for _ in continue_run(engine, run):
            pass
    # without a date the same run is the same file
    _FILE.write_bytes(gzip.compress("\n".join(run_lines(run)).encode(), mtime=0))
