"""`cli.py import`."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from annotations.exchange.campaign_files import (
    campaign_lines,
    is_campaign_file,
    is_store_file,
    one_way_export,
    store_lines,
)
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.store_import import format_store_import, import_store
from annotations.store.store import Store
from core.data import (
    DATASETS,
    Generic,
    format_counts,
    readable_items,
    strict_items,
)
from core.errors import TouchstoneError
from core.models import fetch_released_dataset
from core.registry import format_spec
from core.results import StoredResultsImporter
from core.settings import Settings
from pages.commands.shared.importing import (
    dataset_source,
    import_dataset,
    import_sentences,
    importer_by_content,
    open_importer,
)
from pages.commands.shared.inputs import open_output, refuse_overwriting_input
from pages.commands.shared.messages import print_status

EXAMPLE = "python cli.py import bump task1_dataset.json --name bump-task1"


def command(
    importer: Annotated[
        str,
        typer.Argument(
            help="bump, summedits, … or one with settings, name[setting=value,…]; results: a folder that `score --to` wrote; "
            "left out, the content of the file says what it is."
        ),
    ],
    source: Annotated[
        Path | None, typer.Argument(help="The file or folder to read; without it the dataset comes from the hub.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="What to call the dataset; by default as the importer, or the file where that was left out."),
    ] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Import the readable records although others are broken.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The counts as one JSON object.")] = False,
    replaces: Annotated[
        str | None,
        typer.Option(
            help="Of a dataset that is there: the file whose place this one takes, by name or the first digits of its SHA-256. By "
            "default an earlier file of the same name, whose samples it has."
        ),
    ] = None,
    add: Annotated[
        bool,
        typer.Option("--add", help="It takes no file's place: it adds to the samples, its values before older ones."),
    ] = False,
    infer_mapping: Annotated[
        bool,
        typer.Option(
            "--infer-mapping",
            help="Of generic: print what the columns of the table hold, a mapping to correct by hand, and import nothing.",
        ),
    ] = False,
    summary: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of generic: the column of the system's text where several may be it.")
    ] = "",
    document: Annotated[
        str,
        typer.Option(
            metavar="COLUMN",
            help="Of generic: the column of the source text where its name does not say it; none for no document.",
        ),
    ] = "",
    label: Annotated[
        str, typer.Option(help="Of generic: the column of the label where the guess is another; none for no label.")
    ] = "",
    label_of_1: Annotated[
        str,
        typer.Option(
            metavar="VERDICT",
            help="Of generic: what a label of 1 or yes says of the summary, consistent or inconsistent.",
        ),
    ] = "",
    vote_of_1: Annotated[
        str,
        typer.Option(
            metavar="VERDICT", help="Of generic: what a judge's 1 or yes says, where judges have columns of their own."
        ),
    ] = "",
    consistent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Of generic: a word of the label that means consistent; its others mean inconsistent. Repeatable.",
        ),
    ] = None,
    higher_is_better: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Of generic: a column of numbers of which more is better. Repeatable."),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Of generic: a column of numbers of which less is better. Repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="With --infer-mapping: where to write the mapping.")
    ] = None,
) -> None:
    """Import a benchmark or a file of your own into the database; a file that changed makes the next version of its dataset."""
    if add and replaces is not None:
        raise TouchstoneError(
            "--add and --replaces exclude each other: the file takes the place of another or of none."
        )
    settings_of_table = {
        "summary": summary,
        "document": document,
        "label": label,
        "label_of_1": label_of_1,
        "vote_of_1": vote_of_1,
        "consistent": "+".join(consistent or ()),
        "higher": "+".join(higher_is_better or ()),
        "lower": "+".join(lower_is_better or ()),
    }
    answers = {setting: answer for setting, answer in settings_of_table.items() if answer}
    if source is None and Path(importer).exists() and importer not in {*DATASETS.names(), StoredResultsImporter.name}:
        importer, source = Generic.name, Path(importer)
        name = name or source.resolve().stem
    if infer_mapping:
        if importer != Generic.name or source is None:
            raise TouchstoneError("A mapping is inferred from a table: cli.py import generic TABLE --infer-mapping")
        _infer_mapping(replace(Generic(), **answers), source, output)
        return
    if importer == Generic.name and source:
        if is_campaign_file(source):
            _import_campaign(source, name or "")
            return
        if is_store_file(source):
            with closing(Store.open(Settings.read().database_url)) as store:
                typer.echo(format_store_import(import_store(store, store_lines(source))))
            return
        if sentence := one_way_export(source):
            raise TouchstoneError(sentence)
        importer = importer_by_content(source, answers, _print_detail)
    reader = open_importer(importer, answers)
    spec = format_spec(reader) if answers else importer
    place = source or fetch_released_dataset(reader)
    file = source.resolve().name if source else ""
    origin = dataset_source(reader, spec, place, file, name or "", "" if add else replaces)
    read_items = readable_items if skip_broken else strict_items
    counts, imported = import_dataset(reader, place, origin, read_items, _print_detail)
    typer.echo(json.dumps(counts, ensure_ascii=False, indent=1) if as_json else "\n".join(format_counts(counts)))
    for sentence in import_sentences(imported):
        print_status(sentence)


def _print_detail(sentence: str) -> None:
    print_status(f"  {sentence}")


def _import_campaign(source: Path, name: str) -> None:
    """Put an exported campaign back: as a table it would lose its questions, people and decisions."""
    with closing(Store.open(Settings.read().database_url)) as store:
        imported = import_campaign(store, campaign_lines(source), name)
    print_status(f"{source.name} is an exported campaign: imported with its people, labels and decisions.")
    typer.echo(f"campaign: {imported.name}")


def _infer_mapping(reader: Generic, source: Path, output: Path | None) -> None:
    mapping = reader.columns(source).to_json()
    for line in reader.describe(source):
        print_status(f"  {line}")
    if output is None:
        typer.echo(mapping, nl=False)
        return
    refuse_overwriting_input(source, output)
    with open_output(output) as file:
        file.write(mapping)
    if question := reader.question(source):
        print_status(question)
    print_status(f"Check it, then: cli.py import 'generic[mapping={output}]' {source}")
