"""The bundled examples of some documents as a file of pairs."""

from __future__ import annotations

import json
from pathlib import Path

from core.data.datasets.bundled import bundled_items


def write_bundled_pairs(path: Path, documents: int) -> Path:
    """Every edited summary of so many documents, with its original, label and error type."""
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:documents]
    items = {item.example.id: item for item in bundled_items() if item.group in groups}
    lines = []
    for item in items.values():
        record = {"id": item.example.id, "document": item.example.document, "group": item.group, "domain": item.domain}
        if item.parent:
            record |= {"summary": items[item.parent].example.summary, "edited": item.example.summary}
            record |= {"label": item.intended, "error_type": item.error_type}
            lines.append(record)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
