"""`cli.py export`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from annotations.exchange.campaign_export import find_campaign_id
from annotations.exchange.dataset_export import dataset_files, hub_campaign_files, hub_dataset_files, licence_remarks
from annotations.exchange.export import EXPORT_COLUMNS, all_rows, to_csv, to_jsonl
from annotations.exchange.export_format import EXPORT_FORMATS, ExportTerms, open_export
from annotations.exchange.formats.csv_table import CsvTable
from annotations.exchange.formats.hf_dataset import HfDataset
from annotations.store.store import Store
from core.base import zip_files
from core.errors import TouchstoneError
from core.models import COST_COLUMNS, cost_records, read_costs
from core.settings import Settings
from core.text import BYTE_ORDER_MARK
from pages.commands.shared.messages import print_status
from pages.commands.shared.options import ExistingOption, OutputOption, PublicOption

EXAMPLE = "python cli.py export --campaign Boats --format label-studio -o boats.zip"


def command(
    output: OutputOption,
    campaign: Annotated[
        str | None, typer.Option(help="Only this campaign: every revision of every label, with pseudonyms.")
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(help="Only this imported dataset, or what was kept here (`our labels`): a zip for the hub."),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            help="Of a campaign: labels, items, label-studio, hf-dataset, bump, data-statement, jsonl or csv."
        ),
    ] = "",
    licence: Annotated[
        str, typer.Option(help="Of the labels or of your own texts, as cc-by-4.0; for the card and the data statement.")
    ] = "",
    pay: Annotated[str, typer.Option(help="How people were paid; for the data statement.")] = "",
    consent: Annotated[str, typer.Option(help="What people consented to; for the data statement.")] = "",
    push: Annotated[
        str, typer.Option(help="Send a dataset, or a campaign as hf-dataset, to OWNER/NAME on the hub (HF_TOKEN).")
    ] = "",
    public: PublicOption = False,
    existing: ExistingOption = False,
    byte_order_mark: Annotated[
        bool,
        typer.Option(
            "--byte-order-mark/--no-byte-order-mark", help="Of CSV: opens it, by which Excel reads it as UTF-8."
        ),
    ] = True,
) -> None:
    """Write everything that was kept: pairs, scores, labels, judgements and what endpoints were paid; or a campaign, or a dataset."""
    as_csv = output.suffix.lower() == ".csv"
    format_name = format or (HfDataset.name if push or dataset else "csv" if as_csv else "jsonl")

    if campaign is not None and dataset is not None:
        raise TouchstoneError("Export a campaign or a dataset: leave out --campaign or --dataset.")
    if campaign is None and dataset is None and push:
        raise TouchstoneError("Name what to push with --dataset or --campaign.")
    if campaign is None and format and not (dataset is not None and format == HfDataset.name):
        raise TouchstoneError(f"The format {format!r} is one of campaigns. Name one with --campaign.")
    if push and format not in ("", HfDataset.name):
        raise TouchstoneError(f"The hub takes the format {HfDataset.name}, not {format!r}. Leave --format out.")

    terms = ExportTerms(licence, pay, consent)
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        if dataset is not None:
            files = hub_dataset_files(store, dataset, licence) if push else dataset_files(store, dataset, licence)
            _write(output, [zip_files(files)])
            for remark in licence_remarks(store, dataset):
                print_status(remark)
        elif campaign is None:
            rows = chain(all_rows(store), cost_records(read_costs(Settings.read().cache_dir)))
            lines = to_csv(rows, (*EXPORT_COLUMNS, *COST_COLUMNS[1:])) if as_csv else to_jsonl(rows)
            mark = [BYTE_ORDER_MARK] if as_csv and byte_order_mark else []
            _write(output, (line.encode() for line in chain(mark, lines)))
        else:
            with open_export(store, find_campaign_id(store, campaign), terms) as export:
                files = hub_campaign_files(export) if push else {}
                is_table = format_name == CsvTable.name
                written = CsvTable(byte_order_mark) if is_table else EXPORT_FORMATS.get(format_name)()
                _write(output, [zip_files(files)] if push else written.content(export))
    if push:
        # imported here: the hub's library takes a second, and every command would wait for it
        from core.models import push_dataset

        typer.echo(push_dataset(files, push, public=public, existing=existing))


def _write(output: Path, content: Iterable[bytes]) -> None:
    try:
        with output.open("wb") as file:
            file.writelines(content)
    except OSError as error:
        raise TouchstoneError(f"{output} cannot be written: {error.strerror}. Name another file with -o.") from error
