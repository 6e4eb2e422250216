"""Agreement of judges of explanations with people and with one another, in files of `judge` or as it is stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.evaluation.explanations.causes import parse_cause
from core.evaluation.explanations.explainer_scores import judged_explanations
from core.evaluation.explanations.explanation_cases import read_judged, read_judgements
from core.evaluation.explanations.judge import parse_grade
from core.evaluation.explanations.judge_agreement import (
    AGREEMENT_COLUMNS,
    Figures,
    GradePair,
    agreement_with_people,
    judge_tables,
    merge_judged,
)
from core.evaluation.report import Column, Pivot, Report, Table
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData
from core.models import is_model_signature
from core.results import Cases
from core.stats import format_percent, format_unsigned
from core.types import GradedExplanation


def stored_judgements(cases: Cases) -> dict[str, list[GradePair]]:
    """Grades of each judge, by its signature, with those of people of the same explanation, one for each person."""
    pairs: defaultdict[str, list[GradePair]] = defaultdict(list)
    for sample, document in zip(cases.samples, cases.documents, strict=True):
        people: defaultdict[tuple[str, str], list[GradedExplanation]] = defaultdict(list)
        for explanation in sample.item.explanations:
            if explanation.grade and not is_model_signature(explanation.judge):
                people[explanation.by, explanation.text].append(explanation)
        for explanation in sample.item.explanations:
            if is_model_signature(explanation.judge):
                grade = parse_grade(explanation.grade) if explanation.grade else None
                cause = parse_cause(explanation.cause) if explanation.cause else None
                for human in people[explanation.by, explanation.text]:
                    human_cause = parse_cause(human.cause) if human.cause else None
                    pair = GradePair(grade, parse_grade(human.grade), str(document), cause, human_cause)
                    pairs[explanation.judge].append(pair)
    return {judge: of_judge for judge, of_judge in pairs.items() if of_judge}


_PEOPLE_NOTE = (
    "Balanced accuracy takes people's grades as the truth, cut twice: entirely correct against the rest, and not correct "
    "against the rest. Weighted kappa counts half a grade apart as half as bad."
)


@STUDIES.add
class JudgeAgreement(Study):
    """Grades of language models beside those of people and of each other."""

    name: ClassVar[str] = "judge-agreement"
    title: ClassVar[str] = "Agreement of judges"
    does: ClassVar[str] = (
        "Report how far judges of explanations agree with people (correlation, balanced accuracy, kappa) and with one another."
    )
    group: ClassVar[Group] = "Which metric?"
    may_take: ClassVar[tuple[Input, ...]] = (Input.FILES, Input.SAMPLES)
    place: ClassVar[int] = 60
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "An audit is of a metric, and judges grade explanations."}
    )

    def run(self, data: StudyData) -> Report:
        if not data.files and data.cases is None:
            raise TouchstoneError("Name a file that `judge` wrote, or a dataset with --dataset.")
        if data.files and data.cases is not None:
            raise TouchstoneError("Name files or datasets, not both: the same grades would count twice.")
        pairs: defaultdict[str, list[GradePair]] = defaultdict(list)
        judged = merge_judged(explanation for file in data.files for explanation in read_judged(file))
        sources = [read_judgements(file) for file in data.files]
        if data.cases is not None:
            sources.append(stored_judgements(data.cases))
            judged += judged_explanations(data.cases)
        for source in sources:
            for judge, of_judge in source.items():
                pairs[judge] += of_judge
        figures = {judge: agreement_with_people(of_judge, data.resamples) for judge, of_judge in pairs.items()}
        among = judge_tables(judged, data.resamples)
        if not figures and not among:
            raise TouchstoneError(
                "No person graded any of these explanations, and no second judge did. Judge some that have a grade under "
                "“human”, or have another model judge them, too."
            )
        tables = [_people_table(figures), _count_table(pairs)] if figures else []
        return self.report(
            data,
            [*tables, *among],
            sentences=list(_sentences(figures, among)),
            notes=[
                f"95 % intervals of {data.resamples:,} resamples of whole documents.",
                *([_PEOPLE_NOTE] if figures else []),
            ],
        )


def _people_table(figures: Mapping[str, Figures]) -> Table:
    return Table(
        "with_people",
        "Judges and people",
        (Column("judge"), *AGREEMENT_COLUMNS),
        tuple(
            (judge, name, estimate, estimate.n, estimate.error)
            for judge, of_judge in figures.items()
            for name, estimate in of_judge.items()
        ),
        pivot=Pivot("agreement", "judge", ("value",)),
    )


def _count_table(pairs: Mapping[str, Sequence[GradePair]]) -> Table:
    return Table(
        "graded",
        "Explanations that people graded",
        (
            Column("judge"),
            Column("explanations", format="count"),
            Column("failed", format="count", help="Those of them without a grade of the judge."),
        ),
        tuple(
            (judge, len(of_judge), sum(pair.judge_grade is None for pair in of_judge))
            for judge, of_judge in pairs.items()
        ),
    )


def _sentences(figures: Mapping[str, Figures], among: Sequence[Table]) -> Iterator[str]:
    """The judge that agrees best with people, and how often judges give the same grade."""
    kappas = {judge: of_judge["weighted kappa"] for judge, of_judge in figures.items()}
    kappas = {judge: kappa for judge, kappa in kappas.items() if kappa.value is not None}
    if kappas:
        best = max(kappas, key=lambda judge: kappas[judge].value or 0.0)
        which = f", the best of {len(kappas)} judges," if len(kappas) > 1 else ""
        yield (
            f"{best}{which} agrees with people on {kappas[best].n} explanations with a weighted kappa of "
            f"{format_unsigned(kappas[best])}."
        )
    for table in among[:1]:
        same = table.figure("value", agreement="same grade")
        yield f"Two judges give the same explanation the same grade in {format_percent(same)} % of {same.n} cases."
