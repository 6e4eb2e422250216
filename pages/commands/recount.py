"""`cli.py recount`."""

from __future__ import annotations

from contextlib import closing

import typer

from annotations.results.progress_counts import changed_campaigns, count_changed
from annotations.store.person_counts import recount_people
from annotations.store.progress_marks import mark_all
from annotations.store.store import Store
from core.settings import Settings

GROUP = "App and team"
EXAMPLE = "python cli.py recount"


def command() -> None:
    """Count the labels of all campaigns again, for the tab Progress; people may label meanwhile."""
    with closing(Store.open(Settings.read().database_url)) as store:
        with store.writing() as session:
            mark_all(session.connection())
            recount_people(session.connection())
        campaigns = changed_campaigns(store)
        for campaign in campaigns:
            count_changed(store, campaign)
    typer.echo(f"Counted the labels of {len(campaigns)} campaign{'' if len(campaigns) == 1 else 's'} again.")
