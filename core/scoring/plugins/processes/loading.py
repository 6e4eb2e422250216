"""Metrics of one plug-in, as its process declares them, with remarks from bundled pairs; kept on disk until its code changes."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.errors import PluginError, Problem
from core.scoring.plugins.checks import Outcome, bundled_pairs, check_metric
from core.scoring.plugins.function_metric import FunctionMetric, metric_class
from core.scoring.plugins.processes.process import PluginLimits, PluginProcess
from core.scoring.plugins.source import source_hash
from core.settings import Settings
from core.types import Example

_FOLDER = "plugins"
_FORMAT = 2  # of the files below that folder
_CHECK_S = 3.0  # for the bundled pairs of one metric
_CHECK_CALL_S = 5.0


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """Classes of the metrics of a source, remarks on each by its name, and the most memory that its process took, in bytes."""

    metrics: tuple[type[FunctionMetric], ...]
    remarks: dict[str, list[str]]
    memory: int


def load_plugin(source: str, settings: Settings) -> LoadedPlugin:
    """The metrics of a file or module; its process is started only where its code has changed. Raises PluginError."""
    file = settings.cache_dir / _FOLDER / f"{source_hash(source)[:32]}-{_FORMAT}.json"
    try:
        record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        limits = PluginLimits.of(settings)
        process = PluginProcess(source, replace(limits, call_s=min(limits.call_s, _CHECK_CALL_S)))
        try:
            checked = {
                declaration["name"]: _check(process, metric_class(source, declaration))
                for declaration in process.metrics
            }
            record = {"metrics": process.metrics, "remarks": checked, "memory": process.peak_memory}
        finally:
            process.end()
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(f".{file.name}.{os.getpid()}")
        unfinished.write_text(json.dumps(record), encoding="utf-8")
        unfinished.replace(file)
    metrics = tuple(metric_class(source, declaration) for declaration in record["metrics"])
    return LoadedPlugin(metrics, record["remarks"], record["memory"])


def _check(process: PluginProcess, metric: type[FunctionMetric]) -> list[str]:
    """Remarks on one metric; of one whose process ends in the middle, why."""
    if not process.alive:
        return ["It was not checked: the process of its file had ended."]
    try:
        ask = partial(_scores, process, metric)
        remarks = check_metric(ask, bundled_pairs(), metric.card.direction, metric.function.at_once, _CHECK_S)
    except PluginError as error:
        return [str(error)]
    if process.refused and not any(process.refused in remark for remark in remarks):
        remarks.append(process.refused)  # it has scores all the same, and takes the refusal for an answer
    return remarks


def _scores(process: PluginProcess, metric: type[FunctionMetric], examples: Sequence[Example]) -> list[Outcome]:
    [*settings] = metric().plan(examples[0])[0].options
    answers = process.ask(metric.name, settings, examples)
    return [answer if isinstance(answer, Problem) else answer.values[0] for answer in answers]
