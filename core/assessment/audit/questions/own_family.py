"""Audit question of judges: does it prefer its own? Summaries by models of its family against those of others with the same label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from core.assessment.audit.controlled_effect import bias
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.judge_trials import per_range
from core.assessment.audit.question import QUESTIONS, AuditAnswer, AuditFigure, AuditQuestion, FigureCase, VerdictScale
from core.assessment.audit.shown_pairs import labelled_case
from core.models import model_family
from core.stats import Mask, Numbers, Statistic, Values, cluster_documents, ratio, sums_by, undefined

SCALE = VerdictScale(good=0.05, fails=0.2)
"""Of the judge's range."""


@QUESTIONS.add
class OwnFamilyQuestion(AuditQuestion):
    """Mean score of its family's summaries minus that of others, consistent ones and inconsistent ones each for themselves."""

    name: ClassVar[str] = "own-family"
    title: ClassVar[str] = "Does it prefer its own family?"
    axis: ClassVar[str] = "own family"
    place: ClassVar[int] = 19
    zero_is_best: ClassVar[bool] = True
    asked_of: ClassVar[Literal["all", "judges"]] = "judges"

    def finding(self, evidence: Evidence, metric: str) -> AuditAnswer:
        model, systems = evidence.judges[metric].model.model, [sample.item.system for sample in evidence.cases.samples]
        family = model_family(model)
        own = np.array([model_family(system) == family for system in systems], dtype=np.bool_)
        if not any(systems):
            return self.not_asked("The data do not say which system wrote a summary.")
        if not family:
            return self.not_asked(f"The family of {model} is not known by its name.")
        if not own.any():
            names = ", ".join(sorted({system for system in systems if system})[:5])
            return self.not_asked(f"No summary was written by a model of its family ({family}); there are {names}.")
        written = np.array([bool(system) for system in systems], dtype=np.bool_)
        scores = np.where(written, evidence.scores(metric), np.nan) * per_range(evidence.card(metric))
        documents = evidence.cases.documents
        gap = evidence.drawn.estimate(family_gap(scores, evidence.cases.labels, own, documents))
        if gap.value is None:
            return self.not_measured(gap.error)
        # the rarer side decides how much is known
        fewest = min(len(np.unique(documents[side & written & ~np.isnan(scores)])) for side in (own, ~own))
        figure = AuditFigure(
            "mean score of its own family − of others, same label", replace(gap, documents=fewest), "score"
        )
        preference = bias(figure, SCALE, (f"prefers summaries by {family}", f"marks summaries by {family} down"))
        return replace(
            self.found(
                preference.level,
                f"Summaries that models of its family ({family}) wrote score {figure} of the range higher than those of others with "
                f"the same label.{preference.remark}",
                figure,
            ),
            brief=preference.claim,
            command=evidence.audit_command(metric),
        )

    def cases(self, evidence: Evidence, metric: str) -> Sequence[FigureCase]:
        """Every summary whose system is known, with the family of that."""
        return [
            labelled_case(
                sample, float(score), {"system": sample.item.system, "family": model_family(sample.item.system)}
            )
            for sample, score in zip(evidence.cases.samples, evidence.scores(metric), strict=True)
            if sample.item.system
        ]


def family_gap(scores: Values, labels: Values, own: Mask, documents: Numbers) -> Statistic:
    """The mean over the labels of the mean score of one side minus that of the other, of labels that both have; scores may be nan."""
    usable = ~np.isnan(scores)
    both = [label for label in (1.0, 0.0) if all((usable & (labels == label) & side).any() for side in (own, ~own))]
    if not both:
        return undefined(0, "No label has summaries of its own family and of others.")
    compared = usable & np.isin(labels, both)
    numbers, places = cluster_documents(documents[compared])
    sides = [((labels == label) & side)[compared].astype(np.float64) for label in both for side in (own, ~own)]
    columns = [column for side in sides for column in (side * scores[compared], side)]
    sums = sums_by(places, np.column_stack(columns), len(numbers))

    def weigh(weights: Values) -> Values:
        totals = sums.T @ weights
        means = [ratio(totals[place], totals[place + 1]) for place in range(0, len(totals), 2)]
        gaps = [means[place] - means[place + 1] for place in range(0, len(means), 2)]
        mean_gaps: Values = np.mean(np.array(gaps), axis=0)
        return mean_gaps

    return Statistic(int(compared.sum()), numbers, weigh, len(numbers))
