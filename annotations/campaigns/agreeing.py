"""How far the people of a campaign agree: on first blind labels, question by question and by error type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import numpy as np
from sqlmodel import Session, col, select

from annotations.campaigns.questions import Asked
from annotations.campaigns.reading import Said, first_blind, found_types
from annotations.campaigns.setup import Terms
from annotations.campaigns.tables import Task
from annotations.importing import FACTS
from annotations.tables import Origin, SampleRow
from core.stats.agreement import ac1, alpha, prevalence, raw
from core.stats.distance import Distance, interval, nominal, ordinal
from core.stats.estimate import Estimate
from core.stats.kappa import kappa
from core.stats.ratings import Ratings
from core.stats.resampling import Resamples
from core.stats.statistic import Statistic

OVERALL = "Overall"
_DISTANCES: Mapping[str, Distance] = MappingProxyType({"nominal": nominal, "ordinal": ordinal, "interval": interval})


@dataclass(frozen=True, slots=True)
class Agreement:
    """One question on one slice of the items; `scale` is what its answers are: nominal, ordinal or interval.

    `alphas` are Krippendorff's alpha with the answers taken for that and for less. `prevalence` is the share of each answer, `kappas` Cohen's kappa of every two people who share items.
    """

    question: str
    slice: str
    scale: str
    people: int
    labels: int
    raw: Estimate
    alphas: Mapping[str, Estimate]
    ac1: Estimate
    prevalence: Mapping[str, Estimate]
    kappas: Mapping[tuple[str, str], Estimate]

    @property
    def alpha(self) -> Estimate:
        """Alpha with the answers taken for what they are."""
        return self.alphas[self.scale]


def agreements(session: Session, campaign: Terms) -> list[Agreement]:
    """Every question with a fixed choice of answers, over all items and by the error type that they were made with."""
    said = first_blind(session, campaign)
    slices = {OVERALL: said, **_by_error_type(session, campaign, said)}
    return [
        agreement
        for question in campaign.questions.questions
        if question.kind in {"choice", "scale"}
        for name, some in slices.items()
        if (agreement := agreement_of(question, name, some)) is not None
    ]


def agreement_of(question: Asked, name: str, said: Sequence[Said]) -> Agreement | None:
    """The figures of one question; None where nobody answered it."""
    answered = [one for one in said if question.id in one.answers]
    if not answered:
        return None
    people = sorted({one.person for one in answered})
    ratings = ratings_of(question, answered, people)
    estimate = Resamples.draw(len(np.unique(ratings.documents))).estimate
    scale = _scale(question)
    return Agreement(
        question=question.id,
        slice=name,
        scale=scale,
        people=len(people),
        labels=len(answered),
        raw=estimate(raw(ratings)),
        alphas={name: estimate(alpha(ratings, distance)) for name, distance in _up_to(scale)},
        ac1=estimate(ac1(ratings)),
        prevalence={str(answer): estimate(prevalence(ratings, code)) for answer, code in _codes(question).items()},
        kappas=dict(_kappas(ratings, people, _DISTANCES[scale], estimate)),
    )


def ratings_of(question: Asked, answered: Sequence[Said], people: Sequence[str]) -> Ratings:
    """Answers as numbers, (tasks, people): steps of a scale, places of a choice."""
    tasks = {task: row for row, task in enumerate(dict.fromkeys(one.task for one in answered))}
    columns, codes = {person: column for column, person in enumerate(people)}, _codes(question)
    labels = np.full((len(tasks), len(people)), np.nan)
    documents, numbers = np.zeros(len(tasks), dtype=np.intp), dict[str, int]()
    for one in answered:
        labels[tasks[one.task], columns[one.person]] = codes[one.answers[question.id]]
        documents[tasks[one.task]] = numbers.setdefault(one.document, len(numbers))
    return Ratings(labels, documents, tuple(codes.values()))


def _codes(question: Asked) -> dict[str | int, float]:
    if question.kind == "scale":
        return {step: float(step) for step in range(question.low, question.high + 1)}
    return {value: float(place) for place, value in enumerate(question.values)}


def _scale(question: Asked) -> str:
    if question.kind == "scale":
        return "interval"
    return "ordinal" if question.ordered else "nominal"


def _up_to(scale: str) -> list[tuple[str, Distance]]:
    """A scale and those that ask less of the answers."""
    names = list(_DISTANCES)
    return [(name, _DISTANCES[name]) for name in names[: names.index(scale) + 1]]


def _kappas(
    ratings: Ratings, people: Sequence[str], distance: Distance, estimate: Callable[[Statistic], Estimate]
) -> Iterator[tuple[tuple[str, str], Estimate]]:
    for (first, one), (second, other) in combinations(enumerate(people), 2):
        if (ratings.given[:, first] & ratings.given[:, second]).any():
            yield (one, other), estimate(kappa(ratings, first, second, distance))


def _by_error_type(session: Session, campaign: Terms, said: Sequence[Said]) -> dict[str, list[Said]]:
    of_item = given_types(session, campaign) | found_types(session)
    kinds = sorted({of_item[one.item] for one in said if one.item in of_item})
    return {kind: [one for one in said if of_item.get(one.item) == kind] for kind in kinds}


def given_types(session: Session, campaign: Terms) -> dict[str, str]:
    """The error type that each item of a campaign was imported with, or else kept with last."""
    mine = select(Task.item_id).where(Task.campaign_id == campaign.id)
    kept = session.exec(
        select(Origin.item_id, Origin.error_type)
        .where(col(Origin.item_id).in_(mine), col(Origin.error_type).is_not(None))
        .order_by(col(Origin.created_at))
    )
    facts = session.exec(
        select(SampleRow.item_id, SampleRow.facts)
        .where(col(SampleRow.item_id).in_(mine))
        .order_by(col(SampleRow.number))
    )
    imported = {item: kind.value for item, told in facts if item and (kind := FACTS.validate_json(told).error_type)}
    return {item: kind for item, kind in kept if kind} | imported
