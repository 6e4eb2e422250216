"""Errors in common: which metrics miss the same minimal pairs, which explainers the same errors, and the fewest that catch what any catches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate, combinations
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.explanations.explainer_scores import answers_by_explainer, without_panels
from core.evaluation.report import Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.results import Cases, MetricColumn, PairVerdict, build_verdict_grid
from core.scoring import metric_title
from core.stats import Move, Values
from core.types import Format


@dataclass(frozen=True, slots=True)
class ErrorOverlap:
    """Misses of two metrics, or explainers, on the cases that both have an answer for."""

    left: str
    """Name of the first of the two."""
    right: str
    """Name of the second."""
    n: int
    """Cases with an answer of both."""
    left_missed: int
    """Of these, how many the first missed."""
    right_missed: int
    """Of these, how many the second missed."""
    both_missed: int
    """Of these, how many both missed."""
    expected: float
    """Number that both would miss if their misses were independent; need not be whole."""
    phi: float | None
    """Correlation of the misses, −1..1; None where one of them misses all or none."""


@dataclass(frozen=True, slots=True)
class ErrorCoverage:
    """`metrics`, or explainers, are the fewest that together catch every case that any of `among` catches.

    They come with the most useful first; `gains` are the pairs that each adds. `caught` of `pairs` are caught by any.
    """

    metrics: tuple[str, ...]
    gains: tuple[int, ...]
    caught: int
    pairs: int
    among: int


def caught_pairs(cases: Cases, columns: Sequence[MetricColumn]) -> dict[str, Values]:
    """By metric, for each minimal pair: 1 where it moved the right way beyond its noise, 0 where not, nan without a score.

    A metric that scored no pair, or has no better side, is left out. Raises TouchstoneError where no minimal pair has a score.
    """
    grid = build_verdict_grid(cases, columns) if columns else []
    caught = caught_in_grid(grid, [column.name for column in columns])
    if not caught:
        raise TouchstoneError(
            "No minimal pair has a score here. Import pairs of a faithful and a broken summary, and score them."
        )
    return caught


def caught_in_grid(grid: Sequence[PairVerdict], metrics: Sequence[str]) -> dict[str, Values]:
    """The same from a verdict grid of these metrics; empty where no pair has a verdict."""
    caught = {}
    for place, name in enumerate(metrics):
        moves = [line.moves[place] for line in grid]
        caught[name] = np.array([np.nan if move is Move.NONE else float(move is Move.RIGHT) for move in moves])
    return {name: values for name, values in caught.items() if not np.isnan(values).all()}


MIN_WORTH = 0.5
"""An explanation with this mean grade or a better one explains its error: entirely 1, partially 0.5, not 0."""

CAUGHT_NOTE = "A metric catches a pair where it moves the right way by more than its noise, which harmless edits of the same data give."
EXPLAINED_NOTE = (
    "An explainer finds an error where it calls the summary inconsistent and its explanation is graded as at least "
    "partially correct; what it found and nobody graded is unknown."
)


def explained_errors(cases: Cases) -> dict[str, Values]:
    """By explainer, for each sample with an error: 1 where it was found and explained, 0 where not, nan where unknown.

    A sample has an error where its label says so, or where it has no label and somebody's explanation was graded. An
    explainer without a known answer is left out. Raises TouchstoneError where nobody has one.
    """
    own = without_panels(cases)
    explained = {}
    for name, answers in answers_by_explainer(own).items():
        worths: list[list[float]] = [[] for _ in own.samples]
        flags: list[list[bool]] = [[] for _ in own.samples]
        for answer in answers:
            worths[answer.place] += answer.worths
            flags[answer.place].append(answer.flagged)
        values = np.full(len(own.samples), np.nan)
        for place, (label, of_worths, of_flags) in enumerate(zip(own.labels, worths, flags, strict=True)):
            if label != 1 and of_worths:
                values[place] = float(np.mean(of_worths) >= MIN_WORTH)
            elif label == 0 and of_flags and not any(of_flags):
                values[place] = 0.0  # missed
        explained[name] = values
    explained = {name: values for name, values in explained.items() if not np.isnan(values).all()}
    if not explained:
        raise TouchstoneError(
            "No explanation of an error is graded here, and nobody missed one. Import explanations, and judge them: "
            "cli.py judge."
        )
    anywhere = np.any([~np.isnan(values) for values in explained.values()], axis=0)
    return {name: values[anywhere] for name, values in explained.items()}


def error_overlaps(caught: Mapping[str, Values]) -> list[ErrorOverlap]:
    """Every two metrics, those whose misses go together most first."""
    overlaps = []
    for first, second in combinations(caught, 2):
        both = ~np.isnan(caught[first]) & ~np.isnan(caught[second])
        misses, others = caught[first][both] == 0, caught[second][both] == 0
        n, a, b = int(both.sum()), int(misses.sum()), int(others.sum())
        joint = int((misses & others).sum())
        spread = a * (n - a) * b * (n - b)
        phi = (n * joint - a * b) / float(np.sqrt(spread)) if spread else None
        overlaps.append(ErrorOverlap(first, second, n, a, b, joint, a * b / n if n else 0.0, phi))
    return sorted(
        overlaps, key=lambda overlap: (overlap.phi is None, -(overlap.phi or 0.0), overlap.left, overlap.right)
    )


def smallest_coverage(caught: Mapping[str, Values]) -> ErrorCoverage:
    """The exact minimum set cover, as an integer program; of several the one whose metrics catch most by themselves."""
    names = list(caught)
    hits = np.array([np.nan_to_num(caught[name]) for name in names])  # (metrics, pairs)
    anywhere = hits.any(axis=0)
    rest = {names[place]: caught[names[place]] == 1 for place in _minimum_cover(hits[:, anywhere])}
    covered = np.zeros(hits.shape[1], dtype=bool)
    gains: dict[str, int] = {}
    while rest:
        adds = {name: int((hit & ~covered).sum()) for name, hit in rest.items()}
        name = max(adds, key=lambda name: adds[name])
        covered |= rest.pop(name)
        gains[name] = adds[name]
    return ErrorCoverage(tuple(gains), tuple(gains.values()), int(anywhere.sum()), hits.shape[1], len(names))


def _minimum_cover(hits: Values) -> list[int]:
    """The rows that together have a 1 in every column, as few as possible."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # few commands look for it

    metrics, pairs = hits.shape
    if not pairs:
        return []
    # sums to less than one metric, so it only decides between covers of the same size
    bonus = hits.sum(axis=1) / (hits.sum() + 1.0) / metrics
    every_pair = LinearConstraint(hits.T, lb=np.ones(pairs))
    solved = milp(1.0 - bonus, constraints=every_pair, bounds=Bounds(0, 1), integrality=np.ones(metrics))
    return [place for place, share in enumerate(solved.x) if share > 0.5]


