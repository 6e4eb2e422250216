"""Our own scores beside the released ones of the same metric: by how much they differ, and whether they order alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.meta.cases import Cases, Column
from core.meta.report import aligned


@dataclass(frozen=True, slots=True)
class Beside:
    """A released metric and ours of the same name on the `n` summaries that both score.

    `scale` is the factor that brings ours onto the released one where the two are told in different units, else 1.
    `mean` and `largest` are those of the absolute difference in the released units, `correlation` is Pearson's, None
    where it is undefined. `same_way` is the share of pairs that both move the same way.
    """

    released: str
    ours: str
    n: int
    scale: float
    mean: float
    largest: float
    correlation: float | None
    same_way: float | None


def beside(cases: Cases) -> list[Beside]:
    """Every released metric that one of ours bears the name of."""
    return [_compared(cases, *both) for both in _namesakes(cases)]


def table(found: list[Beside]) -> str:
    """One line a pair of metrics, in columns."""
    head = ("released", "ours", "n", "our unit ×", "mean |difference|", "largest", "Pearson", "pairs the same way")
    return aligned([head, *map(_line, found)])


def _namesakes(cases: Cases) -> Iterator[tuple[Column, Column]]:
    for released in cases.columns:
        for ours in cases.columns:
            if released.released and not ours.released and _plain(released.name) == _plain(ours.name):
                both = ~np.isnan(released.values) & ~np.isnan(ours.values)
                if both.any():
                    yield released, ours


def _plain(name: str) -> str:
    """ROUGE-2 and rouge2[measured=precision] are the same metric."""
    return "".join(character for character in name.partition("[")[0].lower() if character.isalnum())


def _compared(cases: Cases, released: Column, ours: Column) -> Beside:
    both = ~np.isnan(released.values) & ~np.isnan(ours.values)
    theirs, mine = released.values[both], ours.values[both]
    scale = _scale(float(np.abs(theirs).max()), float(np.abs(mine).max()))
    apart = np.abs(theirs - scale * mine)
    flat = not (np.ptp(theirs) and np.ptp(mine))
    return Beside(
        released=released.name,
        ours=ours.name,
        n=int(both.sum()),
        scale=scale,
        mean=float(apart.mean()),
        largest=float(apart.max()),
        correlation=None if flat else float(np.corrcoef(theirs, mine)[0, 1]),
        same_way=_same_way(cases, released, ours),
    )


def _scale(theirs: float, mine: float) -> float:
    """A hundred where one is told in percent and the other as a share."""
    if theirs > 1.5 >= mine and theirs <= 150:
        return 100.0
    return 0.01 if mine > 1.5 >= theirs and mine <= 150 else 1.0


def _same_way(cases: Cases, released: Column, ours: Column) -> float | None:
    good, bad = cases.pairs.T
    moved = np.array([np.sign(column.values[bad] - column.values[good]) for column in (released, ours)])
    known = ~np.isnan(moved).any(axis=0)
    return float(np.mean(moved[0, known] == moved[1, known])) if known.any() else None


def _line(found: Beside) -> tuple[str, ...]:
    return (
        found.released,
        found.ours,
        str(found.n),
        f"{found.scale:g}",
        f"{found.mean:.4f}",
        f"{found.largest:.4f}",
        "–" if found.correlation is None else f"{found.correlation:.4f}",
        "–" if found.same_way is None else f"{100 * found.same_way:.1f} %",
    )
