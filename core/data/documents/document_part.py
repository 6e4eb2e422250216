"""A part of a document as it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """Text that is ready with a page, the number of pages in all, and the number of changes by their words."""

    text: str
    pages: int = 1
    cleaning: Mapping[str, int] = field(default_factory=dict)
