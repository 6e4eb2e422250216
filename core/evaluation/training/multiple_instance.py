"""The words of summaries that are labelled as a whole: at least one word of a wrong one is wrong, which one nobody says.

A summary is a bag, and is wrong by the noisy-or of its words (Maron and Lozano-Pérez 1998, A Framework for Multiple-Instance Learning). Its label is
shared out among its words by what is likely once it is known that one of them is wrong: the weights of multiple-instance boosting
(Viola, Platt and Zhang 2005, Multiple Instance Boosting for Object Detection, equation 7), and the E step of expectation maximization.
"""

from __future__ import annotations

import numpy as np

from core.models import Features, WordTable, boost
from core.stats import Mask, Numbers, Values, doubts, log_wrong

_FIRST_TREES = 100
"""Trees that learn from the words that are known, and then say which words of a wrong summary are likely to be wrong."""


def bags_of(table: WordTable, rows: Mask) -> tuple[Numbers, Numbers]:
    """The words of some rows of which nobody knows whether they are wrong, (n,), and the number of the summary of each, (n,)."""
    places = np.flatnonzero(table.words_of(rows) & (table.wrong < 0))
    return places, np.unique(table.row[table.sentence[places]], return_inverse=True)[1]


def shared_labels(logits: Features, bags: Numbers) -> Values:
    """The probability that each word is wrong, (n,), given that a word of its summary is, for logits and summaries (n,)."""
    odds = logits.astype(np.float64)
    return np.asarray(np.exp(-np.logaddexp(0, -odds) - log_wrong(doubts(odds, bags))[bags]))


def bag_loss(logits: Features, bags: Numbers) -> float:
    """The log loss of wrong summaries by the noisy-or of their words, in sum."""
    return float(-log_wrong(doubts(logits.astype(np.float64), bags)).sum())


def word_targets(table: WordTable, rows: Mask, seed: int) -> Values:
    """The probability that each word of some rows is wrong, (words,): 0 or 1 where it is known; nan for words of other rows.

    Trees that learned from the words that are known share out the labels of the others; where these show no difference, all
    words of a summary have the same share.
    """
    labelled = table.words_of(rows) & (table.wrong >= 0)
    targets = np.where(labelled, table.wrong, np.nan).astype(np.float64)
    places, bags = bags_of(table, rows)
    if not len(places):
        return targets
    if len(np.unique(table.wrong[labelled])) == 2:
        *_, model = boost(table.values[labelled], table.wrong[labelled], seed, _FIRST_TREES)
        targets[places] = shared_labels(model.decision_function(table.values[places]), bags)
    else:
        targets[places] = 1 / np.bincount(bags)[bags]
    return targets
