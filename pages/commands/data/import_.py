"""`cli.py import`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
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
from annotations.exchange.samples import load_samples, save_scores
from annotations.exchange.store_import import format_store_import, import_store
from annotations.store.dataset_import import DatasetSource, format_import
from annotations.store.remembered_answers import remembered_answer
from annotations.store.score_writes import SavedScores, format_saved_scores
from annotations.store.store import Store
from core.data import (
    DATASETS,
    Explained,
    Generic,
    ImportCounts,
    Importer,
    Refusal,
    format_counts,
    readable_items,
    reading_record,
    recognise,
    source_sha256,
    strict_items,
)
from core.errors import TouchstoneError
from core.models import fetch_released_dataset, provenance_name
from core.registry import format_spec
from core.results import StoredResultsImporter, open_stored_results
from core.settings import Settings
from core.types import Item
from pages.commands.shared.inputs import open_output, refuse_overwriting_input
from pages.commands.shared.messages import print_status, with_progress

_ReadItems = Callable[[Iterable[Item | Refusal], ImportCounts], Iterator[Item]]

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
        importer = _importer_by_content(source, answers)
    reader = _reader(importer, answers)
    spec = format_spec(reader) if answers else importer
    read_items = readable_items if skip_broken else strict_items
    _import_dataset(reader, spec, source, name, read_items, "" if add else replaces, as_json)


def _importer_by_content(source: Path, answers: dict[str, str]) -> str:
    """Name of the importer that the content of a file calls for; with answers about its labels it is read as a table."""
    if recognition := recognise(source):
        print_status(f"  {recognition.sentence}")
        return Generic.name if answers else recognition.importer
    return Generic.name


def _import_dataset(
    reader: Importer,
    spec: str,
    source: Path | None,
    name: str | None,
    read_items: _ReadItems,
    replaces: str | None,
    as_json: bool,
) -> None:
    settings, tally = Settings.read(), ImportCounts()
    place = source or fetch_released_dataset(reader)
    file = place.resolve().name if source else provenance_name(reader, place)
    origin = DatasetSource(
        name or reader.name,
        spec,
        file,
        source_sha256(place),
        reader.licence_of(place),
        reader.release,
        settings.user,
        replaces,
    )
    with closing(Store.open(settings.database_url)) as store:
        if isinstance(reader, Generic) and reader.question(place):
            reader = _with_remembered_answer(reader, place, store)
        for line in reader.describe(place):
            print_status(f"  {line}")
        tally.reading = reading_record(place, reader.settings_used(place)) if not reader.shipped else {}
        items = with_progress(read_items(reader.read(place), tally), "samples read")
        imported = store.import_dataset(origin, items, tally.counts)
        if isinstance(reader, StoredResultsImporter):
            outcomes = (outcome for _, block in open_stored_results(str(place)) for outcome in block)
            saved = sum(save_scores(store, imported.dataset, outcomes), SavedScores())
            print_status(f"  {format_saved_scores(saved)}")
        if isinstance(reader, Explained):
            print_status(f"  {_explained_sentence(store, imported.dataset, tally)}")
    counts = {
        "dataset": imported.dataset,
        **tally.counts(),
        "version": imported.version,
        "new": imported.added,
        "joined": imported.joined,
        "removed": imported.removed,
    }
    typer.echo(json.dumps(counts, ensure_ascii=False, indent=1) if as_json else "\n".join(format_counts(counts)))
    print_status(format_import(imported))
    if imported.missing:
        print_status(f"{imported.missing} summaries have no document. Import a file that has it under the same group.")


def _explained_sentence(store: Store, dataset: str, tally: ImportCounts) -> str:
    answered = [sample.item for sample in load_samples(store, dataset) if sample.item.explanations]
    joined = sum(bool(item.example.summary) for item in answered)
    sentence = f"{tally.explanations.total()} answers read; {joined} summaries of {dataset} have answers"
    if joined < len(answered):
        sentence += (
            f", and {len(answered) - joined} answered ones are not in it: import answers under the name of the dataset that they "
            "speak of (--name). By themselves they have the labels of their own lines"
        )
    return f"{sentence}."


def _import_campaign(source: Path, name: str) -> None:
    """Put an exported campaign back: as a table it would lose its questions, people and decisions."""
    with closing(Store.open(Settings.read().database_url)) as store:
        imported = import_campaign(store, campaign_lines(source), name)
    print_status(f"{source.name} is an exported campaign: imported with its people, labels and decisions.")
    typer.echo(f"campaign: {imported.name}")


def _reader(importer: str, answers: dict[str, str]) -> Importer:
    """The importer with what was said of the labels of a table."""
    reader = StoredResultsImporter() if importer == StoredResultsImporter.name else DATASETS.parse(importer)
    if not answers:
        return reader
    if not isinstance(reader, Generic):
        raise TouchstoneError(
            f"{importer} knows its labels. What they mean is said of a table: cli.py import generic TABLE."
        )
    return replace(reader, **answers)


def _with_remembered_answer(reader: Generic, source: Path, store: Store) -> Generic:
    """The reader with what was answered for a table of the same columns and labels, where one was imported; else as it is.

    What is said now stays: an earlier answer is for what is not.
    """
    answer = remembered_answer(store.datasets(), reader.shape(source))
    if answer is None:
        return reader
    dataset, earlier = answer
    stated = {name for name in earlier if getattr(reader, name)}
    if reader.label_of_1 or reader.consistent:
        stated |= {"label_of_1", "consistent"}  # two ways of saying the same
    settings = {name: value for name, value in earlier.items() if name not in stated}
    if not settings:
        return reader
    listed = ", ".join(f"{name}={value}" for name, value in settings.items())
    print_status(f"  As answered for {dataset}, a table of the same columns and labels: {listed}")
    return replace(reader, **settings)


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
    print_status(f"Check it, then: cli.py import 'generic[mapping={output}]' {source}")
