"""The final label of each task of a campaign, and the method by which it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlmodel import Session

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import QuestionSet
from annotations.results.annotator_fit import FittedLabels, fit_labels
from annotations.results.results import CampaignLabel, TaskResult, load_cases


class Resolution(StrEnum):
    """Method by which the final label of a task was found; an unresolved task has none."""

    UNANIMOUS = "unanimous"
    MAJORITY = "by majority"
    MODEL = "by a model of annotators"
    ADJUDICATED = "adjudicated"
    SINGLE = "of one person"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """A task with its labels and its final answers; none where it is unresolved."""

    task: str
    item: str
    resolution: Resolution
    labels: tuple[CampaignLabel, ...]
    answers: Mapping[str, Any]


def resolve_tasks(session: Session, campaign: CampaignSettings) -> list[ResolvedTask]:
    """Every task of work that was labelled before scores were seen; see `load_cases`.

    A decision of an adjudicator takes precedence over the labels, unless a later label contradicts it. Otherwise the answer to
    the measured question is that of more than half of the labels, or, where the rules say so, that of which a model of
    annotators is sure.
    """
    rules = campaign.rules
    fitted = None if rules.resolve == "majority" else fit_labels(session, campaign, rules.resolve)
    return [_resolve_case(case, campaign, fitted) for case in load_cases(session, campaign)]


def tasks_by_model(session: Session, campaign: CampaignSettings) -> frozenset[str]:
    """The tasks on which people differ, and which a model of annotators resolves."""
    if campaign.rules.resolve == "majority":
        return frozenset()
    resolved = resolve_tasks(session, campaign)
    return frozenset(task.task for task in resolved if task.resolution is Resolution.MODEL)


def tasks_by_majority(session: Session, campaign: CampaignSettings, tasks: Sequence[str]) -> frozenset[str]:
    """The tasks, of those given, on which people differ and more than half agree, where the rules take that answer."""
    if campaign.rules.resolve != "majority":
        return frozenset()
    return frozenset(
        case.task
        for case in load_cases(session, campaign, tasks)
        if _resolve_by_majority(case.labels, campaign.questions)[0] is Resolution.MAJORITY
    )


def _resolve_case(case: TaskResult, campaign: CampaignSettings, fitted: FittedLabels | None) -> ResolvedTask:
    if case.decision:
        resolution, answers = (
            (Resolution.UNRESOLVED, {}) if case.reopened else (Resolution.ADJUDICATED, case.decision.answers)
        )
    elif fitted and case.task in fitted.tasks:
        resolution, answers = _resolve_by_model(case, campaign, fitted)
    else:
        resolution, answers = _resolve_by_majority(case.labels, campaign.questions)
    return ResolvedTask(case.task, case.labels[0].item, resolution, case.labels, answers)


def _resolve_by_model(
    case: TaskResult, campaign: CampaignSettings, fitted: FittedLabels
) -> tuple[Resolution, Mapping[str, Any]]:
    """The answer that a model is sure of, with the other answers of those who gave it."""
    row, measured = fitted.model.posterior[fitted.tasks[case.task]], campaign.questions.measured
    value = fitted.answers[int(row.argmax())]
    answers = [label.answers for label in case.labels if measured(label.answers) == value]
    if row.max() < campaign.rules.sure / 100 or not answers:
        return Resolution.UNRESOLVED, {}
    if len(answers) < len(case.labels):
        return Resolution.MODEL, _most_common_answers(answers)
    return Resolution.UNANIMOUS if len(answers) > 1 else Resolution.SINGLE, _most_common_answers(answers)


def _resolve_by_majority(
    labels: Sequence[CampaignLabel], questions: QuestionSet
) -> tuple[Resolution, Mapping[str, Any]]:
    value, most = Counter(questions.measured(label.answers) for label in labels).most_common(1)[0]
    if 2 * most <= len(labels):
        return Resolution.UNRESOLVED, {}
    resolution = Resolution.MAJORITY if most < len(labels) else Resolution.UNANIMOUS if most > 1 else Resolution.SINGLE
    return resolution, _most_common_answers(
        [label.answers for label in labels if questions.measured(label.answers) == value]
    )


def _most_common_answers(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The most frequent answer to each question; none where two are equally frequent."""
    names = dict.fromkeys(name for answered in answers for name in answered)
    most_common = {
        name: _most_common_value([answered[name] for answered in answers if name in answered]) for name in names
    }
    return {name: value for name, value in most_common.items() if value is not None}


def _most_common_value(values: Sequence[Any]) -> Any:
    counted = [(values.count(value), value) for value in values]  # lists have no hash
    most = max(count for count, _ in counted)
    first, *others = [value for count, value in counted if count == most]
    return first if all(other == first for other in others) else None
