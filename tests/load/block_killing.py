"""A run over blocks whose driver is killed, with its worker, again and again: every pair has one row in the end.

By hand: `python -m tests.load.block_killing --pairs 5000 --documents 186 --kills 10`.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from core.bulk.blocks import block_names, row_of_item, write_block, write_manifest
from core.bulk.folder import Folder
from core.bulk.results import open_stored_results
from core.types import Example, Item
from tests.doubles.process import start

_WORDS = (
    "harbour storm ferry mayor closed repairs million June fishermen herring north trip family insurer trial".split()
)
_BLOCK = 50  # pairs


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


def kill_drivers(blocks: Path, results: Path, kills: int, least_s: float, most_s: float) -> int:
    """How often the driver was killed before a last one came to the end; each has a worker process, which ends with it."""
    rng, killed = random.Random(kills), 0
    for _ in range(kills):
        driver = _start(blocks, results)
        time.sleep(rng.uniform(least_s, most_s))
        killed += driver.poll() is None
        driver.kill()
        driver.communicate()
    driver = _start(blocks, results)
    _, messages = driver.communicate(timeout=3600)
    assert driver.returncode == 0, messages
    return killed


def _start(blocks: Path, results: Path) -> subprocess.Popen[str]:
    metrics = ("--metric", "rouge2", "--metric", "word-novelty")
    return start("cli.py", "score", str(blocks), "--to", str(results), *metrics, "--workers", "1")


def main(
    pairs: Annotated[int, typer.Option()] = 5000,
    documents: Annotated[int, typer.Option()] = 186,
    kills: Annotated[int, typer.Option()] = 10,
    least_s: Annotated[float, typer.Option(help="Until a driver is killed, at least.")] = 5.0,
    most_s: Annotated[float, typer.Option(help="And at most.")] = 15.0,
) -> None:
    with TemporaryDirectory() as folder:
        blocks, results = Path(folder) / "blocks", Path(folder) / "results"
        make_blocks(Folder.at(str(blocks)), pairs, documents)
        killed = kill_drivers(blocks, results, kills, least_s, most_s)
        found = open_stored_results(str(results))
        rows = Counter((item.example.id, one.metric) for item, outcomes in found for one in outcomes)
        report = {"killed": killed, "rows": rows.total(), "missing": 2 * pairs - len(rows)}
        typer.echo(json.dumps({**report, "double": rows.total() - len(rows), "blocks": len(block_names(found.blocks))}))


if __name__ == "__main__":
    typer.run(main)
