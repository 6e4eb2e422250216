"""Programs in which people label are killed again and again, and PostgreSQL too: what was acknowledged is there, and the database is whole.

By hand, on an empty database: `python -m tests.load.killing --rounds 20 --url sqlite:///load.db`. With `--postgres` a PostgreSQL of
its own, of which every second kill is the server:
`python -m tests.load.killing --rounds 10 --people 20 --labels 200 --most-overlap 5 --programs 2 --pause 0.5 --postgres`.
"""

from __future__ import annotations

import random
import resource
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from annotations.store.store import Store
from tests.doubles.process import start
from tests.e2e.cluster import Cluster
from tests.e2e.server import free_port
from tests.load.crowd import open_campaign, people
from tests.load.tally import Tally, tally

_SPARE = 1.2  # tasks for each that is needed
_TICK_S = 0.01
_STARTING_S = 8.0
_LONG_LIFE = 500  # labels


@dataclass(frozen=True, slots=True)
class Crowd:
    """People, labels of each, programs that they share, and pauses of so many seconds on average."""

    people: int = 4
    labels: int = 10
    overlap: int = 2
    most_overlap: int = 0
    programs: int = 1
    pause_s: float = 0.0


@dataclass
class Program:
    """A program in which some people label, and the lines in which it acknowledged labels."""

    arguments: Sequence[str]
    lines: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # lines that were there when it started, each time

    def start(self) -> None:
        self.starts.append(len(self.lines))
        self.process = start("-m", "tests.load.one_annotator", *self.arguments)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(line for line in self.process.stdout if line.endswith("\n"))

    def kill_and_start(self) -> None:
        self.process.kill()
        self._end()
        self.start()

    def finish(self) -> None:
        if errors := self._end():
            raise RuntimeError(f"The crowd ended early: {errors}")

    def _end(self) -> str:
        """Its standard error, where it failed by itself."""
        self._reader.join()
        with self.process as ended:
            assert ended.stderr is not None
            errors = ended.stderr.read()
        return errors if ended.returncode > 0 else ""


@dataclass(frozen=True, slots=True)
class Kept:
    """Labels that were kept in the end, and the check of the database by itself: "ok" where it is whole.

    `waits_ms` are those from a label to the next task, `calm_ms` those of them that began and ended away from a kill, and `cpu_ms`
    is the processor time of the programs for each label. `growths` are the memory of a program at the end of a long life over that
    at its beginning, less 1.
    """

    tally: Tally
    verdict: str
    waits_ms: Sequence[float]
    calm_ms: Sequence[float]
    cpu_ms: float
    growths: Sequence[float]

    def lines(self) -> list[str]:
        median, p95, longest = np.quantile(self.waits_ms, [0.5, 0.95, 1.0])
        calm_median, calm_p95 = np.quantile(self.calm_ms or [np.nan], [0.5, 0.95])
        figures = {"median_ms": median, "p95_ms": p95, "longest_ms": longest, "cpu_ms": self.cpu_ms}
        figures |= {"calm labels": len(self.calm_ms), "calm median_ms": calm_median, "calm p95_ms": calm_p95}
        said = [f"{name:>18}  {value:.1f}" for name, value in figures.items()]
        grown = ", ".join(f"{growth:+.1%}" for growth in self.growths) or "no life was long enough"
        return [*self.tally.lines(), *said, f"memory of long lives: {grown}", f"integrity check: {self.verdict}"]


