"""The window sweep: how a metric that reads retrieved passages changes with w, the neighbours read on both sides.

LongDocFACTScore (Bishop, Xie and Ananiadou 2024) reads each claim against retrieved sentences with some context around
them. Here every window is a metric of its own, in a run on the sources and variants of another run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.metric import METRICS, Metric
from core.perturbation import Intent
from core.profile import Setting
from core.registry import settings_of
from core.runs.run import Run, RunRecord, intent_of
from core.runs.shifts import STRESS_RESAMPLES, DocumentMeans, Shift
from core.settings import VERSION
from core.stats.statistic import Estimate

WINDOWS = (0, 1, 2, 3, 4)
INTENTS: tuple[Intent, ...] = ("preserving", "breaking", "gaming")


@dataclass(frozen=True, slots=True)
class WindowEffect:
    """A metric with one window on the texts of one intent, in the metric's own units.

    `original` is the mean score of the sources, `variant` of their variants, `shift` the mean shift from one to the other.
    """

    w: int
    intent: Intent
    original: Estimate
    variant: Estimate
    shift: Estimate


def is_retrieval_metric(metric: Metric) -> bool:
    """Whether a metric reads passages that were retrieved for each sentence of the summary."""
    return {"k", "w", "window"} <= settings_of(metric).keys()


def window_variants(metric: Metric) -> list[Metric]:
    """The metric with each window on both sides; one that does not retrieve is put inside `retrieve` first.

    The neighbours that LongDocFACTScore's code takes (window=coded) do not depend on w: they give way to w on both sides.
    """
    inside = metric if is_retrieval_metric(metric) else METRICS.build("retrieve", {"metric": metric.spec})
    return [METRICS.build(inside.name, {**_setting_values(inside), "w": w, "window": "symmetric"}) for w in WINDOWS]


def window_run(run: Run, metrics: Iterable[Metric], name: str) -> Run:
    """A run of these metrics with every window on the sources and variants of another, with what people said of them."""
    windows = [window.spec for metric in metrics for window in window_variants(metric)]
    begun = Run(replace(run.plan, name=name, metrics=tuple(dict.fromkeys(windows)), version=VERSION))
    kept = (run.sources, run.variants, run.checks, run.opinions)
    records: list[RunRecord] = [record for records in kept for record in records.values()]
    for record in records:
        begun.add(record)
    return begun


def window_families(specs: Iterable[str]) -> dict[str, dict[int, str]]:
    """The metrics that stand there with two or more windows: spec without window → window → spec."""
    found: dict[str, dict[int, str]] = {}
    for metric in map(METRICS.parse, specs):
        values = _setting_values(metric)
        if is_retrieval_metric(metric) and values["window"] == "symmetric":
            w = int(values.pop("w"))
            found.setdefault(METRICS.build(metric.name, values).spec, {})[w] = metric.spec
    return {family: dict(sorted(windows.items())) for family, windows in found.items() if len(windows) > 1}


def window_effects(
    run: Run, windows: dict[int, str], found: Sequence[Shift], resamples: int = STRESS_RESAMPLES
) -> list[WindowEffect]:
    """The windows of one family in order, for every intent that has shifts."""
    if not found:
        return []
    means = DocumentMeans.over((shift.group for shift in found), run.plan.seed, resamples)
    intents = {kind: intent_of(kind) for kind in run.plan.kinds}
    cells = [
        (w, intent, [shift for shift in found if shift.metric == spec and intents[shift.kind] == intent])
        for w, spec in windows.items()
        for intent in INTENTS
    ]
    return [_window_effect(w, intent, chosen, means) for w, intent, chosen in cells if chosen]


def _window_effect(w: int, intent: Intent, chosen: Sequence[Shift], means: DocumentMeans) -> WindowEffect:
    sources = {shift.source: shift for shift in chosen}.values()  # each counts once, however many variants it has
    return WindowEffect(
        w=w,
        intent=intent,
        original=means.of((shift.group, shift.before) for shift in sources),
        variant=means.of((shift.group, shift.after) for shift in chosen),
        shift=means.of((shift.group, shift.size) for shift in chosen),
    )


def _setting_values(metric: Metric) -> dict[str, Setting]:
    return {name: getattr(metric, name) for name in settings_of(metric)}
