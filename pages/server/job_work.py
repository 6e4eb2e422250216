"""The jobs that the server starts again by itself: stress runs, scorings, audits and downloads, from their stored settings."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import streamlit as st
from cachetools import LRUCache

from annotations.exchange.samples import count_texts, load_texts
from annotations.store.store import InMemoryRuns, Store
from core.assessment import AuditTask, EvidenceWork, with_battery, with_saved_thresholds
from core.base import BackgroundTask
from core.edits import PERTURBATIONS
from core.errors import TouchstoneError
from core.evaluation import thresholds_by_metric
from core.model_reference import Checkpoint, asks_endpoint, local_checkpoints
from core.models import ModelStatus
from core.results import asks_endpoints, run_from_lines
from core.scoring import METRICS, Engine
from core.types import Failure, Outcome
from pages.server import services
from pages.server.jobs import BackgroundJob
from pages.sources.audit_data import stored_data
from pages.sources.audit_history import keep_audits
from pages.sources.thresholds import kept_thresholds

_SCORES_PER_WRITE = 200
_WRITE_EVERY_S = 1.0
_LOOK_S = 1.0
_MOST_AUDITS = 16  # of all sessions; an audit holds its texts and scores
_LOG = logging.getLogger(__name__)

Starter = Callable[[BackgroundJob], object]
"""Begins the work of a job, or goes on with it. Raises TouchstoneError where its settings do not fit any more."""

STARTERS: dict[str, Starter] = {}
"""By kind of job; kinds of pages add theirs when their page is loaded."""


def run_storage(id: str) -> InMemoryRuns | Store:
    """Storage that a run is in."""
    demo_runs = services.demo_runs()
    return demo_runs if id in demo_runs else services.store()


def continue_stress_run(job: BackgroundJob) -> BackgroundTask[int]:
    """Carry a run on; results are added to it as they arrive. Raises RecordError as `Jobs.start`."""
    id = str(job.settings["run"])
    home = run_storage(id)
    # a run of its own: the one that pages read must not grow while they read it
    run = run_from_lines(home.run_lines(id))
    job = replace(job, resumed=job.resumed or run.settled > 0)
    return services.jobs().start(
        job,
        partial(services.stress_runner().start, services.engine_of(job.person), id, run, partial(home.append_run, id)),
        by=job.person,
    )


@st.cache_resource(show_spinner=False)
def dataset_scorings() -> dict[str, BackgroundTask[bool]]:
    """The last scoring of each dataset, by any session; its results are the stored scores, true for a failure."""
    return {}


def score_dataset(job: BackgroundJob) -> BackgroundTask[bool]:
    """Score a dataset; texts that were scored before come from the cache. Raises TouchstoneError for metrics that are not here."""
    dataset, metrics = str(job.settings["dataset"]), [METRICS.parse(spec) for spec in job.settings["metrics"]]
    store, engine = services.store(), services.engine_of(job.person)

    def work() -> Generator[bool]:
        with closing(engine.run(metrics, load_texts(store, dataset))) as results:
            for outcomes in _batches(outcome for _, outcome in results):
                store.save_outcomes(outcomes)
                yield from (isinstance(outcome, Failure) for outcome in outcomes)

    begin = partial(BackgroundTask, work, count_texts(store, dataset) * len(metrics))
    task = dataset_scorings()[dataset] = services.jobs().start(job, begin, by=job.person)
    return task


def _batches(outcomes: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    """Outcomes of one write: so many, or those of a second, as slow metrics would show no progress for minutes."""
    batch, since = list[Outcome](), monotonic()
    for outcome in outcomes:
        batch.append(outcome)
        if len(batch) == _SCORES_PER_WRITE or monotonic() - since > _WRITE_EVERY_S:
            yield batch
            batch, since = [], monotonic()
    if batch:
        yield batch


@st.cache_resource(show_spinner=False)
def audits() -> tuple[threading.Lock, LRUCache[str, AuditTask]]:
    """The audits of the process by id, and the lock to hold meanwhile."""
    return threading.Lock(), LRUCache(_MOST_AUDITS)


def audit_work(settings: Mapping[str, Any], engine: Engine) -> EvidenceWork:
    """The measurements of an audit by its settings. Raises TouchstoneError for a choice that cannot be audited here."""
    metrics = [METRICS.parse(spec) for spec in settings["metrics"]]
    store = services.store()
    by_name = kept_thresholds(store)
    saved = thresholds_by_metric([by_name[name] for name in settings["thresholds"]], metrics)
    data = with_battery(stored_data(store, settings["datasets"], settings["most"], seed=0), settings["battery"])
    data = with_saved_thresholds(data, [threshold.name for threshold in saved.values()])
    return EvidenceWork(
        engine,
        services.settings(),
        data,
        metrics,
        saved_thresholds=saved,
        released=list(settings["released"]),
    )


def begin_audit(job: BackgroundJob) -> AuditTask:
    """Begin an audit under its id; what was scored before comes from the cache. Raises TouchstoneError as `audit_work`."""
    store, measured = services.store(), audit_work(job.settings, services.engine_of(job.person))
    tasks: list[AuditTask] = []

    def begin() -> BackgroundTask[object]:
        tasks.append(AuditTask(measured, None if store.read_only else partial(keep_audits, store)))
        return tasks[0].task

    services.jobs().start(job, begin, by=job.person)
    lock, by_id = audits()
    with lock:
        by_id[job.query["audit"]] = tasks[0]
    return tasks[0]


def download(job: BackgroundJob) -> BackgroundTask[ModelStatus]:
    """Download and load a model; files that are here already are not fetched again."""
    pool, checkpoint = services.shared_engine().pool, _checkpoint(job.settings)

    def work() -> Generator[ModelStatus]:
        state = pool.fetch(checkpoint)
        while state.status in (ModelStatus.DOWNLOADING, ModelStatus.LOADING):
            pool.wait_for_change(pool.states(), _LOOK_S)
            state = pool.state(checkpoint)
        if state.status is ModelStatus.FAILED:
            raise TouchstoneError(state.message)
        yield state.status

    def percent() -> tuple[int, int, str]:
        return round(100 * (pool.state(checkpoint).progress or 0.0)), 100, "percent"

    return services.jobs().start(job, partial(BackgroundTask, work), by=job.person, counted=percent)


def checkpoint_settings(checkpoint: Checkpoint) -> dict[str, str]:
    """The fields of a checkpoint by which it is found again."""
    return {name: getattr(checkpoint, name) for name in ("source", "kind", "revision", "dtype", "backbone")}


def _checkpoint(settings: Mapping[str, str]) -> Checkpoint:
    plugins = (*METRICS, *PERTURBATIONS)
    carded = (model for plugin in plugins for model in local_checkpoints(plugin().checkpoints()))
    other = Checkpoint(
        settings["source"], settings["kind"], settings["revision"], settings["dtype"], settings["backbone"]
    )
    return next((model for model in carded if checkpoint_settings(model) == settings), other)


STARTERS |= {
    "stress run": continue_stress_run,
    "scoring": score_dataset,
    "audit": begin_audit,
    "download": download,
}


def costs_money(job: BackgroundJob) -> bool:
    """True if a job asks an endpoint, which a person has to start again. Raises TouchstoneError for one that names what is not here."""
    if job.kind == "stress run":
        id = str(job.settings["run"])
        return asks_endpoints(run_from_lines(run_storage(id).run_lines(id)).plan)
    return any(asks_endpoint(METRICS.parse(spec).checkpoints()) for spec in job.settings["metrics"])


def carry_on() -> list[BackgroundJob]:
    """Go on with the jobs that a stopped server left and that cost nothing; those that went on."""
    resumed = []
    for job in services.jobs().interrupted():
        if job.kind not in ("stress run", "scoring", "audit"):
            continue
        try:
            if not costs_money(job):
                STARTERS[job.kind](replace(job, resumed=True, state="running", error=""))
                resumed.append(job)
        except TouchstoneError as error:  # the person who opens it sees the same sentence
            _LOG.warning("%s %s stays interrupted: %s", job.kind, job.title, error)
    return resumed
