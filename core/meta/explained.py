"""How well models find and explain errors, from the grades of their explanations (SummExecEdit, Thorat et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from core.explaining.grades import WORTH, grade_of
from core.meta.cases import Cases
from core.meta.report import aligned, percent
from core.stats import explanations as scores
from core.stats.estimate import Estimate
from core.stats.explanations import Explained
from core.stats.resampling import Resamples
from core.stats.statistic import Statistic, mean, undefined
from core.types import Item, Verdict

TITLES = MappingProxyType(
    {
        "DA": "detection accuracy, right verdicts over all summaries",
        "DS": "detection score, inconsistent summaries that were found out",
        "ES": "explanation score, the mean grade of the explanations of errors that were found",
        "JS": "joint score, the mean of detection times grade",
        "entirely": "explanations that are entirely correct",
    }
)
"""The figures, each a share in 0..1."""

_UNSEEN = "It is not known what it said of summaries that it did not explain."


@dataclass(frozen=True, slots=True)
class Explainer:
    """A model or person by the name under which it explained: how many explanations were graded, and its figures."""

    name: str
    graded: int
    figures: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one explainer said of one sample: its verdict, and the worth of each graded explanation."""

    place: int
    flagged: bool
    worths: tuple[float, ...]


def explained(cases: Cases, drawn: Resamples) -> Iterator[Explainer]:
    """Everybody whose explanations were graded or came with a verdict, in the order of their first one.

    Grades of several judges of one explanation are averaged. A graded explanation says that its author found the summary
    inconsistent, unless the verdict beside it is another. Detection is told where the author's verdicts stand beside the
    explanations, or among the judgements under the same name.
    """
    given = (given for sample in cases.samples for given in sample.item.explanations)
    names = dict.fromkeys(one.by for one in given if one.grade or one.verdict)
    for name in names:
        answers = [answer for place in range(len(cases.samples)) for answer in _answers(cases, place, name)]
        figures = {title: drawn.estimate(statistic) for title, statistic in _statistics(cases, name, answers).items()}
        yield Explainer(name, sum(len(answer.worths) for answer in answers), figures)


def table(found: Sequence[Explainer]) -> str:
    """One line an explainer, in columns, in percent."""
    head = ("explained by", "graded", *TITLES)
    return aligned([head, *((one.name, str(one.graded), *map(percent, one.figures.values())) for one in found)])


def _answers(cases: Cases, place: int, name: str) -> Iterator[_Answer]:
    """One for each text that the explainer wrote of a sample, or its bare verdict."""
    item = cases.samples[place].item
    texts: dict[str, list[float]] = {}
    for given in item.explanations:
        if given.by == name and given.grade and given.verdict in {None, Verdict.INCONSISTENT}:
            texts.setdefault(given.text, []).append(WORTH[grade_of(given.grade)])
    if texts:
        yield from (_Answer(place, True, tuple(worths)) for worths in texts.values())
    elif verdict := _verdict(item, name):
        yield _Answer(place, verdict is Verdict.INCONSISTENT, ())


def _verdict(item: Item, name: str) -> Verdict | None:
    beside = [given.verdict for given in item.explanations if given.by == name and given.verdict]
    return next(iter(beside), None) or next((said.verdict for said in item.judgements if said.judge == name), None)


def _statistics(cases: Cases, name: str, answers: Sequence[_Answer]) -> dict[str, Statistic]:
    grades = np.array([np.mean(answer.worths) if answer.worths else np.nan for answer in answers])
    documents = np.array([cases.documents[answer.place] for answer in answers], dtype=np.intp)
    whole = np.where(np.isnan(grades), np.nan, grades == 1.0)
    told = {"ES": mean(grades, documents), "entirely": mean(whole, documents)}
    if not any(_verdict(sample.item, name) for sample in cases.samples):
        told |= dict.fromkeys(("DA", "DS", "JS"), undefined(len(answers), _UNSEEN))
    else:
        told |= _detected(cases, answers, grades)
    return {title: told[title] for title in TITLES}


def _detected(cases: Cases, answers: Sequence[_Answer], grades: np.ndarray) -> dict[str, Statistic]:
    """The figures that rest on labels: summaries without one do not count."""
    places = np.array([answer.place for answer in answers], dtype=np.intp)
    kept = ~np.isnan(cases.labels[places])
    said = Explained(
        inconsistent=cases.labels[places][kept] == 0,
        flagged=np.array([answer.flagged for answer in answers], dtype=np.bool_)[kept],
        grades=grades[kept],
        documents=cases.documents[places][kept],
    )
    return {
        "DA": scores.detection_accuracy(said),
        "DS": scores.detection_score(said),
        "ES": scores.explanation_score(said),
        "JS": scores.joint_score(said),
    }
