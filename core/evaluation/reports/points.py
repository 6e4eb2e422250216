"""Places of the points of a chart, for every program that draws one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from core.evaluation.report import Axis, Chart, Series
from core.evaluation.reports.cells import PERCENT_FORMATS
from core.stats import Estimate

_SPREAD = 0.6  # of the way from one category to the next: the series stand side by side


def scaled(value: float | None, axis: Axis) -> float:
    """The value as the axis shows it, shares in percent; nan for none."""
    if value is None:
        return math.nan
    return 100 * value if axis.format in PERCENT_FORMATS else value


MOST_PANELS_ACROSS = 3


def panels_of(chart: Chart) -> list[Chart]:
    """A chart for each panel; the chart alone, with the title of its only panel, where there are not several."""
    titles = dict.fromkeys(series.panel for series in chart.series)
    if len(titles) < 2:
        return [replace(chart, title=": ".join(filter(None, [chart.title, *titles])))]
    return [
        replace(
            chart,
            title=title,
            series=tuple(replace(series, panel="") for series in chart.series if series.panel == title),
        )
        for title in titles
    ]


def positions(chart: Chart, series: Series, place: int) -> list[float]:
    """Places of the points of a series on the first axis: categories are numbered, and series stand side by side there."""
    if not chart.x.categories:
        return [float(x) for x in series.x]
    aside = _SPREAD * ((place + 0.5) / len(chart.series) - 0.5) if len(chart.series) > 1 else 0.0
    return [chart.x.categories.index(str(x)) + aside for x in series.x]


def bar_width(chart: Chart, across: Sequence[float]) -> float:
    """Width of bars: those of one category stand side by side, those on an axis of numbers touch."""
    if chart.x.categories:
        return _SPREAD / len(chart.series)
    gaps = [after - before for before, after in pairwise(sorted(set(across)))]
    return min(gaps, default=_SPREAD)


def point_value(y: float | Estimate | None) -> float | None:
    """The number of a point, whether it has an interval or not."""
    return y.value if isinstance(y, Estimate) else y


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Places at least `gap` apart in the order of these, each as near to its own as the ones before it allow."""
    moved = [0.0] * len(places)
    groups: list[list[int]] = []  # of places that touch; a group lies around its own middle
    for index in sorted(range(len(places)), key=places.__getitem__):
        groups.append([index])
        while len(groups) > 1 and _group_ends(places, groups[-1], gap)[0] < _group_ends(places, groups[-2], gap)[1]:
            groups[-2:] = [groups[-2] + groups[-1]]
    for group in groups:
        start = _group_ends(places, group, gap)[0] + gap / 2
        for rank, index in enumerate(group):
            moved[index] = start + rank * gap
    return moved


def _group_ends(places: Sequence[float], group: Sequence[int], gap: float) -> tuple[float, float]:
    middle, half = math.fsum(places[index] for index in group) / len(group), gap * len(group) / 2
    return middle - half, middle + half
