"""How the words of a sentence make its logit: fitted on whole summaries and on pairs, from logits of documents not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.stats.statistic import Mask, Numbers, Values
from core.trained.model import SENTENCE_FACTS

_PAIR_WEIGHT = 4.0
"""How much a pair counts beside a summary: of a pair it must be told which side is wrong, whatever else its text is like."""
_RIDGE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """The SENTENCE_FACTS of all sentences, (sentences, facts), and the row of the summary that each stands in, (sentences,)."""

    facts: Values
    rows: Numbers

    def log_support(self, weights: Values, summaries: int) -> Values:
        """The log probability that no sentence is wrong, (summaries,)."""
        losses = np.logaddexp(0, self.facts @ weights)
        return -np.bincount(self.rows, weights=losses, minlength=summaries).astype(np.float64)

    def part(self, rows: Mask) -> SentenceTable:
        """The sentences of some rows, which are numbered from 0 again."""
        inside = rows[self.rows]
        return SentenceTable(self.facts[inside], (np.cumsum(rows) - 1)[self.rows[inside]])


@dataclass(frozen=True, slots=True)
class Scale:
    """How many times a sentence's logit counts, and what is added to it."""

    slope: float = 1.0
    offset: float = 0.0

    def weights(self, weights: Values) -> Values:
        """The sentence weights on this scale, (facts,)."""
        scaled = self.slope * weights
        scaled[-1] += self.offset
        return scaled


def fit_scale(table: SentenceTable, weights: Values, wrong: Mask) -> Scale:
    """The scale of least log loss for summaries that no weight was fitted on; both classes count the same (Platt 1999).

    Two numbers for a sentence instead of one curve for the summary, so that sentences stay probabilities whose product is
    the score. Where there are not both classes the scale stays as it is.
    """
    from scipy.optimize import minimize  # takes half a second, and only training needs it

    if len(np.unique(wrong)) < 2:
        return Scale()

    def loss(found: Values) -> float:
        support = np.minimum(
            table.log_support(Scale(float(np.exp(found[0])), found[1]).weights(weights), len(wrong)), -1e-9
        )
        return float(-support[~wrong].mean() - np.log(-np.expm1(support[wrong])).mean() + _RIDGE * found @ found)

    slope, offset = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(-3, 3), (-10, 10)]).x
    return Scale(float(np.exp(slope)), float(offset))


def fit_sentence_weights(table: SentenceTable, wrong: Mask, pairs: Sequence[tuple[int, int]]) -> Values:
    """The weights of SENTENCE_FACTS, (facts,), for labels (summaries,) and (original, edited) rows of which the second is wrong.

    Both classes count the same, so that one half means even odds, whatever the share of corruptions was.
    """
    from scipy.optimize import minimize  # takes half a second, and only training needs it

    spread = np.maximum(table.facts.std(0), 1e-6)
    spread[-1] = 1.0
    scaled = SentenceTable(table.facts / spread, table.rows)
    class_weights = np.where(wrong, 0.5 / max(wrong.mean(), 1e-9), 0.5 / max((~wrong).mean(), 1e-9))
    originals, edited = (np.array([pair[side] for pair in pairs], dtype=np.intp) for side in (0, 1))

    def loss(weights: Values) -> tuple[float, Values]:
        logits = scaled.facts @ weights
        support = -np.bincount(scaled.rows, weights=np.logaddexp(0, logits), minlength=len(wrong))
        support = np.minimum(support, -1e-9)
        unsupported = np.log(-np.expm1(support))
        pooled = -np.mean(class_weights * np.where(wrong, unsupported, support))
        slope = class_weights * np.where(wrong, np.exp(support - unsupported), -1.0) / len(wrong)
        if len(pairs):
            odds = support - unsupported
            margin = odds[originals] - odds[edited]
            pooled += _PAIR_WEIGHT * np.mean(np.logaddexp(0, -margin))
            pull = -_PAIR_WEIGHT / len(pairs) / (1 + np.exp(np.clip(margin, -50, 50)))
            per_odds = np.bincount(originals, weights=pull, minlength=len(wrong))
            per_odds -= np.bincount(edited, weights=pull, minlength=len(wrong))
            slope += per_odds * (1 + np.exp(support - unsupported))
        by_sentence = -slope[scaled.rows] / (1 + np.exp(-np.clip(logits, -50, 50)))
        return float(pooled + _RIDGE * weights @ weights), scaled.facts.T @ by_sentence + 2 * _RIDGE * weights

    start = np.zeros(len(SENTENCE_FACTS))
    start[0] = 1.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B")
    return np.asarray(found.x / spread, dtype=np.float64)
