"""`cli.py export`."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import Annotated

import typer

from annotations.campaigns.campaign_export import campaign_csv, campaign_rows, find_campaign_id, load_question_ids
from annotations.export import EXPORT_COLUMNS, all_rows, to_csv, to_jsonl
from annotations.store import Store
from core.llm.cost_log import COST_COLUMNS, cost_records, read_costs
from core.settings import Settings
from pages.commands.shared.inputs import OutputOption, open_output


def command(
    output: OutputOption,
    campaign: Annotated[
        str | None, typer.Option(help="Only this campaign: every revision of every label, with pseudonyms.")
    ] = None,
) -> None:
    """Write everything that was kept: pairs, scores, labels, judgements and what endpoints were paid; or all of a campaign."""
    as_csv = output.suffix.lower() == ".csv"
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        if campaign is None:
            rows = chain(all_rows(store), cost_records(read_costs(Settings.read().cache_dir)))
            lines = to_csv(rows, (*EXPORT_COLUMNS, *COST_COLUMNS[1:])) if as_csv else to_jsonl(rows)
        else:
            id = find_campaign_id(store, campaign)
            found = campaign_rows(store, id)
            lines = campaign_csv(found, load_question_ids(store, id)) if as_csv else to_jsonl(found)
        with open_output(output) as file:
            file.writelines(lines)
