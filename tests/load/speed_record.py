"""A table of the speed of metrics beside the unmodified code of their authors, on the same random weights and sentences, in Markdown.

`python -m tests.load.speed_record FOLDER >> docs/develop/experiments/speed-record.md`, where FOLDER has checkouts of the authors'
repositories, under their names: BARTScore, LongDocFACTScore, MiniCheck, summac and UniEval; those that are missing are named. Each metric is timed in
a first score, after an edit and over a set of pairs, by both in turns, in processes of their own: on the processor in one thread, and on
a GPU where there is one.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Annotated

import torch
import typer

from core.errors import TouchstoneError
from core.scoring.metric import METRICS
from core.settings import VERSION
from core.types import Example
from tests.bench.network_shapes import parse_sizes
from tests.bench.recipes import prepare_metric
from tests.bench.workloads import make_pair, make_pairs_sharing_documents, make_summaries_of_document, sentence_pool
from tests.load.authors_code import AUTHORS
from tests.load.timed_side import OURS, Measurement, Task

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

FIRST, EDIT = "first score", "one edited sentence"
SET, SET_OF_VERSIONS = "20 pairs on 5 documents", "the same, summaries that differ in a sentence"
_HEADING = (
    "| metric | device | work | times as fast | seconds, theirs / ours | most memory, MB | joules | scores differ by |\n"
    "|---|---|---|--:|--:|--:|--:|--:|"
)
_SENTENCES, _EDITED = 10, 4
_SUMMARIES, _SENTENCES_OF_SET = 4, 3
_LENGTHS = (0.2, 0.275, 0.375, 0.425, 0.525)  # of the documents of a set, that of a first score being 1


@dataclass(frozen=True, slots=True)
class Turn:
    """Measurements of both sides for the same work."""

    theirs: Measurement
    ours: Measurement

    @property
    def difference(self) -> float:
        """Largest difference of a score."""
        return max(abs(one - other) for one, other in zip(self.theirs.scores, self.ours.scores, strict=True))


class Side:
    """A process that scores."""

    def __init__(self, side: str, spec: str, device: str, answers: Path, errors: IO[bytes]) -> None:
        hidden = {} if device.startswith("cuda") else {"CUDA_VISIBLE_DEVICES": ""}
        self._name = "Our own code" if side == OURS else f"The code in {side}"
        self._errors = errors
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.load.timed_side", side, spec, device, str(answers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", **hidden},
            text=True,
        )

    def measure(self, pairs: Sequence[Example], fresh: bool) -> Measurement:
        """Have pairs scored; raises TouchstoneError where the process ended."""
        assert self._process.stdin
        assert self._process.stdout
        task = Task([(one.id, one.document, one.summary) for one in pairs], fresh)
        with suppress(BrokenPipeError):  # what it said before it ended is read below
            self._process.stdin.write(f"{json.dumps(asdict(task))}\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if line:
            return Measurement(**json.loads(line))
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        raise TouchstoneError(f"{self._name} ended: {said[-1] if said else self._process.returncode}")

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdout.close()
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()


@contextmanager
def open_sides(code: Path, spec: str, device: str, folder: Path) -> Iterator[tuple[Side, Side]]:
    """The authors' side and ours."""
    with ExitStack() as stack:
        sides = []
        for side in (str(code.absolute()), OURS):
            opened = Side(side, spec, device, folder / device, stack.enter_context(TemporaryFile()))
            stack.callback(opened.close)
            sides.append(opened)
        yield sides[0], sides[1]


def time_sides(theirs: Side, ours: Side, repeats: int, words: int) -> Mapping[str, list[Turn]]:
    """Measurements of both sides for each work, in turns."""
    turns: dict[str, list[Turn]] = {}
    for number in range(1, repeats + 1):
        works = {
            FIRST: [make_pair(number, words, _SENTENCES)],
            EDIT: [make_pair(number, words, _SENTENCES, _EDITED)],
            SET: _make_set(1000 * number, words),
            SET_OF_VERSIONS: _make_set_of_versions(2000 * number, words),
        }
        for work, pairs in works.items():
            order = [theirs, ours] if number % 2 else [ours, theirs]
            taken = {side: side.measure(pairs, fresh=work != EDIT) for side in order}
            turns.setdefault(work, []).append(Turn(taken[theirs], taken[ours]))
    return turns


def _make_set(first: int, words: int) -> list[Example]:
    """Four summaries of each of five documents, of which no two share a sentence."""
    sizes = enumerate((round(words * length) for length in _LENGTHS), first)
    return [
        pair
        for number, size in sizes
        for pair in make_summaries_of_document(number, size, _SUMMARIES, _SENTENCES_OF_SET)
    ]


