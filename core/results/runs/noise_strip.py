"""A shift before the noise of harmless edits, as one number and as a place on a small strip, the same on all pages."""

from __future__ import annotations

_MOST = 100.0
_NEAR = 0.1  # of the edge, within which a digit more tells the side


def format_edge(edge: float | None) -> str:
    """The distance of a shift in units of that to the edge of the band; a dash where there is no band."""
    if edge is None:
        return "–"
    if edge >= _MOST:
        return f"> {_MOST:.0f}"
    return f"{edge:.2f}" if abs(edge - 1.0) < _NEAR else f"{edge:.1f}"


def mark_place(edge: float | None, shift: float) -> float | None:
    """Place on the strip, 0 to 1, of a shift that is so far from none; None where the noise is unknown.

    The band is the middle half, whatever its ends; beyond it the scale is narrowed, so that any shift has a place.
    """
    if edge is None:
        return None
    away = 0.25 * edge if edge <= 1.0 else 0.25 + 0.23 * (1.0 - 1.0 / edge)
    return 0.5 + (away if shift > 0 else -away)
