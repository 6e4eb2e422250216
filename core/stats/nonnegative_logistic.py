"""Logistic regression whose slopes are not negative, on members of which one may be missing, and its cross-fitted predictions.

The weights of a stack are bounded below by zero (Breiman 1996, Stacked Regressions): a member that is more consistent the higher
it is never counts against a summary. What has a label is a bag of rows, as a summary is one of sentences; one of a single row is the plain regression.
"""

from __future__ import annotations

import numpy as np

from core.stats.noisy_or import Bags, doubts, log_wrong, odds_of_consistent
from core.stats.statistic import Mask, Numbers, Values

PENALTY = 1.0
"""Of half the squared slopes on standard scores, beside the sum of the log losses of all cases."""

_STEPS, _SHORTEST = 100, 1e-10
_TOLERANCE = 1e-10  # of the gradient of a case
_JITTER = 1e-9  # keeps the intercept's curvature above zero


def standard_scores(values: Values, means: Values, spreads: Values) -> Values:
    """The distances of (n, members) from the means in spreads, (members,) each; 0 where a member has no spread."""
    return np.where(
        spreads > 0, (values - means) / np.where(spreads > 0, spreads, 1.0), np.where(np.isnan(values), np.nan, 0.0)
    )


def fit_nonnegative(bags: Bags, labels: Mask) -> Values:
    """Intercept and slopes of a row, (1 + members,), from bags without nan and labels of both kinds, (bags,).

    By projected steps (Bertsekas 1982): slopes that are 0 and would fall stay, the others move together. The curvature is Fisher's, which
    for bags of one row is Newton's.
    """
    design = np.column_stack([np.ones(len(bags.values)), bags.values])
    starts, members = bags.starts, bags.values.shape[1]
    ridge = np.append(0.0, np.full(members, PENALTY))
    rate = labels.mean() ** (len(labels) / len(design))  # of a row, if all bags were of the same size
    fit = np.append(np.log(rate / (1 - rate)), np.zeros(members))
    lowest = np.append(-np.inf, np.zeros(members))

    def loss(coefficients: Values) -> float:
        doubt = doubts(-(design @ coefficients), bags.owners)
        return float(np.where(labels, doubt, -log_wrong(doubt)).sum() + ridge @ coefficients**2 / 2)

    current = loss(fit)
    for _ in range(_STEPS):
        logits = design @ fit
        odds = odds_of_consistent(doubts(-logits, bags.owners))
        # how the log probability of each bag moves with the coefficients, (bags, 1 + members)
        moves = np.add.reduceat(design * sigmoid(-logits)[:, None], starts, axis=0)
        gradient = np.where(labels, -1.0, odds) @ moves + ridge * fit
        free = np.flatnonzero((fit > lowest) | (gradient < 0))
        if np.abs(gradient[free]).max(initial=0.0) < _TOLERANCE * len(labels):
            break
        hessian = (moves[:, free] * odds[:, None]).T @ moves[:, free] + np.diag(ridge[free] + _JITTER)
        step = np.zeros_like(fit)
        step[free] = np.linalg.solve(hessian, gradient[free])
        size = 1.0
        while size > _SHORTEST and (after := loss(np.maximum(fit - size * step, lowest))) > current:
            size /= 2
        if size <= _SHORTEST:
            break
        fit, current = np.maximum(fit - size * step, lowest), after
    return fit


def fit_with_missing(bags: Bags, labels: Mask) -> Values:
    """The fit of all members, and that without each of them, (1 + members, 1 + members): its own slope is 0.

    Each is fitted on the bags that have its members. A fit without members, or on labels of one kind, is nan.
    """
    members, missing = bags.values.shape[1], bags.missing
    fits = np.full((1 + members, 1 + members), np.nan)
    for row in range(1 + members):
        used = np.array([place for place in range(members) if place != row - 1], dtype=np.intp)
        complete: Mask = missing[:, used].sum(axis=1) == 0
        if len(used) and labels[complete].any() and not labels[complete].all():
            fits[row] = 0.0
            fits[row, np.append(0, used + 1)] = fit_nonnegative(bags.only(complete).of_members(used), labels[complete])
    return fits


def log_odds_with_missing(fits: Values, bags: Bags) -> Values:
    """Log odds of each bag, (bags,), by the fit of all members, or where one is missing by that without it; nan where more are."""
    missing = np.isnan(bags.values)
    coefficients = fits[np.where(missing.any(axis=1), 1 + missing.argmax(axis=1), 0)]
    logits = coefficients[:, 0] + np.einsum("ij,ij->i", np.where(missing, 0.0, bags.values), coefficients[:, 1:])
    lacking = np.isnan(logits) | (missing.sum(axis=1) > 1)  # the same in all rows of a bag
    doubt = doubts(np.where(lacking, 0.0, -logits), bags.owners)
    return np.where(lacking[bags.starts], np.nan, -doubt - log_wrong(doubt))


def cross_fit(bags: Bags, labels: Mask, folds: Numbers) -> Values:
    """The fits of `fit_with_missing` for each fold, made on the other folds, (folds, 1 + members, 1 + members)."""
    return np.stack(
        [fit_with_missing(bags.only(folds != fold), labels[folds != fold]) for fold in range(int(folds.max()) + 1)]
    )


def cross_fit_complete(bags: Bags, labels: Mask, folds: Numbers) -> Values:
    """The same for bags that miss no member, whose fit of all members is the only one, (folds, 1, 1 + members)."""
    fits = np.full((int(folds.max()) + 1, 1, 1 + bags.values.shape[1]), np.nan)
    for fold in range(len(fits)):
        learned: Mask = folds != fold
        if labels[learned].any() and not labels[learned].all():
            fits[fold, 0] = fit_nonnegative(bags.only(learned), labels[learned])
    return fits


def cross_log_odds(fits: Values, bags: Bags, folds: Numbers) -> Values:
    """Log odds, (bags,), of each bag by the fits, (folds, …), of its own fold."""
    logits = np.full(len(folds), np.nan)
    for fold, of_fold in enumerate(fits):
        logits[folds == fold] = log_odds_with_missing(of_fold, bags.only(folds == fold))
    return logits


def cross_ranks(fits: Values, bags: Bags, folds: Numbers) -> Values:
    """The same minus the mean log odds that the fit of a fold gives to all bags, (bags,), which order bags of different folds.

    Folds of few documents differ in their share of consistent labels, which moves the intercept and is no order. No label is used.
    """
    means = np.array([np.nanmean(log_odds_with_missing(of_fold, bags)) for of_fold in fits])
    ranks: Values = cross_log_odds(fits, bags, folds) - means[folds]
    return ranks


def sigmoid(values: Values) -> Values:
    """The logistic function, without overflow."""
    result: Values = (1 + np.tanh(np.asarray(values) / 2)) / 2
    return result
