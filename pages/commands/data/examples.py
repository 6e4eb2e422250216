"""`cli.py examples`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from core.data import bundled_items
from core.errors import TouchstoneError
from core.scoring import METRICS, Engine, json_line, outcome_record
from core.settings import Settings
from core.types import Item

EXAMPLE = "python cli.py examples trial"

_GROUPS = 12  # documents; enough for intervals, and scored in a second
_SCORES = ("scores.jsonl", "base.jsonl", "new.jsonl")


def command(
    folder: Annotated[
        Path, typer.Argument(help="A folder, which is made; a file of these names in it is not replaced.")
    ],
) -> None:
    """Write the files that the documents use, of the bundled examples: pairs, the same with labels, and scores by ROUGE-2."""
    items = bundled_items()
    groups = list(dict.fromkeys(item.group for item in items))[:_GROUPS]
    labelled = [item for item in items if item.group in groups]
    texts = {
        "pairs.jsonl": "".join(_line(item, labelled=False) for item in labelled if item.parent is None),
        "labelled.jsonl": "".join(_line(item, labelled=True) for item in labelled),
        **dict.fromkeys(_SCORES, _score(labelled)),
    }
    if there := [name for name in texts if (folder / name).exists()]:
        raise TouchstoneError(f"{folder} has {', '.join(there)} already. Nothing was written; name another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise TouchstoneError(f"{folder} cannot be written: {error.strerror}. Name another folder.") from error
    typer.echo(f"Wrote {', '.join(texts)} into {folder}.")


def _line(item: Item, *, labelled: bool) -> str:
    example = item.example
    record = {"id": example.id, "document": example.document, "summary": example.summary}
    if labelled:
        record |= {"label": str(item.intended), "group": item.group, "error_type": str(item.error_type or "")}
    return json.dumps(record, ensure_ascii=False) + "\n"


def _score(items: list[Item]) -> str:
    engine = Engine.open(Settings.read())
    try:
        outcomes = engine.run([METRICS.parse("rouge2")], [item.example for item in items])
        return "".join(json_line(outcome_record(example, outcome)) for example, outcome in outcomes)
    finally:
        engine.close()
