"""A person labels in a browser while the server is killed again and again, or PostgreSQL is: what was pressed is there, once.

By hand: `python -m tests.load.browser_killing --rounds 20`, and with `--postgres` for a PostgreSQL of its own, whose server
is killed instead.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import typer
from playwright.sync_api import Page, expect, sync_playwright
from sqlmodel import col, select

from annotations.campaigns.campaign import CampaignSettings
from annotations.store.database import read_session
from annotations.store.response_tables import Reservation, Response
from annotations.store.store import Store
from tests.e2e.cluster import Cluster
from tests.e2e.conftest import CHROMIUM
from tests.e2e.server import free_port, serve
from tests.e2e.shared_server import AnnotatePage, SharedServer
from tests.e2e.waiting import START_MS

_MOST_S = 4.0  # until the next kill
_DOWN_S = 1.0
_TRACES = ("Traceback", "stException")


@dataclass
class Killed:
    """A server that is killed with signal 9 and started again on its port; of `cluster`, where there is one, the database is."""

    folder: Path
    url: str
    cluster: Cluster | None
    port: int

    def __post_init__(self) -> None:
        self._running = ExitStack()
        self.start()

    def start(self) -> None:
        database = {"TOUCHSTONE_DATABASE_URL": self.url, "TOUCHSTONE_SHARED": "true"}
        self.server = self._running.enter_context(serve(self.folder, port=self.port, **database))

    def kill_and_start(self) -> None:
        if self.cluster:
            self.cluster.kill()
            time.sleep(_DOWN_S)
            self.cluster.start()
            return
        os.kill(self.server.pid, signal.SIGKILL)
        time.sleep(_DOWN_S)
        self.start()

    def close(self) -> None:
        self._running.close()


@dataclass
class Labelled:
    """What was done in the browser: the confidence that was pressed for each item, and how many items showed a traceback."""

    pressed: list[int] = field(default_factory=list)
    tracebacks: int = 0


def label_through_kills(annotate_page: AnnotatePage, killed: Killed, rounds: int, rng: random.Random) -> Labelled:
    """Label items until the kills are over."""
    labelled = Labelled()
    for number in range(1, rounds + 1):
        death = threading.Timer(rng.uniform(0, _MOST_S), killed.kill_and_start)
        death.start()
        while death.is_alive():
            _label_one(annotate_page, labelled, rng)
        typer.echo(f"killed {number} times, {len(labelled.pressed)} labels pressed", err=True)
    annotate_page.at(f"Item {len(labelled.pressed) + 1}", patience_ms=START_MS)
    return labelled


def _label_one(annotate_page: AnnotatePage, labelled: Labelled, rng: random.Random) -> None:
    expect(annotate_page.place).to_have_text(f"Item {len(labelled.pressed) + 1}", timeout=START_MS)
    shown = annotate_page.page.content()
    labelled.tracebacks += any(trace in shown for trace in _TRACES)
    labelled.pressed.append(rng.randint(1, 5))
    annotate_page.keys("1", str(labelled.pressed[-1]), "Enter")


def _saved(store: Store, campaign: CampaignSettings) -> list[tuple[int, int]]:
    rows = (
        select(Response.number, Response.answers)
        .join(Reservation, col(Reservation.id) == Response.reservation_id)
        .where(Reservation.campaign_id == campaign.id)
        .order_by(col(Response.id))
    )
    with read_session(store.engine) as session:
        return [(number, given["confidence"]) for number, given in session.exec(rows).all()]


@contextmanager
def _database(folder: Path, postgres: bool) -> Iterator[tuple[str, Cluster | None]]:
    if not postgres:
        yield f"sqlite:///{folder / 'touchstone.db'}", None
        return
    cluster = Cluster(folder / "pg", free_port())
    cluster.create()
    yield cluster.url, cluster
    cluster.run("pg_ctl", "-m", "immediate", "stop")


@contextmanager
def _page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(START_MS)
        yield page
        browser.close()


def run(rounds: int = 20, postgres: bool = False, seed: int = 0) -> None:
    """Print what was kept; exit status 1 where something was lost or doubled, or a traceback was seen."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    with _database(folder, postgres) as (url, cluster), _page() as page:
        store = Store.open(url)
        killed = Killed(folder, url, cluster, free_port())
        shared_server = SharedServer(killed.server, store)
        campaign = shared_server.campaign("label-summaries", items=100 * rounds)
        annotate_page = AnnotatePage(page, shared_server)
        annotate_page.enter(shared_server.code()[1], campaign)
        labelled = label_through_kills(annotate_page, killed, rounds, random.Random(seed))
        kept = _saved(store, campaign)
        killed.close()
        store.close()
    shutil.rmtree(folder)
    lost, doubled = set(enumerate(labelled.pressed, start=1)) - set(kept), len(kept) - len(set(kept))
    typer.echo(
        f"{len(labelled.pressed)} labels, {len(lost)} lost, {doubled} doubled, {rounds} kills, "
        f"{labelled.tracebacks} items shown with a traceback"
    )
    raise typer.Exit(1 if lost or labelled.tracebacks or len(kept) != len(labelled.pressed) else 0)


if __name__ == "__main__":
    typer.run(run)
