"""The nouns of the score board: what it shows, and what a person chose on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.metric import Direction
from core.stress.noise import Band

State = Literal["ready", "waiting", "loading", "queued", "running", "failed", "needs download", "needs endpoint"]
Action = Literal["download", "load", "retry", ""]


@dataclass(frozen=True, slots=True)
class Noise:
    """How far harmless edits of about the same size move a metric; `words` say why this is not known, where it is asked."""

    band: Band | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One metric: `before` is of the original summary, `after` of the edited one, `saved` of when the pair was kept.

    `parts` are the scores of the current summary's sentences. While a row is queued, loading or running, `after` and
    `parts` may still hold the previous values: they are drawn in grey. A row that waits for its key may hold the
    `after` of an older text, which is said beside it. `low` and `high` are None where unbounded.
    """

    spec: str
    title: str
    family: str
    state: State = "ready"
    message: str = ""
    before: float | None = None
    after: float | None = None
    low: float | None = None
    high: float | None = None
    direction: Direction = "higher"
    seconds: float | None = None
    parts: tuple[float | None, ...] = ()
    notes: tuple[str, ...] = ()
    saved: float | None = None
    action: Action = ""
    noise: Noise = Noise()


@dataclass(frozen=True, slots=True)
class Board:
    """All rows over one summary, and what is selected of them."""

    rows: tuple[Row, ...]
    sentences: tuple[str, ...]
    selected_metric: str = ""
    selected_sentence: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What was clicked: a metric, and one of the summary's sentences or none."""

    spec: str
    sentence: int | None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a metric said last: of the original summary, and of the edited one as it stood then, the last of `texts`."""

    before: float | None = None
    after: float | None = None
    parts: tuple[float | None, ...] = ()
    texts: tuple[str, ...] = ()
