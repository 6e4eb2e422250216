"""Pinned results made again from their sources, with the data and metrics of today, for the page and the command."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from annotations.exchange.labelled_items import load_items
from annotations.exchange.samples import dataset_references, load_samples, load_sentence_scores
from annotations.store.store import Store
from core.assessment import (
    AuditSource,
    EvidenceWork,
    PairSource,
    Pin,
    Source,
    StudySource,
    audit_metrics,
    audit_pin,
    build_report,
    pair_pin,
    study_pin,
    with_battery,
    with_saved_thresholds,
)
from core.errors import TouchstoneError
from core.evaluation import STUDIES, Input, StudyData, thresholds_by_metric
from core.results import (
    Cases,
    StressRun,
    affordable_resamples,
    bundled_run_lines,
    filter_variants,
    pool_cases,
    run_from_lines,
    select_metrics,
    stored_score,
)
from core.scoring import METRICS, Engine
from core.settings import Settings
from core.types import Context, Example, Span
from pages.sources.audit_data import stored_data
from pages.sources.thresholds import kept_thresholds

_BUNDLED_RUN = "bundled"


def of_its_time(store: Store, source: Source) -> Source:
    """A source that was kept, with the version of each dataset: one without a number is of the time of version 1."""
    if isinstance(source, PairSource):
        return source
    references = store.version_references()
    numbered = {name for name in source.datasets if len(references.get(name, ())) > 1}
    return replace(source, datasets=tuple(f"{name}@1" if name in numbered else name for name in source.datasets))


@dataclass(frozen=True, slots=True)
class PinBuilder:
    """Services that make results: the store, the settings, the engine, opened when it is first asked for, and a title for pairs."""

    store: Store
    settings: Settings
    engine: Callable[[], Engine]

    def build(self, source: Source, title: str = "") -> Pin:
        """The pin of a source as it is today. Raises TouchstoneError where its data or metrics are not here."""
        match source:
            case StudySource():
                return self._study(source)
            case AuditSource():
                return self._audit(source)
            case PairSource():
                return self._pair(source, title)

    def _study(self, source: StudySource) -> Pin:
        source = replace(source, datasets=tuple(dataset_references(self.store, source.datasets)))
        study = STUDIES.parse(source.spec)
        data = StudyData(datasets=source.datasets, by=source.by or None, metric_names=source.metrics)
        if source.run:
            run = self._run(source.run)
            counting = filter_variants(run, source.left_out)
            data = replace(data, run=run, counting=counting, left_out=source.left_out)
        if source.datasets:
            cases = self._cases(source)
            data = replace(data, cases=cases, resamples=source.resamples or affordable_resamples(cases))
            if Input.SENTENCES in study.may_take:
                data = replace(data, sentence_scores=load_sentence_scores(self.store, *cases.score_keys))
        if Input.ITEMS in study.takes:
            items = {name: load_items(self.store, name) for name in source.datasets}
            data = replace(data, items=items)
        if study.scores_texts:
            data = replace(data, engine=self.engine())
        return study_pin(study, data, study.run(data), source)

    def _cases(self, source: StudySource) -> Cases:
        cases = pool_cases([load_samples(self.store, name) for name in source.datasets])
        if not source.metrics:
            return cases
        missing = set(source.metrics) - {column.name for column in cases.all_columns}
        if missing:
            raise TouchstoneError(
                f"{', '.join(sorted(missing))} has no score in {', '.join(source.datasets)} any more."
            )
        return select_metrics(cases, source.metrics)

    def _run(self, name: str) -> StressRun:
        if Path(name).is_file():
            lines: Iterable[str] = Path(name).read_text(encoding="utf-8").splitlines()
        else:
            lines = bundled_run_lines() if name == _BUNDLED_RUN else self.store.run_lines(name)
        lines = [line for line in lines if line]
        if not lines:
            raise TouchstoneError(f"There is no stress run {name!r} here: neither a file nor one of the database.")
        return run_from_lines(lines)

    def _audit(self, source: AuditSource) -> Pin:
        source = replace(source, datasets=tuple(dataset_references(self.store, source.datasets)))
        released, metrics = [], []
        for name in source.audited:
            if name.partition("[")[0] in METRICS.names():
                metrics.append(METRICS.parse(name))
            else:
                released.append(name)
        thresholds = kept_thresholds(self.store)
        if missing := [name for name in source.thresholds if name not in thresholds]:
            raise TouchstoneError(f"The threshold {', '.join(missing)} of this audit is not saved here.")
        saved = thresholds_by_metric([thresholds[name] for name in source.thresholds], metrics)
        data = with_battery(stored_data(self.store, source.datasets, source.most or None, seed=0), source.battery)
        data = with_saved_thresholds(data, list(source.thresholds))
        measured = EvidenceWork(self.engine(), self.settings, data, metrics, saved_thresholds=saved, released=released)
        for _ in measured.work():
            pass
        evidence = measured.evidence()
        return audit_pin(build_report(evidence, [*audit_metrics(evidence, source.audited)], ""), source)

    def _pair(self, source: PairSource, title: str) -> Pin:
        contexts = tuple(Context(name, Span(start, end)) for name, start, end in source.contexts)
        sides = [
            Example(side, source.document, text, contexts, source.question)
            for side, text in (("original", source.original), ("edited", source.edited))
        ]
        metrics = [METRICS.parse(spec) for spec in source.scored_by]
        scored = {
            (outcome.metric, example.id): stored_score(outcome)
            for example, outcome in self.engine().run(metrics, sides)
        }
        if all(score.value is None for score in scored.values()):
            raise TouchstoneError(f"None of {', '.join(source.scored_by)} can score this pair here.")
        return pair_pin(
            title, source, [(scored[metric.spec, "original"], scored[metric.spec, "edited"]) for metric in metrics]
        )
