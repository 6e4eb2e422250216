"""Aggregation of words' logits to a sentence's, and of sentences' to a summary's: fitted on summaries and on pairs, from
logits of documents not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.models.words.head import SENTENCE_FACTS
from core.stats import Mask, Numbers, Values

_PAIR_WEIGHT = 4.0
"""Weight of a pair, against 1 of a summary: of a pair it must tell which side is wrong, whatever else its text is like."""
_RIDGE = 1e-3
_LEAST_DOUBT = 1e-9  # that no sentence is wrong, so that odds are numbers


@dataclass(frozen=True, slots=True, eq=False)
class SummaryWeights:
    """The weights of SENTENCE_FACTS, (facts,), and what the summary's mean similarity above `usual` adds to its log odds."""

    sentence: Values
    similarity: float
    usual: float


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """The SENTENCE_FACTS of all sentences, (sentences, facts), and the row of the summary that each stands in, (sentences,).

    `similarity` is the mean over the words of each summary, (summaries,), of how similar the most similar word of the
    document is.
    """

    facts: Values
    rows: Numbers
    similarity: Values

    def log_odds(self, weights: SummaryWeights) -> Values:
        """The log odds that a summary is supported, (summaries,): that no sentence is wrong, moved by its similarity."""
        support = self.log_support(weights.sentence)
        return support - _log_of_rest(support) + weights.similarity * (self.similarity - weights.usual)

    def log_support(self, sentence: Values) -> Values:
        """The log probability that no sentence is wrong, (summaries,)."""
        losses = np.logaddexp(0, self.facts @ sentence)
        return np.minimum(-np.bincount(self.rows, weights=losses, minlength=len(self.similarity)), -_LEAST_DOUBT)

    def part(self, rows: Mask) -> SentenceTable:
        """The sentences of some rows, which are numbered from 0 again."""
        inside = rows[self.rows]
        return SentenceTable(self.facts[inside], (np.cumsum(rows) - 1)[self.rows[inside]], self.similarity[rows])


@dataclass(frozen=True, slots=True)
class LogitScale:
    """Factor of a logit, and the offset that is added to that of a sentence."""

    slope: float = 1.0
    offset: float = 0.0

    def weights(self, weights: SummaryWeights) -> SummaryWeights:
        """The weights on this scale."""
        sentence = self.slope * weights.sentence
        sentence[-1] += self.offset
        return replace(weights, sentence=sentence, similarity=self.slope * weights.similarity)


def fit_scale(table: SentenceTable, weights: SummaryWeights, wrong: Mask) -> LogitScale:
    """The scale of least log loss for summaries that no weight was fitted on; both classes count the same (Platt 1999).

    Two numbers for a sentence instead of one curve for the summary, so that sentences stay probabilities. Where there are
    not both classes the scale stays as it is.
    """
    from scipy.optimize import minimize  # takes half a second, and only training needs it

    if len(np.unique(wrong)) < 2:
        return LogitScale()

    def loss(parameters: Values) -> float:
        losses = _losses(
            table.log_odds(LogitScale(float(np.exp(parameters[0])), parameters[1]).weights(weights)), wrong
        )
        return float(losses[wrong].mean() + losses[~wrong].mean() + _RIDGE * parameters @ parameters)

    slope, offset = minimize(loss, np.zeros(2), method="L-BFGS-B", bounds=[(-3, 3), (-10, 10)]).x
    return LogitScale(float(np.exp(slope)), float(offset))


def fit_summary_weights(table: SentenceTable, wrong: Mask, pairs: Sequence[tuple[int, int]]) -> SummaryWeights:
    """The weights for labels (summaries,) and (original, edited) rows of which the second is wrong.

    Both classes count the same, so that one half means even odds, whatever the share of corruptions was.
    """
    from scipy.optimize import minimize  # takes half a second, and only training needs it

    spread = np.maximum(table.facts.std(0), 1e-6)
    spread[-1] = 1.0
    scaled = replace(table, facts=table.facts / spread)
    usual, similarity_spread = float(table.similarity.mean()), max(float(table.similarity.std()), 1e-6)
    similarity = (table.similarity - usual) / similarity_spread
    shares = np.where(wrong, 0.5 / max(wrong.mean(), 1e-9), 0.5 / max((~wrong).mean(), 1e-9)) / len(wrong)
    signs = np.where(wrong, -1.0, 1.0)
    originals, edited = (np.array([pair[side] for pair in pairs], dtype=np.intp) for side in (0, 1))

    def loss(weights: Values) -> tuple[float, Values]:
        sentence = weights[:-1]
        support = scaled.log_support(sentence)
        odds = support - _log_of_rest(support) + weights[-1] * similarity
        value = shares @ _losses(odds, wrong)
        slope = -signs * shares * _logistic(-signs * odds)
        if len(pairs):
            margin = odds[originals] - odds[edited]
            value += _PAIR_WEIGHT * np.mean(np.logaddexp(0, -margin))
            pull = -_PAIR_WEIGHT / len(pairs) * _logistic(-margin)
            slope += np.bincount(originals, weights=pull, minlength=len(wrong))
            slope -= np.bincount(edited, weights=pull, minlength=len(wrong))
        of_support = slope * (1 + np.exp(support - _log_of_rest(support)))
        by_sentence = -of_support[scaled.rows] * _logistic(scaled.facts @ sentence)
        gradient = np.append(scaled.facts.T @ by_sentence, slope @ similarity)
        return float(value + _RIDGE * weights @ weights), gradient + 2 * _RIDGE * weights

    start = np.zeros(len(SENTENCE_FACTS) + 1)
    start[0] = 1.0
    solution = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return SummaryWeights(solution[:-1] / spread, float(solution[-1] / similarity_spread), usual)


def _log_of_rest(log_share: Values) -> Values:
    """The logarithm of one minus a share that is given by its logarithm."""
    return np.asarray(np.log(-np.expm1(log_share)))


def _losses(odds: Values, wrong: Mask) -> Values:
    """The log loss of each label for log odds of being right."""
    return np.logaddexp(0, np.where(wrong, odds, -odds))


def _logistic(logits: Values) -> Values:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -50, 50))))
