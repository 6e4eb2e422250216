"""A forecast in one line."""

from __future__ import annotations

import pytest

from core.scoring.engine.forecast import Forecast
from pages.ui.probe.fast_set import format_forecast


@pytest.mark.parametrize(
    ("forecast", "words"),
    [
        (Forecast(seconds=12.4), "last time: 12 s"),
        (Forecast(seconds=0.01), "last time: 0.1 s"),
        (Forecast(seconds=600), "last time: 10 min"),
        (Forecast(not_timed=("A",)), "not timed yet"),
        (Forecast(not_timed=("A", "B")), "not timed yet"),
        (Forecast(seconds=3, not_timed=("A", "B")), "last time: 3 s, A and B not timed yet"),
        (
            Forecast(seconds=12, load_bytes=1_420_000_000, leaving=("AlignScore",)),
            "last time: 12 s once loaded · 1.4 GB to load · AlignScore leaves memory",
        ),
        (
            Forecast(seconds=2, load_bytes=90_000_000, leaving=("a", "b", "c"), any_of=True),
            "last time: 2 s once loaded · 90 MB to load · one or more of a, b and c may leave memory",
        ),
        (
            Forecast(seconds=2, load_bytes=3_000_000_000, leaving=("a", "b"), in_turns=True),
            "last time: 2 s once loaded · 3.0 GB to load · a and b leave memory · the models take turns in memory",
        ),
        (Forecast(seconds=2, too_large=("a",)), "last time: 2 s · a will not fit into memory"),
    ],
)
def test_a_forecast_says_what_is_known_and_what_is_not(forecast: Forecast, words: str) -> None:
    assert format_forecast(forecast) == words
