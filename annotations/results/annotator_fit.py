"""A model of annotators fitted to the labels of a campaign: competence of each person, and labels that deserve a second look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlmodel import Session, col, select

from annotations.campaigns.active_order import newest_scores, relative_ranks
from annotations.campaigns.campaign import CampaignSettings
from annotations.results.label_agreement import answer_codes, ratings_from_answers
from annotations.results.results import CampaignLabel, known_labels, latest_blind_labels, load_labels
from annotations.store.campaign_tables import AnswerKey, Task
from annotations.store.tables import ItemRow
from core.stats import (
    MODELS,
    UNKNOWN,
    AnnotatorModel,
    Estimate,
    LabelMatrix,
    Numbers,
    Values,
    competence_estimates,
    fit_model,
)

_DOUBTED = 0.2  # an answer that is less probable than this is listed
_MOST_LISTED = 50
_LEAST_SCORED = 20  # labelled items with a score, from which a metric tells which answer is usual


@dataclass(frozen=True, slots=True, eq=False)
class FittedLabels:
    """The labels of work and gold of a campaign with a model: rows of `ratings` are `tasks`, columns `people`, classes `answers`."""

    labels: tuple[CampaignLabel, ...]
    tasks: Mapping[str, int]
    people: tuple[str, ...]
    answers: tuple[Any, ...]
    ratings: LabelMatrix
    gold_codes: Numbers
    model: AnnotatorModel

    def probabilities(self, votes: Sequence[tuple[str, Any]]) -> Values:
        """The probability of each answer given votes, pairs of a person and an answer, (classes,); a new person counts as the average one."""
        columns = {person: column for column, person in enumerate(self.people)}
        logs = np.log(self.model.shares)
        average = self.model.confusions.mean(axis=0)
        for person, answer in votes:
            table = self.model.confusions[columns[person]] if person in columns else average
            logs = logs + np.log(table[:, self.answers.index(answer)])
        likelihoods = np.exp(logs - logs.max())
        probabilities: Values = likelihoods / likelihoods.sum()
        return probabilities


def fit_labels(session: Session, campaign: CampaignSettings, name: str) -> FittedLabels | None:
    """A model fitted to the current labels given before scores were seen, and to the gold ones with their known answers; None without a label of work."""
    question = campaign.questions.by_id[campaign.questions.measure]
    campaign_labels = load_labels(session, campaign)
    work, gold = latest_blind_labels(campaign_labels), known_labels(campaign_labels)
    codes = answer_codes(question)
    labels = [label for label in (*work, *gold) if label.answers.get(question.id) in codes]
    if not any(label.part == "work" for label in labels):
        return None
    people = tuple(sorted({label.person for label in labels}))
    ratings = ratings_from_answers(question, labels, people)
    tasks = {task: row for row, task in enumerate(dict.fromkeys(label.task for label in labels))}
    gold_codes = np.full(len(tasks), UNKNOWN)
    keys = select(AnswerKey.task_id, AnswerKey.answers).where(
        col(AnswerKey.task_id).in_({label.task for label in gold})
    )
    for task, answers in session.exec(keys):
        if task in tasks and answers.get(question.id) in codes:
            gold_codes[tasks[task]] = list(codes).index(answers[question.id])
    model = fit_model(name, ratings, gold_codes)
    return FittedLabels(tuple(labels), tasks, people, tuple(codes), ratings, gold_codes, model)


@dataclass(frozen=True, slots=True)
class AnnotatorCompetence:
    """One person: how many labels of work and gold, and the competence by each model, of its name, with its interval."""

    person: str
    labels: int
    competence: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class DoubtfulLabel:
    """A label that deserves a second look: its person gives an answer of a low `probability`, by a model or by the scores of a metric.

    `source` is that model or metric, `likely` the answer that it finds most probable; a final label of several people has
    their names.
    """

    task: str
    summary: str
    person: str
    answer: Any
    likely: Any
    probability: float
    source: str


def load_annotator_models(
    session: Session, campaign: CampaignSettings
) -> tuple[list[AnnotatorCompetence], list[DoubtfulLabel]]:
    """The people of a campaign by both models with bootstrap intervals, least competent first; writes nothing.

    And the labels to look at again, least probable first: those that contradict the models or the stored scores.
    """
    fits = {name: fit_labels(session, campaign, name) for name in MODELS}
    fitted = {name: fit for name, fit in fits.items() if fit}
    if not fitted:
        return [], []
    first = next(iter(fitted.values()))
    estimates = {
        name: competence_estimates(name, fit.ratings, fit.gold_codes, fit.model) for name, fit in fitted.items()
    }
    people = [
        AnnotatorCompetence(
            person,
            int(first.ratings.labelled[:, column].sum()),
            {name: estimates[name][column] for name in estimates},
        )
        for column, person in enumerate(first.people)
    ]
    texts = dict(
        session.exec(
            select(Task.id, ItemRow.text)
            .join(ItemRow, col(ItemRow.id) == Task.item_id)
            .where(Task.campaign_id == campaign.id)
        ).all()
    )
    doubtful = [*_doubted_by_model(campaign, first, texts), *_doubted_by_scores(session, first, texts)]
    doubtful.sort(key=lambda label: (label.probability, label.task, label.person))
    people.sort(key=lambda person: person.competence["dawid-skene"].value or 0)
    return people, doubtful[:_MOST_LISTED]


def _doubted_by_model(
    campaign: CampaignSettings, fit: FittedLabels, texts: Mapping[str, str]
) -> Iterator[DoubtfulLabel]:
    """Labels of work whose answer is improbable given all labels of the item."""
    for label in fit.labels:
        if label.part != "work":
            continue
        row = fit.model.posterior[fit.tasks[label.task]]
        answer = campaign.questions.measured(label.answers)
        probability = float(row[fit.answers.index(answer)])
        if probability < _DOUBTED:
            likely = fit.answers[int(row.argmax())]
            yield DoubtfulLabel(label.task, texts[label.task], label.person, answer, likely, probability, "dawid-skene")


def _doubted_by_scores(session: Session, fit: FittedLabels, texts: Mapping[str, str]) -> Iterator[DoubtfulLabel]:
    """Items whose likely answer is rare among the items with the nearest scores, for each metric with stored scores."""
    work = {label.task: label.item for label in fit.labels if label.part == "work"}
    scores = newest_scores(session, set(work.values()))
    for metric in sorted({name for by_metric in scores.values() for name in by_metric}):
        tasks = [task for task, item in work.items() if metric in scores[item]]
        if len(tasks) < _LEAST_SCORED:
            continue
        ranks = relative_ranks(np.array([scores[work[task]][metric] for task in tasks]))
        answers = np.array([int(fit.model.posterior[fit.tasks[task]].argmax()) for task in tasks])
        shares = neighbour_shares(ranks, answers, len(fit.answers))
        for task, answer, share in zip(tasks, answers, shares, strict=True):
            if share[answer] < _DOUBTED:
                names = ", ".join(label.person for label in fit.labels if label.task == task)
                likely = fit.answers[int(share.argmax())]
                yield DoubtfulLabel(task, texts[task], names, fit.answers[answer], likely, float(share[answer]), metric)


def neighbour_shares(ranks: Values, answers: Numbers, classes: int) -> Values:
    """The share of each answer among the nearest other items in rank, √n of them, (items, classes)."""
    number = max(3, round(len(ranks) ** 0.5))
    apart = np.abs(ranks[:, None] - ranks[None])
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :number]
    shares: Values = (answers[nearest][..., None] == np.arange(classes)).mean(axis=1)
    return shares
