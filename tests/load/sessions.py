"""Memory of a shared server at rest, under many sessions that go from page to page, and beside clients that send a byte a second.

By hand: `python -m tests.load.sessions --minutes 10 --people 20`. The growth is the median of the last fifth of a spell over that of
its second fifth, less 1.
"""

from __future__ import annotations

import random
import socket
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.parse import urlsplit

import numpy as np
import typer

from annotations.people.people import RIGHTS, Role
from pages.ui.shared.page_list import PAGES
from tests.attacks.presses import page_socket
from tests.attacks.replays import cookie
from tests.e2e.shared_server import SharedServer, opened

_LOOK_S = 2.0
_SETTLE_S = 20.0  # after the start pages are still imported
_ROLES = (Role.ANNOTATOR, Role.RESEARCHER, Role.MANAGER, Role.ADJUDICATOR)


def resident_mb(pid: int) -> float:
    """Memory of a process on Linux."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1000


def growth(samples: Sequence[float]) -> float:
    fifths = np.array_split(np.array(samples), 5)
    return float(np.median(fifths[-1]) / np.median(fifths[1]) - 1)


def watch(pid: int, seconds: float) -> list[float]:
    """Memory of a process every few seconds, for so long."""
    until, samples = time.monotonic() + seconds, list[float]()
    while time.monotonic() < until:
        samples.append(resident_mb(pid))
        time.sleep(_LOOK_S)
    return samples


def visit(shared: SharedServer, role: Role, pause_s: float, ended: threading.Event) -> list[float]:
    """Open pages of a role, one after the other, with pauses; seconds that each took."""
    waits, names = list[float](), [page.name for page in PAGES if page.right in RIGHTS[role]]
    with page_socket(shared.server.url, cookie(shared, shared.code(role)[1])) as page:
        while not ended.wait(random.uniform(0, 2 * pause_s)):
            began = time.perf_counter()
            name = random.choice(names)
            if errors := page.run(name).exceptions:
                typer.echo(f"  {role.value} on {name}: {errors[0]}")
            waits.append(time.perf_counter() - began)
    return waits


def drip(url: str, ended: threading.Event) -> int:
    """Send a request a byte a second, again and again where the server ends it; how often it did."""
    place, ends = urlsplit(url), 0
    while not ended.is_set():
        with suppress(OSError), socket.create_connection((place.hostname or "", place.port or 80)) as connection:
            for byte in b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: " + b"x" * 100_000:
                connection.sendall(bytes([byte]))
                if ended.wait(1):
                    return ends
        ends += 1
    return ends


def main(
    minutes: Annotated[float, typer.Option(help="Of each spell.")] = 10,
    people: Annotated[int, typer.Option(help="Sessions at once.")] = 20,
    pause: Annotated[float, typer.Option(help="Seconds between two pages of a person, on average.")] = 10,
    slow: Annotated[int, typer.Option(help="Clients that send a byte a second.")] = 50,
) -> None:
    seconds = 60 * minutes
    with TemporaryDirectory() as folder, opened(Path(folder)) as shared:
        shared.campaign("label-summaries", items=20)
        time.sleep(_SETTLE_S)
        _tell("at rest", watch(shared.server.pid, seconds))
        _spell(
            "sessions",
            shared,
            seconds,
            people,
            [lambda ended, n=n: visit(shared, _ROLES[n % 4], pause, ended) for n in range(people)],
        )  # type: ignore[misc]
        drips: list[Callable[[threading.Event], object]] = [lambda ended: drip(shared.server.url, ended)] * slow
        one: Callable[[threading.Event], object] = lambda ended: visit(shared, Role.ANNOTATOR, pause, ended)  # noqa: E731  # of one use
        _spell(f"{slow} slow clients", shared, seconds / 5, 1, [one, *drips])


def _spell(
    name: str,
    shared: SharedServer,
    seconds: float,
    visitors: int,
    works: Sequence[Callable[[threading.Event], object]],
) -> None:
    """Let all works go on beside each other, and print memory and the waits of the first of them, which are visits."""
    ended = threading.Event()
    with ExitStack() as ends:
        pool = ends.enter_context(ThreadPoolExecutor(len(works)))
        ends.callback(ended.set)
        futures = [pool.submit(work, ended) for work in works]
        samples = watch(shared.server.pid, seconds)
    waits = [wait for future in futures[:visitors] for wait in future.result()]  # type: ignore[attr-defined]
    _tell(name, samples)
    typer.echo(f"  {len(waits)} pages, median {statistics.median(waits):.2f} s, longest {max(waits):.2f} s")


def _tell(name: str, samples: Sequence[float]) -> None:
    typer.echo(
        f"{name}: {samples[0]:.0f} MB at first, {np.median(samples):.0f} in the middle, {samples[-1]:.0f} at the end, "
        f"growth {growth(samples):+.1%}"
    )


if __name__ == "__main__":
    typer.run(main)
