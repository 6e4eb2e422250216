"""Rows of the score board, and how their numbers become words, steps and places: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.registry import settings_label
from core.results import NullBand, edit_verdict, format_edge, mark_place
from core.scoring import SURFACE
from core.stats import MIN_FOR_QUANTILES, Move, classify_move
from core.types import UNSTATED, Direction, Intention, Verdict, WordScore

RowState = Literal["ready", "waiting", "loading", "queued", "running", "failed", "needs download", "needs endpoint"]
RowAction = Literal["download", "load", "retry", ""]


@dataclass(frozen=True, slots=True)
class Noise:
    """Shift of a metric by harmless edits of about the same size; `words` say why this is not known, where it is asked.

    The edits are by the `battery`.
    """

    band: NullBand | None = None
    words: str = ""
    battery: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One metric on the board.

    While a row is queued, loading or running, `after` and `parts` may still hold the previous values, which are drawn in grey.
    """

    spec: str
    """Spec of the metric."""
    title: str
    """Title that the board shows."""
    family: str
    """Family of the metric, as on its card."""
    state: RowState = "ready"
    """State of the score of the edited summary."""
    message: str = ""
    """Reason why there is no score, or what the row waits for; empty otherwise."""
    before: float | None = None
    """Score of the original summary; None without one."""
    after: float | None = None
    """Score of the edited summary; None without one. A row that waits for its key may show that of an older text."""
    words: tuple[tuple[WordScore, ...], ...] = ()
    """Scored words of each sentence, placed from its start; empty for a metric that does not score words."""
    low: float | None = None
    """Lower bound of the score; None where unbounded."""
    high: float | None = None
    """Upper bound of the score; None where unbounded."""
    direction: Direction = "higher"
    """End of the scale that is the more consistent; neutral for neither."""
    seconds: float | None = None
    """Seconds that the score took; None without a score."""
    parts: tuple[float | None, ...] = ()
    """Scores of the sentences of the current summary; None for a sentence without one."""
    parts_before: tuple[float | None, ...] = ()
    """Scores of the original sentences that they come from; empty without an edit."""
    no_claim: frozenset[int] = frozenset()
    """Places of the sentences that no claim is of, for a metric that scores claims."""
    notes: tuple[str, ...] = ()
    """Remarks about the score, such as a text that was truncated."""
    unverified: str = ""
    """Mark on scores in a language that the metric is not meant for; empty in any other."""
    saved: float | None = None
    """Score that was stored with the kept pair; None without one."""
    action: RowAction = ""
    """Action of the row's button; empty without a button."""
    noise: Noise = Noise()
    """Range in which harmless edits of the same size move the score."""

    @property
    def is_surface(self) -> bool:
        """True if it describes the text only: no paper says that one of its sides is more consistent."""
        return self.family == SURFACE


@dataclass(frozen=True, slots=True)
class Board:
    """All rows over one summary, what is selected of them, and what the edit is meant to make of the summary.

    `quotes` is the evidence of the selected metric for each sentence, empty where it names none.
    """

    rows: tuple[BoardRow, ...]
    sentences: tuple[str, ...]
    selected_metric: str = ""
    selected_sentence: int | None = None
    quotes: tuple[str, ...] = ()
    meant: Intention = UNSTATED


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection by a click: a metric, and one of the summary's sentences or none."""

    spec: str
    sentence: int | None


@dataclass(frozen=True, slots=True)
class LastShown:
    """The scores a metric showed last: of the original summary, and of the edited one of then, the last of `texts`."""

    before: float | None = None
    after: float | None = None
    parts: tuple[float | None, ...] = ()
    texts: tuple[str, ...] = ()


BoardData = dict[str, object]

_PENDING_STATES = {"queued", "loading", "running"}
_MEASURING = "measuring"
_UNKNOWN_NOISE = {
    _MEASURING: "Harmless edits of about the same size are being scored.",
    "not measured": "The noise of metrics that wait for a key is not measured: it takes some thirty scores.",
}
_NO_NOISE: BoardData = {"text": "", "about": "", "place": None}


