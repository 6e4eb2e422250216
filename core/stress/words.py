"""The table of a run in plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.stats.estimate import Estimate
from core.stress.matrix import Applied, Cell

_HEAD = ("metric", "kind", "meant", "n", "shift [95 %]", "|shift|", "wrong way", "still", "× noise", "failed")


def table(cells: Sequence[Cell]) -> str:
    """One line a cell, in columns; a dash where there is no figure."""
    rows = [_HEAD, *map(_row, cells)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def refusals(kinds: Iterable[Applied]) -> list[str]:
    """A sentence for each reason why a kind of perturbation could not be applied."""
    return [
        f"{kind.kind}: not applied to {count} of {kind.made + sum(kind.refused.values())}. {reason}"
        for kind in kinds
        for reason, count in kind.refused.items()
    ]


def signed(estimate: Estimate) -> str:
    """The figure with its interval, as +0.012 [−0.003, +0.027]."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return _sign(estimate.value)
    return f"{_sign(estimate.value)} [{_sign(estimate.low)}, {_sign(estimate.high)}]"


def share(estimate: Estimate) -> str:
    return "–" if estimate.value is None else f"{100 * estimate.value:.0f} %"


def _row(cell: Cell) -> tuple[str, ...]:
    return (
        cell.metric,
        cell.kind,
        cell.intent,
        str(cell.shift.n),
        signed(cell.shift),
        "–" if cell.size.value is None else f"{cell.size.value:.3f}",
        share(cell.wrong),
        share(cell.still),
        "–" if cell.multiple is None else f"{cell.multiple:.1f}",
        str(cell.failed),
    )


def _sign(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
