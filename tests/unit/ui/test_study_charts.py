"""What the charts of ranks, sensitivity and histograms draw."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.report import Axis, Chart, Series
from core.reports.points import spread
from core.stats.statistic import Estimate
from core.studies.document_ablation import AblatedScore, histogram_chart, score_histogram
from core.studies.ranks import MetricRank, rank_chart
from core.studies.sensitivity import Sensitivity, sensitivity_charts
from pages.ui.shared.report_charts import report_chart

KNOWN, UNKNOWN = Estimate(2.0, 1.0, 4.0, 9), Estimate(None, None, None, 0, "There is no step.")


def test_ranks_of_a_slice_stand_side_by_side_with_their_intervals() -> None:
    ranks = [MetricRank(name, part, KNOWN, KNOWN, 2) for part in ("one", "two") for name in ("a", "b")]
    first, second = report_chart(rank_chart(ranks, "ROC AUC")).data
    assert [round(place) for place in (*first.x, *second.x)] == [0, 1, 0, 1]
    assert all(left < right for left, right in zip(first.x, second.x, strict=True))
    assert (first.error_y.array, first.error_y.arrayminus) == ((2.0, 2.0), (1.0, 1.0))


def test_a_metric_without_a_quotient_has_no_panel() -> None:
    found = [Sensitivity("m", part, KNOWN, KNOWN, KNOWN) for part in ("Overall", "news")]
    [chart] = sensitivity_charts([*found, Sensitivity("still", "Overall", KNOWN, KNOWN, UNKNOWN)])
    assert [(bars.name, bars.x) for bars in chart.series] == [
        ("correction", ("all", "news")),
        ("harmless edit", ("all", "news")),
    ]
    correction, harmless = report_chart(chart).data
    assert all(left < right for left, right in zip(correction.x, harmless.x, strict=True))
    assert correction.error_y.array == (2.0, 2.0)


def test_both_histograms_have_the_same_bins() -> None:
    made = score_histogram([AblatedScore("rouge2", str(n), 1.0, n / 4) for n in range(5)], 4)
    assert made is not None
    own, other = report_chart(histogram_chart(1, made)).data
    assert own.x == other.x == (0.125, 0.375, 0.625, 0.875)
    assert (own.y, other.y) == ((0, 0, 0, 5), (1, 1, 1, 2))


def test_names_stand_beside_their_points_without_lying_over_each_other() -> None:
    places = {"a": (0.0, 0.8), "b": (0.0, 0.8), "c": (5.0, 0.79), "d": (6.0, 0.78), "<i>e": (50.0, 0.5)}
    series = tuple(Series(name, (x,), (y,)) for name, (x, y) in places.items())
    figure = report_chart(Chart("c", "points", "", Axis("x"), Axis("y", format="share"), series))
    names = figure.layout.annotations
    assert [name.text for name in names] == ["a, b", "c", "d", "&lt;i&gt;e"]
    assert not figure.layout.showlegend
    pixels = 190 / 30  # of a percent, over the height that the points take
    heights = [name.y * pixels - name.ay for name in names[:3]]
    assert all(above - below >= 17 - 1e-6 for above, below in pairwise(heights))


def test_places_are_spread_around_where_they_were() -> None:
    assert spread([0.0, 10.0, 10.5, 30.0], 4.0) == pytest.approx([0.0, 8.25, 12.25, 30.0])
