"""Scores of explainers, by the grades of their explanations of errors (SummExecEdit, Thorat, Laban and Wu 2024)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq
from types import MappingProxyType

import numpy as np

from core.evaluation.explanations.judge import parse_grade
from core.evaluation.explanations.judge_agreement import JudgedExplanation
from core.evaluation.explanations.panel import is_panel_signature
from core.models import is_model_signature
from core.results import Cases
from core.stats import (
    Estimate,
    Mask,
    Numbers,
    Resamples,
    Statistic,
    Values,
    cluster_documents,
    mean,
    ratio,
    share,
    sums_by,
    undefined,
)
from core.types import GRADE_VALUES, Item, Sample, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class GradedDetections:
    """Verdicts of a model on summaries, with the grades of its explanations, (n,) each.

    `inconsistent` is the truth, `flagged` the model's verdict. `grades` judge the explanation of the error: 1 entirely,
    0.5 partially, 0 not correct, and nan where there is none to judge.
    """

    inconsistent: Mask
    flagged: Mask
    grades: Values
    documents: Numbers


def detection_accuracy(explained: GradedDetections) -> Statistic:
    """DA: share of right verdicts over consistent and inconsistent summaries."""
    right = explained.inconsistent == explained.flagged
    return share(right.astype(np.float64), explained.documents)


def detection_score(explained: GradedDetections) -> Statistic:
    """DS: share of the inconsistent summaries that are flagged."""
    return _mean_over(explained.inconsistent, explained.flagged.astype(np.float64), explained)


def explanation_score(explained: GradedDetections) -> Statistic:
    """ES: mean grade of the explanations of detected errors."""
    return _mean_over(explained.inconsistent & explained.flagged, explained.grades, explained)


def joint_score(explained: GradedDetections) -> Statistic:
    """JS: mean over the inconsistent summaries of detection times grade; a missed error counts 0.

    A detected error without a grade counts as the mean of the graded ones, so that JS is DS times ES. Undefined if errors
    were detected and none of their explanations is graded.
    """
    inconsistent = explained.inconsistent
    detections = inconsistent & explained.flagged
    graded = detections & ~np.isnan(explained.grades)
    if not inconsistent.any():
        return undefined(0, _NO_ERROR)
    if detections.any() and not graded.any():
        return undefined(0, "No explanation of an error that was found is graded.")
    numbers, places = cluster_documents(explained.documents)
    counted = np.column_stack([inconsistent, detections, graded, np.where(graded, explained.grades, 0.0)])
    sums = sums_by(places, counted.astype(np.float64), len(numbers))

    def weigh(weights: Values) -> Values:
        errors, detected, judged, worth = sums.T @ weights
        explanation = np.where(detected > 0, ratio(worth, judged), 0.0)
        return ratio(detected, errors) * explanation

    return Statistic(int(inconsistent.sum()), numbers, weigh, len(numbers))


_NO_ERROR = "No summary is inconsistent."


def _mean_over(mask: Mask, values: Values, explained: GradedDetections) -> Statistic:
    if not mask.any():
        return undefined(0, "No error was found." if explained.inconsistent.any() else _NO_ERROR)
    return mean(values[mask], explained.documents[mask])


SCORE_TITLES = MappingProxyType(
    {
        "DA": "detection accuracy, right verdicts over all summaries",
        "DS": "detection score, inconsistent summaries that were found out",
        "ES": "explanation score, the mean grade of the explanations of errors that were found",
        "JS": "joint score, the mean of detection times grade, an ungraded explanation counting as the graded ones do",
        "entirely": "explanations that are entirely correct",
    }
)
"""The figures, each a share in 0..1."""

_UNKNOWN_VERDICTS = "It is not known what it said of summaries that it did not explain."


MIN_GRADED_SHARE = 0.95
"""With less of the explanations graded, ES, JS and the share of entirely correct ones are marked."""


@dataclass(frozen=True, slots=True)
class ExplainerScores:
    """Figures of one explainer, a model or a person, by the grades of its explanations."""

    name: str
    """Signature of the model, or name of the person; "" where the data name nobody."""
    graded: int
    """Number of grades that its explanations have; one explanation may have several."""
    explained: int
    """Explanations that ought to have a grade: those of errors, and those of summaries without a label."""
    ungraded: int
    """Those of `explained` without a grade, for whatever reason."""
    failed: int
    """Those of `ungraded` that a judge was given and did not grade."""
    unanswered: int
    """Summaries about which it was asked and gave neither a verdict nor an explanation."""
    figures: dict[str, Estimate]
    """By the names of SCORE_TITLES, each a share in 0..1."""
    judge: str = ""
    """Signature of the only judge whose grades count; "" where those of all judges do."""

    @property
    def incomplete(self) -> bool:
        """True if too many explanations lack a grade for the figures that rest on grades."""
        return 0 < self.explained - self.ungraded < MIN_GRADED_SHARE * self.explained


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """Answer of one explainer on one sample: its verdict, the worth of each graded explanation, and if a judge failed."""

    place: int
    flagged: bool
    worths: tuple[float, ...]
    failed: bool = False


def explainer_scores(cases: Cases, draws: Resamples) -> Iterator[ExplainerScores]:
    """Scores of every explainer with a graded explanation or a verdict, in the order of their first explanation.

    Grades by several judges of one explanation are averaged; the majority of a panel is left out, because its judges count
    already. A graded explanation implies that its author called the summary inconsistent, unless it comes with another
    verdict. Detection is scored only if the author's verdicts come with the explanations, or are among the judgements under
    the same name.
    """
    yield from _explainer_scores(without_panels(cases), draws)


def scores_by_judge(cases: Cases, draws: Resamples) -> Iterator[ExplainerScores]:
    """The same scores by the grades of each language model and each panel alone, if there are several."""
    signatures = (explanation.judge for sample in cases.samples for explanation in sample.item.explanations)
    judges = [judge for judge in dict.fromkeys(signatures) if is_model_signature(judge)]
    for judge in judges if len(judges) > 1 else ():
        of_judge = _with_judges(cases, partial(eq, judge))
        yield from (
            replace(scores, judge=judge)
            for scores in _explainer_scores(of_judge, draws)
            if scores.graded or scores.failed
        )


def judged_explanations(cases: Cases) -> list[JudgedExplanation]:
    """Every explanation that language models graded, with the grade of each; panels are left out."""
    by_key: dict[tuple[str, ...], JudgedExplanation] = {}
    for place, sample in enumerate(cases.samples):
        for explanation in sample.item.explanations:
            if (
                explanation.grade
                and is_model_signature(explanation.judge)
                and not is_panel_signature(explanation.judge)
            ):
                key = (str(place), explanation.by, explanation.text)
                grades = by_key[key].grades if key in by_key else {}
                group = str(cases.documents[place])
                by_key[key] = JudgedExplanation(
                    key, group, {**grades, explanation.judge: parse_grade(explanation.grade)}
                )
    return list(by_key.values())


def without_panels(cases: Cases) -> Cases:
    """The same cases without the grades of panels, whose judges count already."""
    return _with_judges(cases, lambda judge: not is_panel_signature(judge))


def _with_judges(cases: Cases, keep: Callable[[str], bool]) -> Cases:
    """The same cases with the grades of some judges only."""

    def of_sample(sample: Sample) -> Sample:
        explanations = tuple(
            explanation for explanation in sample.item.explanations if not explanation.judge or keep(explanation.judge)
        )
        return replace(sample, item=replace(sample.item, explanations=explanations))

    return replace(cases, samples=tuple(map(of_sample, cases.samples)))


def _explainer_scores(cases: Cases, draws: Resamples) -> Iterator[ExplainerScores]:
    for name, answers in answers_by_explainer(cases).items():
        figures = {
            title: draws.estimate(statistic) for title, statistic in _score_statistics(cases, name, answers).items()
        }
        awaited = [answer for answer in answers if answer.flagged and cases.labels[answer.place] != 1]
        ungraded = [answer for answer in awaited if not answer.worths]
        by_sample = [
            [explanation for explanation in sample.item.explanations if explanation.by == name]
            for sample in cases.samples
        ]
        # neither the first request nor a later one gave an answer
        unanswered = [
            of_item
            for of_item in by_sample
            if of_item and not any(explanation.text or explanation.verdict for explanation in of_item)
        ]
        yield ExplainerScores(
            name,
            sum(len(answer.worths) for answer in answers),
            len(awaited),
            len(ungraded),
            sum(answer.failed for answer in ungraded),
            len(unanswered),
            figures,
        )


def answers_by_explainer(cases: Cases) -> dict[str, list[GradedAnswer]]:
    """Answers of all whose explanations were graded or came with a verdict, in the order of the samples."""
    explanations = [explanation for sample in cases.samples for explanation in sample.item.explanations]
    names = dict.fromkeys(
        explanation.by
        for explanation in explanations
        if explanation.grade or explanation.judge or explanation.verdict or not explanation.text
    )
    places = range(len(cases.samples))
    return {name: [answer for place in places for answer in _graded_answers(cases, place, name)] for name in names}


def _graded_answers(cases: Cases, place: int, name: str) -> Iterator[GradedAnswer]:
    """An answer for each text by the explainer on a sample that was to be judged, or one for its verdict alone."""
    item = cases.samples[place].item
    texts: dict[str, list[float]] = {}
    failed: set[str] = set()
    for explanation in item.explanations:
        if explanation.by != name or explanation.verdict is Verdict.CONSISTENT or not explanation.text:
            continue
        if explanation.grade:
            texts.setdefault(explanation.text, []).append(GRADE_VALUES[parse_grade(explanation.grade)])
        elif explanation.judge:
            texts.setdefault(explanation.text, [])
            failed.add(explanation.text)
        elif _verdict_of(item, name) is None:
            texts.setdefault(explanation.text, [])  # E|D: the model was told that there is an error
    if texts:
        yield from (GradedAnswer(place, True, tuple(worths), text in failed) for text, worths in texts.items())
    elif verdict := _verdict_of(item, name):
        yield GradedAnswer(place, verdict is Verdict.INCONSISTENT, ())


def _verdict_of(item: Item, name: str) -> Verdict | None:
    verdicts = [
        explanation.verdict for explanation in item.explanations if explanation.by == name and explanation.verdict
    ]
    return next(iter(verdicts), None) or next(
        (judgement.verdict for judgement in item.judgements if judgement.judge == name), None
    )


def _score_statistics(cases: Cases, name: str, answers: Sequence[GradedAnswer]) -> dict[str, Statistic]:
    grades = np.array([np.mean(answer.worths) if answer.worths else np.nan for answer in answers])
    documents = np.array([cases.documents[answer.place] for answer in answers], dtype=np.intp)
    of_error = np.array([cases.labels[answer.place] != 1 for answer in answers], dtype=np.bool_)  # or without a label
    whole = np.where(np.isnan(grades), np.nan, grades == 1.0)
    statistics = {
        "ES": mean(grades[of_error], documents[of_error]),
        "entirely": share(whole[of_error], documents[of_error]),
    }
    if not any(_verdict_of(sample.item, name) for sample in cases.samples):
        statistics |= dict.fromkeys(("DA", "DS", "JS"), undefined(len(answers), _UNKNOWN_VERDICTS))
    else:
        places = np.array([answer.place for answer in answers], dtype=np.intp)
        labelled = ~np.isnan(cases.labels[places])
        detections = GradedDetections(
            inconsistent=cases.labels[places][labelled] == 0,
            flagged=np.array([answer.flagged for answer in answers], dtype=np.bool_)[labelled],
            grades=grades[labelled],
            documents=cases.documents[places][labelled],
        )
        statistics |= {  # based on labels: summaries without one do not count
            "DA": detection_accuracy(detections),
            "DS": detection_score(detections),
            "ES": explanation_score(detections),
            "JS": joint_score(detections),
        }
    return {title: statistics[title] for title in SCORE_TITLES}
