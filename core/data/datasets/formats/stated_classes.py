"""The classes that a file itself names: of a `datasets` schema, value labels of Stata and SPSS files, and lists of a workbook's cells.

Its numbers become the names before anything else sees a row, so that words decide and no guess is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from core.data.datasets.formats.table_files import SAVED_RECORD, is_saved_folder, table_paths, table_rows
from core.data.datasets.formats.text_files import NumberedRow, Row, existing_file
from core.data.datasets.formats.workbook_files import is_workbook
from core.data.datasets.formats.workbook_lists import workbook_classes
from core.errors import TouchstoneError

_HUGGINGFACE = b"huggingface"
_STATISTICS = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".sas7bdat": "read_sas7bdat"}
"""Endings of SPSS and SAS files, and the function of pyreadstat that reads them."""

_BATCH_ROWS = 512  # rows

_Namer = Callable[[object], object]


def named_table_rows(source: Path, encoding: str = "utf-8", sheet: str = "") -> Iterator[NumberedRow]:
    """The records of any table, with the names of classes in place of their numbers where the file states them.

    Also of a folder that `datasets` saved, and of files of Stata, SPSS and SAS.
    """
    suffix = source.suffix.lower()
    if suffix == ".dta":
        return _stata_rows(source)
    if suffix in _STATISTICS:
        return _statistics_rows(source)
    is_arrow = suffix == ".arrow" or source.is_dir()
    lines = _arrow_rows(source) if is_arrow else table_rows(source, encoding, sheet)
    namers = _namers(source)
    return _with_names(lines, namers) if namers else lines


def stated_columns(source: Path) -> frozenset[str]:
    """The columns whose classes a file names, or one of the files of a folder."""
    return frozenset[str]().union(*map(_stated_columns, table_paths(source)))


def _stated_columns(source: Path) -> frozenset[str]:
    suffix = source.suffix.lower()
    if suffix == ".dta":
        return _stata_table(source, source.stat().st_mtime_ns)[1]
    if suffix in _STATISTICS:
        return frozenset(_statistics_table(source, source.stat().st_mtime_ns)[1])
    return frozenset(_namers(source))


def _with_names(lines: Iterator[NumberedRow], namers: Mapping[str, _Namer]) -> Iterator[NumberedRow]:
    for number, row in lines:
        if isinstance(row, str):
            yield number, row
        else:
            yield number, {name: namers[name](value) if name in namers else value for name, value in row.items()}


def _namers(source: Path) -> dict[str, _Namer]:
    """Column → what turns its numbers into names, for each column with classes in the `datasets` schema or a list of a workbook."""
    if source.is_file() and is_workbook(source):
        return {name: partial(_coded, codes) for name, codes in workbook_classes(source).items()}
    features = _features(source)
    return {name: namer for name, feature in features.items() if (namer := _namer(feature))}


def _features(source: Path) -> dict[str, Any]:
    schema: object = None
    suffix = source.suffix.lower()
    if is_saved_folder(source):
        schema = {"info": json.loads((source / SAVED_RECORD).read_text(encoding="utf-8"))}
    elif suffix in {".parquet", ".arrow"}:
        metadata = _schema_metadata(source)
        schema = json.loads(metadata[_HUGGINGFACE]) if _HUGGINGFACE in metadata else None
    info = schema.get("info") if isinstance(schema, dict) else None
    features = info.get("features") if isinstance(info, dict) else None
    return features if isinstance(features, dict) else {}


def _schema_metadata(source: Path) -> dict[bytes, bytes]:
    from pyarrow import ArrowInvalid, ipc  # listing the importers need not wait for it
    from pyarrow.parquet import read_schema

    try:
        if source.suffix.lower() == ".arrow":
            with ipc.open_stream(existing_file(source)) as stream:
                return stream.schema.metadata or {}
        return read_schema(existing_file(source)).metadata or {}
    except ArrowInvalid:
        return {}  # the reader of its rows says what is wrong with it


def _namer(feature: object) -> _Namer | None:
    """The function that names the classes of a feature of `datasets`: a ClassLabel, a list of them, or one inside an object."""
    if isinstance(feature, list) and len(feature) == 1:
        return _in_list(_namer(feature[0]))
    if not isinstance(feature, dict):
        return None
    if feature.get("_type") == "ClassLabel":
        names = feature.get("names")
        return (lambda value: _name_of(value, names)) if isinstance(names, list) else None
    if feature.get("_type") in {"Sequence", "List", "LargeList"}:
        inner = feature.get("feature")
        if isinstance(inner, dict) and "_type" not in inner:
            return _in_object(inner)  # which datasets keeps as an object of lists
        return _in_list(_namer(inner))
    return _in_object(feature) if "_type" not in feature else None


def _coded(codes: Mapping[str, str], value: object) -> object:
    """The word of a code; any other cell as it is."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    return codes.get(str(number).strip(), value)


