"""The tables that a paper puts beside the main ones: correlations with ratings, and explanations."""

from __future__ import annotations

from collections.abc import Sequence

from core.meta.correlations import Correlation, marked
from core.meta.explained import Explainer
from core.meta.forms import csv_table, markdown_table
from core.meta.report import percent


def correlations_markdown(found: Sequence[Correlation]) -> str:
    """Metrics down, coefficients across; * marks the best, = what is not significantly worse (Williams, Holm)."""
    names = list(found[0].estimates)
    lines = ([one.metric, *(marked(one, name) for name in names)] for one in found)
    return f"Correlation with: {found[0].aspect}\n\n{markdown_table(['metric', *names], lines)}"


def correlations_csv(found: Sequence[Correlation]) -> str:
    """Every coefficient, one line each; p is that of Williams's test against the best."""
    lines = (
        (one.metric, one.aspect, name, given.value, given.low, given.high, given.n, one.against.get(name), given.why)
        for one in found
        for name, given in one.estimates.items()
    )
    return csv_table(("metric", "rated", "coefficient", "value", "low", "high", "n", "p", "why"), lines)


def explained_markdown(found: Sequence[Explainer]) -> str:
    """Explainers down, their scores in percent across."""
    names = list(found[0].figures)
    lines = ([one.name or "unnamed", str(one.graded), *map(percent, one.figures.values())] for one in found)
    return markdown_table(["explained by", "graded", *names], lines)


def explained_csv(found: Sequence[Explainer]) -> str:
    """Every score, one line each."""
    lines = (
        (one.name, name, given.value, given.low, given.high, given.n, given.why)
        for one in found
        for name, given in one.figures.items()
    )
    return csv_table(("explained by", "score", "value", "low", "high", "n", "why"), lines)
