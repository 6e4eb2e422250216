"""A stress run of a reader's own pairs in the layout of a paper: its columns and names, and what it prints of other texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum

from core.assessment.papers.paper import Paper
from core.assessment.papers.paper_comparison import ComparedTable, PaperCell
from core.assessment.papers.published import PublishedTable, read_published
from core.edits import PERTURBATIONS
from core.evaluation import for_each_metric
from core.results import StressRun
from core.scoring import METRICS, metric_title

ORIGINAL = "Original"
"""The column of the summaries before their perturbation."""

_OWN_TEXTS = "Not compared, as ours are of your texts"
_NEED = "the paper's texts"


def kinds_of_metric(paper: Paper, metric: str) -> dict[str, dict[str, str]]:
    """Specs of the kinds that a metric is put under, by table or figure and by the paper's name: an assertion is in its terms."""
    row = METRICS.parse(metric)
    return {
        place: {title: for_each_metric([kind.spec], [row])[0] for title, kind in kinds.items()}
        for place, kinds in paper.perturbations().items()
    }


def run_tables(paper: Paper, run: StressRun, printed_table: str = "") -> list[ComparedTable]:
    """A table for each of the paper's with kinds of the run; `printed_table` is the id of the printed one of mean scores.

    Figures are means over the pairs: scores for a paper that prints such, else shifts from the original. A cell waits until the
    run has a score for it.
    """
    means = _mean_scores(run) if paper.score_tables else _mean_shifts(run)
    kinds = {metric: kinds_of_metric(paper, metric) for metric in run.plan.metrics}
    printed = read_published(paper.name).table(printed_table) if printed_table else None
    tables = []
    for place, titles in paper.kinds.items():
        columns = [title for title in titles if any(of[place][title] in run.plan.kinds for of in kinds.values())]
        if not columns:
            continue
        first = [ORIGINAL] if paper.score_tables else []
        rows = {
            row_title(paper, metric): {column: kinds[metric][place].get(column, "") for column in [*first, *columns]}
            for metric in run.plan.metrics
        }
        specs = {row_title(paper, metric): metric for metric in run.plan.metrics}
        published = _layout(place, (*first, *columns), tuple(rows), printed)
        bounds = read_published(paper.name).bounds.get(published.id, {})
        cells = tuple(
            replace(cell, bounds=bounds.get((cell.row, cell.column)))
            for cell in _cells(published, rows, specs, means, run)
        )
        tables.append(ComparedTable(published, cells))
    return tables


def row_title(paper: Paper, metric: str) -> str:
    """The paper's name of a metric, or ours of one that it does not have."""
    return paper.metric_rows().get(metric) or metric_title(metric)


_Means = Mapping[tuple[str, str], Sequence[float]]
"""Scores or shifts by metric and kind."""


def _mean_scores(run: StressRun) -> _Means:
    scores: dict[tuple[str, str], list[float]] = {}
    for (_, kind, metric), reading in run.readings.items():
        if reading.value is not None:
            scores.setdefault((metric, kind), []).append(reading.value)
    return scores


def _mean_shifts(run: StressRun) -> _Means:
    shifts: dict[tuple[str, str], list[float]] = {}
    for (source, kind, metric), reading in run.readings.items():
        before = run.readings.get((source, "", metric))
        if kind and before and before.value is not None and reading.value is not None:
            shifts.setdefault((metric, kind), []).append(reading.value - before.value)
    return shifts


def _layout(
    place: str, columns: tuple[str, ...], rows: tuple[str, ...], printed: PublishedTable | None
) -> PublishedTable:
    """The table without figures, or with those that the paper prints of other texts."""
    id, _, caption = place.partition(": ")
    figures = dict(printed.cells()) if printed else {}
    return PublishedTable(
        id=printed.id if printed else id,
        caption=printed.caption if printed else f"{caption}, mean shift of the score",
        unit=printed.unit if printed else "units of the metric",
        source=printed.source if printed else f"{id[:1].lower()}{id[1:]} is drawn without numbers",
        tolerance=printed.tolerance if printed else 0.0,
        columns=columns,
        rows={row: tuple(figures.get((row, column)) for column in columns) for row in rows},
        origin="again" if printed else "ours",
        missing=None,
        printed_in=None,
        deviations={},
        other_texts={"*": "of your texts"} if printed else {},
    )


def _cells(
    table: PublishedTable,
    rows: Mapping[str, Mapping[str, str]],
    specs: Mapping[str, str],
    means: _Means,
    run: StressRun,
) -> Iterator[PaperCell]:
    for (row, column), value in table.cells():
        metric, kind = specs[row], rows[row][column]
        figures = means.get((metric, kind), ())
        cell = PaperCell(row, column, value, None, table.tolerance, table.origin)
        if figures:
            waits, need = (_OWN_TEXTS, _NEED) if value is not None else ("", "")
            yield replace(cell, ours=fsum(figures) / len(figures), waits=waits, need=need)
        else:
            yield replace(cell, waits=_first_error(run, metric, kind), need="a score")


def _first_error(run: StressRun, metric: str, kind: str) -> str:
    """The first refusal of a variant or failed score of the cell; what is to come where there is none."""
    if kind and kind not in run.plan.kinds:
        return f"The run has no {PERTURBATIONS.parse(kind).title}."
    refusals = (variant.error for (_, of), variant in run.variants.items() if of == kind)
    errors = (reading.error for (_, of, by), reading in run.readings.items() if (of, by) == (kind, metric))
    return next(filter(None, [*errors, *refusals]), "Waits for scores of the run.")
