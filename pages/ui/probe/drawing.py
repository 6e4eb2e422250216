"""From rows of numbers to what the score board prints: pure functions, so that every word and step can be tested."""

from __future__ import annotations

from collections.abc import Sequence

from core.metric import Direction
from pages.ui.probe.noise_drawing import noise
from pages.ui.probe.rows import Board, Row

TINY = 0.02
"""Shifts below this share of the range are drawn without a side."""

STEPS = 5

HINTS: dict[Direction, str] = {
    "higher": "higher = more consistent",
    "lower": "lower = more consistent",
    "neutral": "no better side",
}

Bound = float | None
Drawing = dict[str, object]


def drawing(board: Board) -> Drawing:
    """The board as the browser draws it."""
    return {
        "rows": [_row(row) for row in board.rows],
        "sentences": board.sentences,
        "metric": board.selected_metric,
        "sentence": board.selected_sentence,
    }


def number(value: float | None, low: Bound, high: Bound, decimals: int = 3) -> str:
    """The value with at most `decimals` decimals, one where its range or size is large; a dash where there is none."""
    if value is None:
        return "–"
    wide = low is not None and high is not None and high - low > 10
    return f"{value:.{1 if wide or abs(value) >= 100 else decimals}f}".replace("-", "\u2212")


def score(value: float | None, low: Bound, high: Bound) -> str:
    """A number; what would be printed as zero and is not shows its magnitude instead, as in 7e−05."""
    text = number(value, low, high)
    return f"{value:.0e}".replace("-", "\u2212") if value and not text.strip("\u22120.") else text


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 0.001:
        return "< 1 ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def share(value: float | None, low: Bound, high: Bound) -> float | None:
    """Where the value lies between its bounds, 0 to 1; None where one of the three is missing."""
    if value is None or low is None or high is None or low >= high:
        return None
    return min(max((value - low) / (high - low), 0.0), 1.0)


def side(row: Row) -> str:
    """Which way the edit moved the score: "more consistent", "less consistent", or "" for none or hardly."""
    if row.before is None or row.after is None or row.direction == "neutral":
        return ""
    shift = row.after - row.before
    if abs(shift) < TINY * _scale(row.before, row.after, row.low, row.high):
        return ""
    return "more consistent" if (shift > 0) == (row.direction == "higher") else "less consistent"


def heat(parts: Sequence[float | None], low: Bound, high: Bound, direction: Direction) -> list[int | None]:
    """A step of 0 to 4 per sentence, strongest where the metric finds least support (neutral: where it is highest).

    Without bounds the sentences are scaled between their own lowest and highest.
    """
    known = [part for part in parts if part is not None]
    if low is None or high is None:
        low, high = min(known, default=0.0), max(known, default=0.0)
    return [None if part is None else _step(share(part, low, high), direction) for part in parts]


def _step(placed: float | None, direction: Direction) -> int:
    if placed is None:
        return 0
    strength = 1 - placed if direction == "higher" else placed
    return min(int(strength * STEPS), STEPS - 1)


def _scale(before: float, after: float, low: Bound, high: Bound) -> float:
    return high - low if low is not None and high is not None else max(abs(before), abs(after))


def _row(row: Row) -> Drawing:
    return {
        "spec": row.spec,
        "title": row.title,
        "family": row.family,
        "settings": row.spec.partition("[")[2].removesuffix("]"),
        "state": row.state,
        "message": row.message,
        "action": row.action,
        "waiting": row.state == "waiting",
        "older": row.state == "waiting" and row.after is not None,
        "pending": row.state in {"queued", "loading", "running"},
        "before": score(row.before, row.low, row.high),
        "after": score(row.after, row.low, row.high),
        "saved": _saved(row),
        "shift": _shift(row),
        "noise": noise(row),
        "range": _range(row),
        "hint": HINTS[row.direction],
        "time": duration(row.seconds),
        "parts": _parts(row),
        "neutral": row.direction == "neutral",
        "notes": row.notes,
    }


def _saved(row: Row) -> str:
    """What the score was when the pair was kept, where it prints differently now."""
    then = score(row.saved, row.low, row.high)
    return "" if row.saved is None or then == score(row.after, row.low, row.high) else then


def _shift(row: Row) -> Drawing:
    if row.before is None or row.after is None or row.state == "waiting":
        return {"text": "–", "side": "", "arrow": ""}
    shift = row.after - row.before
    text = number(shift, row.low, row.high)
    zero = not float(text.replace("\u2212", "-"))
    words = side(row)
    arrow = "" if not words else "▲" if shift > 0 else "▼"
    return {"text": text.lstrip("\u2212") if zero else text if shift < 0 else f"+{text}", "side": words, "arrow": arrow}


def _range(row: Row) -> Drawing | None:
    if row.low is None or row.high is None:
        return None
    ends = {"low": f"{row.low:g}".replace("-", "\u2212"), "high": f"{row.high:g}".replace("-", "\u2212")}
    after = None if row.state == "waiting" else share(row.after, row.low, row.high)
    return {**ends, "before": share(row.before, row.low, row.high), "after": after}


def _parts(row: Row) -> list[Drawing]:
    steps = heat(row.parts, row.low, row.high, row.direction)
    texts = [number(part, row.low, row.high, decimals=2) for part in row.parts]
    return [{"text": text, "step": step} for text, step in zip(texts, steps, strict=True)]
