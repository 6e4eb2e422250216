"""Evidence that a person's share of right answers lies below a limit, valid however often it is looked at."""

from __future__ import annotations

from math import exp, fsum, inf, lgamma, log


def evidence_below(right: int, total: int, limit: float) -> float:
    """Evidence against a true share of at least `limit`, from `right` of `total` answers; 1 before any.

    The likelihood of the answers, averaged over shares from 0 to the limit, by that at the limit: a test martingale
    (Ville 1939; Robbins 1970). Who is at the limit or above ever comes to 20 with a probability of 5 % at most, so that it may be
    computed after every answer. `limit` lies between 0 and 1, both excluded.
    """
    wrong = total - right
    a = right + 1
    b = wrong + 1
    averaged = (lgamma(a) + lgamma(b) - lgamma(a + b)) + _log_beta_share(right + 1, wrong + 1, limit) - log(limit)
    ratio = averaged - right * log(limit) - wrong * log(1 - limit)
    return exp(ratio) if ratio < 700 else inf  # the largest power that a float holds is e ** 709


def upper_share(right: int, total: int, error: float = 0.05) -> float:
    """The upper end of the one-sided confidence sequence for the true share: every share above it has evidence of 1 / `error`."""
    low, high = right / total if total else 1.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        is_refuted = 0 < middle < 1 and evidence_below(right, total, middle) >= 1 / error
        low, high = (low, middle) if is_refuted else (middle, high)
    return high


def _log_beta_share(a: int, b: int, x: float) -> float:
    """The logarithm of the share of a beta distribution below x: that of at least `a` successes in a + b − 1 draws."""
    draws = a + b - 1
    terms = [
        lgamma(draws + 1) - lgamma(k + 1) - lgamma(draws - k + 1) + k * log(x) + (draws - k) * log(1 - x)
        for k in range(a, draws + 1)
    ]
    largest = max(terms)
    return largest + log(fsum(exp(term - largest) for term in terms))
