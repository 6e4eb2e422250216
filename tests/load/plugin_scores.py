"""One function as a plug-in, a package and a service: a stress run and a bulk run whose workers are killed give all three the same scores.

By hand, on Linux: `python -m tests.load.plugin_scores stress FOLDER FILES`, with files of SummEdits, then `… bulk FOLDER`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any

import typer

from core.results.bulk.blocks import row_of_item, write_block, write_manifest
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_stored_results
from core.types import Example, Item, Result
from tests.doubles.process import start
from tests.load.block_killing import children

NAMES = ("from-file", "from-package", "from-service")
_FUNCTION = dedent('''
    import touchstone as ts


    @ts.metric(name="NAME")
    def words(document: str, summary: str) -> float:
        """Share of the words of the summary that the document has."""
        known, found = set(document.lower().split()), summary.lower().split()
        return sum(word in known for word in found) / max(1, len(found))
''')
_PACKAGE = "words_package"
_BLOCK = 100  # pairs
_PORT = 8877
_TICK_S = 0.01
app = typer.Typer()

Texts = Mapping[str, Example]
"""Texts by an id."""


def write_forms(folder: Path, port: int) -> None:
    """The function in three forms; the package is installed for whoever has the folder on the path."""
    for file, name in (("words.py", NAMES[0]), (f"{_PACKAGE}.py", NAMES[1]), ("served.py", "served")):
        (folder / file).write_text(_FUNCTION.replace("NAME", name), encoding="utf-8")
    (folder / "service.toml").write_text(f'[{NAMES[2]}]\nurl = "http://127.0.0.1:{port}/score"\n', encoding="utf-8")
    installed = folder / f"{_PACKAGE}-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: words-package\nVersion: 1.0\n", encoding="utf-8")
    points = f"[touchstone.metrics]\n{NAMES[1]} = {_PACKAGE}:words\n"
    (installed / "entry_points.txt").write_text(points, encoding="utf-8")


@contextmanager
def serving(folder: Path, port: int) -> Iterator[None]:
    """Our own service of the function, until the end of the block."""
    plugin = ("--plugin", str(folder / "served.py"))
    server = start("cli.py", "serve", "--metric", "served", *plugin, "--port", str(port))
    assert server.stderr
    try:
        assert "answers for" in server.stderr.readline(), server.communicate()
        yield
    finally:
        server.terminate()
        server.wait()


def command(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    """A command with the three metrics; its answers are kept in a folder that is named after it."""
    metrics = [word for name in NAMES for word in ("--metric", name)]
    plugins = ["--plugin", str(folder / "words.py"), "--plugin", str(folder / "service.toml")]
    variables = {"TOUCHSTONE_CACHE_DIR": str(folder / arguments[0]), "PYTHONPATH": str(folder)}
    return start("cli.py", *arguments, *metrics, *plugins, **variables)


def finish(process: subprocess.Popen[str]) -> str:
    out, messages = process.communicate(timeout=3600)
    assert process.returncode == 0, messages
    return out


def read_texts(folder: Path) -> Texts:
    """The originals and variants of the run."""
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    originals = {row["id"]: Example(row["id"], row["document"], row["summary"]) for row in map(json.loads, lines)}
    made = {
        _key(record): Example(_key(record), originals[record["source"]].document, record["summary"])
        for record in _records(folder)
        if record["record"] == "variant" and record["summary"]
    }
    return {**originals, **made}


def _records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "run.jsonl").read_text(encoding="utf-8").splitlines()]


def _key(record: Mapping[str, str]) -> str:
    return f"{record['source']} {record['kind']}".strip()


def write_blocks(texts: Texts, folder: Path) -> None:
    rows = [row_of_item(Item(one, group=one.document[:80])) for one in texts.values()]
    parts = [rows[begin : begin + _BLOCK] for begin in range(0, len(rows), _BLOCK)]
    out = Folder.at(str(folder / "blocks"))
    write_manifest(out, [write_block(out, number, part) for number, part in enumerate(parts)], 0, "variants")


def kill_workers(driver: subprocess.Popen[str], results: Path, kills: int) -> None:
    """Kill a worker in the middle of a block, so often, with two blocks done in between."""
    for number in range(kills):
        while len(list(results.rglob("*.parquet"))) < len(NAMES) * 2 * (number + 1):
            assert driver.poll() is None, driver.communicate()
            time.sleep(_TICK_S)
        os.kill(children(driver.pid)[-1], signal.SIGKILL)


def read_scores(results: Path) -> dict[tuple[str, str], float]:
    """The scores by text and metric, each there once."""
    scores: dict[tuple[str, str], float] = {}
    for item, outcomes in open_stored_results(str(results)):
        for one in outcomes:
            assert isinstance(one, Result), one
            assert (item.example.id, one.metric) not in scores, f"{item.example.id} has two scores by {one.metric}"
            scores[item.example.id, one.metric] = one.score
    return scores


def words(example: Example) -> float:
    """The function in this process."""
    known, found = set(example.document.lower().split()), example.summary.lower().split()
    return sum(word in known for word in found) / max(1, len(found))


def report(what: str, seconds: float, texts: Texts, scores: Mapping[tuple[str, str], float]) -> str:
    missing = len(texts) * len(NAMES) - len(scores)
    unequal = sum(score != words(texts[id]) for (id, _), score in scores.items())
    rate = len(scores) / seconds
    return f"{what}: {len(scores)} scores in {seconds:.0f} s, {rate:.0f} a second; {missing} missing, {unequal} unequal"


@app.command()
def stress(
    folder: Path,
    files: list[Path],
    pairs: Annotated[int, typer.Option(help="Summaries, drawn at random.")] = 1250,
) -> None:
    """Score summaries and what the usual perturbations make of them."""
    folder.mkdir()
    write_forms(folder, _PORT)
    records: Sequence[dict[str, str]] = [one for file in files for one in json.loads(file.read_text(encoding="utf-8"))]
    drawn = random.Random(0).sample(records, pairs)
    rows = [{"id": f"{n}", "document": one["doc"], "summary": one["summary"]} for n, one in enumerate(drawn)]
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with serving(folder, _PORT):
        began = time.monotonic()
        finish(command("stress", str(folder / "pairs.jsonl"), "-o", str(folder / "run.jsonl"), folder=folder))
        seconds = time.monotonic() - began
    read = [record for record in _records(folder) if record["record"] == "reading"]
    scores = {(_key(record), record["metric"]): record["value"] for record in read}
    texts = read_texts(folder)
    typer.echo(report(f"{len(texts) - pairs} variants", seconds, texts, scores))


@app.command()
def bulk(
    folder: Path,
    most: Annotated[int, typer.Option(help="Texts, the last ones of the stress run.")] = 3000,
    kills: Annotated[int, typer.Option(help="Workers that are killed.")] = 2,
) -> None:
    """Score originals and variants again as blocks, by two workers."""
    texts, results = dict([*read_texts(folder).items()][-most:]), folder / "results"
    write_blocks(texts, folder)
    with serving(folder, _PORT):
        began = time.monotonic()
        workers = ("--workers", "2", "--stats")
        driver = command("score", str(folder / "blocks"), "--to", str(results), *workers, folder=folder)
        kill_workers(driver, results, kills)
        faults = json.loads(finish(driver))["faults"]
        seconds = time.monotonic() - began
    typer.echo(report(f"{kills} workers killed, {faults} blocks again", seconds, texts, read_scores(results)))


if __name__ == "__main__":
    app()
