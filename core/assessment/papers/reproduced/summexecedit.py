"""SummExecEdit (Thorat et al. 2024): its sizes, the consistent edits that it took from SummEdits, and grades of explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from math import fsum
from typing import ClassVar

from core.assessment.papers.paper import (
    PAPERS,
    Computation,
    DataFile,
    EndpointWork,
    Figures,
    Paper,
    ReleasedData,
    by_row,
)
from core.assessment.papers.published import CellPlace, read_published
from core.assessment.papers.summexecedit_scores import OTHER_METRICS, detection_accuracies, model_scores, other_metric
from core.evaluation import agreement_with_people, read_judgements
from core.scoring import Metric
from core.types import Verdict

_FACTUAL_NLG = "https://github.com/salesforce/factualNLG, data"
RELEASE = DataFile("summexecedit", "summexecedit", "download Salesforce/summexecedit from the Hugging Face hub")
GRADES = DataFile(
    "factualnlg",
    "summedits/factcc_explanation_annotation.json",
    f"copy factcc/factcc_explanation_annotation.json of {_FACTUAL_NLG}",
)
JUDGED = DataFile(
    "",
    "summexecedit/judged.jsonl",
    "explanations with grades of people that a judge graded too: python cli.py judge, which asks an endpoint",
)
_DOMAINS = ("podcast", "samsum", "news", "sales_call", "sales_email", "scitldr", "qmsumm", "ectsum")
_PRINTED_DOMAINS = (
    "SciTLDR",
    "News",
    "Podcast",
    "BillSum",
    "SamSum",
    "Shakespeare",
    "QMSum",
    "ECTSum",
    "Sales Email",
    "Sales Call",
    "Total",
)
_SUMMARIES, _INCONSISTENT = 4241, 2121
_PAIR_TOKENS, _GRADED_TOKENS, _ANSWER_TOKENS = 1400, 350, 60  # assumed: documents of SummEdits have some 1,000 words
_JUDGE_COLUMNS = ("kappa", "pearson", "spearman")


def _domain(name: str) -> DataFile:
    return DataFile(
        "summedits",
        f"summedits/summedits_{name}.json",
        f"copy summedits/summedits_{name}.json of {_FACTUAL_NLG}",
    )


@PAPERS.add
class SummExecEditPaper(Paper):
    """Counts from the release or from SummEdits; detection and explanation scores need an endpoint."""

    name: ClassVar[str] = "summexecedit"
    data: ClassVar[tuple[DataFile, ...]] = (RELEASE, *map(_domain, _DOMAINS), GRADES, JUDGED)
    by: ClassVar[str | None] = "domain"

    def metrics(self) -> Sequence[Metric]:
        return [other_metric(name) for name in OTHER_METRICS]

    def endpoint_work(self) -> EndpointWork:
        """Of the one model that is set: D&E of all summaries, E|D of the inconsistent ones, and a grade of each explanation."""
        return EndpointWork(
            questions=_SUMMARIES + 3 * _INCONSISTENT,
            read=(_SUMMARIES + _INCONSISTENT) * _PAIR_TOKENS + 2 * _INCONSISTENT * _GRADED_TOKENS,
            written=(_SUMMARIES + 3 * _INCONSISTENT) * _ANSWER_TOKENS,
        )

    def computations(self) -> Mapping[str, Computation]:
        return {
            "sizes": _sizes,
            "2": lambda data: model_scores(read_published("summexecedit").table("2").rows, data.items(RELEASE), data),
            "5, other metrics": lambda data: detection_accuracies(data.items(RELEASE), data),
            "6": _domain_sizes,
            # those of SummEdits without its seeds
            "6, consistent edits": partial(by_row, {name: partial(_consistent_in, name) for name in _DOMAINS}),
            "Laban et al., figure 2": _graded_explanations,
            "judge agreement": _judge_agreement,
        }


def _sizes(data: ReleasedData) -> Figures:
    labels = Counter(item.intended for item in data.items(RELEASE) if item.intended)
    counts = {str(verdict): float(number) for verdict, number in labels.items()} | {"summaries": labels.total()}
    return {("all domains", column): value for column, value in counts.items()}


def _domain_sizes(data: ReleasedData) -> Figures:
    """By the paper's names of domains, which the release writes in small letters with underscores."""
    judged = [item for item in data.items(RELEASE) if item.intended]
    figures: dict[CellPlace, float] = {}
    for name in _PRINTED_DOMAINS:
        key = name.lower().replace(" ", "_")
        labels = [item.intended for item in judged if name == "Total" or (item.domain or "").lower() == key]
        if labels:
            share = labels.count(Verdict.INCONSISTENT) / len(labels)
            figures |= {(name, "N"): len(labels), (name, "inconsistent"): 100 * share}
    return figures


def _consistent_in(name: str, data: ReleasedData) -> Mapping[str, float]:
    edits = [item for item in data.items(_domain(name)) if not item.example.id.endswith("_og")]
    return {"consistent": sum(item.intended is Verdict.CONSISTENT for item in edits)}


def _graded_explanations(data: ReleasedData) -> Figures:
    """A prompt is no model: grades are counted over all prompts of a model, and a grade that none got is 0."""
    explanations = [explanation for item in data.items(GRADES) for explanation in item.explanations]
    counts = Counter((explanation.by.partition("|")[0], explanation.grade) for explanation in explanations)
    models, grades = (
        {explanation.by.partition("|")[0] for explanation in explanations},
        {explanation.grade for explanation in explanations},
    )
    return {(model, grade): counts[model, grade] for model in models for grade in grades}


def _judge_agreement(data: ReleasedData) -> Figures:
    """The mean over judges where several graded."""
    agreements = [agreement_with_people(pairs, 1) for pairs in read_judgements(data.path(JUDGED)).values()]
    figures = {name: [agreement[name].value for agreement in agreements] for name in _JUDGE_COLUMNS}
    return {
        ("all judges", name): fsum(numbers) / len(numbers)
        for name, values in figures.items()
        if (numbers := [value for value in values if value is not None])
    }
