"""Small labelled data, and a training on it as a process that a test kills."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from core.data.datasets.bundled import bundled_items
from core.edits.battery import Battery
from core.evaluation.training.trainer import train_words
from core.evaluation.training.training_data import generated_rows, labelled_rows, training_data
from core.evaluation.training.training_row import TrainingRow
from core.models.unfinished_training import TrainingStep, UnfinishedTraining
from core.models.words.trained_head import write_head
from core.types import Edit, Example, Item, Span, Verdict
from tests.unit.core.evaluation.training.hashed_words import encoder

TOWNS = "Aven Borel Corvin Dastra Elmor Fenwick Garlan Hovel Istren Jarrow Kelby Lorne".split()
GOODS = "grain timber copper salt wool paper glass cheese oil cloth tin coal".split()


def items(documents: int = 24) -> list[Item]:
    """So many documents, each with a summary that it supports and one with another town."""
    found = []
    for number in range(documents):
        drawn = random.Random(number)
        town, other, third = drawn.sample(TOWNS, 3)
        first, second = drawn.sample(GOODS, 2)
        document = (
            f"A ship from {town} brought {first} to the market on day {number}. Traders from {third} sold {second} there. "
            f"The council of {town} asked for a longer quay, and {number + 30} workers built it."
        )
        summary = f"A ship from {town} brought {first}. Traders sold {second}."
        start = summary.index(town)
        edit = Edit(Span(start, start + len(town)), other)
        original = Item(Example(f"d{number}", document, summary), intended=Verdict.CONSISTENT, group=f"g{number}")
        edited = summary.replace(town, other)
        found += [
            original,
            replace(
                original,
                example=Example(f"d{number}/edited", document, edited),
                parent=f"d{number}",
                edits=(edit,),
                intended=Verdict.INCONSISTENT,
            ),
        ]
    return found


@cache
def few_bundled_corruptions(seed: int, battery: Battery) -> tuple[TrainingRow, ...]:
    """Texts that a training draws from, of the first documents alone: the corruptions of all bundled examples take ten seconds."""
    return tuple(generated_rows(labelled_rows(bundled_items()[:60])[0], seed, battery))


@contextmanager
def few_corruptions() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.evaluation.training.training_data._bundled_corruptions", few_bundled_corruptions)
        yield


def train_into(folder: Path) -> Iterator[TrainingStep]:
    """The steps of a training whose weights lie in the folder at the end, and what it has done before then."""
    unfinished = UnfinishedTraining.open(folder, ["items"])
    found = yield from train_words(training_data(items(), 0.3, seed=0), encoder(), 0, unfinished)
    write_head(folder, found.head)


if __name__ == "__main__":
    with few_corruptions():
        for step in train_into(Path(sys.argv[1])):
            sys.stdout.write(f"{step.stage}\n")
            sys.stdout.flush()
