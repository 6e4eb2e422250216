"""The scores of SummExecEdit that models and metrics here can fill: table 2 for the model that is set, and two other metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from types import MappingProxyType

from core.assessment.papers.paper import Figures, ReleasedData, Waiting
from core.assessment.papers.published import CellPlace
from core.errors import MissingEndpointError
from core.evaluation.explanations.detect import ExplainMode, Finding, explain_all, is_applicable
from core.evaluation.explanations.edited_summaries import SummaryWithEdit, summaries_with_edits
from core.evaluation.explanations.judge import Case, JudgeSetup, converse_in_order, judge_conversation
from core.model_reference import EndpointModel
from core.models.llm.chat import Sampling
from core.models.llm.endpoints.endpoints import model_problem, resolve_model
from core.scoring.metric import METRICS, Metric
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
    found: dict[CellPlace, float | Waiting] = {}
    for name in OTHER_METRICS:
        metric = other_metric(name)
        if missing := data.missing(metric):
            found[name, "DA"] = missing
            continue
        outcomes = list(data.engine.run([metric], [item.example for item in labelled]))
        right = [
            (outcome.score >= _THRESHOLD) == (intended[example.id] is Verdict.CONSISTENT)
            for example, outcome in outcomes
            if isinstance(outcome, Result)
        ]
        if right:
            found[name, "DA"] = 100 * sum(right) / len(right)
        else:
            found[name, "DA"] = Waiting(
                next(f"No score: {one.message}" for _, one in outcomes if isinstance(one, Failure))
            )
    return found


def model_scores(rows: Iterable[str], items: Sequence[Item], data: ReleasedData) -> Figures:
    """Table 2 for the row of the model that is set, judged by EvalV4; the other rows wait for their models.

    In shares: DA of all summaries; DS, ES and JS of the inconsistent ones. An explanation of a summary that was called
    consistent counts 0 in JS and not in ES.
    """
    model = _model()
    mine = next((row for row in rows if isinstance(model, str) and _same_model(row, model)), None)
    found: dict[CellPlace, float | Waiting] = {
        (row, ""): Waiting(f"Waits for an endpoint that serves {row}: the model that is set is {model}", "an endpoint")
        for row in rows
    }
    if isinstance(model, Waiting):
        return dict.fromkeys(found, model)
    if mine is None:
        return found
    if not data.asks:
        ask = Waiting("Waits for an endpoint: --ask asks the one that is set, which may cost money", "an endpoint")
        return {**found, (mine, ""): ask}
    return {**found, **{(mine, column): value for column, value in _scores(items, Sampling(model), data).items()}}


def _scores(items: Sequence[Item], sampling: Sampling, data: ReleasedData) -> Mapping[str, float]:
    labelled = [one for one in summaries_with_edits(items) if one.item.intended]
    detected = _findings(labelled, ExplainMode.DETECT, sampling, data)
    explained = _findings(labelled, ExplainMode.GIVEN, sampling, data)
    wrong = [(one, found) for one, found in detected if one.item.intended is Verdict.INCONSISTENT]
    seen = [(one, found) for one, found in wrong if found.verdict is Verdict.INCONSISTENT]
    grades, given = (_grades(pairs, sampling, data) for pairs in (seen, explained))
    right = [found.verdict is one.item.intended for one, found in detected]
    shares = {
        "DA": (sum(right), len(right)),
        "DS": (len(seen), len(wrong)),
        "ES, D&E": (fsum(grades), len(grades)),
        "JS": (fsum(grades), len(wrong)),
        "ES, E|D": (fsum(given), len(given)),
    }
    return {name: total / number for name, (total, number) in shares.items() if number}


def _findings(
    asked: Sequence[SummaryWithEdit], mode: ExplainMode, sampling: Sampling, data: ReleasedData
) -> list[tuple[SummaryWithEdit, Finding]]:
    applicable = [one for one in asked if is_applicable(one, mode)]
    outcomes = explain_all(data.engine, applicable, mode, sampling, _PROFILE)
    return [(one, found) for one, found in outcomes if not isinstance(found, Failure)]


def _grades(pairs: Sequence[tuple[SummaryWithEdit, Finding]], sampling: Sampling, data: ReleasedData) -> list[float]:
    """The grades of explanations by the reference that comes with each edit."""
    cases = [
        Case(one.item.example.id, found.explanation, reference=one.reference, group=one.group)
        for one, found in pairs
        if one.reference
    ]
    graded = converse_in_order(data.engine, cases, lambda case: judge_conversation(case, JudgeSetup.V4, sampling))
    return [GRADE_VALUES[found.grade] for _, found in graded if not isinstance(found, Failure)]


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
