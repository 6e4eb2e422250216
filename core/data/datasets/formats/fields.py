"""Values of the fields of a record, or a sentence that names the field and says what is wrong with it."""

from __future__ import annotations

import ast
import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from core.base import parse_expression
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Verdict

T = TypeVar("T")

_SEVERITY = (Verdict.CONSISTENT, Verdict.BORDERLINE, Verdict.INCONSISTENT)


def value(row: Row, name: str) -> object:
    """Value of the field. Raises TouchstoneError where the record has no such field."""
    if name not in row:
        raise TouchstoneError(f"There is no field {name!r}. The fields here are {', '.join(row) or 'none'}.")
    return row[name]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that counts of several on one text."""
    return max(verdicts, key=_SEVERITY.index)


def text(row: Row, name: str) -> str:
    """The text of a field that must not be blank; a number becomes its digits."""
    content = clean_text(name, value(row, name))
    if not content.strip():
        raise TouchstoneError(f"The field {name!r} is empty. Fill it in or remove the record.")
    return content


def optional(row: Row, name: str) -> str:
    """The text of a field, "" where it is absent or blank."""
    content = clean_text(name, row.get(name))
    return content if content.strip() else ""


def clean_text(name: str, content: object) -> str:
    """A text that a database can keep; None and NaN are "", a whole number is its digits, as which 7.0 counts.

    Raises TouchstoneError for another kind of value.
    """
    if content is None or content != content:  # only NaN differs from itself
        return ""
    if isinstance(content, float) and content.is_integer():
        content = int(content)  # so a table writes whole numbers in a column that has gaps
    if isinstance(content, bool) or not isinstance(content, str | int):
        raise TouchstoneError(f"The field {name!r} must be a text; got {type(content).__name__}.")
    string = str(content)
    if "\0" in string:
        raise TouchstoneError(f"The field {name!r} holds a NUL character, which no database keeps. Remove it.")
    try:
        string.encode()
    except UnicodeEncodeError:
        raise TouchstoneError(f"The field {name!r} holds half of a character (a lone surrogate). Remove it.") from None
    return string


def number(row: Row, name: str) -> float:
    """The number of a field, written as a number or as text."""
    converted = optional_number(row, name)
    if converted is None:
        raise TouchstoneError(f"The field {name!r} is empty or absent. It must hold a number.")
    return converted


def optional_number(row: Row, name: str) -> float | None:
    """The number of a field, None where it is absent, blank or not a number by intention (null, NaN)."""
    content = row.get(name)
    if content is None or (isinstance(content, str) and not content.strip()):
        return None
    try:
        converted = float(content) if isinstance(content, str | int | float) else None
    except (ValueError, OverflowError):
        converted = None
    if converted is None or math.isinf(converted):
        raise TouchstoneError(f"The field {name!r} must be a number; got {str(content)[:60]!r}.")
    return None if math.isnan(converted) else converted


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
_OUT_OF = re.compile(r"(\d+(?:\.\d+)?) ?/ ?(5|7|10|100)")
_CLASS_WITH_COMMA = re.compile(r"-?\d,\d{1,2}")  # 1,0 as a German spreadsheet writes it
_DECIMAL_COMMA = re.compile(r"[-+]?(0,\d+|\d+,(\d{1,2}|\d{4,}))")  # 1,234 may be a thousand


def table_number(cell: object) -> float | None:
    """The finite number in a cell of a person's table; None where there is none.

    Also with a decimal comma or a percent sign, as stars (★★★☆☆ is 3), or out of 5, 7, 10 or 100 (4/5 is 4).
    """
    if isinstance(cell, int | float):
        converted = float(cell) if abs(cell) < 1e300 else math.inf
        return converted if math.isfinite(converted) else None
    text = str(cell).strip().removesuffix("%").rstrip()
    if text and {*text} <= {"★", "☆"}:
        return float(text.count("★"))
    if (share := _OUT_OF.fullmatch(text)) and float(share[1]) <= float(share[2]):
        return float(share[1])
    text = text.replace(",", ".") if "," in text and _DECIMAL_COMMA.fullmatch(text) else text
    parsed = float(text) if _NUMBER.fullmatch(text) else math.inf
    return parsed if math.isfinite(parsed) else None


def passage(row: Row, name: str) -> str:
    """The text of a field that may also be a list of sentences or utterances, which become lines."""
    content = row.get(name)
    return "\n".join(texts(row, name)) if isinstance(content, list) else optional(row, name)


def choice(row: Row, name: str, meanings: Mapping[str, T]) -> T:
    """Value that the field's word stands for; case and blanks around it do not matter."""
    return meaning(name, as_word(value(row, name)), meanings)


def meaning(name: str, word: str, meanings: Mapping[str, T]) -> T:
    """Value that a word of a field stands for."""
    if word not in meanings:
        raise TouchstoneError(f"The field {name!r} is {word[:60]!r}. Known: {', '.join(meanings)}.")
    return meanings[word]


def as_word(cell: object) -> str:
    """A cell as a word, in lower case; annotation tools write a choice as a list of one."""
    word = str(cell[0] if isinstance(cell, list) and len(cell) == 1 else cell).strip().lower()
    return word.replace(",", ".") if _CLASS_WITH_COMMA.fullmatch(word) else word


def texts(row: Row, name: str) -> list[str]:
    """A list of texts, without the blank ones."""
    entries = value(row, name)
    if not isinstance(entries, list):
        raise TouchstoneError(f"The field {name!r} must be a list of texts; got {type(entries).__name__}.")
    return [string for entry in entries if (string := clean_text(name, entry)).strip()]


def records(row: Row, name: str) -> list[Row]:
    """A list of objects."""
    entries = value(row, name)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise TouchstoneError(f"The field {name!r} must be a list of objects; got {str(entries)[:60]}.")
    return entries


def record(row: Row, name: str) -> Row:
    """An object."""
    content = value(row, name)
    if not isinstance(content, dict):
        raise TouchstoneError(f"The field {name!r} must be an object; got {type(content).__name__}.")
    return content


def literals(row: Row, name: str) -> list[str]:
    """A Python list of texts that was written into a cell; what is no text in it, such as nan, is left out."""
    cell = optional(row, name)
    if not cell:
        return []
    try:
        tree = parse_expression(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if not isinstance(tree, ast.List):
        raise TouchstoneError(f"The field {name!r} must be a list such as ['a', 'b']; got {cell[:60]!r}.")
    constants = [entry.value for entry in tree.elts if isinstance(entry, ast.Constant)]
    return [constant for constant in constants if isinstance(constant, str)]


def document_key(document: str) -> str:
    """A name for a document that has none: the same text has the same name, 16 hexadecimal digits."""
    return hashlib.blake2b(document.encode(), digest_size=8).hexdigest()
