"""A metric made of metrics: their scores weighted by labels of one's own, what that gains, and what of it is worth its cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.cases.cascade import Cascade
from core.cases.cases import Cases, select_metrics
from core.cases.combining import FOLDS, TOLERANCE, Combining, Subset, Transfer, cheapest_subset, transfers
from core.cases.measures import SLICE_FIELDS
from core.errors import BadSettingError, TouchstoneError
from core.language import ANY, SPACED
from core.metric import METRICS, Metric
from core.metric_title import metric_title
from core.plugins.combination_file import CombinationEntry, combination_class
from core.plugins.combination_metric import CombinationMetric
from core.registry import split_pieces
from core.report import Axis, Cell, Chart, Column, Report, Series, Table
from core.stats.bootstrap import Resamples
from core.stats.calibration import brier_score, calibration_error
from core.stats.comparison import compare_paired
from core.stats.statistic import Estimate, Values
from core.stats.text_tables import format_percent
from core.studies.calibration import DOMAIN_FIELDS
from core.study import STUDIES, Group, Input, Outlet, Study, StudyData, setting

COMBINATION, EQUAL = "combination", "equal weights"


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
    group: ClassVar[Group] = "Combine"
    takes: ClassVar[tuple[Input, ...]] = (Input.SCORES,)
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
    by: str = setting(
        "dataset",
        "Field whose values are the domains that the labels of others are tried on.",
        choices=DOMAIN_FIELDS,
        title="Tried on others by",
    )

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:
        names = _plain_names(data.scored)
        return {"members": [name for name in names if split_pieces(name, "+") == [name]], "costs": names}

    def run(self, data: StudyData) -> Report:
        found = self.combining(data.scored, data.draws)
        domains = [SLICE_FIELDS[self.by](sample) for sample in (data.scored.samples[row] for row in found.rows)]
        elsewhere = list(transfers(found, domains))
        cascade = Cascade(found) if len(found.names) > 1 else None
        subset = cheapest_subset(found)
        return self.report(
            data,
            [
                _quality_table(found, subset),
                _member_table(found),
                *([_transfer_table(elsewhere, self.by)] if elsewhere else []),
                *([_cascade_table(cascade)] if cascade else []),
            ],
            charts=[_area_chart(found), *([_cascade_chart(cascade)] if cascade else [])],
            sentences=_sentences(found, subset, elsewhere, cascade, self.budget),
            notes=_notes(found),
        )

    def combining(self, cases: Cases, drawn: Resamples) -> Combining:
        """The labelled scores of the members. Raises TouchstoneError for members or costs that are none, and for too few labels."""
        names = [column.name for column in cases.columns]
        stated = [piece.strip() for piece in split_pieces(self.members, "+")]
        named = [one if one in names else METRICS.parse(one).spec for one in stated]
        chosen = select_metrics(cases, named or _plain_names(cases))
        return Combining.of(chosen, self.cost_by_member(cases), drawn)

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
    """The metrics but for the combinations of before, each of which holds members once more."""
    names = [column.name for column in cases.columns]
    return [name for name in names if not issubclass(METRICS.listed.get(name, Metric), CombinationMetric)]


def combination_entry(name: str, found: Combining, cases: Cases, data: str) -> CombinationEntry:
    """The table of the metric that these labels make of the members; `data` says in a few words whose labels they are.

    Raises TouchstoneError for members that were released and cannot be computed again.
    """
    columns = [next(one for one in cases.columns if one.name == member) for member in found.names]
    if released := [column.name for column in columns if column.released or " (" in column.name]:
        raise TouchstoneError(
            f"{', '.join(released)}: scores that this bench cannot compute again make no metric. Choose other members."
        )
    learned: list[list[str]] = [[] for _ in range(FOLDS)]
    for fold, row in sorted({(int(fold), int(row)) for fold, row in zip(found.folds, found.rows, strict=True)}):
        key = cases.samples[row].document
        if key and key not in learned[fold]:
            learned[fold].append(key)
    means, spreads = found.scale
    entry = CombinationEntry.parse(
        "The table",
        name,
        {
            "languages": ANY,
            "combine": list(found.names),
            "means": means.tolist(),
            "spreads": spreads.tolist(),
            "fits": _rows(found.fits),
            "fold_fits": [_rows(fits) for fits in found.fold_fits],
            "learned": learned,
            "signatures": [column.signature for column in columns],
            "data": data,
        },
    )
    languages = combination_class(entry)().verified_languages
    return entry.model_copy(update={"languages": ANY if languages == SPACED else languages})


def _rows(fits: Values) -> list[list[float]]:
    """Fits as a table has them: without numbers where nothing could be fitted."""
    return [[] if np.isnan(fit).any() else fit.tolist() for fit in fits]


def cascade_entry(entry: CombinationEntry, cascade: Cascade, budget: float) -> CombinationEntry:
    """The same as a cascade within a mean cost, its last member at the end; see `Cascade.within`."""
    point = cascade.within(budget)
    members = len(entry.combine)
    order = [*(place for place in range(members) if place != cascade.last), cascade.last]
    slopes = [0, *(1 + place for place in order)]

    def ordered(fits: list[list[float]]) -> list[list[float]]:
        return [[fits[row][one] for one in slopes] if fits[row] else [] for row in slopes]

    return entry.model_copy(
        update={
            "combine": [entry.combine[place] for place in order],
            "means": [entry.means[place] for place in order],
            "spreads": [entry.spreads[place] for place in order],
            "fits": ordered(entry.fits),
            "fold_fits": [ordered(fits) for fits in entry.fold_fits],
            "signatures": [entry.signatures[place] for place in order],
            "unsure": [point.low, point.high],
        }
    )


def _sentences(
    found: Combining, subset: Subset, elsewhere: Sequence[Transfer], cascade: Cascade | None, budget: float
) -> list[str]:
    gain, best = found.gain.difference, metric_title(found.names[found.best])
    verdict = ", no clear gain"
    if gain.low is not None and gain.high is not None:
        verdict = "" if gain.low > 0 else ", worse than that member alone" if gain.high < 0 else verdict
    lines = [
        f"The combination has an area under the ROC curve of {format_percent(found.combined.estimate())} %, its best member, "
        f"{best}, {format_percent(found.alone[found.best].estimate())} %: {_points(gain)}{verdict}.",
    ]
    if len(found.names) > 1:
        names = ", ".join(map(metric_title, subset.names))
        lines.append(
            f"No subset is as good: all {len(found.names)} members are needed."
            if len(subset.names) == len(found.names)
            else f"As good, and the cheapest that is: {names}, at {subset.cost:g} instead of {found.costs.sum():g}; the combination minus it: {_points(subset.loss)}."
        )
    differ = len(set(found.costs.tolist())) > 1  # of equally dear members none is worth leaving out
    if cascade is not None and (differ or budget):
        point = cascade.within(budget)
        lines.append(
            f"As a cascade {metric_title(found.names[cascade.last])} is asked for {100 * point.share:.0f} % of the summaries, at a "
            f"mean cost of {point.cost:.3g} instead of {found.costs.sum():.3g}: area {format_percent(point.area)} %."
        )
    if elsewhere:
        over_chosen, over_best = (
            sum((gain.low or 0.0) > 0 for gain in gains)
            for gains in ([one.gain_over_chosen for one in elsewhere], [one.gain_over_best for one in elsewhere])
        )
        lines.append(
            f"Fitted on the other domains it is clearly better than the member that these would choose in {over_chosen} of "
            f"{len(elsewhere)} domains, and than the best there in {over_best}."
        )
    return lines


def _points(difference: Estimate) -> str:
    return f"{format_percent(difference)} points"


def _notes(found: Combining) -> list[str]:
    missing = int((~found.complete).sum())
    lacking = (
        [
            f"{missing} of {len(found.labels)} labelled summaries lack the score of a member, and are in no figure; the fits without it learn from them."
        ]
        if missing
        else []
    )
    return [
        *lacking,
        f"Combination: logistic regression without negative weights on standard scores, ridge penalty 1 (Breiman 1996). Cross-fitted over {FOLDS} "
        "folds of documents. The best member is the best on these labels, which favours it. Intervals resample documents and keep the fits; "
        "gains are paired. Folds are ordered together by their log odds minus the mean that their fit gives to all summaries.",
        f"As good: at most {100 * TOLERANCE:g} point less, and an interval of the loss that holds zero. With few labels that says little.",
    ]


def _quality_table(found: Combining, subset: Subset) -> Table:
    """The combination beside what it must beat: its best member, the mean of standard scores, and its cheapest equal."""
    best = found.names[found.best]
    kept = found.complete
    mean = found.area(found.features.mean(axis=1))
    probabilities = (found.probabilities[kept], found.labels[kept], found.documents[kept])
    rows: list[tuple[Cell, ...]] = [
        (
            COMBINATION,
            "",
            found.combined.estimate(),
            found.gain.difference,
            found.gain.p,
            float(found.costs.sum()),
            found.drawn.estimate(brier_score(*probabilities)),
            found.drawn.estimate(calibration_error(*probabilities)),
        ),
        (
            "best member",
            best,
            found.alone[found.best].estimate(),
            None,
            None,
            float(found.costs[found.best]),
            None,
            None,
        ),
    ]
    if len(found.names) > 1:
        over = compare_paired(mean, found.alone[found.best]).difference
        rows += [
            (EQUAL, "", mean.estimate(), over, None, float(found.costs.sum()), None, None),
            ("cheapest as good", "+".join(subset.names), subset.area, None, None, subset.cost, None, None),
        ]
    return Table(
        "quality",
        "Combination and members",
        (
            Column("score"),
            Column("members", format="metrics"),
            Column("auc", "ROC AUC", "percent"),
            Column("gain", "gain over the best member", "percent"),
            Column(
                "p",
                format="number",
                help="Of the hypothesis that it is as good as the best member, by the paired bootstrap.",
            ),
            Column("cost", "cost of a verdict", "number"),
            Column("brier", "Brier", "unsigned"),
            Column("ece", "ECE", "unsigned", "Calibration error of the probability, over ten bins."),
        ),
        tuple(rows),
    )


def _member_table(found: Combining) -> Table:
    total = float(found.weights.sum()) or 1.0
    several = len(found.names) > 1
    return Table(
        "members",
        "Members",
        (
            Column("metric", format="metric"),
            Column("weight", format="coefficient", help="Of its standard score in the log odds of consistent."),
            Column("part", "part of all weights", "percent"),
            Column("auc", "ROC AUC", "percent"),
            Column("needed", "loss without it", "percent", "Of the area of the combination."),
            Column("cost", "cost of a score", "number"),
        ),
        tuple(
            (
                name,
                float(found.weights[place]),
                float(found.weights[place]) / total,
                found.alone[place].estimate(),
                compare_paired(found.combined, found.area(found.without(place))).difference if several else None,
                float(found.costs[place]),
            )
            for place, name in enumerate(found.names)
        ),
    )


def _transfer_table(elsewhere: Sequence[Transfer], by: str) -> Table:
    return Table(
        "transfer",
        "Fitted on other domains",
        (
            Column("domain", by),
            Column("auc", "combination, ROC AUC", "percent"),
            Column("chosen", "best elsewhere", "metric", "The member with the largest area on the other domains."),
            Column("chosen_auc", "its ROC AUC", "percent"),
            Column("gain", "gain over it", "percent"),
            Column("best", "best here", "metric"),
            Column("best_auc", "its ROC AUC here", "percent"),
            Column("gain_over_best", "gain over the best here", "percent"),
        ),
        tuple(
            (
                *(one.domain, one.combined, one.chosen, one.chosen_area, one.gain_over_chosen),
                *(one.best, one.best_area, one.gain_over_best),
            )
            for one in elsewhere
        ),
        (
            "Nothing is fitted or scaled on the domain in which it is used. Domains with few labels of either kind are left out.",
        ),
    )


def _cascade_table(cascade: Cascade) -> Table:
    last = metric_title(cascade.of.names[cascade.last])
    return Table(
        "cascade",
        f"Cascade: {last} last",
        (
            Column("asked", "asked for", "percent", "Share of summaries for which the last member is asked."),
            Column("cost", "mean cost", "number"),
            Column("auc", "ROC AUC", "percent"),
            Column("accuracy", "balanced accuracy", "percent", "At the share of consistent labels as threshold."),
            Column("loss", "loss against asking always", "percent", "Of the ROC AUC."),
            Column("low", "unsure from", "unsigned"),
            Column("high", "to", "unsigned"),
        ),
        tuple((one.share, one.cost, one.area, one.accuracy, one.loss, one.low, one.high) for one in cascade.points),
        ("The last member is asked where the probability without it is between the two.",),
    )


def _area_chart(found: Combining) -> Chart:
    shown = {
        **{metric_title(name): found.alone[place].estimate() for place, name in enumerate(found.names)},
        COMBINATION: found.combined.estimate(),
    }
    order = sorted(shown, key=lambda name: shown[name].value or 0.0)
    texts = tuple(f"{name}: {format_percent(shown[name])} %" for name in order)
    return Chart(
        "areas",
        "points",
        "ROC AUC of the combination and its members, with 95 % intervals",
        Axis("", tuple(order)),
        Axis("ROC AUC", format="percent"),
        (Series("ROC AUC", tuple(order), tuple(shown[name] for name in order), texts),),
        sideways=True,
    )


def _cascade_chart(cascade: Cascade) -> Chart:
    points = cascade.points
    x = tuple(one.cost for one in points)
    return Chart(
        "cascade",
        "lines",
        "Accuracy of the cascade by mean cost of a summary",
        Axis("mean cost of a summary"),
        Axis("", format="percent"),
        (
            Series("ROC AUC", x, tuple(one.area for one in points)),
            Series("balanced accuracy", x, tuple(one.accuracy for one in points)),
        ),
    )
