"""A report as a record that JSON keeps whole: every figure with all its digits, its interval, n and documents."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from core.evaluation.report import Cell, Report, Table
from core.stats import Estimate, MetricStatistic


def report_json(report: Report) -> str:
    return json.dumps(report_record(report), ensure_ascii=False, indent=1)


def report_record(report: Report) -> dict[str, Any]:
    """The record: settings, the facts of the data, and the rows of each table by its name; shares in 0..1, null for nothing."""
    charts = []
    for chart in report.charts:
        series_records = [
            {
                "name": series.name,
                "kind": series.kind or chart.kind,
                "x": list(series.x),
                "y": [cell_record(value) for value in series.y],
                "texts": list(series.texts),
                **({"panel": series.panel} if series.panel else {}),
            }
            for series in chart.series
        ]
        axes = {"x": asdict(chart.x), "y": asdict(chart.y)}
        charts.append({"name": chart.name, "kind": chart.kind, "title": chart.title, **axes, "series": series_records})
    return {
        "study": report.study,
        "title": report.title,
        "command": report.command,
        "settings": dict(report.settings),
        "data": dict(report.data),
        "sentences": list(report.sentences),
        "tables": {table.name: table_record(table) for table in report.tables},
        "charts": charts,
        "notes": list(report.notes),
        "problems": list(report.problems),
        "alarm": report.alarm,
    }


def table_record(table: Table) -> list[dict[str, Any]]:
    """The rows of a table by the names of its columns."""
    return [{name: cell_record(cell) for name, cell in row.items()} for row in table.records()]


def cell_record(cell: Cell) -> Any:
    """A number or text as it is; a statistic with its interval, and with its tests where it is compared."""
    if isinstance(cell, MetricStatistic):
        compared = {
            "best": cell.best,
            "not_worse": None if cell.untested else cell.level,
            "p": cell.p,
            "tests": dict(cell.tests),
        }
        return {**cell_record(cell.estimate), **compared}
    if isinstance(cell, Estimate):
        return {**cell.record(), "few_documents": cell.of_few_documents}
    return cell
