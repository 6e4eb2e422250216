"""Logistic regression whose slopes are not negative, on members of which one may be missing, and its cross-fitted predictions.

The weights of a stack are bounded below by zero (Breiman 1996, Stacked Regressions): a member that is more consistent the higher
it is never counts against a summary.
"""

from __future__ import annotations

import numpy as np

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


def fit_nonnegative(features: Values, labels: Mask) -> Values:
    """Intercept and slopes, (1 + members,), from features without nan, (n, members), and labels of both kinds, (n,).

    By projected Newton steps (Bertsekas 1982): slopes that are 0 and would fall stay, the others move together.
    """
    design = np.column_stack([np.ones(len(labels)), features])
    outcomes, ridge = labels.astype(np.float64), np.append(0.0, np.full(features.shape[1], PENALTY))
    signs = np.where(labels, 1.0, -1.0)
    rate = labels.mean()
    fit = np.append(np.log(rate / (1 - rate)), np.zeros(features.shape[1]))
    lowest = np.append(-np.inf, np.zeros(features.shape[1]))

    def loss(coefficients: Values) -> float:
        return float(np.logaddexp(0, -signs * (design @ coefficients)).sum() + ridge @ coefficients**2 / 2)

    current = loss(fit)
    for _ in range(_STEPS):
        chances = sigmoid(design @ fit)
        gradient = (chances - outcomes) @ design + ridge * fit
        free = np.flatnonzero((fit > lowest) | (gradient < 0))
        if np.abs(gradient[free]).max(initial=0.0) < _TOLERANCE * len(labels):
            break
        hessian = (design[:, free] * (chances * (1 - chances))[:, None]).T @ design[:, free] + np.diag(
            ridge[free] + _JITTER
        )
        step = np.zeros_like(fit)
        step[free] = np.linalg.solve(hessian, gradient[free])
        size = 1.0
        while size > _SHORTEST and (after := loss(np.maximum(fit - size * step, lowest))) > current:
            size /= 2
        if size <= _SHORTEST:
            break
        fit, current = np.maximum(fit - size * step, lowest), after
    return fit


def fit_with_missing(features: Values, labels: Mask) -> Values:
    """The fit of all members, and that without each of them, (1 + members, 1 + members): its own slope is 0.

    Each is fitted on the rows of (n, members) that have its members, nan where one has no score. A fit without members, or on labels of one kind, is nan.
    """
    members = features.shape[1]
    fits = np.full((1 + members, 1 + members), np.nan)
    for row in range(1 + members):
        used = np.array([place for place in range(members) if place != row - 1], dtype=np.intp)
        kept = ~np.isnan(features[:, used]).any(axis=1)
        if len(used) and labels[kept].any() and not labels[kept].all():
            fits[row] = 0.0
            fits[row, np.append(0, used + 1)] = fit_nonnegative(features[np.ix_(kept, used)], labels[kept])
    return fits


def log_odds_with_missing(fits: Values, features: Values) -> Values:
    """Log odds, (n,), by the fit of all members, or where one is missing by that without it; nan where more are."""
    missing = np.isnan(features)
    chosen = fits[np.where(missing.any(axis=1), 1 + missing.argmax(axis=1), 0)]
    logits = chosen[:, 0] + np.einsum("ij,ij->i", np.where(missing, 0.0, features), chosen[:, 1:])
    return np.where(missing.sum(axis=1) > 1, np.nan, logits)


def cross_fit(features: Values, labels: Mask, folds: Numbers) -> Values:
    """The fits of `fit_with_missing` for each fold, made on the other folds, (folds, 1 + members, 1 + members)."""
    return np.stack(
        [fit_with_missing(features[folds != fold], labels[folds != fold]) for fold in range(int(folds.max()) + 1)]
    )


def cross_log_odds(fits: Values, features: Values, folds: Numbers) -> Values:
    """Log odds, (n,), of each row by the fits, (folds, …), of its own fold."""
    logits = np.full(len(features), np.nan)
    for fold, of_fold in enumerate(fits):
        logits[folds == fold] = log_odds_with_missing(of_fold, features[folds == fold])
    return logits


def cross_ranks(fits: Values, features: Values, folds: Numbers) -> Values:
    """The same minus the mean log odds that the fit of a fold gives to all rows, (n,), which order rows of different folds.

    Folds of few documents differ in their share of consistent labels, which moves the intercept and is no order. No label is used.
    """
    means = np.array([np.nanmean(log_odds_with_missing(of_fold, features)) for of_fold in fits])
    ranks: Values = cross_log_odds(fits, features, folds) - means[folds]
    return ranks


def sigmoid(values: Values) -> Values:
    """The logistic function, without overflow."""
    result: Values = (1 + np.tanh(np.asarray(values) / 2)) / 2
    return result
