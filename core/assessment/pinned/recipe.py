"""A report of pins as TOML: its texts and the sources of its results, from which it is made again, and what they were."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.assessment.pinned.pin import AuditSource, PairSource, PinnedReport, Source, StudySource
from core.assessment.pinned.pin_comparison import PinBasis, basis_of
from core.errors import TouchstoneError

_SOURCES: Mapping[str, type[Source]] = {"study": StudySource, "audit": AuditSource, "pair": PairSource}
_PART_KEYS = ("text", "title", *_SOURCES, "then")


@dataclass(frozen=True, slots=True)
class RecipePart:
    """Markdown, and below it the source of a result with its title and its basis when it was pinned, where it has one."""

    text: str = ""
    title: str = ""
    source: Source | None = None
    then: PinBasis | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """A title and the parts of a report."""

    title: str
    parts: tuple[RecipePart, ...]


def report_toml(report: PinnedReport) -> str:
    """The report as TOML; `read_recipe` reads it."""
    lines = [f"title = {_value(report.title)}"]
    for part in report.parts:
        lines += ["\n[[part]]", f"text = {_value(part.text)}"]
        if part.pin is None:
            continue
        lines.append(f"title = {_value(part.pin.title)}")
        name = next(name for name, kind in _SOURCES.items() if isinstance(part.pin.source, kind))
        for table, record in ((name, asdict(part.pin.source)), ("then", asdict(basis_of(part.pin)))):
            lines.append(f"[part.{table}]")
            lines += [f"{key} = {_value(value)}" for key, value in record.items() if value not in ("", (), {}, 0)]
    return "\n".join(lines) + "\n"


def read_recipe(text: str) -> Recipe:
    """The recipe of a TOML document. Raises TouchstoneError for what is none, with the place."""
    try:
        record = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TouchstoneError(f"This is no TOML ({error}). Export the report again, or correct that line.") from None
    _require_keys("The report", record, ("title", "part"))
    parts = record.get("part", [])
    if not isinstance(record.get("title"), str) or not isinstance(parts, list):
        raise TouchstoneError('A report has a line title = "…" and tables [[part]]. Export one from the page Projects.')
    read = []
    for place, part in enumerate(parts, start=1):
        where = f"Part {place} of the report"
        if not isinstance(part, dict):
            raise TouchstoneError(f"{where} is no table. Write [[part]].")
        _require_keys(where, part, _PART_KEYS)
        named = [name for name in _SOURCES if name in part]
        if len(named) > 1:
            raise TouchstoneError(f"{where} has {' and '.join(named)}. Give each result a [[part]] of its own.")
        source = _read(where, _SOURCES[named[0]], part[named[0]]) if named else None
        then = _read(where, PinBasis, part["then"]) if "then" in part else None
        read.append(RecipePart(str(part.get("text", "")), str(part.get("title", "")), source, then))
    return Recipe(record["title"], tuple(read))


def _value(value: object) -> str:
    """A value in TOML, whose texts are those of JSON but for one control character."""
    if isinstance(value, Mapping):
        return (
            f"{{ {', '.join(f'{_value(key)} = {_value(entry)}' for key, entry in value.items())} }}" if value else "{}"
        )
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read(where: str, kind: type[Any], record: Any) -> Any:
    if isinstance(record, dict):
        _require_keys(where, record, [field.name for field in fields(kind)])
    try:
        return TypeAdapter(kind).validate_python(record)
    except ValidationError as error:
        first = error.errors()[0]
        raise TouchstoneError(f"{where} cannot be read: {'.'.join(map(str, first['loc']))}, {first['msg']}.") from None


def _require_keys(where: str, record: Mapping[str, Any], allowed: Sequence[str]) -> None:
    if unknown := [key for key in record if key not in allowed]:
        raise TouchstoneError(f"{where} has {', '.join(unknown)}, and takes {', '.join(allowed)}.")
