"""A forecast in one line."""

from __future__ import annotations

import pytest

from core.engine.forecast import Forecast
from pages.ui.probe.fast_set import format_forecast


@pytest.mark.parametrize(
    ("forecast", "words"),
    [
        (Forecast(seconds=12.4), "≈ 12 s"),
        (Forecast(seconds=0.01), "≈ 0.1 s"),
        (Forecast(seconds=600), "≈ 10 min"),
        (Forecast(unknown=("A",)), "time unknown until it has run once"),
        (Forecast(unknown=("A", "B")), "time unknown until they have run once"),
        (Forecast(seconds=3, unknown=("A", "B")), "≈ 3 s, that of A and B unknown until they have run once"),
        (
            Forecast(seconds=12, load_bytes=1_420_000_000, leaving=("AlignScore",)),
            "≈ 12 s once loaded · 1.4 GB to load · AlignScore leaves memory",
        ),
        (
            Forecast(seconds=2, load_bytes=90_000_000, leaving=("a", "b", "c"), any_of=True),
            "≈ 2 s once loaded · 90 MB to load · one or more of a, b and c may leave memory",
        ),
        (
            Forecast(seconds=2, load_bytes=3_000_000_000, leaving=("a", "b"), in_turns=True),
            "≈ 2 s once loaded · 3.0 GB to load · a and b leave memory · the models take turns in memory",
        ),
        (Forecast(seconds=2, too_large=("a",)), "≈ 2 s · a will not fit into memory"),
    ],
)
def test_a_forecast_says_what_is_known_and_what_is_not(forecast: Forecast, words: str) -> None:
    assert format_forecast(forecast) == words
