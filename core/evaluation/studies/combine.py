"""A metric made of metrics: their scores weighted by labels of one's own, what that gains, and what of it is worth its cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from core.errors import BadSettingError
from core.evaluation.report import Report
from core.evaluation.studies.calibration import DOMAIN_FIELDS
from core.evaluation.studies.combination_tables import (
    area_chart,
    cascade_chart,
    cascade_table,
    level_table,
    member_table,
    quality_table,
    transfer_table,
)
from core.evaluation.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting
from core.registry import split_pieces
from core.results import (
    FOLDS,
    SLICE_FIELDS,
    TOLERANCE,
    Cascade,
    Cases,
    Combining,
    Levels,
    Subset,
    Transfer,
    by_sentence,
    cheapest_subset,
    select_metrics,
    transfers,
)
from core.scoring import METRICS, CombinationMetric, Metric, metric_title
from core.stats import Estimate, format_percent


@STUDIES.add
@dataclass(frozen=True)
class Combine(Study):
    """Non-negative logistic regression over members, cross-fitted by document, with the gain over the best of them."""

    name: ClassVar[str] = "combine"
    title: ClassVar[str] = "Combine metrics"
    does: ClassVar[str] = (
        "Combine metrics to one by labels, and show the weights, the gain over the best of them, the cheapest that are as good, "
        "and a cascade."
    )
    group: ClassVar[Group] = "Improve it"
    place: ClassVar[int] = 1
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
    may_take: ClassVar[tuple[Input, ...]] = (Input.SENTENCES,)
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType(
        {"audit": "An audit judges one metric, and a saved combination is audited as one."}
    )
    members: str = setting(
        "",
        "Metrics with a plus between, as rouge2+word-support; empty for all that are chosen and are no combination.",
        several="+",
    )
    costs: str = setting(
        "",
        "Cost of a score by member, as word-support=2,rouge2=0.1, in any unit; a member that is not named costs 1.",
        title="Costs of a score",
        each=1.0,
    )
    budget: float = setting(
        0.0,
        "Mean cost of a summary that the cascade may take; 0 for the cheapest that is as good as asking every member.",
        low=0.0,
        title="Mean cost at most",
    )
    level: Literal["better", "summary", "sentence"] = setting(
        "better",
        "Scores that the weights are fitted to: those of summaries; those of their sentences, of which one that is not supported "
        "makes a summary inconsistent; or whichever is better, cross-fitted. The labels are always those of summaries.",
        choices=("better", "summary", "sentence"),
        labels={"better": "the better of both", "summary": "summaries", "sentence": "sentences"},
        title="Weights of",
    )
    by: str = setting(
        "dataset",
        "Field whose values are the domains: the combination is fitted to the labels of the others and tried on each.",
        choices=DOMAIN_FIELDS,
        title="Domains by",
    )

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        names = _plain_names(data.scored)
        return {"members": [name for name in names if split_pieces(name, "+") == [name]], "costs": names}

    def run(self, data: StudyData) -> Report:
        levels = self.levels(data)
        combining = levels.at(self.level)
        domains = [SLICE_FIELDS[self.by](sample) for sample in (data.scored.samples[row] for row in combining.rows)]
        elsewhere = list(transfers(combining, domains))
        cascade = Cascade(combining) if len(combining.names) > 1 else None
        subset = cheapest_subset(combining)
        return self.report(
            data,
            [
                quality_table(combining, subset),
                *([level_table(levels)] if levels.sentence else []),
                member_table(combining),
                *([transfer_table(elsewhere, self.by)] if elsewhere else []),
                *([cascade_table(cascade)] if cascade else []),
            ],
            charts=[area_chart(combining), *([cascade_chart(cascade)] if cascade else [])],
            sentences=[
                *_sentences(combining, subset, elsewhere, cascade, self.budget),
                *_level_sentences(levels, combining),
            ],
            notes=[*_notes(combining), *_level_notes(levels, self.level)],
        )

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:  # noqa: ARG003  # the same settings for all data
        return [cls(level="summary")]  # a pack holds scores of summaries alone

    def levels(self, data: StudyData) -> Levels:
        """The labelled scores of the members, and of sentences. Raises TouchstoneError for members or costs that are none, and for too few labels."""
        cases = data.scored
        names = [column.name for column in cases.columns]
        stated = [piece.strip() for piece in split_pieces(self.members, "+")]
        named = [piece if piece in names else METRICS.parse(piece).spec for piece in stated]
        member_cases = select_metrics(cases, named or _plain_names(cases))
        combining = Combining.of(member_cases, self.cost_by_member(cases), data.draws)
        return Levels(
            combining, by_sentence(combining, member_cases, data.sentence_scores) if self.level != "summary" else None
        )

    def cost_by_member(self, cases: Cases) -> dict[str, float]:
        """The costs by the names of the columns. Raises BadSettingError for what is no cost of a member."""
        costs = {}
        names = [column.name for column in cases.columns]
        for piece in split_pieces(self.costs):
            name, equals, text = piece.rpartition("=")
            try:
                cost = float(text)
            except ValueError:
                cost = math.nan
            if not equals or not 0 <= cost < math.inf or name.strip() not in names:
                raise BadSettingError(
                    f"{piece.strip()!r} in costs is not of the form member=number with a member of {', '.join(names)}."
                )
            costs[name.strip()] = cost
        return costs


def _plain_names(cases: Cases) -> list[str]:
    """The metrics without saved combinations, whose members are metrics here already."""
    names = [column.name for column in cases.columns]
    return [name for name in names if not issubclass(METRICS.listed.get(name, Metric), CombinationMetric)]


def _sentences(
    combining: Combining, subset: Subset, elsewhere: Sequence[Transfer], cascade: Cascade | None, budget: float
) -> list[str]:
    gain, best = combining.gain.difference, metric_title(combining.names[combining.best])
    verdict = ", no clear gain"
    if gain.low is not None and gain.high is not None:
        verdict = "" if gain.low > 0 else ", worse than that member alone" if gain.high < 0 else verdict
    lines = [
        f"The combination has an area under the ROC curve of {format_percent(combining.combined.estimate())} %, its best member here, "
        f"{best}, {format_percent(combining.alone[combining.best].estimate())} %. On documents that neither knows, it gains over the "
        f"member that the same labels choose: {_points(gain)}{verdict}.",
    ]
    if len(combining.names) > 1:
        names = ", ".join(map(metric_title, subset.names))
        lines.append(
            f"No subset is as good: all {len(combining.names)} members are needed."
            if len(subset.names) == len(combining.names)
            else f"Cheapest that is as good: {names}, at a cost of {subset.cost:g} instead of {combining.costs.sum():g}; the combination "
            f"minus it: {_points(subset.loss)}."
        )
    differ = len(set(combining.costs.tolist())) > 1  # with equal costs no member is worth leaving out
    if cascade is not None and (differ or budget):
        point = cascade.within(budget)
        lines.append(
            f"As a cascade {metric_title(combining.names[cascade.last])} is asked for {100 * point.share:.0f} % of the summaries, at a "
            f"mean cost of {point.cost:.3g} instead of {combining.costs.sum():.3g}: area {format_percent(point.area)} %."
        )
    if elsewhere:
        over_chosen, over_best = (
            sum((gain.low or 0.0) > 0 for gain in gains)
            for gains in (
                [transfer.gain_over_chosen for transfer in elsewhere],
                [transfer.gain_over_best for transfer in elsewhere],
            )
        )
        lines.append(
            f"Fitted on the other domains it is clearly better than the member that these would choose in {over_chosen} of "
            f"{len(elsewhere)} domains, and than the best there in {over_best}."
        )
    return lines


def _level_sentences(levels: Levels, combining: Combining) -> list[str]:
    """The two levels beside each other, where both were fitted."""
    if levels.sentence is None or levels.difference is None:
        return []
    over, difference = levels.sentence.found, levels.difference.difference
    clear = difference.low is not None and difference.high is not None and not difference.low <= 0 <= difference.high
    return [
        f"Fitted to {len(over.fitted.owners):,} sentences it has an area of {format_percent(over.combined.estimate())} %, to the scores of "
        f"summaries {format_percent(levels.summary.combined.estimate())} %: {_points(difference)}{'' if clear else ', no clear difference'}. "
        f"Here are the weights of {'sentences' if combining.level == 'sentence' else 'summaries'}."
    ]


def _level_notes(levels: Levels, level: str) -> list[str]:
    if level == "summary":
        return []
    if levels.sentence is None:
        return ["Weights of sentences were not fitted: no member has scores of the sentences of these summaries."]
    silent = ", ".join(map(metric_title, levels.sentence.silent))
    return [
        "Sentences: a summary is consistent with the product of the probabilities of its sentences (noisy-or), so that the more there are, the "
        "more likely one is wrong. A sentence that a member does not score counts with the member's score of the summary. The better of two "
        "levels is chosen by the labels that it is judged by, which favours it a little.",
        *([f"Without scores of sentences: {silent}."] if silent else []),
    ]


def _points(difference: Estimate) -> str:
    return f"{format_percent(difference)} points"


def _notes(combining: Combining) -> list[str]:
    missing = int((~combining.complete).sum())
    lacking = (
        [
            f"{missing} of {len(combining.labels)} labelled summaries lack the score of a member, and are in no figure; the fits without it learn from them."
        ]
        if missing
        else []
    )
    return [
        *lacking,
        f"Combination: logistic regression without negative weights on standard scores, ridge penalty 1 (Breiman 1996). Cross-fitted over {FOLDS} "
        "folds of documents. The best member is the best on these labels, which favours it; for the gain the labels of the other folds "
        "choose it, as they fit the weights, in eight deals of folds, and its interval holds what varies between these too. Other intervals "
        "resample documents and keep the fits. Folds are ordered together by their log odds minus the mean that their fit gives to all summaries.",
        f"As good: at most {100 * TOLERANCE:g} point less, and an interval of the loss that holds zero. With few labels that says little.",
    ]
