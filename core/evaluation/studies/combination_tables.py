"""The tables and charts of the study `combine`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.evaluation.report import Axis, Cell, Chart, Column, Series, Table
from core.results import Cascade, Combining, Levels, Subset, Transfer
from core.scoring import metric_title
from core.stats import brier_score, calibration_error, compare_paired, format_percent

COMBINATION, EQUAL = "combination", "equal weights"


def quality_table(combining: Combining, subset: Subset) -> Table:
    """The combination beside what it must beat: its best member, the mean of standard scores, and its cheapest equal."""
    best = combining.names[combining.best]
    complete = combining.complete
    mean = combining.area(combining.equal_weights)
    probabilities = (combining.probabilities[complete], combining.labels[complete], combining.documents[complete])
    rows: list[tuple[Cell, ...]] = [
        (
            COMBINATION,
            "",
            combining.combined.estimate(),
            combining.gain.difference,
            combining.gain.p,
            float(combining.costs.sum()),
            combining.drawn.estimate(brier_score(*probabilities)),
            combining.drawn.estimate(calibration_error(*probabilities)),
        ),
        (
            "best member",
            best,
            combining.alone[combining.best].estimate(),
            None,
            None,
            float(combining.costs[combining.best]),
            None,
            None,
        ),
    ]
    if len(combining.names) > 1:
        over = combining.gain_over_choice(mean, np.full(len(combining.dealt_areas), mean.value)).difference
        rows += [
            (EQUAL, "", mean.estimate(), over, None, float(combining.costs.sum()), None, None),
            ("cheapest as good", "+".join(subset.names), subset.area, None, None, subset.cost, None, None),
        ]
    return Table(
        "quality",
        "Combination and members",
        (
            Column("score"),
            Column("members", format="metrics"),
            Column("auc", "ROC AUC", "percent"),
            Column(
                "gain",
                "gain over the best member",
                "percent",
                "Over the member that labels of other documents choose.",
            ),
            Column(
                "p",
                format="number",
                help="Of the hypothesis that it is as good as the member that labels choose.",
            ),
            Column("cost", "cost of a verdict", "number"),
            Column("brier", "Brier", "unsigned"),
            Column("ece", "ECE", "unsigned", "Calibration error of the probability, over ten bins."),
        ),
        tuple(rows),
    )


def level_table(levels: Levels) -> Table:
    """The weights of summaries beside those of sentences."""
    fitted = [levels.summary, *([levels.sentence.found] if levels.sentence else [])]
    rows: list[tuple[Cell, ...]] = []
    for combining in fitted:
        compared = levels.difference if combining.level == "sentence" else None
        probabilities = (
            combining.probabilities[combining.complete],
            combining.labels[combining.complete],
            combining.documents[combining.complete],
        )
        rows.append(
            (
                combining.level,
                len(combining.fitted.owners),
                combining.combined.estimate(),
                compared.difference if compared else None,
                compared.p if compared else None,
                combining.drawn.estimate(brier_score(*probabilities)),
                combining.drawn.estimate(calibration_error(*probabilities)),
            )
        )
    return Table(
        "levels",
        "Weights of summaries and of sentences",
        (
            Column("level", "weights of"),
            Column("rows", "scores of each member", "count"),
            Column("auc", "ROC AUC", "percent"),
            Column("difference", "difference", "percent", "Of the area, paired."),
            Column("p", format="number", help="Of the hypothesis that both are equally good, by the paired bootstrap."),
            Column("brier", "Brier", "unsigned"),
            Column("ece", "ECE", "unsigned", "Calibration error of the probability, over ten bins."),
        ),
        tuple(rows),
    )


def member_table(combining: Combining) -> Table:
    total = float(combining.weights.sum()) or 1.0
    several = len(combining.names) > 1
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
                float(combining.weights[place]),
                float(combining.weights[place]) / total,
                combining.alone[place].estimate(),
                compare_paired(combining.combined, combining.area(combining.without(place))).difference
                if several
                else None,
                float(combining.costs[place]),
            )
            for place, name in enumerate(combining.names)
        ),
    )


def transfer_table(elsewhere: Sequence[Transfer], by: str) -> Table:
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
                *(transfer.domain, transfer.combined, transfer.chosen, transfer.chosen_area, transfer.gain_over_chosen),
                *(transfer.best, transfer.best_area, transfer.gain_over_best),
            )
            for transfer in elsewhere
        ),
        (
            "Nothing is fitted or scaled on the domain in which it is used. Domains with few labels of either kind are left out.",
        ),
    )


def cascade_table(cascade: Cascade) -> Table:
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
            Column("low", "undecided from", "unsigned"),
            Column("high", "to", "unsigned"),
        ),
        tuple(
            (point.share, point.cost, point.area, point.accuracy, point.loss, point.low, point.high)
            for point in cascade.points
        ),
        ("The last member is asked where the probability without it is between the two.",),
    )


def area_chart(combining: Combining) -> Chart:
    shown = {
        **{metric_title(name): combining.alone[place].estimate() for place, name in enumerate(combining.names)},
        COMBINATION: combining.combined.estimate(),
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


def cascade_chart(cascade: Cascade) -> Chart:
    points = cascade.points
    x = tuple(point.cost for point in points)
    return Chart(
        "cascade",
        "lines",
        "Accuracy of the cascade by mean cost of a summary",
        Axis("mean cost of a summary"),
        Axis("", format="percent"),
        (
            Series("ROC AUC", x, tuple(point.area for point in points)),
            Series("balanced accuracy", x, tuple(point.accuracy for point in points)),
        ),
    )
