"""The memory and processor time of a run over many blocks: of the driver and of its worker, every so many pairs.

By hand, on Linux: `python -m tests.load.bulk_memory FOLDER --pairs 1000000 --documents 200000`. The same command goes on with
what an earlier one left in the folder.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from core.results.bulk.blocks import has_manifest
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_stored_results
from tests.doubles.process import start
from tests.load.block_killing import children

_WORDS = (
    "the of a harbour storm ferry mayor closed repairs million June fishermen herring trip insurer trial said".split()
)
_LOOK_S = 5.0
_TICKS_S = os.sysconf("SC_CLK_TCK")


def write_pairs(file: Path, pairs: int, documents: int, words: tuple[int, int]) -> None:
    """Pairs on documents of several sentences, as many on each; every text is of its own."""
    rng = random.Random(pairs)
    with file.open("w", encoding="utf-8") as lines:
        for document in range(documents):
            text = _make_text(rng, rng.randint(*words))
            for number in range(document * pairs // documents, (document + 1) * pairs // documents):
                summary = _make_text(rng, rng.randint(12, 60))
                lines.write(json.dumps({"id": f"p{number}", "document": text, "summary": summary}) + "\n")


def _make_text(rng: random.Random, words: int) -> str:
    return " ".join(
        f"{' '.join(rng.choices(_WORDS, k=15)).capitalize()} {rng.randrange(10_000)}." for _ in range(-(-words // 15))
    )


def _process_figures(process: int) -> dict[str, float]:
    """Megabytes now and at most, and seconds of the processor of a process that runs."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    user, system = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return {
        "MB": int(status["VmRSS"].split()[0]) // 1000,
        "most MB": int(status["VmHWM"].split()[0]) // 1000,
        "CPU s": (int(user) + int(system)) / _TICKS_S,
    }


def watch(driver: subprocess.Popen[str], results: Path, every: int) -> Iterator[dict[str, object]]:
    """What driver and worker take, each time that so many blocks more are done, and at last."""
    seen = len(list(results.rglob("*.parquet")))
    latest: dict[str, object] = {}
    while driver.poll() is None:
        done = len(list(results.rglob("*.parquet")))
        for worker in children(driver.pid)[:1]:
            latest = {"blocks": done, "driver": _process_figures(driver.pid), "worker": _process_figures(worker)}
        if done >= seen + every:
            seen = done
            yield latest
        time.sleep(_LOOK_S)
    yield {"last look": latest}


def main(
    folder: Annotated[Path, typer.Argument(help="For pairs, blocks and results.")],
    pairs: Annotated[int, typer.Option(min=1)] = 1_000_000,
    documents: Annotated[int, typer.Option(min=1)] = 200_000,
    shortest: Annotated[int, typer.Option(min=1, help="Words of a document.")] = 100,
    longest: Annotated[int, typer.Option(min=1)] = 400,
    every: Annotated[int, typer.Option(min=1, help="A line after so many blocks.")] = 50,
) -> None:
    source, blocks, results = folder / "pairs.jsonl", folder / "blocks", folder / "results"
    folder.mkdir(parents=True, exist_ok=True)
    if not has_manifest(Folder.at(str(blocks))):
        write_pairs(source, pairs, documents, (shortest, longest))
        _finish(start("cli.py", "blocks", str(source), str(blocks), "--spill", str(folder)))
    driver = start("cli.py", "score", str(blocks), "--to", str(results), "--metric", "rouge2", "--workers", "1")
    for line in watch(driver, results, every):
        typer.echo(json.dumps(line))
    _finish(driver)
    ids = [item.example.id for item, _ in open_stored_results(str(results))]
    typer.echo(json.dumps({"rows": len(ids), "missing": pairs - len(set(ids)), "double": len(ids) - len(set(ids))}))


def _finish(process: subprocess.Popen[str]) -> None:
    begun = time.perf_counter()
    output, messages = process.communicate()
    assert process.returncode == 0, messages
    typer.echo(f"{output.strip()} {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    typer.run(main)