def noise_data(row: BoardRow) -> BoardData:
    """The distance to the edge of the noise, a sentence about it, and the place of the shift on the strip; None where there is no band."""
    if row.state != "ready" or row.before is None or row.after is None or row.noise == Noise():
        return _NO_NOISE
    band, shift = row.noise.band, row.after - row.before
    if band is None:
        return {**_NO_NOISE, "text": row.noise.words, "about": _UNKNOWN_NOISE[row.noise.words]}
    edge = band.edge(shift)
    if band.low is None or band.high is None:
        few = f"Only {band.n} harmless edits of this summary could be made and scored, too few to tell the noise."
        return {**_NO_NOISE, "text": "unknown", "about": few}
    battery = f" Battery: {row.noise.battery}." if row.noise.battery else ""
    # the data of the band, and on which side of its ends the shift is
    sizes = "any size (too few are of about the same)" if band.any_size else "about the same size"
    where = f" ({band.elsewhere} of bundled pairs)" if band.elsewhere else ""
    edits = f"Of {band.n} harmless edits of {sizes}{where},"
    if edge is None:
        return {**_NO_NOISE, "text": "unknown", "about": f"{edits} none moves the score: they tell no noise.{battery}"}
    share = "95 % shift" if band.n >= MIN_FOR_QUANTILES else "all shift"
    about = (
        f"{edits} {share} the score by {band.low:+.2g} to {band.high:+.2g}. This shift lies "
        f"{'within' if edge <= 1.0 else 'outside'}, at {format_edge(edge)} of the way to the edge."
    ).replace("-", "\u2212")
    return {
        "text": f"{'≈ ' if band.any_size else ''}{format_edge(edge)}",
        "about": f"{about}{battery}",
        "place": mark_place(edge, shift),
    }


HEAT_STEPS = 5

DIRECTION_HINTS: dict[Direction, str] = {
    "higher": "higher = more consistent",
    "lower": "lower = more consistent",
    "neutral": "no better side",
}

Bound = float | None


def board_data(board: Board) -> BoardData:
    """The board as the browser draws it."""
    preserving = board.meant.verdict is Verdict.CONSISTENT
    return {
        "verdict": board_verdict(board),
        "rows": [_row_data(row, preserving=preserving) for row in board.rows],
        "sentences": board.sentences,
        "metric": board.selected_metric,
        "sentence": board.selected_sentence,
        "quotes": board.quotes,
    }


def board_verdict(board: Board) -> str:
    """Sentence on what the edit did and how many metrics noticed; empty without an edit."""
    preserving = board.meant.verdict is Verdict.CONSISTENT
    judging = [row for row in board.rows if not row.is_surface]
    moves = [move for row in judging if not is_to_come(row) and (move := shift_move(row, preserving=preserving))]
    return edit_verdict(moves, board.meant, to_come=sum(map(is_to_come, judging)) if moves else 0)


def format_number(value: float | None, low: Bound, high: Bound, decimals: int = 3) -> str:
    """The value with at most `decimals` decimals, one where its range or size is large; a dash where there is none."""
    if value is None:
        return "–"
    wide = low is not None and high is not None and high - low > 10
    return f"{value:.{1 if wide or abs(value) >= 100 else decimals}f}".replace("-", "\u2212")


def format_score(value: float | None, low: Bound, high: Bound) -> str:
    """A number; what would be printed as zero and is not shows its magnitude instead, as in 7e−05."""
    text = format_number(value, low, high)
    return f"{value:.0e}".replace("-", "\u2212") if value and not text.strip("\u22120.") else text


def format_shift(shift: float, low: Bound, high: Bound) -> str:
    """A number with its sign, which what prints as zero does not have."""
    text = format_number(shift, low, high)
    if not text.strip("\u22120."):
        return text.lstrip("\u2212")
    return text if shift < 0 else f"+{text}"


def format_duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 0.001:
        return "< 1 ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def relative_position(value: float | None, low: Bound, high: Bound) -> float | None:
    """Position of the value between its bounds, 0 to 1; None where one of the three is missing."""
    if value is None or low is None or high is None or low >= high:
        return None
    return min(max((value - low) / (high - low), 0.0), 1.0)


def shift_move(row: BoardRow, *, preserving: bool) -> Move | None:
    """Move of a row against harmless edits; None for a surface statistic, and while there is no edit or score."""
    if row.is_surface or row.state != "ready" or row.before is None or row.after is None or row.noise == Noise():
        return None
    noise = row.noise.band.range if row.noise.band else None
    return classify_move(row.after - row.before, noise, row.direction, preserving=preserving)


def beyond_noise(rows: Sequence[BoardRow], meant: Intention) -> dict[str, float]:
    """By the specs of the metrics that an edit moves beyond their noise, how many times as far as its edge."""
    preserving = meant.verdict is Verdict.CONSISTENT
    edges: dict[str, float] = {}
    for row in rows:
        if shift_move(row, preserving=preserving) in (Move.RIGHT, Move.WRONG) and row.noise.band:
            edges[row.spec] = row.noise.band.edge((row.after or 0.0) - (row.before or 0.0)) or 0.0
    return edges