def kill_again_and_again(url: str, rounds: int, crowd: Crowd | None = None, cluster: Cluster | None = None) -> Kept:
    """Let a crowd label to the end while a program is killed so often, or every second time the server of a `cluster`."""
    crowd, rng = crowd or Crowd(), random.Random(rounds)
    store = Store.open(url)
    total = crowd.people * crowd.labels
    rules = {"overlap": crowd.overlap, "most_overlap": crowd.most_overlap, "gold_every": 10}
    campaign = open_campaign(store, int(_SPARE * total / crowd.overlap) + crowd.people, **rules)
    names = [member.name for member in people(store, campaign, crowd.people)]
    given = (url, campaign.id, str(crowd.labels), str(crowd.pause_s))
    programs = [Program((*given, *names[place :: crowd.programs])) for place in range(crowd.programs)]
    for program in programs:
        program.start()
    kills = []
    for number in range(rounds):
        _wait_for_labels(programs, int(total * (number + rng.random()) / (rounds + 1)))
        kills.append(time.time())
        if cluster and number % 2:
            cluster.kill()
            cluster.start()
        else:
            rng.choice(programs).kill_and_start()
    for program in programs:
        program.finish()
    told = [line.split() for program in programs for line in program.lines]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_ms = 1000 * (used.ru_utime + used.ru_stime) / len(told)
    waits = [float(milliseconds) for _, milliseconds, *_ in told]
    calm = [float(wait) for _, wait, at, _ in told if not _is_near(kills, float(at) - float(wait) / 1000, float(at))]
    kept = Kept(
        tally(store, campaign, [event for event, *_ in told]), whole(store), waits, calm, cpu_ms, growths(programs)
    )
    store.close()
    return kept


def growths(programs: Sequence[Program]) -> list[float]:
    """Of each life of many labels, the memory in its last fifth over that in its second, less 1."""
    lives = [
        [float(line.split()[-1]) for line in program.lines[first:end]]
        for program in programs
        for first, end in pairwise([*program.starts, len(program.lines)])
    ]
    fifths = [np.array_split(life, 5) for life in lives if len(life) >= _LONG_LIFE]
    return [float(np.median(parts[-1]) / np.median(parts[1]) - 1) for parts in fifths]


def _is_near(kills: Sequence[float], begun: float, ended: float) -> bool:
    """True if a kill comes between, or came so shortly before that what was killed is still starting."""
    return any(begun - _STARTING_S <= kill <= ended for kill in kills)


def _wait_for_labels(programs: Sequence[Program], labels: int) -> None:
    while sum(len(program.lines) for program in programs) < labels:
        if all(program.process.poll() is not None for program in programs):
            return
        time.sleep(_TICK_S)


def whole(store: Store) -> str:
    """What SQLite's own check of a database says; PostgreSQL checks its pages as it reads them."""
    if store.engine.name != "sqlite":
        return "ok"
    with store.engine.connect() as connection:
        said = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return "; ".join(said) if not dangling else f"{len(dangling)} rows refer to nothing"


@contextmanager
def _database(url: str, postgres: bool) -> Iterator[tuple[str, Cluster | None]]:
    with tempfile.TemporaryDirectory() as folder:
        if not postgres:
            yield url or f"sqlite:///{folder}/load.db", None
            return
        cluster = Cluster(Path(folder) / "pg", free_port())
        cluster.create()
        yield cluster.url, cluster
        cluster.run("pg_ctl", "-m", "immediate", "stop")


def run(
    rounds: int = 20,
    people: int = 4,
    labels: int = 200,
    most_overlap: int = 0,
    programs: int = 1,
    pause: Annotated[float, typer.Option(help="Seconds that people read before a label, on average.")] = 0.0,
    url: Annotated[str, typer.Option(help="An empty database; by default a file that is removed afterwards.")] = "",
    postgres: Annotated[bool, typer.Option(help="A PostgreSQL of its own, which is killed too.")] = False,
) -> None:
    """Print what was kept and how long people waited; exit status 1 where something was lost."""
    crowd = Crowd(people, labels, most_overlap=most_overlap, programs=programs, pause_s=pause)
    with _database(url, postgres) as (place, cluster):
        kept = kill_again_and_again(place, rounds, crowd, cluster)
    typer.echo("\n".join([f"killed {rounds} times", *kept.lines()]))
    raise typer.Exit(0 if kept.tally.is_clean and kept.verdict == "ok" else 1)


if __name__ == "__main__":
    typer.run(run)
