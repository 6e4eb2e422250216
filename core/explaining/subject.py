"""A summary with what is known of its edit: what an explanation of its error speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.types import Item


@dataclass(frozen=True, slots=True)
class Subject:
    """`seed` is the summary before its edit and `reference` what its edits say of themselves, "" where there is none."""

    item: Item
    seed: str = ""
    reference: str = ""

    @property
    def group(self) -> str:
        """The document, the unit of resampling."""
        return self.item.group or self.item.example.id


def subjects(items: Iterable[Item]) -> Iterator[Subject]:
    """One for each item; the seed is known where an item's parent came before it."""
    summaries: dict[str, str] = {}
    for item in items:
        summaries[item.example.id] = item.example.summary
        reference = " ".join(edit.explanation for edit in item.edits if edit.explanation)
        yield Subject(item, summaries.get(item.parent or "", ""), reference)