def _name_of(value: object, names: list[object]) -> object:
    if isinstance(value, list):
        return [_name_of(entry, names) for entry in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return value
    return str(names[int(value)]) if 0 <= value < len(names) else None  # -1 is no label


def _in_list(namer: _Namer | None) -> _Namer | None:
    if namer is None:
        return None
    return lambda value: [namer(entry) for entry in value] if isinstance(value, list) else value


def _in_object(features: Mapping[str, object]) -> _Namer | None:
    namers = {name: namer for name, feature in features.items() if (namer := _namer(feature))}

    def name(value: object) -> object:
        if isinstance(value, list):
            return [name(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        return {key: namers[key](held) if key in namers else held for key, held in value.items()}

    return name if namers else None


def _arrow_rows(source: Path) -> Iterator[NumberedRow]:
    """The rows of an Arrow file, or of those of a folder that `datasets` saved, in order."""
    from pyarrow import ArrowInvalid, ipc

    files = sorted(source.glob("*.arrow")) if source.is_dir() else [source]
    if not files:
        raise TouchstoneError(
            f"{source.name} has no file that ends in .arrow. Name a file, or a folder that `datasets` saved."
        )
    numbers = count(1)
    for path in files:
        try:
            with ipc.open_stream(existing_file(path)) as stream:
                for batch in stream:
                    yield from zip(numbers, batch.to_pylist(), strict=False)
        except ArrowInvalid as error:
            raise TouchstoneError(
                f"{path.name} is not an Arrow stream: {error}. Check that it was copied whole."
            ) from None


@lru_cache(2)
def _stata_table(source: Path, _changed_ns: int) -> tuple[list[Row], frozenset[str]]:
    """The rows of a file of Stata with its value labels, and the columns that have some."""
    import pandas as pd

    try:
        frame = pd.read_stata(existing_file(source), convert_categoricals=True)
    except ValueError as error:
        raise TouchstoneError(f"{source.name} is not a file of Stata: {error}. Export it as CSV.") from None
    labelled = frozenset(name for name in frame if isinstance(frame[name].dtype, pd.CategoricalDtype))
    return frame.astype(dict.fromkeys(labelled, object)).to_dict("records"), labelled


def _stata_rows(source: Path) -> Iterator[NumberedRow]:
    yield from _labelled_rows(_stata_table(source, source.stat().st_mtime_ns)[0], {})


@lru_cache(2)
def _statistics_table(source: Path, _changed_ns: int) -> tuple[list[Row], dict[str, dict[object, str]]]:
    """The rows of an SPSS or SAS file, and column → value → label."""
    try:
        import pyreadstat
    except ImportError:
        raise TouchstoneError(
            f"{source.name} needs the library pyreadstat: pip install pyreadstat==1.3.7. Or export it as CSV with its labels."
        ) from None
    try:
        frame, about = getattr(pyreadstat, _STATISTICS[source.suffix.lower()])(str(existing_file(source)))
    except pyreadstat.ReadstatError as error:
        raise TouchstoneError(f"{source.name} cannot be read: {error}. Export it as CSV with its labels.") from None
    return frame.to_dict("records"), about.variable_value_labels


def _statistics_rows(source: Path) -> Iterator[NumberedRow]:
    rows, labels = _statistics_table(source, source.stat().st_mtime_ns)
    yield from _labelled_rows(rows, labels)


def _labelled_rows(rows: list[Row], labels: Mapping[str, Mapping[object, str]]) -> Iterator[NumberedRow]:
    for number, row in enumerate(rows, start=1):
        named = {name: labels[name].get(value, value) if name in labels else value for name, value in row.items()}
        yield number, {name: None if value != value else value for name, value in named.items()}  # a gap is nan