def is_to_come(row: BoardRow) -> bool:
    """True while the score of a row, or the noise that its shift is compared with, is being computed."""
    return row.state in _PENDING_STATES or row.noise.words == _MEASURING


def shift_words(row: BoardRow, move: Move | None) -> str:
    """Direction in which the edit moved the score, or that harmless edits move it as far; empty for no move."""
    neutral = row.is_surface or row.direction == "neutral"
    if neutral or row.before is None or row.after is None or row.before == row.after:
        return ""
    if move is Move.STILL:
        return Move.STILL.value
    return "more consistent" if (row.after > row.before) == (row.direction == "higher") else "less consistent"


def heat_steps(parts: Sequence[float | None], low: Bound, high: Bound, direction: Direction) -> list[int | None]:
    """A step of 0 to 4 per sentence on the metric's declared range, strongest where it finds least support.

    None for a sentence without a score, and where the metric has no better side or no declared range.
    """
    if direction == "neutral":
        return [None] * len(parts)
    places = [relative_position(part, low, high) for part in parts]
    strengths = [1 - place if place is not None and direction == "higher" else place for place in places]
    return [None if strength is None else min(int(strength * HEAT_STEPS), HEAT_STEPS - 1) for strength in strengths]


def _row_data(row: BoardRow, *, preserving: bool) -> BoardData:
    then, move = format_score(row.saved, row.low, row.high), shift_move(row, preserving=preserving)
    if row.low is None or row.high is None:
        range_data = None
    else:
        ends = {"low": f"{row.low:g}".replace("-", "\u2212"), "high": f"{row.high:g}".replace("-", "\u2212")}
        after = None if row.state == "waiting" else relative_position(row.after, row.low, row.high)
        range_data = {**ends, "before": relative_position(row.before, row.low, row.high), "after": after}

    direction = "neutral" if row.is_surface else row.direction
    before = row.parts_before or (None,) * len(row.parts)
    texts, old = (
        ["" if part is None else format_number(part, row.low, row.high, decimals=2) for part in parts]
        for parts in (row.parts, before)
    )
    steps, old_steps = (heat_steps(parts, row.low, row.high, direction) for parts in (row.parts, before))
    part_data = [
        {
            "text": text,
            "step": step,
            "before": was if was != text else "",
            "before_step": was_step,
            **({"missing": "no claim"} if place in row.no_claim and not text else {}),
        }
        for place, (text, step, was, was_step) in enumerate(zip(texts, steps, old, old_steps, strict=True))
    ]
    word_data = []  # start, end, step and score of each word of each sentence
    for words in row.words:
        scored = zip(words, heat_steps([word.score for word in words], row.low, row.high, row.direction), strict=True)
        word_data.append(
            [
                (word.span.start, word.span.end, step, format_number(word.score, row.low, row.high, decimals=2))
                for word, step in scored
            ]
        )
    return {
        "spec": row.spec,
        "title": row.title,
        "family": row.family,
        "settings": settings_label(row.spec),
        "state": row.state,
        "message": row.message,
        "action": row.action,
        "waiting": row.state == "waiting",
        "older": row.state == "waiting" and row.after is not None,
        "pending": row.state in _PENDING_STATES,
        "before": format_score(row.before, row.low, row.high),
        "after": format_score(row.after, row.low, row.high),
        "saved": "" if row.saved is None or then == format_score(row.after, row.low, row.high) else then,
        "shift": _shift_data(row, move),
        "noise": noise_data(row),
        "range": range_data,
        "surface": row.is_surface,
        "hint": "describes the text" if row.is_surface else DIRECTION_HINTS[row.direction],
        "time": format_duration(row.seconds),
        "parts": part_data,
        "words": word_data,
        "notes": row.notes,
        "unverified": row.unverified,
    }


def _shift_data(row: BoardRow, move: Move | None) -> BoardData:
    if row.before is None or row.after is None or row.state == "waiting":
        return {"text": "–", "words": "", "arrow": "", "move": ""}
    shift = row.after - row.before
    text = format_shift(shift, row.low, row.high)
    zero = text[0] not in "+\u2212"
    return {
        "text": text,
        "words": "" if zero else shift_words(row, move),
        "arrow": "" if zero or row.direction == "neutral" else "▲" if shift > 0 else "▼",
        "move": move.value if move else "",
    }
