"""Session of `import touchstone`: one engine for each process, and pairs as a notebook holds them."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol, runtime_checkable

from core.data import (
    ANSWER_WORDS,
    FIELD_NAMES,
    SIDES,
    YES_ANSWERS,
    Refusal,
    Row,
    are_answers,
    items_of_record,
    items_of_rows,
    opposite,
    spelling,
)
from core.errors import TouchstoneError
from core.model_reference import ModelRef, local_checkpoints
from core.models import ModelPool, ModelStatus
from core.scoring import METRICS, Engine, Metric
from core.settings import Settings
from core.text import optional_fields
from core.types import Example, Item

_LOOK_S = 0.2  # between two looks at a download
_NAMED_REFUSALS = 3  # that a message names

_engines: dict[int, Engine] = {}  # by process: one that was forked has none of the threads
_opening = threading.Lock()
_payer = ContextVar("payer", default="")


@runtime_checkable
class DataFrame(Protocol):
    """Part of pandas' class that is read; it is imported by whoever has one."""

    def to_dict(self, orient: str) -> list[Row]: ...


Pairs = Iterable[Example | Mapping[str, object]] | DataFrame
"""Examples, records with the field names of `core.data.datasets.pairs`, or a table with such columns."""


def engine() -> Engine:
    """The engine of this process, opened by the settings of this moment where there is none, for whoever `paid_by` names.

    Raises BadSettingError as `Engine.open` does.
    """
    with _opening:
        if os.getpid() not in _engines:
            _engines[os.getpid()] = Engine.open(Settings.read())
        opened = _engines[os.getpid()]
    return opened.charged_to(payer) if (payer := _payer.get()) else opened


@contextmanager
def paid_by(person: str) -> Iterator[None]:
    """Have the questions to endpoints within counted and limited as those of a person of a shared server; "" for nobody's."""
    token = _payer.set(person)
    try:
        yield
    finally:
        _payer.reset(token)


@atexit.register
def close() -> None:
    """Drop the models of this process and stop the threads; the next call opens an engine again."""
    with _opening:
        opened = _engines.pop(os.getpid(), None)
    if opened:
        opened.close()


def parse_metrics(specs: str | Iterable[str]) -> list[Metric]:
    """The metrics of these specs. Raises TouchstoneError for one that does not exist."""
    return [METRICS.parse(spec) for spec in ([specs] if isinstance(specs, str) else specs)]


def download_weights(pool: ModelPool, needed: Iterable[ModelRef]) -> None:
    """Download what is not on this machine; what cannot be downloaded fails its own scores later, with the reason."""
    for checkpoint in dict.fromkeys(local_checkpoints(needed)):
        if pool.state(checkpoint).status is ModelStatus.NEEDS_DOWNLOAD:
            pool.fetch(checkpoint)
            while pool.state(checkpoint).status is ModelStatus.DOWNLOADING:
                time.sleep(_LOOK_S)


def read_pairs(pairs: Pairs) -> list[Item]:
    """The items of pairs, in order; a pair with an edit is two.

    Raises TouchstoneError, which numbers the pairs from 1, where one of them cannot be read.
    """
    results = read_rows(pairs)
    require_all(result for result in results if isinstance(result, Refusal))
    return [result for result in results if isinstance(result, Item)]


def read_labelled_pairs(pairs: Pairs, label_of_1: str = "") -> list[Item]:
    """The items of pairs whose labels are used; `label_of_1`, consistent or inconsistent, is what a label of 1, yes or true says.

    Raises TouchstoneError as `read_pairs`, for another `label_of_1`, and without one where the labels are 1 and 0, yes and no or
    true and false alone: nothing says which of them is consistent.
    """
    if label_of_1 not in ("", *SIDES):
        raise TouchstoneError(
            f"label_of_1 is {label_of_1!r}. It is {' or '.join(SIDES)}: what a label of 1 or yes says."
        )
    rows = [_row(pair) for pair in (pairs.to_dict("records") if isinstance(pairs, DataFrame) else pairs)]
    columns = [_label_column(row) for row in rows]
    words = [_word(row[column]) if column else "" for row, column in zip(rows, columns, strict=True)]
    listed = sorted({*words} - {""})
    if {*listed} & ANSWER_WORDS and are_answers(listed) and not label_of_1:
        [first, *_] = filter(None, columns)
        raise TouchstoneError(
            f"{first} says {', '.join(listed)}, and nothing says which of them is consistent. "
            'Say it: label_of_1="inconsistent" where 1 means an error, label_of_1="consistent" where it means none.'
        )
    if label_of_1:
        verdict = SIDES[label_of_1]
        rows = [
            {**row, column: (verdict if word in YES_ANSWERS else opposite(verdict)).value}
            if word in ANSWER_WORDS
            else row
            for row, column, word in zip(rows, columns, words, strict=True)
        ]
    return read_pairs(rows)


def _label_column(row: Row) -> str:
    """The column of a row that is called as a label is; "" without one."""
    spelt = {spelling(name): name for name in row}
    return next((spelt[name] for name in FIELD_NAMES["label"] if name in spelt), "")


def _word(label: object) -> str:
    return "" if label is None else str(label).strip().lower()


def read_rows(pairs: Pairs) -> list[Item | Refusal]:
    """The items of pairs as `read_pairs` gives them, with a refusal in the place of a pair that cannot be read."""
    rows = pairs.to_dict("records") if isinstance(pairs, DataFrame) else pairs
    numbered = ((number, _row(pair)) for number, pair in enumerate(rows, start=1))
    return list(
        items_of_rows(numbered, Path("pairs"), lambda row, place: items_of_record(row, f"line-{place.number}"), {})
    )


def require_all(refusals: Iterable[Refusal]) -> None:
    """Raise TouchstoneError, which names the first of them, where pairs were refused."""
    if refused := list(refusals):
        named = " ".join(f"Pair {refusal.line}: {refusal.error}" for refusal in refused[:_NAMED_REFUSALS])
        raise TouchstoneError(f"{len(refused)} of the pairs cannot be read. {named}")


def _row(pair: Example | Mapping[str, object]) -> Row:
    """The fields of a pair; a table has nan (which equals nothing) where a cell is empty."""
    if isinstance(pair, Example):
        return {"id": pair.id, "document": pair.document, "summary": pair.summary, **optional_fields(pair)}
    return {name: None if value != value else value for name, value in pair.items()}
