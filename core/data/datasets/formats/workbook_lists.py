"""The answers that a workbook offers for its cells: lists of data validation, in the rule, in other cells or under a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat
from zipfile import ZipFile

from core.data.datasets.formats.header_rows import find_header
from core.data.datasets.formats.polarity import phrase_direction, value_direction
from core.data.datasets.formats.workbook_files import default_sheet, is_workbook, sheet_tables

if TYPE_CHECKING:
    from openpyxl import Workbook

_CODED = re.compile(r"\s*[\[(]?(-?\d{1,2})\s*(?:[\])]\s*|[-–—=:.]+\s*|\s[(\[])\s*([^\d\s].*?)[)\]]?\s*")
_CODES_IN_TEXT = re.compile(
    r"(?<![\w.])(-?\d{1,2})\s*(?:=|:|→|->|means|is)\s*([^\W\d][^,;/|()\[\]\d\n]*)", re.IGNORECASE
)
_RANGE = re.compile(r"(?:'?([^'!]+)'?!)?\$?([A-Z]{1,3})\$?(\d+):\$?([A-Z]{1,3})\$?(\d+)")
_MOST_CHOICES = 50


@dataclass
class _Rule:
    attributes: dict[str, str]
    formula: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


def workbook_classes(source: Path) -> Mapping[str, Mapping[str, str]]:
    """Column → code → word, for the columns of the sheet that is read by default whose cells offer classes that say what they mean.

    The codes are empty where the cells hold the words themselves. Empty for any other file than a workbook.
    """
    if not is_workbook(source):
        return {}
    status = source.stat()
    return _workbook_classes(source, status.st_size, status.st_mtime_ns)


@lru_cache(16)
def _workbook_classes(source: Path, _size: int, _changed_ns: int) -> Mapping[str, Mapping[str, str]]:
    title = default_sheet(source)
    for name, place, rows in sheet_tables(source):
        if name != title:
            continue
        rules = _list_rules(source, place)
        if not rules:
            return {}
        first = [cells for _, cells in islice(rows, 500)]
        names = find_header(first, source.name).names if first else ()
        return {
            names[column]: codes
            for rule in rules
            if (codes := _classes_of(source, title, rule)) is not None
            for column in _columns(rule)
            if column < len(names) and names[column]
        }
    return {}


def _classes_of(source: Path, sheet: str, rule: _Rule) -> Mapping[str, str] | None:
    """The words of the codes of a rule; None where neither its choices nor its message say what they mean."""
    choices = _choices(source, sheet, "".join(rule.formula))
    coded = {match[1]: match[2].strip() for choice in choices if (match := _CODED.fullmatch(choice))}
    message = " ".join(rule.attributes.get(name, "") for name in ("promptTitle", "prompt"))
    explained = {code: words.strip() for code, words in _CODES_IN_TEXT.findall(message)}
    codes = coded if len(coded) == len(choices) else explained
    if any(map(phrase_direction, codes.values())):
        return codes
    return {} if any(map(value_direction, choices)) else None


def _choices(source: Path, sheet: str, formula: str) -> list[str]:
    text = formula.strip().removeprefix("=")
    if text.startswith('"'):
        return [choice.strip() for choice in text.strip('"').split(",") if choice.strip()]
    from openpyxl import load_workbook

    book = load_workbook(BytesIO(source.read_bytes()), read_only=True, data_only=True)
    try:
        return _cells_of(book, sheet, text)
    finally:
        book.close()


def _cells_of(book: Workbook, sheet: str, text: str) -> list[str]:
    """The filled cells of a range, as `Lists!$A$1:$A$3` or the name of one."""
    text = book.defined_names[text].attr_text if text in book.defined_names else text
    match = _RANGE.fullmatch(text)
    if match is None or (match[1] or sheet) not in book.sheetnames:
        return []
    cells = book[match[1] or sheet][f"{match[2]}{match[3]}:{match[4]}{match[5]}"]
    values = [str(cell.value).strip() for row in cells for cell in row if cell.value is not None]
    return values[:_MOST_CHOICES]


def _columns(rule: _Rule) -> list[int]:
    """The columns of the cells for which a rule holds, counted from 0."""
    from openpyxl.utils.cell import range_boundaries

    ranges = " ".join([rule.attributes.get("sqref", ""), *rule.places]).split()
    columns = set[int]()
    for cells in ranges:
        first, _, last, _ = range_boundaries(cells)
        columns |= set(range((first or 1) - 1, last or 1))
    return sorted(columns)


def _list_rules(source: Path, place: str) -> list[_Rule]:
    """The rules of a sheet whose cells offer a list, and those with a message on codes, from its XML."""
    rules, texts = list[_Rule](), list[str]()
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "dataValidation":
                rules.append(_Rule(dict(attributes)))
            case "formula1" | "f" | "sqref" if rules:
                texts.clear()
                parser.CharacterDataHandler = texts.append

    def end(name: str) -> None:
        match name.rpartition(" ")[2]:
            case "formula1" if rules and not rules[-1].formula:
                rules[-1].formula.append("".join(texts))
            case "sqref" if rules:
                rules[-1].places.append("".join(texts))
            case "f":
                return  # inside formula1, where Excel keeps a list on another sheet
        parser.CharacterDataHandler = None

    parser.StartElementHandler, parser.EndElementHandler = start, end
    with ZipFile(source) as archive, archive.open(place.lstrip("/")) as file:
        parser.ParseFile(file)
    return [rule for rule in rules if rule.attributes.get("type") == "list" or rule.attributes.get("prompt")]
