"""The order of metrics in the tables and plots of Evaluate."""

from __future__ import annotations

import pytest

from core.evaluation.studies.measures import measure_charts, sorted_metrics
from core.results.cases.measures import MeasuresRow
from core.stats.best_metric import MetricStatistic
from core.stats.statistic import Estimate
from pages.ui.results.report_charts import report_chart


def row(metric: str, part: str, name: str, value: float | None) -> MeasuresRow:
    return MeasuresRow(metric, part, 4, 0, {name: MetricStatistic(Estimate(value, None, None, 4))})


@pytest.mark.parametrize(
    ("name", "order"),
    [("auc", ["high", "low", "none"]), ("ties", ["low", "high", "none"]), ("mean_shift", ["low", "high", "none"])],
)
def test_the_best_metric_of_the_first_slice_comes_first_and_those_without_a_figure_last(
    name: str, order: list[str]
) -> None:
    values = {"none": None, "low": 0.2, "high": 0.7}
    rows = [row(metric, "Overall", name, value) for metric, value in values.items()]
    rows += [row(metric, "Coreference", name, 0.5) for metric in values]
    assert sorted_metrics(rows, name) == order


def test_a_heat_map_of_many_metrics_fits_a_window() -> None:
    rows = [row(f"m{place}", part, "auc", place / 40) for place in range(40) for part in ("Overall", "Coreference")]
    _, heat_map = measure_charts(rows, "auc")
    figure = report_chart(heat_map)
    assert figure.layout.height <= 720
    assert figure.data[0].y[0] == "m39"
