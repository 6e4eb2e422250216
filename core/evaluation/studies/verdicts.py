"""The verdict of every metric on every minimal pair, and the pairs on which metrics disagree or all are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.report import Cell, Column, Report, Table
from core.evaluation.studies.shared_errors import caught_in_grid, coverage_sentence, smallest_coverage
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import (
    PAIR_FILTERS,
    SLICE_FIELDS,
    Cases,
    NoiseBand,
    PairVerdict,
    build_verdict_grid,
    filter_pairs,
    noise_band,
)
from core.scoring import metric_titles
from core.stats import MIN_FOR_QUANTILES, Move

MOVE_WORDS: Mapping[Move, str | None] = MappingProxyType(
    {Move.RIGHT: "right", Move.WRONG: "wrong", Move.STILL: "noise", Move.UNKNOWN: None, Move.NONE: None}
)
_MIN_KNOWN = 5  # harmless edits, with fewer of which noise is no shift at all


@STUDIES.add
@dataclass(frozen=True)
class Verdicts(Study):
    """Right, wrong or within noise, for each metric and minimal pair."""

    name: ClassVar[str] = "verdicts"
    title: ClassVar[str] = "Verdicts"
    does: ClassVar[str] = "Show which way each metric moved on each minimal pair: right, wrong or within its noise."
    group: ClassVar[Group] = "Which metric?"
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    place: ClassVar[int] = 2
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {
            "audit": "An audit is of one metric, and shows the pairs that it misses in its own questions.",
            "pack": "A line for each pair is data to look at, and no table of a paper.",
        }
    )
    pairs: str = setting(
        "all pairs",
        "Pairs to list: all, those on which one metric is right and another wrong, or those on which none is right.",
        choices=tuple(PAIR_FILTERS),
    )

    def run(self, data: StudyData) -> Report:
        cases = data.scored
        if not len(cases.pairs) or not cases.columns:
            raise TouchstoneError(
                "There is no minimal pair with a score here: a verdict needs a faithful and a broken side."
            )
        lines = build_verdict_grid(cases, cases.columns)
        bands = [noise_band(cases, column) for column in cases.columns]
        caught = caught_in_grid(lines, [column.name for column in cases.columns])
        disagree, wrong = (len(filter_pairs(lines, name)) for name in ("metrics disagree", "all wrong"))
        most = max(band.n for band in bands)
        noise_note = "Noise is a tie here: the data holds no harmless edits from which to tell more."
        if most >= _MIN_KNOWN:
            share = "the middle 95 %" if most >= MIN_FOR_QUANTILES else "the range"
            noise_note = f"Noise is {share} of a metric's shifts under up to {most} harmless edits of the same data."
        rows: list[tuple[Cell, ...]] = []
        for line in filter_pairs(lines, self.pairs):
            good, bad = cases.samples[line.good], cases.samples[line.bad]
            kind = ", ".join(SLICE_FIELDS["error_type"](bad) or SLICE_FIELDS["category"](bad))
            verdicts = (MOVE_WORDS[move] for move in line.moves)
            rows.append((bad.dataset, good.item.example.id, bad.item.example.id, kind, *verdicts))
        titles = metric_titles(column.name for column in cases.columns)
        metrics = (Column(name, title) for name, title in titles.items())
        head = (Column("dataset"), Column("faithful"), Column("broken"), Column("error_type"))
        pair_table = Table("pairs", self.pairs.capitalize(), (*head, *metrics), tuple(rows))
        return self.report(
            data,
            [_metric_table(cases, lines, bands), pair_table],
            sentences=[
                *([coverage_sentence(smallest_coverage(caught))] if caught else []),
                f"Metrics disagree on {disagree} of {len(lines)} pairs, and on {wrong} no metric moves the right way.",
            ],
            notes=[noise_note],
        )


def _metric_table(cases: Cases, lines: Sequence[PairVerdict], bands: Sequence[NoiseBand]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, (column, band) in enumerate(zip(cases.columns, bands, strict=True)):
        moves = [line.moves[place] for line in lines]
        counts = [moves.count(move) for move in (Move.RIGHT, Move.WRONG, Move.STILL)]
        rows.append((column.name, *counts, len(moves) - sum(counts), band.low, band.high, band.n))
    return Table(
        "metrics",
        "Verdicts of each metric",
        (
            Column("metric", format="metric"),
            Column("right", format="count"),
            Column("wrong", format="count"),
            Column("noise", format="count", help="Pairs on which it moves no further than under harmless edits."),
            Column(
                "none",
                format="count",
                help="Pairs without a score of both sides, or of a metric without a better side.",
            ),
            Column("noise_low", "noise from", "units"),
            Column("noise_high", "to", "units"),
            Column("harmless_edits", format="count", help="Harmless edits of the same data that its noise is of."),
        ),
        tuple(rows),
    )
