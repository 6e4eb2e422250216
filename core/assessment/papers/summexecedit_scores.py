"""The scores of SummExecEdit that models and metrics here can fill: table 2 for the model that is set, and two other metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from types import MappingProxyType

from core.assessment.papers.paper import Figures, ReleasedData
from core.assessment.papers.published import CellPlace, Waiting
from core.errors import MissingEndpointError
from core.evaluation import (
    Detection,
    ExplainMode,
    ExplanationCase,
    JudgeSetup,
    SummaryWithEdit,
    converse_in_order,
    explain_all,
    is_applicable,
    judge_conversation,
    summaries_with_edits,
)
from core.model_reference import EndpointModel
from core.models import Sampling, model_problem, resolve_model
from core.scoring import METRICS, Metric
from core.types import GRADE_VALUES, Failure, Item, Result, Verdict

OTHER_METRICS: Mapping[str, str] = MappingProxyType(
    {"AlignScore": "alignscore-large@summexecedit", "MiniCheck": "minicheck-flan-t5@summexecedit"}
)
_THRESHOLD = 0.5
_PROFILE = "summexecedit"


def other_metric(name: str) -> Metric:
    return METRICS.parse(OTHER_METRICS[name])


def detection_accuracies(items: Sequence[Item], data: ReleasedData) -> Figures:
    """Section 5: the share, in percent, of summaries that a metric puts on the right side of 0.5."""
    labelled = [item for item in items if item.intended]
    intended = {item.example.id: item.intended for item in labelled}
    figures: dict[CellPlace, float | Waiting] = {}
    for name in OTHER_METRICS:
        metric = other_metric(name)
        if missing := data.missing(metric):
            figures[name, "DA"] = missing
            continue
        outcomes = list(data.engine.run([metric], [item.example for item in labelled]))
        right = [
            (outcome.score >= _THRESHOLD) == (intended[example.id] is Verdict.CONSISTENT)
            for example, outcome in outcomes
            if isinstance(outcome, Result)
        ]
        if right:
            figures[name, "DA"] = 100 * sum(right) / len(right)
        else:
            figures[name, "DA"] = Waiting(
                next(f"No score: {outcome.error}" for _, outcome in outcomes if isinstance(outcome, Failure))
            )
    return figures


def model_scores(rows: Iterable[str], items: Sequence[Item], data: ReleasedData) -> Figures:
    """Table 2 for the row of the model that is set, judged by EvalV4; the other rows wait for their models.

    In shares: DA of all summaries; DS, ES and JS of the inconsistent ones. An explanation of a summary that was called
    consistent counts 0 in JS and not in ES.
    """
    model = _model()
    mine = next((row for row in rows if isinstance(model, str) and _same_model(row, model)), None)
    figures: dict[CellPlace, float | Waiting] = {
        (row, ""): Waiting(f"Waits for an endpoint that serves {row}: the model that is set is {model}", "an endpoint")
        for row in rows
    }
    if isinstance(model, Waiting):
        return dict.fromkeys(figures, model)
    if mine is None:
        return figures
    if not data.asks:
        ask = Waiting("Waits for an endpoint: --ask asks the one that is set, which may cost money", "an endpoint")
        return {**figures, (mine, ""): ask}
    return {**figures, **{(mine, column): value for column, value in _scores(items, Sampling(model), data).items()}}


def _scores(items: Sequence[Item], sampling: Sampling, data: ReleasedData) -> Mapping[str, float]:
    labelled = [summary for summary in summaries_with_edits(items) if summary.item.intended]
    detected = _findings(labelled, ExplainMode.DETECT, sampling, data)
    explained = _findings(labelled, ExplainMode.GIVEN, sampling, data)
    wrong = [(summary, finding) for summary, finding in detected if summary.item.intended is Verdict.INCONSISTENT]
    seen = [(summary, finding) for summary, finding in wrong if finding.verdict is Verdict.INCONSISTENT]
    grades, explained_grades = (_grades(pairs, sampling, data) for pairs in (seen, explained))
    right = [finding.verdict is summary.item.intended for summary, finding in detected]
    shares = {
        "DA": (sum(right), len(right)),
        "DS": (len(seen), len(wrong)),
        "ES, D&E": (fsum(grades), len(grades)),
        "JS": (fsum(grades), len(wrong)),
        "ES, E|D": (fsum(explained_grades), len(explained_grades)),
    }
    return {name: total / number for name, (total, number) in shares.items() if number}


def _findings(
    summaries: Sequence[SummaryWithEdit], mode: ExplainMode, sampling: Sampling, data: ReleasedData
) -> list[tuple[SummaryWithEdit, Detection]]:
    applicable = [summary for summary in summaries if is_applicable(summary, mode)]
    outcomes = explain_all(data.engine, applicable, mode, sampling, _PROFILE)
    return [(summary, finding) for summary, finding in outcomes if not isinstance(finding, Failure)]


def _grades(pairs: Sequence[tuple[SummaryWithEdit, Detection]], sampling: Sampling, data: ReleasedData) -> list[float]:
    """The grades of explanations by the reference that comes with each edit."""
    cases = [
        ExplanationCase(summary.item.example.id, finding.explanation, reference=summary.reference, group=summary.group)
        for summary, finding in pairs
        if summary.reference
    ]
    graded = converse_in_order(data.engine, cases, lambda case: judge_conversation(case, JudgeSetup.V4, sampling))
    return [GRADE_VALUES[judgement.grade] for _, judgement in graded if not isinstance(judgement, Failure)]


def _model() -> str | Waiting:
    if problem := model_problem(EndpointModel("", "endpoint_chat")):
        return Waiting(f"Waits for an endpoint: {problem}", "an endpoint")
    try:
        return resolve_model("")
    except MissingEndpointError as error:
        return Waiting(f"Waits for an endpoint: {error}", "an endpoint")


def _same_model(row: str, model: str) -> bool:
    """True for a model that is served under the name of the row, whatever stands before it and between its words."""
    plain = ["".join(character for character in name.lower() if character.isalnum()) for name in (row, model)]
    return plain[1].endswith(plain[0])
