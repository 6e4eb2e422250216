"""Scoring a folder of blocks: what `score BLOCKS --to RESULTS` does, and its plan."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field

from core.errors import TouchstoneError
from core.models import ModelPool
from core.results import (
    BulkPlan,
    Crew,
    Folder,
    InProcess,
    Processes,
    RayActors,
    RunProgress,
    ScoringJob,
    Shard,
    TimedReport,
    block_pairs,
    blocks_left,
    metric_folders,
    open_metric_folder,
    open_results,
    plan_run,
    refuse_divided_budget,
    run_blocks,
)
from core.scoring import METRICS
from pages.commands.shared.messages import download_models, print_status

_LINE_S = 10.0  # between two lines of progress
_LEAST_LATER = 2  # blocks beside the first of each worker, for an interval of a plan


@dataclass(frozen=True, slots=True)
class Workers:
    """Place where blocks are scored: `count` processes, this one where it is None, or actors of a Ray `cluster`."""

    count: int | None = None
    cluster: str = ""
    gpus: float = 0.0
    shard: Shard = field(default_factory=Shard)

    def crew(self, job: ScoringJob) -> Crew:
        if self.cluster:
            return RayActors(job, self.cluster, self.count, self.gpus)
        return Processes(job, self.count) if self.count else InProcess(job)


def score_blocks(job: ScoringJob, workers: Workers) -> RunProgress:
    """Score the blocks that have no results yet, with a line of progress now and then on stderr.

    Raises TouchstoneError for what keeps all blocks from being scored.
    """
    unscored = open_job(job, workers)
    progress = RunProgress(len(unscored))
    if unscored:
        last = 0.0
        for _, report in timed_reports(unscored, job, workers):
            progress.add(report)
            if time.monotonic() - last >= _LINE_S:
                last = time.monotonic()
                print_status(progress.line(last))
        print_status(progress.line(time.monotonic()))
    return progress


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """Plan of a run: `sample` blocks drawn by the `seed` are scored by so many workers.

    The whole run has `pairs`, by default those of the blocks that are left, and a `fleet` of workers, by default those of the
    sample; `hourly` is the price of one of them for an hour.
    """

    sample: int
    seed: int
    workers: int
    fleet: int | None
    pairs: int | None
    hourly: float


def plan_blocks(job: ScoringJob, plan: BlockPlan) -> BulkPlan:
    """Score a sample of blocks and estimate the whole run. Raises TouchstoneError where there are too few blocks."""
    crew = Workers(plan.workers)
    unscored = open_job(job, crew)
    needed = plan.workers + _LEAST_LATER
    if len(unscored) < needed or plan.sample < needed:
        raise TouchstoneError(
            f"A plan needs {needed} blocks, one for the start of each worker and {_LEAST_LATER} more; {len(unscored)} are left, and the "
            f"sample has {plan.sample}. Take fewer workers, a larger --plan, or leave it out: so few blocks are soon done."
        )
    sizes = block_pairs(Folder.at(job.blocks))
    sample = random.Random(plan.seed).sample(unscored, min(plan.sample, len(unscored)))
    done = [(after_s, report) for after_s, report in timed_reports(sample, job, crew) if not report.fault]
    if len(done) < needed:
        raise TouchstoneError(f"Only {len(done)} blocks of the sample could be scored. The lines above say why.")
    pairs = plan.pairs or sum(sizes[name] for name in unscored)
    return plan_run(done, sizes, plan.workers, pairs, plan.fleet or plan.workers, plan.hourly)


def open_job(job: ScoringJob, workers: Workers) -> list[str]:
    """The blocks that have no results yet; models are downloaded, and what is there already is said on stderr.

    Raises TouchstoneError for what keeps all blocks from being scored.
    """
    metrics, settings = [METRICS.parse(spec) for spec in job.metrics], job.settings()
    models = [model for metric in metrics for model in metric.checkpoints()]
    refuse_divided_budget(models, divided=workers.shard.count > 1 or bool(workers.cluster))
    blocks, results = Folder.at(job.blocks), Folder.at(job.results)
    open_results(results, blocks)
    with closing(ModelPool.open(settings)) as pool:
        download_models(pool, metrics)
        named = metric_folders(metrics, pool, job.executor)
    folders = [open_metric_folder(results, name, metric) for metric, name in named.items()]
    unscored, mine = blocks_left(blocks, folders, workers.shard)
    print_status(f"{mine - len(unscored):,} of {mine:,} blocks are done already. Results: {', '.join(named.values())}")
    return unscored


def timed_reports(blocks: Sequence[str], job: ScoringJob, workers: Workers) -> Iterator[TimedReport]:
    """The reports of blocks as they come; faults are said on stderr."""
    begun = time.monotonic()
    with closing(workers.crew(job)) as crew:
        for report in run_blocks(blocks, crew):
            if report.fault:
                print_status(f"{report.block}: {report.fault}")
            yield time.monotonic() - begun, report


def progress_record(progress: RunProgress) -> dict[str, object]:
    """Record of what was done, as `--stats` prints it."""
    return {
        "blocks": len(progress.done),
        "rows": progress.rows,
        "failures": dict(progress.failures),
        "faults": progress.again,
        **asdict(progress.counts),
        **({"parity": asdict(progress.parity)} if progress.parity.pairs else {}),
        "seconds": round(time.monotonic() - progress.started, 3),
    }
