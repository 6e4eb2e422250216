"""Aggregation of words to a summary: two reasons to doubt it, its worst sentence and how little of its content the document
has, fitted on summaries and on pairs, from logits of documents not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from core.stats import Mask, Numbers, Values

CERTAIN = 4.0
"""Log odds of a sentence, and of each of its words, that the document has word for word."""
NO_CONTENT = -6.0
"""Log odds that the document has the content of a summary that has none."""
STRANGE_SHARE, STRANGE_ODDS = 0.25, -12.0
"""Share of content words that nothing in the document is like, up to which a summary in other words is an ordinary one, and what
each further word in proportion adds to the log odds."""
_PAIR_WEIGHT = 1.0
"""Weight of a pair, against 1 of a summary: of a pair it must tell which side is wrong, whatever else its text is like."""
_RIDGE = 1e-3
_LEAST_DOUBT = 1e-9  # that nothing is wrong, so that odds are numbers


@dataclass(frozen=True, slots=True, eq=False)
class SummaryWeights:
    """Offset and slope of either reason, (2,): `worst` for a sentence's doubt, `share` for the closeness of a content
    word."""

    worst: Values
    share: Values


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """Facts of all sentences, (sentences,) each, and of how many summaries they are."""

    doubt: Values
    """Log mean odds that a word is wrong."""
    content: Values
    """Number of content words."""
    closeness: Values
    """Sum over the content words of the similarity of the most similar word of the document."""
    strange: Values
    """Number of the content words that no word of the document is like."""
    copied: Mask
    """True for a sentence that the document has word for word."""
    rows: Numbers
    """Row of the summary that each sentence stands in."""
    summaries: int
    """Number of summaries; one without a sentence has the log odds of nothing said."""

    def log_odds(self, weights: SummaryWeights) -> Values:
        """Log odds that neither reason holds, (summaries,)."""
        worst = np.full(self.summaries, CERTAIN)
        np.minimum.at(worst, self.rows, worst_odds(weights, self.doubt, self.copied))
        sums, content, strange = map(
            self._summed,
            (share_sum(weights, self.content, self.closeness, self.copied), self.content, self.strange),
        )
        return both_odds(worst, share_odds(sums, content, strange))

    def _summed(self, values: Values) -> Values:
        """The sum of the values of the sentences of each summary, (summaries,)."""
        return np.bincount(self.rows, values, self.summaries).astype(np.float64)

    def part(self, rows: Mask) -> SentenceTable:
        """The sentences of some rows, which are numbered from 0 again."""
        inside = rows[self.rows]
        return SentenceTable(
            self.doubt[inside],
            self.content[inside],
            self.closeness[inside],
            self.strange[inside],
            self.copied[inside],
            (np.cumsum(rows) - 1)[self.rows[inside]],
            int(rows.sum()),
        )


def worst_odds(weights: SummaryWeights, doubt: Values, copied: Mask) -> Values:
    """Log odds that no word of a sentence is wrong, (sentences,), at most those of a copied one."""
    return np.where(copied, CERTAIN, np.minimum(weights.worst[0] - weights.worst[1] * doubt, CERTAIN))


def share_sum(weights: SummaryWeights, content: Values, closeness: Values, copied: Mask) -> Values:
    """Sum over the content words of a sentence of the log odds that the document has them, (sentences,)."""
    return np.where(copied, CERTAIN * content, weights.share[0] * content + weights.share[1] * closeness)


def share_odds(sums: Values | float, content: Values | float, strange: Values | float) -> Values:
    """Log odds that the document has the content of texts, (texts,).

    They are made of the sums over their content words, of the number of these and of the strange ones among them.
    """
    count = np.maximum(content, 1.0)
    odds = sums / count + STRANGE_ODDS * np.maximum(strange / count - STRANGE_SHARE, 0.0)
    return np.where(np.asarray(content) > 0, odds, NO_CONTENT)


def both_odds(worst: Values | float, share: Values | float) -> Values:
    """Log odds that neither reason to doubt holds, (texts,), from those of each."""
    support = np.minimum(-np.logaddexp(0, -worst) - np.logaddexp(0, -share), -_LEAST_DOUBT)
    return np.asarray(support - np.log(-np.expm1(support)))


@dataclass(frozen=True, slots=True)
class LogitScale:
    """Factor of the log odds of either reason, and the offset that is added to them."""

    slope: float = 1.0
    offset: float = 0.0

    def weights(self, weights: SummaryWeights) -> SummaryWeights:
        """The weights on this scale."""
        moved = np.array([self.offset, 0.0])
        return SummaryWeights(self.slope * weights.worst + moved, self.slope * weights.share + moved)


def fit_scale(table: SentenceTable, weights: SummaryWeights, wrong: Mask, labelled: Mask) -> LogitScale:
    """The scale of least log loss (Platt 1999) for summaries whose words' logits were not learned from.

    Summaries that people labelled and made ones count the same: corruptions by rule are told apart more easily than what people
    and systems get wrong, and alone would make the score too sure. Classes are as frequent as they come. It scales both reasons
    instead of the score, so that each stays a probability. Where there are not both classes it stays as it is.
    """
    from scipy.optimize import minimize  # takes half a second, and only training needs it

    if len(np.unique(wrong)) < 2:
        return LogitScale()
    groups = [group for group in (labelled, ~labelled) if group.any()]

    def loss(parameters: Values) -> float:
        scaled = LogitScale(float(np.exp(parameters[0])), parameters[1]).weights(weights)
        losses = _losses(table.log_odds(scaled), wrong)
        return fsum(float(losses[group].mean()) for group in groups) + _RIDGE * float(parameters @ parameters)

    slope, offset = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(-3, 3), (-10, 10)]).x
    return LogitScale(float(np.exp(slope)), float(offset))


def fit_summary_weights(table: SentenceTable, wrong: Mask, pairs: Sequence[tuple[int, int]]) -> SummaryWeights:
    """The weights for labels (summaries,) and (original, edited) rows of which the second is wrong.

    Both classes count the same, so that one half means even odds, whatever the share of corruptions was. No slope is below 0:
    a doubtful word never speaks for a summary.
    """
    from scipy.optimize import minimize  # takes half a second, and only training needs it

    shares = np.where(wrong, 0.5 / max(wrong.mean(), 1e-9), 0.5 / max((~wrong).mean(), 1e-9)) / len(wrong)
    originals, edited = (np.array([pair[side] for pair in pairs], dtype=np.intp) for side in (0, 1))

    def loss(parameters: Values) -> float:
        odds = table.log_odds(SummaryWeights(parameters[:2], parameters[2:]))
        value = float(shares @ _losses(odds, wrong))
        if len(pairs):
            value += _PAIR_WEIGHT * float(np.mean(np.logaddexp(0, odds[edited] - odds[originals])))
        return value + _RIDGE * float(parameters @ parameters)

    start = np.array([0.0, 1.0, 0.0, 4.0])
    bounds = [(-20, 20), (0, 10), (-20, 20), (0, 40)]
    solution = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    return SummaryWeights(solution[:2], solution[2:])


def _losses(odds: Values, wrong: Mask) -> Values:
    """The log loss of each label for log odds of being right."""
    return np.logaddexp(0, np.where(wrong, odds, -odds))
