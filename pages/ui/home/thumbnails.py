"""Small pictures of things, drawn from their data as SVG: an edit with the shifts of its scores, a matrix, progress, verdicts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotations.management.campaign_progress import CampaignProgress
from annotations.store.records import StoredPair
from core.assessment import JUDGED_LEVELS, AuditAnswer, Level
from core.errors import TouchstoneError
from core.results import MatrixCell
from core.scoring import METRICS
from core.stats import Move
from core.text import as_segments
from core.types import Result
from pages.ui.shared.markup import render_html

WIDTH, HEIGHT = 96.0, 48.0
_BAR = 7.0  # height of the bar that stands for a summary
_EDIT_CLASSES = {-1: "removed", 0: "plain", 1: "inserted"}
_MOVE_CLASSES = {Move.RIGHT: "right", Move.WRONG: "wrong", Move.STILL: "plain"}
_LEVEL_CLASSES = {Level.GOOD: "right", Level.WEAK: "plain", Level.FAILS: "wrong"}
_MOST_ROWS, _MOST_COLUMNS = 8, 24
_MOST_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle in units of the picture; `style` is its class."""

    x: float
    y: float
    width: float
    height: float
    style: str
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line in units of the picture; `style` is its class."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A picture of WIDTH by HEIGHT, and what it shows in words."""

    about: str
    rectangles: tuple[Rectangle, ...] = ()
    lines: tuple[Line, ...] = ()


def thumbnail_html(picture: Thumbnail) -> str:
    """The picture as an image of SVG in HTML, as Streamlit draws no SVG that stands in HTML itself; its words are escaped."""
    svg = render_html("thumbnail.svg", picture=picture, width=WIDTH, height=HEIGHT)
    encoded = b64encode(svg.encode()).decode()
    return render_html("thumbnail.html", picture=picture, svg=encoded, width=WIDTH, height=HEIGHT)


def pair_thumbnail(stored: StoredPair) -> Thumbnail:
    """The summary as a bar with its edits, and below it the score of each bounded metric from before to after, more consistent above.

    No shift is coloured: its noise is not kept with the pair.
    """
    pair = stored.pair
    segments = [(op, len(text)) for op, text in as_segments(pair.original, pair.edits)] or [(0, 1)]
    total, at = sum(letters for _, letters in segments) or 1, 0.0
    bar: list[Rectangle] = []
    for op, letters in segments:
        width = WIDTH * letters / total
        bar.append(Rectangle(at, 0, width, _BAR, _EDIT_CLASSES[op]))
        at += width
    top, room = _BAR + 5, HEIGHT - _BAR - 7
    sides: dict[str, dict[str, float]] = {}
    for outcome in pair.outcomes:
        if isinstance(outcome, Result):
            sides.setdefault(outcome.metric, {})[outcome.example_id] = outcome.score
    lines = []
    for metric, values in sides.items():
        try:
            card = METRICS.parse(metric).card
        except TouchstoneError:  # a plug-in that is not here any more
            continue
        if card.low is None or card.high is None or card.direction == "neutral":
            continue
        if not {"original", "edited"} <= values.keys():
            continue
        worst, best = (card.high, card.low) if card.direction == "lower" else (card.low, card.high)
        before, after = (min(1.0, max(0.0, (values[side] - worst) / (best - worst))) for side in ("original", "edited"))
        lines.append(Line(6, top + room * (1 - before), WIDTH - 6, top + room * (1 - after), "plain"))
    edits = len(pair.edits)
    return Thumbnail(
        f"{edits} edit{'' if edits == 1 else 's'} of the summary, and {len(lines)} scores from before to after",
        tuple(bar),
        tuple(lines),
    )


def run_thumbnail(cells: Sequence[MatrixCell]) -> Thumbnail:
    """The matrix: a row for each metric, a column for each perturbation, coloured by the move."""
    metrics = list(dict.fromkeys(cell.metric for cell in cells))[:_MOST_ROWS]
    kinds = list(dict.fromkeys(cell.kind for cell in cells))[:_MOST_COLUMNS]
    width, height = WIDTH / max(1, len(kinds)), HEIGHT / max(1, len(metrics))
    tiles = [
        Rectangle(
            kinds.index(cell.kind) * width,
            metrics.index(cell.metric) * height,
            max(0.5, width - 1),
            max(0.5, height - 1),
            f"{_MOVE_CLASSES.get(cell.move, 'none')}{' few' if cell.few else ''}",
            1,
        )
        for cell in cells
        if cell.metric in metrics and cell.kind in kinds
    ]
    moves = [cell.move for cell in cells]
    return Thumbnail(
        f"{moves.count(Move.RIGHT)} of {len(cells)} cells moved as they should, {moves.count(Move.WRONG)} the wrong way",
        tuple(tiles),
    )


def campaign_thumbnail(progress: CampaignProgress) -> Thumbnail:
    """The labels that are there of those that are wanted, and below a bar for each of the first people."""
    rows = [
        (progress.answered, progress.required, "right"),
        *((person.answered, progress.tasks, "plain") for person in progress.people),
    ]
    bars = []
    for place, (done, total, style) in enumerate(rows[: _MOST_PEOPLE + 1]):
        y, height = (2.0, 10.0) if place == 0 else (18.0 + 10 * (place - 1), 6.0)
        bars.append(Rectangle(0, y, WIDTH, height, "none", 2))
        bars.append(Rectangle(0, y, WIDTH * min(1.0, done / total if total else 0.0), height, style, 2))
    return Thumbnail(f"{progress.answered} of {progress.required} labels are there", tuple(bars))


def audit_thumbnail(findings: Iterable[AuditAnswer]) -> Thumbnail:
    """A dot for each question with a verdict: high where it is good, in the middle where weak, low where it fails."""
    judged = [finding for finding in findings if finding.level in JUDGED_LEVELS]
    step = min(12.0, WIDTH / max(1, len(judged)))
    size = min(9.0, step - 1.5)
    dots = [
        Rectangle(
            place * step,
            (HEIGHT - size) * JUDGED_LEVELS.index(finding.level) / 2,
            size,
            size,
            _LEVEL_CLASSES[finding.level],
            size / 2,
        )
        for place, finding in enumerate(judged)
    ]
    number = {level: sum(finding.level is level for finding in judged) for level in JUDGED_LEVELS}
    words = ", ".join(f"{count} {level.value}" for level, count in number.items())
    return Thumbnail(f"Verdicts: {words}", tuple(dots))
