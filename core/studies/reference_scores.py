"""Scores against a reference: our own beside the released ones of the same metric, and a raw score's percentile in a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from core.cases.cases import Cases, MetricColumn
from core.stats.statistic import Values
from core.stats.text_tables import align_columns


@dataclass(frozen=True, slots=True)
class ReleasedComparison:
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


def compare_with_released(cases: Cases) -> list[ReleasedComparison]:
    """Every released metric that one of ours bears the name of."""
    return [_compare_columns(cases, *both) for both in _namesakes(cases)]


def format_comparisons(found: list[ReleasedComparison]) -> str:
    """One line a pair of metrics, in columns."""
    head = ("released", "ours", "n", "our unit ×", "mean |difference|", "largest", "Pearson", "pairs the same way")
    return align_columns([head, *map(_comparison_cells, found)])


def _namesakes(cases: Cases) -> Iterator[tuple[MetricColumn, MetricColumn]]:
    for released in cases.columns:
        for ours in cases.columns:
            if released.released and not ours.released and _plain_name(released.name) == _plain_name(ours.name):
                both = ~np.isnan(released.values) & ~np.isnan(ours.values)
                if both.any():
                    yield released, ours


def _plain_name(name: str) -> str:
    """ROUGE-2 and rouge2[measured=precision] are the same metric."""
    return "".join(character for character in name.partition("[")[0].lower() if character.isalnum())


def _compare_columns(cases: Cases, released: MetricColumn, ours: MetricColumn) -> ReleasedComparison:
    both = ~np.isnan(released.values) & ~np.isnan(ours.values)
    theirs, mine = released.values[both], ours.values[both]
    scale = _unit_scale(float(np.abs(theirs).max()), float(np.abs(mine).max()))
    apart = np.abs(theirs - scale * mine)
    flat = not (np.ptp(theirs) and np.ptp(mine))
    return ReleasedComparison(
        released=released.name,
        ours=ours.name,
        n=int(both.sum()),
        scale=scale,
        mean=float(apart.mean()),
        largest=float(apart.max()),
        correlation=None if flat else float(np.corrcoef(theirs, mine)[0, 1]),
        same_way=_same_way_share(cases, released, ours),
    )


def _unit_scale(theirs: float, mine: float) -> float:
    """A hundred where one is given in percent and the other as a share."""
    if theirs > 1.5 >= mine and theirs <= 150:
        return 100.0
    return 0.01 if mine > 1.5 >= theirs and mine <= 150 else 1.0


def _same_way_share(cases: Cases, released: MetricColumn, ours: MetricColumn) -> float | None:
    good, bad = cases.pairs.T
    moved = np.array([np.sign(column.values[bad] - column.values[good]) for column in (released, ours)])
    known = ~np.isnan(moved).any(axis=0)
    return float(np.mean(moved[0, known] == moved[1, known])) if known.any() else None


def _comparison_cells(found: ReleasedComparison) -> tuple[str, ...]:
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


@dataclass(frozen=True, slots=True)
class Percentile:
    """The percentile of a score, 0 to 100, among `n` scores: the share that lies below it and half of those equal to it."""

    percentile: float
    n: int


def score_percentiles(cases: Cases, column: MetricColumn, score: float) -> Mapping[str, Percentile]:
    """Among all summaries that the metric scored, the consistent and the inconsistent ones; without parts that are empty."""
    parts = scores_by_label(cases, column)
    return {name: _percentile(values, score) for name, values in parts.items() if len(values)}


def scores_by_label(cases: Cases, column: MetricColumn) -> Mapping[str, Values]:
    """The scores of all summaries, of the consistent and of the inconsistent ones."""
    scored = ~np.isnan(column.values)
    return {
        "all": column.values[scored],
        "consistent": column.values[scored & (cases.labels == 1)],
        "inconsistent": column.values[scored & (cases.labels == 0)],
    }


def column_by_signature(cases: Cases, signature: str) -> MetricColumn | None:
    """The scores of this very signature; another one's numbers are no reference."""
    return next((column for column in cases.columns if column.signature == signature), None)


def format_percentiles(found: Mapping[str, Percentile]) -> str:
    """As: above 73 % of all 1386 summaries, 68 % of the 693 consistent, 78 % of the 693 inconsistent."""
    parts = [
        f"{rank.percentile:.0f} % of {'all' if name == 'all' else 'the'} {rank.n} "
        f"{'summaries' if name == 'all' else name}"
        for name, rank in found.items()
    ]
    return f"above {', '.join(parts)}"


def _percentile(values: Values, score: float) -> Percentile:
    below = float(np.mean(values < score) + np.mean(values == score) / 2)
    return Percentile(100 * below, len(values))
