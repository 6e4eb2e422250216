"""A run over blocks: distribution to workers, retries and progress."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import TouchstoneError
from core.model_reference import EndpointModel, ModelRef
from core.models import endpoint_of
from core.results.bulk.blocks import Shard, block_names
from core.results.bulk.folder import Folder
from core.results.bulk.results import finished_blocks
from core.results.bulk.scorer import BlockReport, BlockScorer, ScoringJob
from core.results.bulk.served_scoring import Parity
from core.settings import Settings
from core.types import Counts

_MAX_TRIES = 5  # of one block
_MAX_FAULTS_IN_A_ROW = 10  # of all blocks, without one that ends well in between


class Crew(Protocol):
    """Workers of one kind, `size` of them, each with one block at a time. A worker that dies is replaced."""

    size: int

    def submit(self, block: str) -> None: ...

    def wait(self) -> list[BlockReport]:
        """Block until at least one block has ended; where its worker died, with a fault."""
        ...

    def close(self) -> None: ...


class InProcess:
    """This process as the only worker, which needs no other: for a shard."""

    size = 1

    def __init__(self, job: ScoringJob) -> None:
        self._scorer = BlockScorer(job)
        self._next = ""

    def submit(self, block: str) -> None:
        self._next = block

    def wait(self) -> list[BlockReport]:
        return [self._scorer.score(self._next)]

    def close(self) -> None:
        self._scorer.close()


def blocks_left(blocks: Folder, folders: Sequence[Folder], shard: Shard) -> tuple[list[str], int]:
    """The blocks of a shard that some metric has no results of, in order, and how many the shard has."""
    mine = shard.of(block_names(blocks))
    finished = set.intersection(*(finished_blocks(folder) for folder in folders))
    return [name for name in mine if name not in finished], len(mine)


def refuse_divided_budget(checkpoints: Iterable[ModelRef], divided: bool) -> None:
    """Raise TouchstoneError where a budget would be counted on several machines, each for itself.

    Worker processes of one machine count together, in the cache folder.
    """
    if not divided:
        return
    models = [model for model in checkpoints if isinstance(model, EndpointModel)]
    limited = Settings.read().llm_budget is not None or any(endpoint_of(model).budget is not None for model in models)
    if models and limited:
        raise TouchstoneError(
            "A budget is set, and shards or a cluster cannot count one budget together. Use --workers on one machine, "
            "or take the budget away and set a limit at the provider."
        )


def run_blocks(blocks: Sequence[str], crew: Crew) -> Iterator[BlockReport]:
    """Every report as it comes; a block with a fault is tried again, up to `_MAX_TRIES` times in all.

    Raises TouchstoneError where block after block has a fault: then it is none of the blocks.
    """
    waiting, tries, under_way, in_a_row = deque(blocks), Counter[str](), 0, 0
    while waiting or under_way:
        while waiting and under_way < crew.size:
            crew.submit(waiting.popleft())
            under_way += 1
        for report in crew.wait():
            under_way -= 1
            yield report
            in_a_row = in_a_row + 1 if report.fault else 0
            tries[report.block] += 1
            if in_a_row >= _MAX_FAULTS_IN_A_ROW:
                raise TouchstoneError(f"{in_a_row} blocks in a row were not scored. The last one: {report.fault}")
            if report.fault and tries[report.block] < _MAX_TRIES:
                waiting.append(report.block)


@dataclass
class RunProgress:
    """Progress of a run over blocks of pairs."""

    blocks: int
    """Blocks of the run."""
    started: float = field(default_factory=time.monotonic)
    """Reading of the monotonic clock at the beginning, in seconds."""
    done: set[str] = field(default_factory=set)
    """Names of the blocks without a fault."""
    faults: dict[str, str] = field(default_factory=dict)
    """Error of each block whose last try failed, by its name."""
    again: int = 0
    """Tries that failed, whether or not a later one succeeded."""
    rows: int = 0
    """Scores written."""
    failures: Counter[str] = field(default_factory=Counter)
    """Scores that could not be computed, by kind of failure."""
    counts: Counts = field(default_factory=Counts)
    """Questions, tokens and passes of all blocks."""
    parity: Parity = field(default_factory=Parity)
    """Pairs that were scored by a server and here, and the largest difference."""

    def add(self, report: BlockReport) -> None:
        if report.fault:
            self.again += 1
            self.faults[report.block] = report.fault
            return
        self.faults.pop(report.block, None)
        self.done.add(report.block)
        self.rows += report.rows
        self.failures.update(report.failures)
        self.counts += report.counts
        self.parity += report.parity

    def line(self, now: float) -> str:
        """As: 412 of 5,000 blocks, 824,000 scores, 1,930 a second, 2 h 10 min left; failed: input 12; faults: 1."""
        elapsed = max(now - self.started, 1e-9)
        remaining_s = elapsed / len(self.done) * (self.blocks - len(self.done)) if self.done else None
        parts = [
            f"{len(self.done):,} of {self.blocks:,} blocks, {self.rows:,} scores, {self.rows / elapsed:,.0f} a second",
            "" if not remaining_s else f", {format_duration(remaining_s)} left",
            "; failed: " + ", ".join(f"{kind} {n:,}" for kind, n in self.failures.most_common())
            if self.failures
            else "",
            f"; faults: {self.again:,}" if self.again else "",
            f"; scored here too: {self.parity.pairs:,}, the largest difference is {self.parity.largest:.1e}"
            if self.parity.pairs
            else "",
        ]
        return "".join(parts)


def format_duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
