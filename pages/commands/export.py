"""`cli.py export`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from annotations.campaigns.campaign_export import find_campaign_id
from annotations.campaigns.export_format import EXPORT_FORMATS, ExportTerms, open_export
from annotations.export import EXPORT_COLUMNS, all_rows, to_csv, to_jsonl
from annotations.store import Store
from core.errors import TouchstoneError
from core.llm.cost_log import COST_COLUMNS, cost_records, read_costs
from core.settings import Settings
from pages.commands.shared.inputs import OutputOption


def command(
    output: OutputOption,
    campaign: Annotated[
        str | None, typer.Option(help="Only this campaign: every revision of every label, with pseudonyms.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(help="Of a campaign: label-studio, hf-dataset, bump, data-statement, jsonl or csv."),
    ] = "",
    licence: Annotated[
        str, typer.Option(help="Of the labels, as cc-by-4.0; for the card and the data statement.")
    ] = "",
    pay: Annotated[str, typer.Option(help="How people were paid; for the data statement.")] = "",
    consent: Annotated[str, typer.Option(help="What people consented to; for the data statement.")] = "",
) -> None:
    """Write everything that was kept: pairs, scores, labels, judgements and what endpoints were paid; or all of a campaign."""
    as_csv = output.suffix.lower() == ".csv"
    if format and campaign is None:
        raise TouchstoneError(f"The format {format!r} is one of campaigns. Name one with --campaign.")
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        if campaign is None:
            rows = chain(all_rows(store), cost_records(read_costs(Settings.read().cache_dir)))
            lines = to_csv(rows, (*EXPORT_COLUMNS, *COST_COLUMNS[1:])) if as_csv else to_jsonl(rows)
            _write(output, (line.encode() for line in lines))
            return
        chosen = EXPORT_FORMATS.get(format or ("csv" if as_csv else "jsonl"))()
        with open_export(store, find_campaign_id(store, campaign), ExportTerms(licence, pay, consent)) as export:
            _write(output, chosen.content(export))


def _write(output: Path, content: Iterable[bytes]) -> None:
    try:
        with output.open("wb") as file:
            file.writelines(content)
    except OSError as error:
        raise TouchstoneError(f"{output} cannot be written: {error.strerror}. Name another file with -o.") from error
