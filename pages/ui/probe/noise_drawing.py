"""A shift before the null band of its metric, as the score board draws it."""

from __future__ import annotations

from core.stress.noise import Band
from pages.ui.probe.rows import Noise, Row

Drawing = dict[str, object]

_ABOUT = {
    "measuring": "Harmless edits of about the same size are being scored.",
    "not measured": "The noise of metrics that wait for a key is not measured: it takes two dozen scores.",
}
_MANY = 100
_NOTHING: Drawing = {"text": "", "about": "", "inside": False, "mark": None, "low": 0.5, "high": 0.5}


def noise(row: Row) -> Drawing:
    """The multiple, a sentence about it, and places between 0 and 1 where 0.5 is no shift.

    `mark` is the place of the shift, None where there is no band; `inside` says whether the band holds it.
    """
    if row.state != "ready" or row.before is None or row.after is None or row.noise == Noise():
        return _NOTHING
    band, shift = row.noise.band, row.after - row.before
    if band is None:
        return {**_NOTHING, "text": row.noise.words, "about": _ABOUT[row.noise.words]}
    if band.low is None or band.high is None:
        few = f"Only {band.n} harmless edits of this summary could be made and scored, too few to tell the noise."
        return {**_NOTHING, "text": "unknown", "about": few}
    reach = max(abs(band.low), abs(band.high), abs(shift)) or 1.0
    low, high, mark = (0.5 + 0.48 * value / reach for value in (band.low, band.high, shift))
    inside = band.low <= shift <= band.high
    return {
        "text": _times(band, shift),
        "about": _about(band, inside),
        "inside": inside,
        "mark": mark,
        "low": low,
        "high": high,
    }


def _times(band: Band, shift: float) -> str:
    multiple = band.multiple(shift)
    if multiple is None:
        return "no noise"
    about = "≈ " if band.any_size else ""
    return f"{about}{multiple:.1f} ×" if multiple < _MANY else f"{about}> {_MANY} ×"


def _about(band: Band, inside: bool) -> str:
    """What the band rests on, and on which side of its ends the shift lies."""
    sizes = "any size (too few are of about the same)" if band.any_size else "about the same size"
    return (
        f"Of {band.n} harmless edits of {sizes}, 95 % shift the score by {band.low:+.2g} to {band.high:+.2g}, by "
        f"{band.size:.2g} on average. This shift lies {'within' if inside else 'outside'}."
    ).replace("-", "\u2212")
