"""The card of AlignScore says the range of the head that is asked."""

from __future__ import annotations

import pytest

from core.scoring.metric import METRICS


@pytest.mark.parametrize("mode", ["reg", "reg_sp"])
def test_a_similarity_has_no_bounds(mode: str) -> None:
    card = METRICS.parse(f"alignscore-base[mode={mode}]").card
    assert (card.low, card.high) == (None, None)


@pytest.mark.parametrize("mode", ["nli_sp", "bin"])
def test_a_probability_has_bounds(mode: str) -> None:
    card = METRICS.parse(f"alignscore-base[mode={mode}]").card
    assert (card.low, card.high) == (0.0, 1.0)
