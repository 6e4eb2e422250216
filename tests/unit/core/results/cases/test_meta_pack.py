"""The tables of a paper pack: what is marked, in which unit, and text that would break a table."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import numpy as np

from core.assessment.papers.paper_pack import PackRequest, packed_reports
from core.assessment.papers.paper_tables import metrics_card
from core.assessment.papers.rate_methods import methods_files
from core.evaluation.report import Table
from core.evaluation.reports.latex import table_latex
from core.evaluation.reports.markdown import table_markdown
from core.evaluation.reports.spreadsheet import table_csv
from core.evaluation.studies.measures import measures_table
from core.evaluation.studies.prevalence import Prevalence
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, MetricColumn, build_cases
from core.results.cases.measures import MEASURES, draw_resamples, metric_rows, slice_cases
from core.results.cases.summary_pool import SummaryPool
from core.types import ErrorType, StoredScore
from tests.unit.core.evaluation.studies.bench_samples import pair, sample, scored

KIND = ErrorType.COREFERENCE
HOSTILE = "=a_b|c&d"
PAIRS = [
    one
    for n in range(6)
    for one in pair(f"p{n}", {"sharp": 1.0, HOSTILE: 0.5}, {"sharp": 0.1 * n, HOSTILE: 0.25 * (n % 2) + 0.3}, KIND)
]


def measured(of: Cases) -> Table:
    return measures_table(list(metric_rows(of, slice_cases(of), draw_resamples(of, 200), tuple(MEASURES))))


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_best_is_bold_and_a_figure_has_its_unit() -> None:
    table = measured(build_cases(PAIRS))
    assert "| sharp | **100.0 [54.1, 100.0]** |" in table_markdown(table, "consistency")
    latex = table_latex(table, "consistency", "consistency")
    assert r"Overall & 6 & \textbf{100.0} {\scriptsize [54.1, 100.0]}" in latex
    assert r"\label{tab:consistency}" in latex
    assert "Bold: the best." in latex
    assert "| sharp | −0.75 |" in table_markdown(table, "mean_shift")
    assert "Overall & 6 & $-0.75$" in table_latex(table, "mean_shift")


def test_a_name_breaks_no_table_and_is_no_formula() -> None:
    table = measured(build_cases(PAIRS))
    lines = table_markdown(table, "consistency").splitlines()
    assert {line.replace(r"\|", "").count("|") for line in lines} == {3}
    assert r"=a\_b|c\&d" in table_latex(table, "consistency")
    assert {row["metric"] for row in read(table_csv(table))} == {"sharp", f"'{HOSTILE}"}


def test_every_figure_stands_in_full_precision_with_the_reason_of_what_is_missing() -> None:
    rows = {row["metric"]: row for row in read(table_csv(measured(build_cases(PAIRS))))}
    assert float(rows["sharp"]["mean_shift"]) == (0.1 * 15) / 6 - 1
    assert rows["sharp"]["balanced_accuracy"] == ""
    assert "development split" in rows["sharp"]["balanced_accuracy_why"]
    assert rows["sharp"]["consistency_n"] == "6"


def test_the_card_of_a_metric_says_whose_numbers_they_are() -> None:
    kept = StoredScore("rouge2", 0.5, "rouge2|measured:precision")
    card = metrics_card(build_cases([scored(sample("a", None, {"sharp": 1.0}), kept)]))
    assert "Released by the authors of the data." in card
    assert "Signature: `rouge2|measured:precision`" in card
    assert "Lin 2004" in card


def test_every_study_of_the_data_is_packed_and_what_gives_no_figure_has_its_reason() -> None:
    cases = build_cases(PAIRS)
    reports, missing = packed_reports(PackRequest(("toy",), None, 50, cases, (), {}))
    assert {"measures", "roc", "ranks-auc", "ranks-consistency"} <= reports.keys()
    assert all(missing.values())


def test_more_than_six_metrics_are_rows_of_a_latex_table() -> None:
    scores = {f"m{place}": 0.1 * place for place in range(7)}
    table = measured(
        build_cases([one for n in range(4) for one in pair(f"p{n}", {**scores}, dict.fromkeys(scores, 0.2), KIND)])
    )
    latex = table_latex(table, "consistency")
    assert r"Metric & Overall \\" in latex
    assert "$n$ & 4" in latex
    assert "m6 & " in latex


def test_an_estimated_rate_brings_a_methods_paragraph_that_cites_what_it_used() -> None:
    rng = np.random.default_rng(0)
    wrong = rng.random(300) < 0.3
    known = np.where(np.arange(300) < 90, 1.0 - wrong, np.nan)
    column = MetricColumn("sharp", rng.normal(size=300) - 2 * wrong)
    pool = SummaryPool([str(n) for n in range(300)], known, np.arange(300), (column,))
    files = methods_files(Prevalence().run(StudyData(datasets=("toy",), pool=pool)))
    assert "among 300 from 90 human labels" in files["methods.md"]
    cited = set(re.findall(r"@([a-z0-9]+)", files["methods.md"]))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", files["methods.bib"], re.MULTILINE))
    assert "fisch2024stratified" in cited
    few = replace(pool, labels=np.where(np.isnan(known), np.nan, 1.0))
    files = methods_files(Prevalence().run(StudyData(datasets=("toy",), pool=few)))
    assert "clopper1934use" in files["methods.bib"]
    assert "angelopoulos" not in files["methods.bib"]
