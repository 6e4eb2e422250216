"""The window sweep: how a metric that reads retrieved passages changes with w, the neighbours read on both sides.

LongDocFACTScore (Bishop, Xie and Ananiadou 2024) reads each claim against retrieved sentences with some context around
them. Here every window is a metric of its own, in a run on the sources and variants of another run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.base import Setting
from core.edits import INTENTS, Intent
from core.errors import TouchstoneError
from core.evaluation.report import Axis, Chart, Column, Report, Series, Table
from core.evaluation.study import Study, StudyData
from core.registry import settings_of
from core.results import STRESS_RESAMPLES, DocumentMeans, RunRecord, Shift, StressRun, failure_sentences, intent_of
from core.scoring import METRICS, Metric
from core.settings import VERSION
from core.stats import Estimate, format_signed, format_unsigned

WINDOWS = (0, 1, 2, 3, 4)
_VARIANTS: Mapping[Intent, str] = MappingProxyType(
    {"breaking": "errors", "gaming": "phrases that game metrics", "preserving": "harmless edits"}
)
"""Names of the variants of an intent, those that matter most first."""


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
    """True if a metric reads passages that were retrieved for each sentence of the summary."""
    return {"k", "w", "window"} <= settings_of(metric).keys()


def window_variants(metric: Metric) -> list[Metric]:
    """The metric with each window on both sides; one that does not retrieve is put inside `retrieve` first.

    The neighbours that LongDocFACTScore's code takes (window=coded) do not depend on w: they give way to w on both sides.
    """
    inside = metric if is_retrieval_metric(metric) else METRICS.build("retrieve", {"metric": metric.spec})
    return [METRICS.build(inside.name, {**_setting_values(inside), "w": w, "window": "symmetric"}) for w in WINDOWS]


def window_run(run: StressRun, metrics: Iterable[Metric], name: str) -> StressRun:
    """A run of these metrics with every window on the sources and variants of another, with what people said of them."""
    windows = [window.spec for metric in metrics for window in window_variants(metric)]
    sweep = StressRun(replace(run.plan, name=name, metrics=tuple(dict.fromkeys(windows)), version=VERSION))
    parts = (run.sources, run.variants, run.checks, run.opinions)
    records: list[RunRecord] = [record for part in parts for record in part.values()]
    for record in records:
        sweep.add(record)
    return sweep


def window_families(specs: Iterable[str]) -> dict[str, dict[int, str]]:
    """The metrics with two or more windows: spec without window → window → spec."""
    families: dict[str, dict[int, str]] = {}
    for metric in map(METRICS.parse, specs):
        values = _setting_values(metric)
        if is_retrieval_metric(metric) and values["window"] == "symmetric":
            w = int(values.pop("w"))
            families.setdefault(METRICS.build(metric.name, values).spec, {})[w] = metric.spec
    return {family: dict(sorted(windows.items())) for family, windows in families.items() if len(windows) > 1}


def window_effects(
    run: StressRun, windows: Mapping[int, str], shifts: Sequence[Shift], resamples: int = STRESS_RESAMPLES
) -> list[WindowEffect]:
    """The windows of one family in order, for every intent that has shifts."""
    if not shifts:
        return []
    means = DocumentMeans.over((shift.group for shift in shifts), run.plan.seed, resamples)
    intents = {kind: intent_of(kind) for kind in run.plan.kinds}
    effects = []
    for w, spec in windows.items():
        for intent in INTENTS:
            cell = [shift for shift in shifts if shift.metric == spec and intents[shift.kind] == intent]
            if not cell:
                continue
            sources = {shift.source: shift for shift in cell}.values()  # each counts once, however many variants it has
            effects.append(
                WindowEffect(
                    w=w,
                    intent=intent,
                    original=means.of((shift.group, shift.before) for shift in sources),
                    variant=means.of((shift.group, shift.after) for shift in cell),
                    shift=means.of((shift.group, shift.size) for shift in cell),
                )
            )
    return effects


def _setting_values(metric: Metric) -> dict[str, Setting]:
    return {name: getattr(metric, name) for name in settings_of(metric)}


def window_report(study: Study, data: StudyData) -> Report:
    """Scores and shifts of the metrics of a sweep by the sentences that are read around each passage."""
    run = data.stress_run
    families = window_families(run.plan.metrics)
    if not families:
        raise TouchstoneError(
            "This run is no sweep: no metric is in it with two windows. Make one of it: "
            f"cli.py sweep {data.run_name} -o SWEEP.jsonl"
        )
    shifts = data.shifts
    effects = {family: window_effects(run, windows, shifts) for family, windows in families.items()}
    scored = [(family, of_family) for family, of_family in effects.items() if of_family]
    effects_table = Table(
        "windows",
        "Scores and shifts by window",
        (
            Column("metric", format="metric"),
            Column("w", format="count", help="Sentences that are read on both sides of a passage."),
            Column("intent", "variants", help="The intent of the perturbations: their variants count."),
            Column("original", format="unsigned", help="Mean score of the summaries as they were."),
            Column("variant", format="unsigned", help="Mean score of their variants."),
            Column("shift", format="signed", help="Mean of the score after minus the score before."),
            Column("n", format="count"),
        ),
        tuple(
            (family, effect.w, effect.intent, effect.original, effect.variant, effect.shift, effect.shift.n)
            for family, of_family in effects.items()
            for effect in of_family
        ),
    )
    return study.report(
        data,
        [effects_table],
        charts=[
            chart for place, family_effects in enumerate(scored, 1) for chart in window_charts(place, *family_effects)
        ],
        sentences=[_answer(family, of_family) for family, of_family in effects.items()],
        notes=[
            "w is the number of sentences that are read on both sides of a passage. Intervals are of 95 %, by document."
        ],
        problems=failure_sentences(run),
    )


def _answer(family: str, effects: Sequence[WindowEffect]) -> str:
    """The window with which errors, or where there are none other variants, move the metric most."""
    for intent, variants in _VARIANTS.items():
        moves = {
            effect.w: effect.shift for effect in effects if effect.intent == intent and effect.shift.value is not None
        }
        if moves:
            w = max(moves, key=lambda window: abs(moves[window].value or 0.0))
            return f"{family}: {variants} move the mean most with w = {w}, by {format_signed(moves[w])}."
    return f"{family}: no window has a score of a variant and its original."


def window_charts(place: int, family: str, effects: Sequence[WindowEffect]) -> list[Chart]:
    """Mean scores and mean shifts of one metric by window; `place` distinguishes the charts of several metrics."""
    by_intent = {
        intent: of_intent
        for intent in INTENTS
        if (of_intent := [effect for effect in effects if effect.intent == intent])
    }
    most = max(by_intent.values(), key=lambda of_intent: sum(int(effect.original.n) for effect in of_intent))
    variants = [
        _line(intent, of_intent, [effect.variant for effect in of_intent]) for intent, of_intent in by_intent.items()
    ]
    shifts = [
        _line(intent, of_intent, [effect.shift for effect in of_intent]) for intent, of_intent in by_intent.items()
    ]
    windows = Axis("w, sentences read on both sides", tuple(map(str, sorted({effect.w for effect in effects}))))
    scores = (_line("original", most, [effect.original for effect in most]), *variants)
    return [
        Chart(f"scores-{place}", "lines", f"{family}: mean score", windows, Axis("mean score"), scores),
        Chart(
            f"shifts-{place}",
            "lines",
            f"{family}: mean shift",
            windows,
            Axis("mean shift, after − before"),
            tuple(shifts),
        ),
    ]


def _line(name: str, effects: Sequence[WindowEffect], means: Sequence[Estimate]) -> Series:
    texts = tuple(
        f"w = {effect.w}: {format_unsigned(mean)}, n = {mean.n}" for effect, mean in zip(effects, means, strict=True)
    )
    return Series(name, tuple(str(effect.w) for effect in effects), tuple(means), texts)
