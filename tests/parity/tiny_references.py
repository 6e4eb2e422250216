"""A table of references of the texts that the contract of metrics is tried on."""

from __future__ import annotations

import json
from pathlib import Path

from core.data.datasets.bundled import bundled_items


def table(folder: Path) -> Path:
    """The file of this table: the bundled summaries that no edit made, each of its document."""
    folder.mkdir(parents=True)
    file = folder / "references.jsonl"
    rows = [
        {"document": item.example.document, "reference": item.example.summary}
        for item in bundled_items()
        if not item.parent
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


SPECS = {"against-reference": lambda built: f"against-reference[references={built(table)}]"}
