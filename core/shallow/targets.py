"""What a shallow model learns to predict: the labels of pairs, or the scores that another metric gave them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import TouchstoneError, UnknownNameError
from core.shallow.model import Output
from core.types import Item, Verdict

LABEL = "label"
_NUMBERS: Mapping[Verdict | None, float] = {Verdict.CONSISTENT: 1.0, Verdict.INCONSISTENT: 0.0}

Aim = tuple[Item, float]
"""An item and its target."""


@dataclass(frozen=True, slots=True)
class Target:
    """What to predict: the labels where `scores` is None, else the scores of metric `name` in that file."""

    name: str = LABEL
    scores: Path | None = None

    @property
    def output(self) -> Output:
        return "score" if self.scores else "probability"

    def of(self, items: Iterable[Item]) -> list[Aim]:
        """The items that have a target; borderline labels and failed scores are none. Raises TouchstoneError for none."""
        found = list(items)
        aims = _scored(found, scores(self.scores, self.name)) if self.scores else _labelled(found)
        if not aims:
            raise TouchstoneError(f"None of the {len(found)} pairs has {self._missing()}")
        return aims

    def _missing(self) -> str:
        if self.scores:
            return f"a score of {self.name} in {self.scores}. Score the same file: the ids must be equal."
        return 'a label "consistent" or "inconsistent". Add one, or set --target SCORES.jsonl:METRIC.'


def parse(text: str) -> Target:
    """A target from "label" or "SCORES.jsonl:METRIC"; raises TouchstoneError for something else."""
    if text == LABEL:
        return Target()
    places = [place for place, letter in enumerate(text) if letter == ":"]
    for place in places:  # a path and a metric may hold colons themselves
        if (path := Path(text[:place])).is_file():
            return Target(text[place + 1 :], path)
    raise TouchstoneError(
        f"{text!r} is no target. Write label, or SCORES.jsonl:METRIC with a file that `cli.py score` wrote and the "
        "name of a metric in it."
    )


def scores(path: Path, metric: str) -> dict[str, float]:
    """Id → score of one metric, from the JSONL that `cli.py score` writes; those that failed are left out."""
    records = list(_records(path))
    known = {str(record["metric"]) for record in records}
    if metric not in known:
        raise UnknownNameError(f"metric in {path.name}", metric, known)
    return {
        str(record["id"]): float(value)
        for record in records
        if record["metric"] == metric and isinstance(value := record["score"], int | float) and math.isfinite(value)
    }


def _records(path: Path) -> Iterator[dict[str, object]]:
    with path.open("rb") as file:  # as bytes: a text would also be cut at the line separators inside of sentences
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _record(line, f"{path}, line {number}")


def _record(line: bytes, where: str) -> dict[str, object]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, brackets in thousands
        record = None
    if not isinstance(record, dict) or not {"id", "metric", "score"} <= set(record):
        raise TouchstoneError(
            f"{where}: this is no object with id, metric and score. Name a file that `cli.py score` wrote."
        )
    return record


def _labelled(items: Iterable[Item]) -> list[Aim]:
    return [(item, _NUMBERS[item.intended]) for item in items if item.intended in _NUMBERS]


def _scored(items: Iterable[Item], known: Mapping[str, float]) -> list[Aim]:
    return [(item, known[item.example.id]) for item in items if item.example.id in known]
