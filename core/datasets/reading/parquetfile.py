"""Parquet files, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from core.datasets.reading.row import Line
from core.datasets.reading.textfile import there
from core.errors import TouchstoneError

_BATCH = 512  # rows
_BUFFER = 1 << 16  # bytes; without one a whole group of rows is read at once, which may be the whole file


def rows(source: Path) -> Iterator[Line]:
    """The rows in order, numbered from 1. Raises TouchstoneError for a file that is no parquet."""
    from pyarrow import ArrowInvalid  # listing the importers need not wait for it
    from pyarrow.parquet import ParquetFile

    numbers = count(1)
    try:
        with ParquetFile(there(source), buffer_size=_BUFFER, pre_buffer=False) as file:
            for batch in file.iter_batches(_BATCH):
                yield from zip(numbers, batch.to_pylist(), strict=False)
    except ArrowInvalid as error:
        raise TouchstoneError(
            f"{source.name} is not a parquet file: {error}. Check that it was copied whole."
        ) from None
