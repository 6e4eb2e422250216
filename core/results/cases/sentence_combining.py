"""A combination fitted over the sentences of summaries, by labels of summaries alone: one unsupported sentence makes a summary inconsistent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from core.errors import TouchstoneError
from core.results.cases.cases import Cases
from core.results.cases.combining import Combining
from core.scoring import SentenceScores, sentence_score
from core.stats import Bags, Mask, StatisticDifference, compare_paired
from core.text import layout_units

Level = Literal["better", "summary", "sentence"]
"""Scores that the weights are fitted to; "better" are those of the larger cross-fitted area."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceCombining:
    """A combination over sentences, and which members have scores of them, (members,): that of the summary counts for every sentence of another."""

    found: Combining
    scored: Mask

    @property
    def silent(self) -> list[str]:
        """The members without a score of any sentence."""
        return [name for name, scored in zip(self.found.names, self.scored, strict=True) if not scored]


def by_sentence(combining: Combining, cases: Cases, parts: SentenceScores) -> SentenceCombining | None:
    """The same members over the sentences of the same summaries; None where no member has a score of one.

    A sentence that a member gives no score has that of the summary. A summary without a text is one sentence.
    """
    columns = [next(column for column in cases.columns if column.name == name) for name in combining.names]
    signs = [-1.0 if column.direction == "lower" else 1.0 for column in columns]
    rows: list[Sequence[float]] = []
    owners: list[int] = []
    scored = np.zeros(len(columns), dtype=np.bool_)
    for place, row in enumerate(combining.rows):
        sample, whole = cases.samples[row], combining.scores[place]
        of_members = [parts.get((sample.stored, column.signature), ()) for column in columns]
        scored |= [bool(own_parts) for own_parts in of_members]
        for span in layout_units(sample.item.example.summary):
            own = [sentence_score(own_parts, span) for own_parts in of_members]
            rows.append(
                [
                    # `whole` has its sign already
                    whole[member] if score is None or np.isnan(whole[member]) else signs[member] * score
                    for member, score in enumerate(own)
                ]
            )
            owners.append(place)
        if not owners or owners[-1] != place:
            rows.append(whole.tolist())
            owners.append(place)
    if not scored.any():
        return None
    bags = Bags(np.array(rows), np.array(owners, dtype=np.intp))
    return SentenceCombining(replace(combining, fitted=bags, level="sentence"), scored)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A combination by the scores of summaries, and the same by those of sentences where any member has these."""

    summary: Combining
    sentence: SentenceCombining | None

    @property
    def difference(self) -> StatisticDifference | None:
        """The cross-fitted area over sentences minus that over summaries."""
        if self.sentence is None:
            return None
        return compare_paired(self.sentence.found.combined, self.summary.combined)

    def at(self, level: Level) -> Combining:
        """The combination at a level, by default at that of the larger area.

        Raises TouchstoneError for sentences of which there is no score.
        """
        if level == "sentence" and self.sentence is None:
            raise TouchstoneError(
                f"For the sentences of these summaries no score by {', '.join(self.summary.names)} is saved. Score the dataset again with "
                "a metric that scores sentences, or choose the weights of summaries."
            )
        if level == "summary" or self.sentence is None:
            return self.summary
        by_sentence = self.sentence.found
        better = (by_sentence.combined.value or 0.0) > (self.summary.combined.value or 0.0)
        return by_sentence if level == "sentence" or better else self.summary
