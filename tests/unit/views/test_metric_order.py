"""The order of metrics in the tables and plots of Evaluate."""

from __future__ import annotations

import pytest

from core.cases.measures import MetricRow
from core.stats.best_metric import Measurement
from core.stats.statistic import Estimate
from pages.ui.evaluate.tables_and_plots import heat_map, sorted_metrics


def row(metric: str, part: str, name: str, value: float | None) -> MetricRow:
    return MetricRow(metric, part, 4, 0, {name: Measurement(Estimate(value, None, None, 4))})


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
    figure = heat_map([row(f"m{place}", "Overall", "auc", place / 40) for place in range(40)], "auc")
    assert figure.layout.height <= 720
    assert figure.data[0].y[0] == "m39"
