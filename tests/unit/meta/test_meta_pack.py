"""The tables of a paper pack: what is marked, in which unit, and text that would break a table."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from core.cases.cases import Cases, build_cases
from core.cases.measures import MEASURES, MetricRow, draw_resamples, metric_rows, slice_cases
from core.explanations.explainer_scores import explainer_scores
from core.papers.paper_tables import (
    correlations_csv,
    correlations_markdown,
    explainers_csv,
    explainers_markdown,
    metrics_card,
    rows_csv,
    rows_latex,
    rows_markdown,
)
from core.studies.rating_correlation import metric_correlations
from core.types import ErrorType, GradedExplanation, Rating, StoredScore, Verdict
from tests.unit.meta.bench_samples import pair, sample, scored

KIND = ErrorType.COREFERENCE
HOSTILE = "=a_b|c&d"
PAIRS = [
    one
    for n in range(6)
    for one in pair(f"p{n}", {"sharp": 1.0, HOSTILE: 0.5}, {"sharp": 0.1 * n, HOSTILE: 0.25 * (n % 2) + 0.3}, KIND)
]


def told(of: Cases) -> list[MetricRow]:
    return list(metric_rows(of, slice_cases(of), draw_resamples(of, 200), tuple(MEASURES)))


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_best_is_bold_and_a_figure_has_its_unit() -> None:
    found = told(build_cases(PAIRS))
    assert "| sharp | **100.0** |" in rows_markdown(found, "consistency")
    table = rows_latex(found, "consistency", "Consistency in percent.")
    assert r"Overall & 6 & \textbf{100.0} {\scriptsize [100.0, 100.0]}" in table
    assert r"\label{tab:consistency}" in table
    assert "Bold: the best of a slice." in table
    assert "| sharp | −0.75 |" in rows_markdown(found, "mean_shift")
    assert "Overall & 6 & $-0.75$" in rows_latex(found, "mean_shift", "Mean shift.")


def test_a_name_breaks_no_table_and_is_no_formula() -> None:
    found = told(build_cases(PAIRS))
    lines = rows_markdown(found, "consistency").splitlines()
    assert {line.replace(r"\|", "").count("|") for line in lines} == {3}
    assert r"=a\_b|c\&d" in rows_latex(found, "consistency", "50 % of it")
    assert r"\caption{50 \% of it " in rows_latex(found, "consistency", "50 % of it")
    assert {row["metric"] for row in read(rows_csv(found))} == {"sharp", f"'{HOSTILE}"}


def test_every_figure_stands_in_full_precision_with_the_reason_of_what_is_missing() -> None:
    found = {(row["metric"], row["figure"]): row for row in read(rows_csv(told(build_cases(PAIRS))))}
    assert float(found["sharp", "mean_shift"]["value"]) == (0.1 * 15) / 6 - 1
    assert found["sharp", "balanced_accuracy"]["value"] == ""
    assert "development split" in found["sharp", "balanced_accuracy"]["why"]
    assert found["sharp", "consistency"]["n"] == "6"


def test_the_card_of_a_metric_says_whose_numbers_they_are() -> None:
    kept = StoredScore("rouge2", "rouge2|measured:precision", 0.5)
    card = metrics_card(build_cases([scored(sample("a", None, {"sharp": 1.0}), kept)]))
    assert "Released by the authors of the data." in card
    assert "Signature: `rouge2|measured:precision`" in card
    assert "Lin 2004" in card


def test_correlations_and_explanations_are_written_where_there_are_some() -> None:
    given = [
        replace(
            one := sample(str(n), Verdict.INCONSISTENT, {"m": float(n)}),
            item=replace(
                one.item,
                ratings=(Rating("a", "f", n * n),),
                explanations=(GradedExplanation("why", "it", "partially", "ben"),),
            ),
        )
        for n in range(5)
    ]
    of = build_cases(given)
    rated = list(metric_correlations(of, "f", draw_resamples(of, 50)))
    assert correlations_markdown(rated, "f").startswith("Correlation with: f\n\n| metric | Pearson |")
    assert {(row["coefficient"], row["value"]) for row in read(correlations_csv(rated, "f"))} >= {("Kendall", "1.0")}
    said = list(explainer_scores(of, draw_resamples(of, 50)))
    assert "| it | 5 |" in explainers_markdown(said)
    assert [row["value"] for row in read(explainers_csv(said)) if row["score"] == "ES"] == ["0.5"]


def test_more_than_six_metrics_are_rows_of_a_latex_table() -> None:
    scores = {f"m{place}": 0.1 * place for place in range(7)}
    found = told(
        build_cases([one for n in range(4) for one in pair(f"p{n}", {**scores}, dict.fromkeys(scores, 0.2), KIND)])
    )
    table = rows_latex(found, "consistency", "Consistency.")
    assert r"Metric & Overall \\" in table
    assert "$n$ & 4" in table
    assert "m6 & " in table
