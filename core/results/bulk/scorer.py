"""Scoring of one block after the other in one process, the work of every kind of worker."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import TouchstoneError
from core.model_reference import asks_endpoint
from core.models import ModelPool, NetworkServer
from core.results.bulk.blocks import block_pairs, read_block
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_metric_folder, result_folder, write_results
from core.results.bulk.served_scoring import Parity, ServedScoring, checked_pairs
from core.scoring import METRICS, AnswerCache, Engine, Metric, fingerprint_of
from core.settings import Settings
from core.types import Counts, Failure, FailureKind, Outcome

_CACHE_BYTES = 2**28  # blocks share few questions
_INFRASTRUCTURE = (FailureKind.NEEDS_DOWNLOAD, FailureKind.NEEDS_ENDPOINT, FailureKind.LOAD)
_UNEXPECTED = (FailureKind.ERROR, FailureKind.OUT_OF_MEMORY)
_MOST_UNEXPECTED, _FEW_UNEXPECTED = 0.1, 2
"""Share of the pairs of a block, and a number, up to which errors are those of texts; with more the device or a library is broken."""


class BrokenWorkerError(TouchstoneError):
    """More unexpected errors than texts have: a device that died, memory that is full, a library that is broken."""


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """Settings that every worker of a run needs; JSON-able. `device` is "" for that of the settings.

    `executor` names a server that computes the networks, as `NetworkServer` takes it; "" for this machine.
    """

    blocks: str
    results: str
    metrics: tuple[str, ...]
    device: str = ""
    executor: str = ""

    def settings(self) -> Settings:
        return Settings.read().on(self.device)


@dataclass(frozen=True, slots=True)
class BlockReport:
    """Outcome of a block; with a `fault`, which is no fault of its texts, nothing was written of the last metric.

    After one with `ends_worker` the worker's process cannot be used again.
    """

    block: str
    rows: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    fault: str = ""
    ends_worker: bool = False
    parity: Parity = field(default_factory=Parity)


def metric_folders(metrics: Sequence[Metric], pool: ModelPool, executor: str = "") -> dict[Metric, str]:
    """The name of the folder of each metric's results.

    Raises TouchstoneError where its weights or its endpoint are missing, and for an executor that does not compute its network.
    """
    server = NetworkServer(executor) if executor else None
    for metric in metrics:
        if server:
            server.require(metric.spec, metric.checkpoints())
    form = server.form_name if server else ""
    return {
        metric: result_folder(metric, [fingerprint_of(model, pool) for model in metric.checkpoints()], form)
        for metric in metrics
    }


class BlockScorer:
    """Scores blocks with one engine. Answers of endpoints go to the cache of the settings; others to a small one of its own.

    Raises TouchstoneError where weights or endpoints of the metrics are missing.
    """

    def __init__(self, job: ScoringJob) -> None:
        self._blocks, self._results = Folder.at(job.blocks), Folder.at(job.results)
        self._metrics = [METRICS.parse(spec) for spec in job.metrics]
        self._settings = job.settings()
        self._cache = Path(tempfile.mkdtemp(prefix="touchstone-answers-"))
        self._engine = self._open_engine()
        self._executor, self._served = job.executor, None
        if job.executor:
            checked = checked_pairs(block_pairs(self._blocks))
            self._served = ServedScoring(NetworkServer(job.executor), self._engine, checked)
        self._folders = {
            metric: open_metric_folder(self._results, name, metric)
            for metric, name in metric_folders(self._metrics, self._engine.pool, job.executor).items()
        }

    def score(self, block: str) -> BlockReport:
        """Score what is missing of a block and write it; a fault is reported, and the block can be tried again."""
        started, before = time.perf_counter(), self._engine.counts()
        try:
            written, parity = self._score_metrics(block)
        except (TouchstoneError, OSError) as error:
            fault = str(error) or type(error).__name__
            return BlockReport(block, fault=fault, ends_worker=isinstance(error, BrokenWorkerError))
        failures = Counter(outcome.kind.value for outcome in written if isinstance(outcome, Failure))
        after = self._engine.counts()
        counts = Counts(*(getattr(after, name) - getattr(before, name) for name in Counts.__slots__))
        seconds = time.perf_counter() - started
        return BlockReport(block, len(written), dict(failures), counts, seconds, parity=parity)

    def close(self) -> None:
        self._engine.close()
        shutil.rmtree(self._cache, ignore_errors=True)

    def _score_metrics(self, block: str) -> tuple[list[Outcome], Parity]:
        missing = [metric for metric, folder in self._folders.items() if not folder.has(f"{block}.parquet")]
        if not missing:
            return [], Parity()
        if self._served:
            by_metric, parity = self._served_outcomes(self._served, missing, block)
        else:
            outcomes = list(self._outcomes(missing, block))
            by_metric, parity = [outcomes[place :: len(missing)] for place in range(len(missing))], Parity()
        if metric_folders(missing, self._engine.pool, self._executor) != {
            metric: self._name_of(metric) for metric in missing
        }:
            raise TouchstoneError(
                "The weights of a metric were replaced while this ran. Start again when all are there."
            )
        for own in by_metric:
            _refuse_unexpected(own)
        for metric, own in zip(missing, by_metric, strict=True):
            write_results(self._folders[metric], block, own)
        return [outcome for own in by_metric for outcome in own], parity

    def _served_outcomes(
        self, served: ServedScoring, metrics: Sequence[Metric], block: str
    ) -> tuple[list[list[Outcome]], Parity]:
        """The outcomes of each metric whose network a server computes, and how far they are from those that are computed here."""
        examples = [item.example for item in read_block(self._blocks, block)]
        scored = [served.outcomes(metric, examples, block) for metric in metrics]
        return [outcomes for outcomes, _ in scored], sum((parity for _, parity in scored), Parity())

    def _outcomes(self, metrics: Sequence[Metric], block: str) -> Iterator[Outcome]:
        """The outcomes of the pairs in order, those of one pair together. Raises TouchstoneError for what is no fault of a text."""
        examples = [item.example for item in read_block(self._blocks, block)]
        for _, outcome in self._engine.run(metrics, examples):
            if isinstance(outcome, Failure) and outcome.kind in _INFRASTRUCTURE:
                raise TouchstoneError(f"{outcome.metric}: {outcome.error}")
            yield outcome

    def _name_of(self, metric: Metric) -> str:
        return self._folders[metric].path.rsplit("/", 1)[-1]

    def _open_engine(self) -> Engine:
        settings = self._settings
        paid = any(asks_endpoint(metric.checkpoints()) for metric in self._metrics)
        pool = ModelPool.open(settings)
        limit = settings.cache_bytes
        cache = AnswerCache(settings.cache_dir, limit) if paid else AnswerCache(self._cache, min(limit, _CACHE_BYTES))
        return Engine(pool, cache)


def _refuse_unexpected(outcomes: Sequence[Outcome]) -> None:
    """Raise BrokenWorkerError where more outcomes of a metric are unexpected errors than its texts can have."""
    errors = [outcome for outcome in outcomes if isinstance(outcome, Failure) and outcome.kind in _UNEXPECTED]
    if errors and (
        len(errors) == len(outcomes) or len(errors) > max(_FEW_UNEXPECTED, _MOST_UNEXPECTED * len(outcomes))
    ):
        kinds = Counter(error.kind.value for error in errors)
        listed = ", ".join(f"{kind} {number:,}" for kind, number in kinds.most_common())
        raise BrokenWorkerError(
            f"{errors[0].metric}: {len(errors):,} of {len(outcomes):,} pairs of the block have no score for an unexpected reason "
            f"({listed}), and nothing of it is kept. The first: {errors[0].error}"
        )
