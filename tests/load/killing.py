"""A program in which people label is killed again and again: what was acknowledged is there, and the database is whole.

By hand, on an empty database: `python -m tests.load.killing --rounds 20 --url sqlite:///load.db`.
"""

from __future__ import annotations

import random
from itertools import islice
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.people import Member
from annotations.store.store import Store
from tests.doubles.process import start
from tests.load.crowd import open_campaign, people
from tests.load.tally import Tally, tally

_PEOPLE = 4
_MOST = 20  # labels until it is killed


def kill_again_and_again(url: str, rounds: int) -> tuple[Tally, str]:
    """What was kept in the end, and what the database says of itself: "ok" where it is whole."""
    store = Store.open(url)
    campaign = open_campaign(store, (rounds + 1) * _MOST, overlap=_PEOPLE)
    crowd, rng = people(store, campaign, _PEOPLE), random.Random(rounds)
    acknowledged = [
        event for _ in range(rounds) for event in _until_killed(url, campaign, crowd, rng.randint(1, _MOST))
    ]
    found = tally(store, campaign, acknowledged), whole(store)
    store.close()
    return found


def whole(store: Store) -> str:
    """What SQLite's own check of a database says; PostgreSQL checks its pages as it reads them."""
    if store.engine.name != "sqlite":
        return "ok"
    with store.engine.connect() as connection:
        said = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return "; ".join(said) if not dangling else f"{len(dangling)} rows refer to nothing"


def _until_killed(url: str, campaign: CampaignSettings, crowd: list[Member], labels: int) -> list[str]:
    """The events that a program acknowledged; it is killed after so many, in the middle of others."""
    process = start("-m", "tests.load.one_annotator", url, campaign.id, *(member.name for member in crowd))
    assert process.stdout is not None
    seen = list(islice(process.stdout, labels))
    process.kill()
    rest, errors = process.communicate(timeout=60)
    if not seen:
        raise RuntimeError(f"Nothing was labelled: {errors}")
    return [line.strip() for line in [*seen, *rest.splitlines(keepends=True)] if line.endswith("\n")]


def run(
    rounds: int = 20,
    url: Annotated[str, typer.Option(help="An empty database; by default a file that is removed afterwards.")] = "",
) -> None:
    """Print what was kept; exit status 1 where something was lost."""
    with TemporaryDirectory() as folder:
        kept, said = kill_again_and_again(url or f"sqlite:///{folder}/load.db", rounds)
    typer.echo("\n".join([f"killed {rounds} times", *kept.lines(), f"integrity check: {said}"]))
    raise typer.Exit(0 if kept.is_clean and said == "ok" else 1)


if __name__ == "__main__":
    typer.run(run)
