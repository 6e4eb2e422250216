"""Every table and chart of a report is offered for the clipboard in the forms that papers and chats take."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.evaluation.report import Axis, Chart, Column, Pivot, Report, Series, Table
from pages.ui.results.copy_popover import copy_parts, table_report

GRID = Table(
    "t",
    "Scores & more",
    (
        Column("metric", format="metric"),
        Column("slice"),
        Column("auc", "AUC", "coefficient"),
        Column("n", format="count"),
    ),
    (("rouge2", "news", 0.5, 3), ("bleu", "news", 0.75, 3)),
    pivot=Pivot("metric", "slice", ("auc", "n")),
)
CHART = Chart("c", "points", "A <chart>", Axis("x"), Axis("y"), (Series("s", (1.0,), (2.0,)),))


def test_each_grid_of_a_table_and_each_chart_has_its_forms() -> None:
    parts = list(copy_parts(Report("s", "t", (GRID,), (CHART,))))
    assert [part["title"] for part in parts] == ["A <chart>", "Scores & more: AUC", "Scores & more: n"]
    forms = [{form["label"]: form for form in part["forms"]} for part in parts]  # type: ignore[attr-defined]
    assert [list(of_part) for of_part in forms] == [["PNG", "SVG"], *[["LaTeX", "Markdown", "CSV"]] * 2]
    assert forms[0]["PNG"]["kind"] == "png"
    assert forms[0]["SVG"]["content"].startswith("<?xml")
    assert r"\toprule" in forms[1]["LaTeX"]["content"]
    assert "| ROUGE-2 |" in forms[1]["Markdown"]["content"]
    assert forms[1]["CSV"]["content"].splitlines()[1] == "rouge2,news,0.5,3"


def test_a_table_that_is_no_studys_is_copied_with_what_it_lacks_and_with_its_index() -> None:
    frame = pd.DataFrame({"": ["x & y", None], "n": [3, 4], "share": [0.25, np.nan]}, ["ada", "ben"])
    [part] = copy_parts(table_report("People", frame))
    latex, markdown, csv = (form["content"] for form in part["forms"])  # type: ignore[attr-defined]
    assert r"ada & x \& y & 3 & 0.25 \\" in latex
    assert "| ben | – | 4 | – |" in markdown
    assert csv.splitlines()[1:] == ["ada,x & y,3,0.25", "ben,,4,"]
