"""`cli.py examples`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from core.data import bundled_items
from core.errors import TouchstoneError
from core.scoring import METRICS, Engine, json_line, outcome_record
from core.settings import Settings
from core.text import records_csv
from core.types import Item, Verdict

EXAMPLE = "python cli.py examples trial"

_GROUPS = 24  # documents; enough to train on and for intervals, and scored in a second
_SCORES = ("scores.jsonl", "base.jsonl", "new.jsonl")
_LABELS_OF_PEOPLE = 8
_CLASSES = {Verdict.CONSISTENT: 0, Verdict.INCONSISTENT: 2}  # as of inference, where 1 is neutral


def command(
    folder: Annotated[
        Path, typer.Argument(help="A folder, which is made; a file of these names in it is not replaced.")
    ],
) -> None:
    """Write the files that the documents use, of the bundled examples: pairs, tables with labels, and scores by ROUGE-2."""
    items = bundled_items()
    groups = list(dict.fromkeys(item.group for item in items))[:_GROUPS]
    labelled = [item for item in items if item.group in groups]
    sources = [item for item in labelled if item.parent is None]
    half = groups[: _GROUPS // 2]
    texts = {
        "pairs.jsonl": "".join(json_line(_pair(item)) for item in sources[: _GROUPS // 2]),
        "unlabelled.jsonl": "".join(json_line(_pair(item)) for item in sources),
        "labelled.jsonl": "".join(json_line(_labelled(item)) for item in labelled),
        "week1.jsonl": "".join(json_line(_labelled(item)) for item in labelled if item.group in half),
        "week2.jsonl": "".join(json_line(_labelled(item)) for item in labelled if item.group not in half),
        "few.jsonl": "".join(json_line(_label(item)) for item in labelled[::3]),
        "own.csv": _table(labelled, {Verdict.CONSISTENT: 0, Verdict.INCONSISTENT: 1}),
        "nli.csv": _table(labelled, _CLASSES),
        "export.json": json.dumps([_task(item) for item in labelled[:_LABELS_OF_PEOPLE]], ensure_ascii=False, indent=1),
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


def _pair(item: Item) -> dict[str, str]:
    return {"id": item.example.id, "document": item.example.document, "summary": item.example.summary}


def _label(item: Item) -> dict[str, str]:
    return {"id": item.example.id, "label": str(item.intended)}


def _labelled(item: Item) -> dict[str, str]:
    return _pair(item) | _label(item) | {"group": item.group, "error_type": str(item.error_type or "")}


def _table(items: Sequence[Item], classes: Mapping[Verdict, int]) -> str:
    """As a team's own table is: columns of its own, and a label that is a number."""
    return records_csv(
        [
            {**_pair(item), "label": classes[item.intended], "system": "edited" if item.parent else "first"}
            for item in items
            if item.intended
        ]
    )


def _task(item: Item) -> dict[str, object]:
    """As Label Studio exports it, with two people who agree."""
    choice = {"from_name": "verdict", "type": "choices", "value": {"choices": [str(item.intended)]}}
    answers = [{"id": person, "completed_by": person, "result": [choice]} for person in (1, 2)]
    return {"id": item.example.id, "data": _pair(item), "annotations": answers}


def _score(items: Sequence[Item]) -> str:
    engine = Engine.open(Settings.read())
    try:
        outcomes = engine.run([METRICS.parse("rouge2")], [item.example for item in items])
        return "".join(json_line(outcome_record(example, outcome)) for example, outcome in outcomes)
    finally:
        engine.close()
