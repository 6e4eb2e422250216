"""Inter-annotator agreement on first blind labels, by question and error type; and how often a label changes after the scores were shown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sqlmodel import Session

from annotations.campaigns.campaign import CampaignSettings
from annotations.campaigns.questions import CampaignQuestion
from annotations.results.results import (
    CampaignLabel,
    corrected_error_types,
    first_blind_labels,
    given_error_types,
    latest_labels,
    load_labels,
)
from core.stats import (
    DISTANCES,
    AnswerDistance,
    Distance,
    Estimate,
    LabelMatrix,
    Resamples,
    Statistic,
    cohen_kappa,
    distance_alpha,
    distributions_of_alike,
    group_alike,
    gwet_ac1,
    jensen_shannon_divergence,
    krippendorff_alpha,
    label_prevalence,
    raw_agreement,
    split_half_reliability,
    squared_distance,
    undefined,
)

OVERALL = "Overall"


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on one question, on one slice of the items.

    Sliders, rankings, best-worst and soft labels have no categories but numbers: they have alpha by a distance of their own, no
    AC1, prevalence or kappa, and best-worst the `reliability` of its scores.
    """

    question: str
    """Id of the question."""
    slice: str
    """Name of the slice, such as a mode or an error type."""
    scale: str
    """Scale of the answers: nominal, ordinal or interval, or ranks, scores or shares."""
    people: int
    """Number of people who labelled."""
    labels: int
    """Number of first labels."""
    raw: Estimate
    """Share of pairs of labels that agree."""
    alphas: Mapping[str, Estimate]
    """Krippendorff's alpha by scale: that of the answers, and coarser ones."""
    ac1: Estimate
    """Gwet's AC1."""
    prevalence: Mapping[str, Estimate]
    """Share of each answer."""
    kappas: Mapping[tuple[str, str], Estimate]
    """Cohen's kappa of every two people who share items, with `kappa_weights`."""
    confusions: Mapping[tuple[str, str], Mapping[tuple[str, str], int]]
    """Numbers of items by the answers of every two people who share items."""
    reliability: Estimate | None = None
    """Split-half reliability of best-worst scores; None for other kinds."""

    @property
    def alpha(self) -> Estimate:
        """Alpha on the scale of the answers."""
        return self.alphas[self.scale]

    @property
    def kappa_weights(self) -> str:
        """Weights of kappa: quadratic in the steps between ordered answers, as in studies, or none.

        scikit-learn gives the same with `labels` in the order of the answers; without, it sorts words by the alphabet.
        """
        return "unweighted" if self.scale == "nominal" else "quadratic weights"


def compute_agreements(session: Session, campaign: CampaignSettings) -> list[LabelAgreement]:
    """Every question with a fixed choice of answers: over all items, by mode where labels have several, by the error type of items."""
    labels = first_blind_labels(load_labels(session, campaign))

    modes = sorted({label.mode for label in labels})
    by_mode = {f"{mode.capitalize()} labels": [label for label in labels if label.mode == mode] for mode in modes}
    of_item = given_error_types(session, campaign) | corrected_error_types(session)
    kinds = sorted({of_item[label.item] for label in labels if label.item in of_item})
    slices = {
        OVERALL: labels,
        **(by_mode if len(modes) > 1 else {}),
        **{kind: [label for label in labels if of_item.get(label.item) == kind] for kind in kinds},
    }
    return [
        agreement
        for question in campaign.questions.questions
        if question.kind in {"choice", "scale", *_DISTANCES}
        for name, slice_labels in slices.items()
        if (agreement := compute_agreement(question, name, slice_labels)) is not None
    ]


def compute_agreement(question: CampaignQuestion, name: str, labels: Sequence[CampaignLabel]) -> LabelAgreement | None:
    """The figures of one question; None where it has no answers."""
    answered = [label for label in labels if question.id in label.answers]
    if not answered:
        return None
    if question.kind in _DISTANCES:
        return _agreement_by_distance(question, name, answered)
    people = sorted({label.person for label in answered})
    ratings = ratings_from_answers(question, answered, people)
    scale = _scale_of(question)
    groups, of_groups = group_alike(ratings)
    statistics, in_groups = (_statistics(labels, people, scale) for labels in (ratings, of_groups))
    distributions = distributions_of_alike([*statistics.values()], groups, [*in_groups.values()])
    estimates = {name: each.estimate() for name, each in zip(statistics, distributions, strict=True)}
    return LabelAgreement(
        question=question.id,
        slice=name,
        scale=scale,
        people=len(people),
        labels=len(answered),
        raw=estimates["raw",],
        alphas={of[0]: estimate for (figure, *of), estimate in estimates.items() if figure == "alpha"},
        ac1=estimates["ac1",],
        prevalence={str(answer): estimates["share", str(place)] for place, answer in enumerate(answer_codes(question))},
        kappas={(of[0], of[1]): estimate for (figure, *of), estimate in estimates.items() if figure == "kappa"},
        confusions=_pairwise_confusions(question, answered),
    )


def _statistics(ratings: LabelMatrix, people: Sequence[str], scale: str) -> dict[tuple[str, ...], Statistic]:
    return {
        ("raw",): raw_agreement(ratings),
        ("ac1",): gwet_ac1(ratings),
        **{("alpha", name): krippendorff_alpha(ratings, distance) for name, distance in _scales_up_to(scale)},
        **{("share", str(place)): label_prevalence(ratings, code) for place, code in enumerate(ratings.offered)},
        **{("kappa", *pair): kappa for pair, kappa in _pairwise_kappas(ratings, people, _KAPPA_DISTANCES[scale])},
    }


_KAPPA_DISTANCES = {**DISTANCES, "ordinal": DISTANCES["interval"]}
"""Distance of two answers by their scale; ranks would make the weights of two people depend on their own answers."""

