"""Counts, and estimates with their intervals, as text; lines of text in aligned columns or as a table of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a count is formatted without numpy
    from core.stats.statistic import Estimate

_MOST_DIGITS = "8"


def align_columns(lines: Sequence[Sequence[str]]) -> str:
    """Columns of text, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    spaced = ("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in spaced)


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Columns as wide as they come; a bar in a cell separates no columns, and no cell begins a tag of HTML."""
    table = [head, ["---"] * len(head), *lines]
    escaped = [[cell.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;") for cell in line] for line in table]
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)


def format_count(number: int, noun: str) -> str:
    """A number with its noun, as 1,204 pairs."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_percent(estimate: Estimate) -> str:
    """A share with its interval, as 91.9 [89.8, 93.9]."""
    return _with_interval(estimate, ".1f", factor=100)


def percent_words(estimate: Estimate) -> str:
    """As 8.1 % [6.4, 10.2], for a sentence."""
    value, _, interval = format_percent(estimate).partition(" ")
    return f"{value} % {interval}".rstrip()


def format_p(p: float | None) -> str:
    """As = 0.012 or < 0.001, for a sentence."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"


def format_coefficient(estimate: Estimate) -> str:
    """A coefficient with its interval, as 0.71 [0.55, 0.83]."""
    return _with_interval(estimate, ".2f")


def format_share(estimate: Estimate) -> str:
    """A share alone, as 92 %."""
    return "–" if estimate.value is None else f"{100 * estimate.value:.0f} %"


def format_in_units(estimate: Estimate) -> str:
    """A signed value with its interval in the units of a metric, as −0.12 [−0.15, −0.09]."""
    return _with_minus_sign(_with_interval(estimate, "+.3g"))


def format_correlation(estimate: Estimate) -> str:
    """A correlation with its interval, as +0.220 [+0.14, +0.30]."""
    return _with_minus_sign(_with_interval(estimate, "+.3f", "+.2f"))


def format_signed(estimate: Estimate) -> str:
    """A difference with its interval, as +0.012 [−0.003, +0.027]."""
    return _with_minus_sign(_with_interval(estimate, "+.3f"))


def format_unsigned(estimate: Estimate) -> str:
    """A score with its interval, as 0.412 [0.380, 0.440]."""
    return _with_minus_sign(_with_interval(estimate, ".3f"))


def format_ratio(estimate: Estimate) -> str:
    """A multiple with its interval, as 13.33 [7.10, 44.22]."""
    return _with_interval(estimate, ".2f")


def _with_interval(estimate: Estimate, of_value: str, of_bounds: str = "", factor: float = 1) -> str:
    """A dash for no value, no brackets for no interval, more digits where its ends would look alike; `of_value` is Python's format string."""
    if estimate.value is None:
        return "–"
    value = _format_number(factor * estimate.value, of_value)
    if estimate.low is None or estimate.high is None:
        return value
    low, high = (_format_number(factor * bound, of_bounds or of_value) for bound in (estimate.low, estimate.high))
    if low == high and estimate.low < estimate.high:
        # ends that look alike with most digits differ by rounding alone
        finer = _with_another_digit(of_value) if of_value[-2] < _MOST_DIGITS else ""
        text = _with_interval(estimate, finer, _with_another_digit(of_bounds), factor) if finer else ""
        return text if "[" in text else value
    return f"{value} [{low}, {high}]"


def _with_another_digit(format_string: str) -> str:
    return format_string and f"{format_string[:-2]}{int(format_string[-2]) + 1}{format_string[-1]}"


def _format_number(value: float, of_value: str) -> str:
    """Format a number; one that rounds to zero has no sign."""
    text = format(value, of_value)
    return text if float(text) else text.lstrip("+-")


def _with_minus_sign(text: str) -> str:
    return text.replace("-", "−")
