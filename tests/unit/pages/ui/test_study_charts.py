"""What the charts of ranks, sensitivity and histograms draw."""

from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from core.errors import TouchstoneError
from core.evaluation.report import Axis, Chart, Series
from core.evaluation.reports.figures import chart_figure
from core.evaluation.reports.points import spread
from core.evaluation.studies.document_ablation import AblatedScore, histogram_chart, score_histogram
from core.evaluation.studies.ranks import MetricRank, rank_chart
from core.evaluation.studies.sensitivity import Sensitivity, sensitivity_charts
from core.stats.statistic import Estimate
from pages.ui.results.report_charts import report_chart

KNOWN, UNKNOWN = Estimate(2.0, 1.0, 4.0, 9), Estimate(None, None, None, 0, "There is no step.")


def test_each_slice_has_a_panel_in_which_the_best_metric_over_all_is_on_top() -> None:
    ranks = [
        MetricRank(name, part, Estimate(rank, 1.0, 4.0, 9), KNOWN, 2)
        for part in ("one", "two")
        for name, rank in (("a", 2.0), ("b", 1.5))
    ]
    chart = rank_chart(ranks, "ROC AUC")
    assert chart.x.categories == ("b", "a")
    figure = report_chart(chart)
    first, second = figure.data
    assert [note.text for note in figure.layout.annotations] == ["one", "two"]
    assert (first.y, first.x) == (second.y, second.x) == ((1.0, 0.0), (2.0, 1.5))
    assert (first.xaxis, second.xaxis) == ("x", "x2")
    assert figure.layout.yaxis.ticktext == ("b", "a")
    assert figure.layout.yaxis.autorange == "reversed"
    assert first.error_x.array == (2.0, 2.5)
    svg = chart_figure(chart, "svg").decode()
    assert all(name in svg for name in (">one<", ">two<", "Rank by ROC AUC"))


def test_one_slice_is_one_chart_with_its_name() -> None:
    figure = report_chart(rank_chart([MetricRank("a", "one", KNOWN, KNOWN, 1)], "ROC AUC"))
    assert figure.layout.title.text == "Rank by ROC AUC with 95 % intervals: one"


def test_names_below_an_axis_are_broken_and_never_slanted() -> None:
    names = ("short", "a name of <many> words that is long")
    chart = Chart("c", "bars", "", Axis("", names), Axis("y"), (Series("s", names, (1.0, 2.0)),))
    axis = report_chart(chart).layout.xaxis
    assert axis.tickangle == 0
    assert axis.ticktext == ("short", "a name of &lt;many&gt;<br>words that is<br>long")
    assert "rotate(-30" not in chart_figure(chart, "svg").decode()


def test_a_metric_without_a_quotient_has_no_panel() -> None:
    found = [Sensitivity("m", part, KNOWN, KNOWN, KNOWN) for part in ("Overall", "news")]
    [chart] = sensitivity_charts([*found, Sensitivity("still", "Overall", KNOWN, KNOWN, UNKNOWN)])
    assert [(points.name, points.x, points.panel) for points in chart.series] == [
        ("correction", ("all", "news"), "m"),
        ("harmless edit", ("all", "news"), "m"),
    ]
    correction, harmless = report_chart(chart).data
    assert all(above < below for above, below in zip(correction.y, harmless.y, strict=True))
    assert correction.error_x.array == (2.0, 2.0)


def test_the_panels_of_metrics_have_scales_and_colours_of_their_own() -> None:
    found = [Sensitivity(metric, "Overall", KNOWN, KNOWN, KNOWN) for metric in ("m", "n")]
    [chart] = sensitivity_charts(found)
    figure = report_chart(chart)
    assert figure.layout.xaxis2.matches is None
    colours = [trace.marker.color for trace in figure.data]
    assert colours[:2] == colours[2:]
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False]


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


def test_a_font_that_cannot_be_read_is_a_sentence_with_the_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object, **__: object) -> None:
        raise RuntimeError("failed to load glyph")

    monkeypatch.setattr(Figure, "savefig", unreadable)
    ranks = [MetricRank("a", "one", Estimate(2.0, 1.0, 4.0, 9), KNOWN, 2)]
    with pytest.raises(
        TouchstoneError, match="'Rank by ROC AUC with 95 % intervals' cannot be drawn: failed to load glyph"
    ):
        chart_figure(rank_chart(ranks, "ROC AUC"), "svg")