_DISTANCES: Mapping[str, tuple[str, AnswerDistance]] = {
    "slider": ("interval", squared_distance),
    "ranking": ("ranks", squared_distance),
    "best-worst": ("scores", squared_distance),
    "soft": ("shares", jensen_shannon_divergence),
}
"""Scale of the answers to a kind of question, and the distance of two of them."""


def _agreement_by_distance(question: CampaignQuestion, name: str, answered: Sequence[CampaignLabel]) -> LabelAgreement:
    answers = np.array([answer_numbers(question, label.answers[question.id]) for label in answered])
    people, items, documents = (
        np.unique([getattr(label, of) for label in answered], return_inverse=True)[1]
        for of in ("person", "task", "document")
    )
    codes = np.unique(answers, axis=0, return_inverse=True)[1].reshape(-1)
    matrix = np.full((items.max() + 1, people.max() + 1), np.nan)
    matrix[items, people] = codes
    of_items = np.zeros(len(matrix), dtype=np.intp)
    of_items[items] = documents
    estimate = Resamples.draw(int(documents.max()) + 1).estimate
    scale, distance = _DISTANCES[question.kind]
    return LabelAgreement(
        question=question.id,
        slice=name,
        scale=scale,
        people=matrix.shape[1],
        labels=len(answered),
        raw=estimate(raw_agreement(LabelMatrix(matrix, of_items))),
        alphas={scale: estimate(distance_alpha(answers, items, documents, distance))},
        ac1=estimate(undefined(0, f"Gwet's AC1 is of categories, and answers to {question.id!r} are none.")),
        prevalence={},
        kappas={},
        confusions={},
        reliability=split_half_reliability(answers, items) if question.kind == "best-worst" else None,
    )


def answer_numbers(question: CampaignQuestion, answer: Any) -> list[float]:
    """The step of a slider, or a number for each option: its rank from 1, 1 for the best and -1 for the worst, its share."""
    match question.kind:
        case "slider":
            return [float(answer)]
        case "ranking":
            return [float(answer.index(value) + 1) for value in question.values]
        case "best-worst":
            return [float(value == answer[0]) - float(value == answer[1]) for value in question.values]
        case _:
            return [share / 100 for share in answer]


def ratings_from_answers(
    question: CampaignQuestion, answered: Sequence[CampaignLabel], people: Sequence[str]
) -> LabelMatrix:
    """Answers as numbers, (tasks, people): steps of a scale, places of a choice."""
    tasks = {task: row for row, task in enumerate(dict.fromkeys(label.task for label in answered))}
    columns, codes = {person: column for column, person in enumerate(people)}, answer_codes(question)
    matrix = np.full((len(tasks), len(people)), np.nan)
    documents, numbers = np.zeros(len(tasks), dtype=np.intp), dict[str, int]()
    for label in answered:
        matrix[tasks[label.task], columns[label.person]] = codes[label.answers[question.id]]
        documents[tasks[label.task]] = numbers.setdefault(label.document, len(numbers))
    return LabelMatrix(matrix, documents, tuple(codes.values()))


def answer_codes(question: CampaignQuestion) -> dict[str | int, float]:
    """The number that stands for each answer to a question: steps of a scale, places of a choice."""
    if question.kind in {"scale", "slider"}:
        return {step: float(step) for step in range(question.low, question.high + 1)}
    return {value: float(place) for place, value in enumerate(question.values)}


def _scale_of(question: CampaignQuestion) -> str:
    if question.kind in {"scale", "slider"}:
        return "interval"
    return "ordinal" if question.ordered else "nominal"


def _scales_up_to(scale: str) -> list[tuple[str, Distance]]:
    """A scale and the coarser ones."""
    names = list(DISTANCES)
    return [(name, DISTANCES[name]) for name in names[: names.index(scale) + 1]]


def _pairwise_kappas(
    ratings: LabelMatrix, people: Sequence[str], distance: Distance
) -> Iterator[tuple[tuple[str, str], Statistic]]:
    for (first, first_name), (second, second_name) in combinations(enumerate(people), 2):
        if (ratings.labelled[:, first] & ratings.labelled[:, second]).any():
            yield (first_name, second_name), cohen_kappa(ratings, first, second, distance)


def _pairwise_confusions(
    question: CampaignQuestion, answered: Sequence[CampaignLabel]
) -> dict[tuple[str, str], Counter[tuple[str, str]]]:
    by_task: dict[str, dict[str, str]] = defaultdict(dict)
    for label in answered:
        by_task[label.task][label.person] = str(label.answers[question.id])
    confusions: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for answers in by_task.values():
        for pair in combinations(sorted(answers), 2):
            confusions[pair][answers[pair[0]], answers[pair[1]]] += 1
    return dict(confusions)


@dataclass(frozen=True, slots=True)
class Revisions:
    """Counts of pairs of a blind answer and the answer in sight of the scores that followed it, equal ones too."""

    moves: Mapping[tuple[str, str], int]

    @property
    def total(self) -> int:
        return sum(self.moves.values())

    @property
    def changed(self) -> int:
        return sum(number for (before, after), number in self.moves.items() if before != after)


def count_revisions(session: Session, campaign: CampaignSettings) -> Revisions:
    """The answers to the measured question, before and after the scores were shown."""
    measured = campaign.questions.measured
    labels = load_labels(session, campaign)
    before = {(label.task, label.person): str(measured(label.answers)) for label in first_blind_labels(labels)}
    after = [label for label in latest_labels(labels) if not label.blind]
    moves = Counter(
        (before[label.task, label.person], str(measured(label.answers)))
        for label in after
        if (label.task, label.person) in before
    )
    return Revisions(dict(sorted(moves.items())))
