"""A run over blocks whose workers and then whose driver are killed again and again: every pair has one row in the end.

By hand, on Linux: `python -m tests.load.block_killing --pairs 5000 --documents 186 --kills 10`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from core.results.bulk.blocks import block_names, row_of_item, write_block, write_manifest
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_stored_results
from core.types import Example, Item
from tests.doubles.process import start

_WORDS = (
    "harbour storm ferry mayor closed repairs million June fishermen herring north trip family insurer trial".split()
)
_BLOCK = 50  # pairs
_TICK_S = 0.01
_ENDS_S = 30.0  # within which a worker leaves that has lost its driver


def make_blocks(out: Folder, pairs: int, documents: int) -> None:
    """Pairs in order of their documents, in blocks that are small enough to be killed in the middle of one."""
    rng = random.Random(pairs)
    texts = [" ".join(rng.choices(_WORDS, k=150)) + f" {number}." for number in range(documents)]
    rows = [
        row_of_item(Item(Example(f"p{n}", texts[n * documents // pairs], " ".join(rng.choices(_WORDS, k=12)) + ".")))
        for n in range(pairs)
    ]
    parts = [rows[begin : begin + _BLOCK] for begin in range(0, len(rows), _BLOCK)]
    write_manifest(out, [write_block(out, number, part) for number, part in enumerate(parts)], 0, "synthetic")


@dataclass
class Kills:
    """A run that is killed again and again. `lingered_s` is the longest that a worker outlived its driver."""

    blocks: Path
    results: Path
    rng: random.Random
    files: dict[Path, int] = field(default_factory=dict)
    rewritten: int = 0
    lingered_s: float = 0.0

    def kill_workers(self, kills: int) -> int:
        """Kill the worker of one driver so often, and let the driver come to its end: how many blocks it gave out again."""
        driver = _start(self.blocks, self.results)
        for _ in range(kills):
            self._wait_for_results(driver)
            os.kill(children(driver.pid)[0], signal.SIGKILL)
        return int(json.loads(_finish(driver))["faults"])

    def kill_drivers(self, kills: int) -> int:
        """Kill so many drivers one after the other; the blocks that a last one still has to do."""
        for _ in range(kills):
            driver = _start(self.blocks, self.results)
            self._wait_for_results(driver)
            [worker] = children(driver.pid)
            driver.kill()
            driver.wait()
            self.lingered_s = max(self.lingered_s, _seconds_until_gone(worker))
        return int(json.loads(_finish(_start(self.blocks, self.results)))["blocks"])

    def _wait_for_results(self, driver: subprocess.Popen[str]) -> None:
        """Until a block is done that was not, and some time more: the middle of another."""
        known = self.look()
        while self.look() == known:
            assert driver.poll() is None, f"The run ended before it could be killed: {driver.communicate()}"
            time.sleep(_TICK_S)
        time.sleep(self.rng.uniform(0, 0.5))

    def look(self) -> int:
        """How many files of results there are; one that was there may never be written again."""
        found = {path: path.stat().st_mtime_ns for path in self.results.rglob("*.parquet")}
        self.rewritten += sum(found.get(path) != written for path, written in self.files.items())
        self.files = found
        return len(found)


def _start(blocks: Path, results: Path) -> subprocess.Popen[str]:
    metrics = ("--metric", "rouge2", "--metric", "word-novelty")
    return start("cli.py", "score", str(blocks), "--to", str(results), *metrics, "--workers", "1", "--stats")


def _finish(driver: subprocess.Popen[str]) -> str:
    stats, messages = driver.communicate(timeout=3600)
    assert driver.returncode == 0, messages
    return stats


def children(process: int) -> list[int]:
    """The ids of the processes that a process started."""
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _seconds_until_gone(process: int) -> float:
    begun = time.monotonic()
    while _is_running(process):
        assert time.monotonic() - begun < _ENDS_S, f"The worker {process} goes on without its driver."
        time.sleep(_TICK_S)
    return time.monotonic() - begun


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def count_rows(results: Path, pairs: int) -> dict[str, int]:
    """How many rows there are, how many are missing of one for each pair and metric, and how many are there twice."""
    found = open_stored_results(str(results))
    rows = Counter((item.example.id, one.metric) for item, outcomes in found for one in outcomes)
    blocks = len(block_names(found.blocks))
    return {
        "rows": rows.total(),
        "missing": 2 * pairs - len(rows),
        "double": rows.total() - len(rows),
        "blocks": blocks,
    }


def main(
    pairs: Annotated[int, typer.Option()] = 5000,
    documents: Annotated[int, typer.Option()] = 186,
    kills: Annotated[int, typer.Option(help="Of workers, and then in a second run of drivers.")] = 10,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    with TemporaryDirectory() as folder:
        blocks = Path(folder) / "blocks"
        make_blocks(Folder.at(str(blocks)), pairs, documents)
        workers = Kills(blocks, Path(folder) / "workers", random.Random(seed))
        redone = workers.kill_workers(kills)
        typer.echo(json.dumps({"workers killed": kills, "blocks redone": redone, **_report(workers, pairs)}))
        drivers = Kills(blocks, Path(folder) / "drivers", random.Random(seed))
        left = drivers.kill_drivers(kills)
        typer.echo(json.dumps({"drivers killed": kills, "blocks of the last": left, **_report(drivers, pairs)}))


def _report(kills: Kills, pairs: int) -> dict[str, float]:
    kills.look()
    found = {"rewritten": kills.rewritten, "worker lingered s": round(kills.lingered_s, 3)}
    return {**count_rows(kills.results, pairs), **found}


if __name__ == "__main__":
    typer.run(main)
