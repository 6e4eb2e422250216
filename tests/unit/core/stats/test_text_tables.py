"""Estimates as text: a dash for no value, no brackets for no interval, a true minus sign."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.stats.statistic import Estimate
from core.stats.text_tables import (
    align_columns,
    format_correlation,
    format_in_units,
    format_percent,
    format_share,
    format_signed,
    format_unsigned,
    markdown_table,
)


@pytest.mark.parametrize(
    ("form", "whole", "alone"),
    [
        (format_percent, "12.3 [-4.6, 30.0]", "12.3"),
        (format_share, "12 %", "12 %"),
        (format_in_units, "+0.123 [−0.0456, +0.3]", "+0.123"),
        (format_correlation, "+0.123 [−0.05, +0.30]", "+0.123"),
        (format_signed, "+0.123 [−0.046, +0.300]", "+0.123"),
        (format_unsigned, "0.123 [−0.046, 0.300]", "0.123"),
    ],
)
def test_an_estimate_is_written_with_its_interval(form: Callable[[Estimate], str], whole: str, alone: str) -> None:
    assert form(Estimate(0.1234, -0.0456, 0.3, 10)) == whole
    assert form(Estimate(0.1234, None, None, 10)) == alone
    assert form(Estimate(None, None, None, 10)) == "–"


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert format_signed(Estimate(-0.0004, -0.0012, 0.0003, 10)) == "0.000 [−0.001, 0.000]"
    assert format_correlation(Estimate(-0.0, None, None, 10)) == "0.000"


def test_an_interval_that_is_narrower_than_a_digit_has_another_one() -> None:
    assert format_percent(Estimate(1.0, 0.99996, 1.0, 90_000)) == "100.000 [99.996, 100.000]"
    assert format_signed(Estimate(0.25, 0.24999, 0.25001, 10)) == "+0.25000 [+0.24999, +0.25001]"
    assert format_correlation(Estimate(0.9, 0.898, 0.902, 10)) == "+0.9000 [+0.898, +0.902]"


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert align_columns([("a", "wide", ""), ("long", "b", "")]) == "a     wide\nlong  b"


def test_no_cell_of_a_markdown_table_separates_columns_or_begins_a_tag() -> None:
    assert markdown_table(["a|b"], [["<b>\n1"]]) == "| a\\|b |\n| --- |\n| &lt;b> 1 |\n"


def test_ends_that_differ_by_rounding_alone_are_no_interval() -> None:
    assert format_signed(Estimate(-0.4, -0.4, -0.39999999999999997, 10)) == "−0.400"
    assert format_signed(Estimate(-0.4, -0.40001, -0.39999, 10)) == "−0.40000 [−0.40001, −0.39999]"
