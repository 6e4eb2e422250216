"""The records of a file in the format that its name tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from core.datasets.reading import csvfile, jsonfile, parquetfile, xlsxfile
from core.datasets.reading.row import Line

READERS: Mapping[str, Callable[[Path], Iterator[Line]]] = MappingProxyType(
    {".csv": csvfile.rows, ".tsv": csvfile.rows, ".xlsx": xlsxfile.rows, ".parquet": parquetfile.rows}
)
"""Every other file is JSON: one object a line, or a list of objects."""


def rows(source: Path) -> Iterator[Line]:
    """The records of a file in order. Raises TouchstoneError where the file as a whole cannot be read."""
    return READERS.get(source.suffix.lower(), jsonfile.rows)(source)
