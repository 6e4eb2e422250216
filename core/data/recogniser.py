"""Name for a file or folder that nobody said what it is: the benchmark or the tool's export that its content says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.exported import Exported, describe_export
from core.data.datasets.formats.known_forms import describe_form
from core.data.datasets.formats.table_files import table_rows
from core.errors import TouchstoneError

_GENERIC = "generic"
_HEAD_ROWS = 20  # rows
_MOST_FILES = 50  # of a folder
_SUFFIXES = frozenset({".json", ".jsonl", ".csv", ".tsv", ".xlsx", ".parquet"})


@dataclass(frozen=True, slots=True)
class Recognition:
    """The importer that reads a source, and a sentence for people that says what it looks like."""

    importer: str
    sentence: str


def recognise(source: Path) -> Recognition | None:
    """The benchmark or form that the content of a file or folder is in; None for a table in no known form, and for what cannot be read."""
    if sentence := describe_export(source):
        return Recognition(Exported.name, sentence)
    if source.is_dir():
        files = sorted(path for path in source.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())
        names = dict.fromkeys(name for file in files[:_MOST_FILES] for name in _benchmarks(file))
    else:
        names = dict.fromkeys(_benchmarks(source))
    benchmark = next((name for name in names if _reads(DATASETS.get(name)(), source)), None)
    if benchmark:
        return Recognition(benchmark, f"This looks like {DATASETS.get(benchmark).title}.")
    sentence = describe_form(source)
    return Recognition(_GENERIC, sentence) if sentence else None


def _benchmarks(file: Path) -> list[str]:
    """The importers whose fields all first records of a file have, those with most fields first."""
    try:
        rows = [row for _, row in islice(table_rows(file), _HEAD_ROWS)]
    except TouchstoneError:
        return []
    fields = [{*row} if not isinstance(row, str) else set[str]() for row in rows]
    shared = fields[0].intersection(*fields[1:]) if fields else set[str]()
    matching = [importer for importer in DATASETS if importer.record_fields and importer.record_fields <= shared]
    return [importer.name for importer in sorted(matching, key=lambda importer: -len(importer.record_fields))]


def _reads(importer: Importer, source: Path) -> bool:
    """True if the importer reads the first records of a source; a form of the same names is not its release."""
    try:
        records = list(islice(importer.read(source), _HEAD_ROWS))
    except TouchstoneError:
        return False
    return bool(records) and not any(isinstance(record, Refusal) for record in records)
