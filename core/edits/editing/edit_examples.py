"""Good and bad examples of edits for the prompt of an editor, from a file of rows (SummExecEdit, Thorat et al. 2024, showed some)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.data import clean_text, file_rows
from core.errors import TouchstoneError

EXAMPLE_FIELDS = ("kind", "document", "original_text", "replace_text", "explanation", "why")
"""Fields of a row: `kind` is good or bad; `document` and `why` may be absent, and `explanation` of a bad one."""
_KINDS = {"good": "Like these", "bad": "Not like these"}
_MOST_CHARACTERS = 20_000


def read_edit_examples(path: Path) -> str:
    """The examples of a JSONL, JSON or CSV file as a part of a prompt, good ones first.

    Raises TouchstoneError, with the line, for a row that is none, and for a file without rows or with too many.
    """
    examples: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for number, row in file_rows(path):
        place = f"{path}, line {number}"
        if isinstance(row, str):
            raise TouchstoneError(f"{place}: {row}")
        if others := [name for name in row if name not in EXAMPLE_FIELDS]:
            raise TouchstoneError(
                f"{place}: {others[0]} is no field of an example. Its fields are {', '.join(EXAMPLE_FIELDS)}."
            )
        examples[_kind_of(row, place)].append(_format(row, place))
    parts = [f"{heading}:\n\n" + "\n\n".join(listed) for kind, heading in _KINDS.items() if (listed := examples[kind])]
    if not parts:
        raise TouchstoneError(f"{path} has no example. Give rows with {', '.join(EXAMPLE_FIELDS)}.")
    text = "\n\n".join(["Examples of edits, of other documents.", *parts])
    if len(text) > _MOST_CHARACTERS:
        raise TouchstoneError(
            f"The examples of {path} have {len(text):,} characters; {_MOST_CHARACTERS:,} is the most."
        )
    return text


def _kind_of(row: Mapping[str, object], place: str) -> str:
    kind = str(row.get("kind") or "").strip().lower()
    if kind not in _KINDS:
        raise TouchstoneError(f"{place}: kind is {kind!r}. It is good or bad.")
    return kind


def _format(row: Mapping[str, object], place: str) -> str:
    try:
        texts = {name: clean_text(name, row.get(name)).strip() for name in EXAMPLE_FIELDS}
    except TouchstoneError as error:
        raise TouchstoneError(f"{place}: {error}") from None
    missing = [name for name in ("original_text", "replace_text") if not texts[name]]
    if missing:
        raise TouchstoneError(f"{place}: {missing[0]} is empty. An example needs original_text and replace_text.")
    shown = {name: texts[name] for name in EXAMPLE_FIELDS[1:] if texts[name]}
    return "\n".join(f'"{name}": {text}' for name, text in shown.items())
