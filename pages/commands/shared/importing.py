"""Import of a file or a released dataset into the database, as the command and an agent's tool do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

from annotations.exchange.samples import load_samples, save_scores
from annotations.store.dataset_import import DatasetSource, ImportResult, format_import
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
    reading_record,
    recognise,
    source_sha256,
)
from core.errors import TouchstoneError, UnknownNameError
from core.models import provenance_name
from core.results import StoredResultsImporter, open_stored_results
from core.settings import Settings
from core.types import Item
from pages.commands.shared.messages import with_progress

ReadItems = Callable[[Iterable[Item | Refusal], ImportCounts], Iterator[Item]]
Say = Callable[[str], None]
"""Takes a sentence on how the data were read."""


def importer_by_content(source: Path, answers: Mapping[str, str], say: Say) -> str:
    """Name of the importer that the content of a file calls for; with answers about its labels it is read as a table."""
    if recognition := recognise(source):
        say(recognition.sentence)
        return Generic.name if answers else recognition.importer
    return Generic.name


def open_importer(importer: str, answers: Mapping[str, str]) -> Importer:
    """The importer with what was said of the columns and labels of a table. Raises TouchstoneError for one that knows its labels."""
    reader = StoredResultsImporter() if importer == StoredResultsImporter.name else DATASETS.parse(importer)
    if not answers:
        return reader
    if not isinstance(reader, Generic):
        raise TouchstoneError(
            f"{importer} knows its labels. What they mean is said of a table: cli.py import generic TABLE."
        )
    questions = [field.name for field in fields(reader)]
    if unknown := [question for question in answers if question not in questions]:
        raise UnknownNameError("question about a table", unknown[0], questions)
    return replace(reader, **answers)


def dataset_source(
    reader: Importer, spec: str, place: Path, file: str, name: str, replaces: str | None
) -> DatasetSource:
    """Provenance of a dataset: `file` is the name of what was read, "" for what comes from the hub or with Touchstone."""
    return DatasetSource(
        name or reader.name,
        spec,
        file or provenance_name(reader, place),
        source_sha256(place),
        reader.licence_of(place),
        reader.release,
        Settings.read().user,
        replaces,
    )


def import_dataset(
    reader: Importer, place: Path, origin: DatasetSource, read_items: ReadItems, say: Say
) -> tuple[dict[str, object], ImportResult]:
    """Import a dataset; its counts, and the receipt. Raises TouchstoneError for what cannot be read or has to be asked."""
    tally = ImportCounts()
    with closing(Store.open(Settings.read().database_url)) as store:
        if isinstance(reader, Generic) and reader.question(place):
            reader = _with_remembered_answer(reader, place, store, say)
        for line in reader.describe(place):
            say(line)
        tally.reading = reading_record(place, reader.settings_used(place)) if not reader.shipped else {}
        items = with_progress(read_items(reader.read(place), tally), "samples read")
        imported = store.import_dataset(origin, items, tally.counts)
        if isinstance(reader, StoredResultsImporter):
            outcomes = (outcome for _, block in open_stored_results(str(place)) for outcome in block)
            saved = sum(save_scores(store, imported.dataset, outcomes), SavedScores())
            say(format_saved_scores(saved))
        if isinstance(reader, Explained):
            say(_explained_sentence(store, imported.dataset, tally))
    counts = {
        "dataset": imported.dataset,
        **tally.counts(),
        "version": imported.version,
        "new": imported.added,
        "joined": imported.joined,
        "removed": imported.removed,
    }
    return counts, imported


def import_sentences(imported: ImportResult) -> list[str]:
    """The receipt in words, and what the dataset lacks."""
    missing = f"{imported.missing} summaries have no document. Import a file that has it under the same group."
    return [format_import(imported), *([missing] if imported.missing else [])]


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


def _with_remembered_answer(reader: Generic, source: Path, store: Store, say: Say) -> Generic:
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
    say(f"As answered for {dataset}, a table of the same columns and labels: {listed}")
    return replace(reader, **settings)
