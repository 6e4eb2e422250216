"""The examples that come with Touchstone: our own texts, each with executable edits of known meaning.

A file holds one document with its faithful summary and the variants of it:

    {"id", "title", "domain", "document", "summary",
     "variants": [{"id", "title", "intended", "error_type"?, "edits": [{"original_text", "replace_text",
                                                                        "explanation", "occurrence"?}]}]}

The names of the files give the order in which the examples are shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.data.dataset import DATASETS, Importer, Refusal
from core.errors import TouchstoneError
from core.text import edits
from core.types import ErrorType, Example, Item, Verdict

FOLDER = Path(__file__).parent / "examples"


class _Variant(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    intended: Verdict
    error_type: ErrorType | None = None
    edits: list[dict[str, Any]]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    title: str
    domain: str
    document: str
    summary: str
    variants: list[_Variant]


@DATASETS.add
class Bundled(Importer):
    """A folder of example files; a file that cannot be read is refused under its place in the folder."""

    name: ClassVar[str] = "bundled"
    title: ClassVar[str] = "Bundled examples"
    licence: ClassVar[str] = "the licence of Touchstone"
    shipped: ClassVar[Path | None] = FOLDER

    def read(self, source: Path = FOLDER) -> Iterator[Item | Refusal]:
        for place, path in enumerate(sorted(source.glob("*.json")), start=1):
            try:
                yield from _items(path)
            except TouchstoneError as error:
                yield Refusal(place, str(error))


@cache
def bundled_items() -> tuple[Item, ...]:
    """Every bundled item in order: each faithful pair, then its variants (`parent` is the pair's id)."""
    return tuple(item for path in sorted(FOLDER.glob("*.json")) for item in _items(path))


def _items(path: Path) -> list[Item]:
    """The faithful pair of a file and its variants; an error names the file and the field."""
    try:
        file = _File.model_validate_json(path.read_bytes())
        example = Example(file.id, file.document, file.summary)
        items = [Item(example, intended=Verdict.CONSISTENT, domain=file.domain, group=file.id, title=file.title)]
        for variant in file.variants:
            parsed = tuple(edits.parse(json.dumps(variant.edits), file.summary))
            items.append(
                Item(
                    Example(f"{file.id}/{variant.id}", file.document, edits.apply(file.summary, parsed)),
                    parent=file.id,
                    edits=parsed,
                    intended=variant.intended,
                    error_type=variant.error_type,
                    domain=file.domain,
                    group=file.id,
                    title=variant.title,
                )
            )
    except (ValidationError, TouchstoneError) as error:
        raise TouchstoneError(f"{path.name} is not an example file: {error}") from error
    return items
