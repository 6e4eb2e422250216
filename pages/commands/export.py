"""`cli.py export`."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from annotations.campaigns.exporting import campaign_id, question_ids, to_table
from annotations.campaigns.exporting import rows as campaign_rows
from annotations.export import rows, to_csv, to_jsonl
from annotations.store import Store
from core.settings import Settings
from pages.terminal.files import opened
from pages.terminal.options import Output


def command(
    output: Output,
    campaign: Annotated[
        str | None, typer.Option(help="Only this campaign: every revision of every label, with pseudonyms.")
    ] = None,
) -> None:
    """Write everything that was kept: pairs, scores, labels and judgements, one row each; or all of a campaign."""
    as_csv = output.suffix.lower() == ".csv"
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        if campaign is None:
            lines = to_csv(rows(store)) if as_csv else to_jsonl(rows(store))
        else:
            id = campaign_id(store, campaign)
            found = campaign_rows(store, id)
            lines = to_table(found, question_ids(store, id)) if as_csv else to_jsonl(found)
        with opened(output) as file:
            file.writelines(lines)
