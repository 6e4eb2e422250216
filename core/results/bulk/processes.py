"""Worker processes of this machine: each reads the names of blocks from its input and writes a report of each.

`python -m core.results.bulk.processes JOB` is such a worker.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import IO

from core.errors import TouchstoneError
from core.model_reference import local_checkpoints
from core.models import SHARE_ALONE, kind_of, resolve_devices
from core.results.bulk.scorer import BlockReport, BlockScorer, ScoringJob
from core.results.bulk.served_scoring import Parity
from core.scoring import METRICS
from core.types import Counts

_PATIENCE_S = 10.0  # how long a worker that has nothing to do may take to end
_THREADS = "OMP_NUM_THREADS"
_OBJECTS_BETWEEN_COLLECTIONS = 20_000  # a block has as many, which all stay until it is written


class _Worker:
    def __init__(self, job: ScoringJob, environment: Mapping[str, str], card: str = "") -> None:
        self.card = card
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__, json.dumps(asdict(job))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environment),
        )
        self.block = ""

    @property
    def reports(self) -> IO[bytes]:
        assert self.process.stdout
        return self.process.stdout

    def begin(self, block: str) -> None:
        self.block = block
        assert self.process.stdin
        try:
            self.process.stdin.write(f"{block}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:  # it died while it waited: its output has ended too, which reports that
            return

    def end(self) -> None:
        """Close its input, at which it exits immediately, in the middle of a block too."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reports.close()


@dataclass(frozen=True, slots=True)
class WorkerCard:
    """A GPU as its workers see it: the value of CUDA_VISIBLE_DEVICES, and that of TOUCHSTONE_MEMORY for each of them."""

    visible: str
    memory: str


def worker_cards(job: ScoringJob, workers: int) -> list[WorkerCard]:
    """The NVIDIA GPUs that workers are spread over, all for the device auto; none where nothing is loaded or none is to be used."""
    settings = job.settings()
    if kind_of(settings.device) not in {"auto", "all", "cuda"} or not any(
        local_checkpoints(METRICS.parse(spec).checkpoints()) for spec in job.metrics
    ):
        return []
    devices = resolve_devices("all" if settings.device == "auto" else settings.device)
    if kind_of(devices[0]) != "cuda":
        return []
    names = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    numbers = [int(device.partition(":")[2] or 0) for device in devices]
    memory, on_card = settings.memory, -(-workers // len(devices))
    if on_card > 1 and not isinstance(settings.memory_budget, int):
        memory = f"{(settings.memory_budget or SHARE_ALONE) / on_card:.3f}"
    return [
        WorkerCard(names[number].strip() if number < len(names) and names[number] else str(number), memory)
        for number in numbers
    ]


class Processes:
    """A crew of `size` processes, which share the processor's cores; where metrics load networks they are spread over the GPUs."""

    def __init__(self, job: ScoringJob, size: int) -> None:
        self.size = size
        self._job = job
        threads = str(max(1, (os.cpu_count() or 1) // size))
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._folder = TemporaryDirectory(prefix="touchstone-workers-")  # a worker that is killed deletes nothing
        self._environment = {_THREADS: threads, **os.environ, "PYTHONPATH": paths, "TMPDIR": self._folder.name}
        self._cards = worker_cards(job, size)
        self._selector = selectors.DefaultSelector()
        self._workers: list[_Worker] = []

    def submit(self, block: str) -> None:
        idle = next((worker for worker in self._workers if not worker.block), None) or self._start()
        idle.begin(block)

    def wait(self) -> list[BlockReport]:
        while True:
            ready = [key.data for key, _ in self._selector.select()]
            reports = [report for worker in ready if (report := self._report(worker))]
            if reports:
                return reports

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._selector.close()
        self._folder.cleanup()

    def process_ids(self) -> list[int]:
        return [worker.process.pid for worker in self._workers]

    def _start(self) -> _Worker:
        if self._cards:  # the one with the fewest workers, as after one has died
            taken = Counter(worker.card for worker in self._workers)
            card = min(self._cards, key=lambda card: taken[card.visible])
            variables = {**self._environment, "CUDA_VISIBLE_DEVICES": card.visible, "TOUCHSTONE_MEMORY": card.memory}
            worker = _Worker(replace(self._job, device="cuda"), variables, card.visible)
        else:
            worker = _Worker(self._job, self._environment)
        self._workers.append(worker)
        self._selector.register(worker.reports, selectors.EVENT_READ, worker)
        return worker

    def _report(self, worker: _Worker) -> BlockReport | None:
        """Report of a worker on its block; None where it died without one."""
        block, worker.block = worker.block, ""
        line = worker.reports.readline()
        report = report_of(json.loads(line)) if line.endswith(b"\n") else None
        if report and not report.ends_worker:
            return report
        self._selector.unregister(worker.reports)
        self._workers.remove(worker)
        worker.end()
        if report:
            return report
        status = worker.process.returncode
        return BlockReport(block, fault=f"The worker process died with status {status}.") if block else None


def report_of(record: Mapping[str, object]) -> BlockReport:
    """A report that was written as JSON."""
    return BlockReport(**{**record, "counts": Counts(**record["counts"]), "parity": Parity(**record["parity"])})  # type: ignore[arg-type]  # as asdict wrote it


def work(job: ScoringJob) -> None:
    """Score the blocks that are named on standard input until it ends, then exit immediately: nobody reads a report any more."""
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no report
    blocks: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read_blocks, args=(blocks,), daemon=True).start()
    scorer: BlockScorer | None = None
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    while True:
        block = blocks.get()
        try:
            if scorer is None:
                scorer = BlockScorer(job)
                gc.freeze()
            report = scorer.score(block)
        except TouchstoneError as error:
            report = BlockReport(block, fault=str(error))
        reports.write(f"{json.dumps(asdict(report))}\n")
        reports.flush()


def _read_blocks(blocks: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        blocks.put(line.strip())
    os._exit(0)


if __name__ == "__main__":
    record = json.loads(sys.argv[1])
    work(ScoringJob(**{**record, "metrics": tuple(record["metrics"])}))
