"""`cli.py import`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from annotations.exchange.samples import load_samples, save_scores
from annotations.store.dataset_import import DatasetSource
from annotations.store.score_writes import SavedScores, format_saved_scores
from annotations.store.store import Store
from core.data import (
    DATASETS,
    Explained,
    Generic,
    ImportCounts,
    form_columns,
    format_counts,
    preview_rows,
    readable_items,
    reading_record,
    recognise,
    source_sha256,
    strict_items,
)
from core.errors import TouchstoneError
from core.models import fetch_released_dataset, provenance_name
from core.results import StoredResultsImporter, open_stored_results
from core.settings import Settings
from pages.commands.shared.inputs import open_output, refuse_overwriting_input
from pages.commands.shared.messages import print_status, with_progress

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
    infer_mapping: Annotated[
        bool,
        typer.Option(
            "--infer-mapping",
            help="Of generic: print what the columns of the table hold, a mapping to correct by hand, and import nothing.",
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="With --infer-mapping: where to write the mapping.")
    ] = None,
) -> None:
    """Import a benchmark or a file of your own into the database; the same file twice adds nothing."""
    if source is None and Path(importer).exists() and importer not in {*DATASETS.names(), StoredResultsImporter.name}:
        importer, source = Generic.name, Path(importer)
        name = name or source.resolve().stem
    if importer == Generic.name and source and not infer_mapping and (recognition := recognise(source)):
        importer = recognition.importer
        print_status(f"  {recognition.sentence}")
    if infer_mapping:
        if importer != Generic.name or source is None:
            raise TouchstoneError("A mapping is inferred from a table: cli.py import generic TABLE --infer-mapping")
        _infer_mapping(source, output)
        return
    reader = StoredResultsImporter() if importer == StoredResultsImporter.name else DATASETS.parse(importer)
    settings, tally = Settings.read(), ImportCounts()
    place = source or fetch_released_dataset(reader)
    file = place.resolve().name if source else provenance_name(reader, place)
    origin = DatasetSource(
        name or reader.name, importer, file, source_sha256(place), reader.licence, reader.release, settings.user
    )
    for line in reader.describe(place):
        print_status(f"  {line}")
    tally.reading = reading_record(place, reader.settings_used(place)) if not reader.shipped else {}
    read_items = readable_items if skip_broken else strict_items
    with closing(Store.open(settings.database_url)) as store:
        items = with_progress(read_items(reader.read(place), tally), "samples read")
        imported = store.import_dataset(origin, items, tally.counts)
        if isinstance(reader, StoredResultsImporter):
            outcomes = (outcome for _, block in open_stored_results(str(place)) for outcome in block)
            saved = sum(save_scores(store, imported.dataset, outcomes), SavedScores())
            print_status(f"  {format_saved_scores(saved)}")
        if isinstance(reader, Explained):
            answered = [sample.item for sample in load_samples(store, imported.dataset) if sample.item.explanations]
            joined = sum(bool(item.example.summary) for item in answered)
            sentence = (
                f"{tally.explanations.total()} answers read; {joined} summaries of {imported.dataset} have answers"
            )
            if joined < len(answered):
                sentence += (
                    f", and {len(answered) - joined} answered ones are not in it: import answers under the name of the dataset that they "
                    "speak of (--name). By themselves they have the labels of their own lines"
                )
            print_status(f"  {sentence}.")
    counts = {"dataset": imported.dataset, **tally.counts(), "new": imported.added, "joined": imported.joined}
    typer.echo(json.dumps(counts, ensure_ascii=False, indent=1) if as_json else "\n".join(format_counts(counts)))
    if imported.missing:
        print_status(f"{imported.missing} summaries have no document. Import a file that has it under the same group.")


def _infer_mapping(source: Path, output: Path | None) -> None:
    mapping = form_columns(source, preview_rows(source)).to_json()
    for line in Generic().describe(source):
        print_status(f"  {line}")
    if output is None:
        typer.echo(mapping, nl=False)
        return
    refuse_overwriting_input(source, output)
    with open_output(output) as file:
        file.write(mapping)
    print_status(f"Check it, then: cli.py import 'generic[mapping={output}]' {source}")
