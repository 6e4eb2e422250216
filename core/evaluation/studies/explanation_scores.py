"""Scores of explainers: DA, DS, ES and JS from graded explanations (SummExecEdit, Thorat, Laban and Wu 2024), by judge as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.explanations.explainer_scores import (
    MIN_GRADED_SHARE,
    SCORE_TITLES,
    ExplainerScores,
    explainer_scores,
    judged_explanations,
    scores_by_judge,
)
from core.evaluation.explanations.judge_agreement import judge_tables
from core.evaluation.report import Cell, Column, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.stats import format_percent

_COUNTS = (
    Column("graded", format="count", help="Grades that its explanations have."),
    Column("explained", format="count", help="Explanations that ought to have a grade: those of errors."),
    Column("ungraded", format="count", help="Those of them that have none."),
    Column("failed", format="count", help="Those of them that a judge was given and did not grade."),
    Column("unanswered", format="count", help="Summaries about which it was asked and gave no answer."),
    Column("incomplete", help=f"yes: less than {MIN_GRADED_SHARE:.0%} of the explanations are graded."),
)


@STUDIES.add
class ExplanationScores(Study):
    """Detection and explanation of errors by models and people."""

    name: ClassVar[str] = "explanation-scores"
    title: ClassVar[str] = "Scores of explanations"
    does: ClassVar[str] = (
        "Report how well models find and explain errors, from graded explanations: DA, DS, ES and JS; by judge, too, where "
        "there are several."
    )
    group: ClassVar[Group] = "Which metric?"
    takes: ClassVar[tuple[Input, ...]] = (Input.SAMPLES,)
    place: ClassVar[int] = 60
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "An audit is of a metric, and explanations are written by models and people."}
    )

    def run(self, data: StudyData) -> Report:
        cases, draws = data.samples, data.draws
        explainers = sorted(explainer_scores(cases, draws), key=_place)
        if not explainers:
            raise TouchstoneError(
                f"No explanation is graded in {', '.join(data.datasets)}, and none came with a verdict. Import some, such as "
                "factualNLG or what `cli.py explain` and `cli.py judge` write, or grade some on Probe or in a campaign."
            )
        by_judge = sorted(scores_by_judge(cases, draws), key=_place)
        tables = [_table("explainers", "Explainers", explainers)]
        if by_judge:
            tables.append(_table("by_judge", "By judge", by_judge))
        notes = [" ".join(f"{name}: {title}." for name, title in SCORE_TITLES.items())]
        if any(explainer.incomplete for explainer in (*explainers, *by_judge)):
            notes.append(
                "ES, JS and the share of entirely correct explanations rest on the graded ones alone where incomplete."
            )
        # the best explainer by the joint score and by the explanation score, where they are known
        sentences = []
        for figure, what in (("JS", "joint"), ("ES", "explanation")):
            scored = [explainer for explainer in explainers if explainer.figures[figure].value is not None]
            if scored:
                best = max(scored, key=lambda explainer: explainer.figures[figure].value or 0.0)
                estimate = best.figures[figure]
                among = f" of {len(scored)} explainers" if len(scored) > 1 else ""
                sentences.append(
                    f"{best.name or 'unnamed'} has {'the highest' if among else 'a'} {what} score{among}: "
                    f"{format_percent(estimate)} % (n = {estimate.n})."
                )
        return self.report(
            data,
            [*tables, *judge_tables(judged_explanations(cases), data.resamples)],
            sentences=sentences,
            notes=notes,
        )


def _place(explainer: ExplainerScores) -> float:
    return -(explainer.figures["ES"].value or 0.0)


def _table(name: str, title: str, explainers: Sequence[ExplainerScores]) -> Table:
    """A line for each explainer, the best explanations first; who graded them where it is of one judge."""
    judged = any(explainer.judge for explainer in explainers)
    figures = [
        column
        for figure, means in SCORE_TITLES.items()
        for column in (
            Column(figure, format="percent", help=f"{means[0].upper()}{means[1:]}."),
            *([Column(f"{figure}_n", f"{figure} n", "count")] if figure in {"ES", "JS"} else []),
        )
    ]
    head = [Column("explainer", "explained by"), *([Column("judge", "graded by")] if judged else [])]
    rows: list[tuple[Cell, ...]] = []
    for explainer in explainers:
        cells: list[Cell] = []
        for figure, estimate in explainer.figures.items():
            cells += [estimate, estimate.n] if figure in {"ES", "JS"} else [estimate]
        rows.append(
            (
                explainer.name or "unnamed",
                *([explainer.judge] if judged else []),
                explainer.graded,
                explainer.explained,
                explainer.ungraded,
                explainer.failed,
                explainer.unanswered,
                explainer.incomplete,
                *cells,
            )
        )
    return Table(name, title, (*head, *_COUNTS, *figures), tuple(rows))