def coverage_sentence(coverage: ErrorCoverage, who: str = "metrics", what: str = "pairs") -> str:
    """The smallest set in a sentence; `who` catches `what`."""
    parts = ", ".join(
        f"{metric_title(name)} (+{gain})" for name, gain in zip(coverage.metrics, coverage.gains, strict=True)
    )
    whole = f"{coverage.caught} of {coverage.pairs} {what} are caught by any of {coverage.among} {who}"
    return f"{whole}; the smallest set that catches them all: {parts}." if parts else f"{whole}."


@STUDIES.add
@dataclass(frozen=True)
class SharedErrors(Study):
    """Misses that metrics, or explainers, have in common."""

    name: ClassVar[str] = "shared-errors"
    title: ClassVar[str] = "Errors in common"
    does: ClassVar[str] = (
        "Show which metrics miss the same minimal pairs, or explainers the same errors, and the fewest that catch what any "
        "catches."
    )
    group: ClassVar[Group] = "Which metric?"
    place: ClassVar[int] = 3
    takes: ClassVar[tuple[Input, ...]] = (Input.SAMPLES,)
    may_take: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "An audit is of one metric, and errors are shared by two."}
    )
    of: Literal["metrics", "explainers"] = setting(
        "metrics", "Metrics by minimal pairs, or explainers by errors and the grades of their explanations."
    )

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:
        return [STUDIES.build(cls.name, {"of": of}) for of in cls().choices(data)["of"]] or [cls()]

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        cases = data.samples
        there = {
            "metrics": bool(len(cases.pairs) and cases.columns),
            "explainers": any(sample.item.explanations for sample in cases.samples),
        }
        return {"of": [name for name, has in there.items() if has]}

    def run(self, data: StudyData) -> Report:
        if self.of == "explainers":
            caught, what, note = explained_errors(data.samples), "errors", EXPLAINED_NOTE
        else:
            caught, what, note = caught_pairs(data.samples, data.samples.columns), "pairs", CAUGHT_NOTE
        coverage, overlaps = smallest_coverage(caught), error_overlaps(caught)
        sentences = [coverage_sentence(coverage, self.of, what)]
        if overlaps and overlaps[0].phi is not None:
            most = overlaps[0]
            sentences.append(
                f"Most alike in their misses are {metric_title(most.left)} and {metric_title(most.right)}: both miss {most.both_missed} of {most.n}, "
                f"by chance it would be {most.expected:.1f} (phi {most.phi:+.2f})."
            )
        noun = self.of.removesuffix("s")
        named: Format = "metric" if self.of == "metrics" else "text"
        smallest = Table(
            "coverage",
            f"The smallest set of {self.of}",
            (
                Column(noun, format=named),
                Column("gain", "adds", "count", f"Number of {what} that those before it do not catch."),
                Column("together", format="count", help=f"Number of {what} that it and those before it catch."),
                Column(what, f"of {what}", "count"),
            ),
            tuple(
                (name, gain, together, coverage.pairs)
                for name, gain, together in zip(
                    coverage.metrics, coverage.gains, accumulate(coverage.gains), strict=True
                )
            ),
        )
        table = Table(
            self.of,
            f"Every two {self.of}",
            (
                Column("left", noun, named),
                Column("right", f"other {noun}", named),
                Column("n", format="count", help=f"Number of {what} on which both have a verdict."),
                Column("left_missed", "misses", "count"),
                Column("right_missed", "other misses", "count"),
                Column("both_missed", "both miss", "count"),
                Column("expected", "by chance", help="Number that both would miss if their misses were independent."),
                Column("phi", format="coefficient", help="Correlation of the misses, from −1 to 1."),
            ),
            tuple(astuple(overlap) for overlap in overlaps),
        )
        return self.report(data, [table, smallest], sentences=sentences, notes=[note])
