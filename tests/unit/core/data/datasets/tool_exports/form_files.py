"""Small files in the forms of other tools, of texts of our own, and what is read from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from core.data.dataset import Refusal
from core.data.datasets.formats.known_forms import describe_form
from core.data.datasets.generic import Generic
from core.types import Item, Verdict

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars, and fog held her back for an hour."
TRUE, FALSE = "The Alma left Kiel at noon.", "The Alma left Kiel at night."
GOLD = "A gold summary that no model wrote."
CONSISTENT, INCONSISTENT = Verdict.CONSISTENT, Verdict.INCONSISTENT


def lines(folder: Path, records: Sequence[object]) -> Path:
    path = folder / "export.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def whole(folder: Path, content: object) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def items_of(path: Path, importer: Generic | None = None) -> list[Item]:
    records = list((importer or Generic()).read(path))
    assert [record for record in records if isinstance(record, Refusal)] == []
    return [record for record in records if isinstance(record, Item)]


def refusals_of(path: Path) -> list[str]:
    return [record.error for record in Generic().read(path) if isinstance(record, Refusal)]


def texts(items: Sequence[Item]) -> list[tuple[str, str]]:
    return [(item.example.document, item.example.summary) for item in items]


def labels(items: Sequence[Item]) -> list[Verdict | None]:
    return [item.intended for item in items]


def votes(item: Item) -> dict[str, Verdict]:
    return {vote.judge: vote.verdict for vote in item.judgements}


def scores(item: Item) -> dict[str, float]:
    return {score.metric: score.value for score in item.scores}


def looks_like(path: Path) -> str:
    return describe_form(path).removeprefix("This looks like ").removesuffix(".")
