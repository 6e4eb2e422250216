"""Summaries of a dataset with what they were before their edits, for prompts that show both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.types import Item


@dataclass(frozen=True, slots=True)
class SummaryWithEdit:
    """`seed` is the summary before its edit and `reference` what its edits say of themselves, "" where there is none."""

    item: Item
    seed: str = ""
    reference: str = ""

    @property
    def group(self) -> str:
        """The document, the unit of resampling."""
        return self.item.group or self.item.example.id


def summaries_with_edits(items: Iterable[Item]) -> Iterator[SummaryWithEdit]:
    """One for each item; the seed is known where an item's parent came before it."""
    summaries: dict[str, str] = {}
    for item in items:
        summaries[item.example.id] = item.example.summary
        reference = " ".join(edit.explanation for edit in item.edits if edit.explanation)
        yield SummaryWithEdit(item, summaries.get(item.parent or "", ""), reference)