def _make_set_of_versions(first: int, words: int) -> list[Example]:
    """A summary of each of five documents, and three with one of its sentences changed."""
    sizes = enumerate((round(words * length) for length in _LENGTHS), first)
    return [
        pair
        for number, size in sizes
        for pair in make_pairs_sharing_documents(number, 1, _SUMMARIES, size, _SENTENCES_OF_SET)
    ]


def format_turns(metric: str, device: str, turns: Mapping[str, Sequence[Turn]]) -> list[str]:
    """A row for each work: medians over the turns, and the largest difference."""
    rows = []
    for work, some in turns.items():
        speedup = median(turn.theirs.seconds / turn.ours.seconds for turn in some)
        memory = _both(some, "nbytes", 1e-6, "{:.0f}")
        joules = _both(some, "joules", 1, "{:.0f}")
        difference = max(turn.difference for turn in some)
        rows.append(
            f"| {metric} | {device} | {work} | {speedup:.2f} | {_both(some, 'seconds', 1, '{:.2f}')} | {memory} | {joules} | {difference:.0e} |"
        )
    return rows


def _both(turns: Sequence[Turn], name: str, unit: float, written: str) -> str:
    """Medians of theirs and ours; a dash where the machine does not say."""
    theirs, ours = (median(getattr(getattr(turn, side), name) for turn in turns) for side in ("theirs", "ours"))
    return "–" if math.isnan(theirs + ours) else f"{written.format(unit * theirs)} / {written.format(unit * ours)}"


def format_machine() -> str:
    """A line on the machine and what is installed."""
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU here"
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    return f"{_processor()}, {os.cpu_count()} cores, {load}; {gpu}; Python {platform.python_version()}, PyTorch {torch.__version__}."


def _processor() -> str:
    """Name of the processor, which the standard library does not know on Linux."""
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _commit(checkout: Path) -> str:
    """The commit of a checkout, shortened; empty where Git does not know it."""
    asked = subprocess.run(["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return asked.stdout.strip()


@app.command()
def main(
    folder: Annotated[Path, typer.Argument(help="Has the checkouts.", file_okay=False, exists=True)],
    metric: Annotated[
        list[str] | None, typer.Option(help=f"Name or name[setting=value,…] of {', '.join(AUTHORS)}; all by default.")
    ] = None,
    size: Annotated[list[str] | None, typer.Option(help="base by default; as of tests.bench.")] = None,
    device: Annotated[list[str] | None, typer.Option(help="cpu, and cuda where there is one.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Turns; medians are written.")] = 3,
    words: Annotated[
        int, typer.Option(min=300, help="Of the document of a first score; those of the sets have a fifth to half.")
    ] = 800,
) -> None:
    specs = metric or list(AUTHORS)
    for spec in specs:
        if spec.partition("[")[0] not in AUTHORS:
            raise typer.BadParameter(f"Got {spec!r}, and there is code for {', '.join(AUTHORS)}.")
    lengths = ", ".join(f"{words * length:.0f}" for length in _LENGTHS)
    here = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    devices = device or here
    if unknown := [where for where in devices if where not in here]:
        raise typer.BadParameter(f"Got {', '.join(unknown)}, and this machine has {', '.join(here)}.")
    typer.echo(f"\n## {VERSION}, {datetime.now(UTC):%Y-%m-%d}\n\n{format_machine()}")
    typer.echo(f"A document of {words} words, of the sets {lengths}; medians of {repeats} turns.\n\n{_HEADING}")
    not_timed = []
    for spec in specs:
        code = AUTHORS[METRICS.parse(spec).name]
        checkout = folder / code.folder
        if not checkout.is_dir():
            not_timed.append(f"{spec}: there is no {checkout}. Clone https://github.com/{code.repository}.")
            continue
        with TemporaryDirectory() as place:
            prepared, shapes = prepare_metric(spec, parse_sizes(size or []), sentence_pool(), Path(place, "models"))
            title = f"{spec} ({', '.join(shapes)}; {code.folder} {_commit(checkout)})"
            for where in devices:
                try:
                    with open_sides(checkout, prepared.spec, where, Path(place)) as sides:
                        rows = format_turns(title, where, time_sides(*sides, repeats, words))
                except TouchstoneError as error:
                    not_timed.append(f"{spec} on {where}: {error}")
                    continue
                typer.echo("\n".join(rows))
    for reason in not_timed:
        typer.echo(f"\nNot timed: {reason}")


if __name__ == "__main__":
    app()
