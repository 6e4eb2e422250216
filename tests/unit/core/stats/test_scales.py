"""Sources that score the same texts differently are told apart before they are pooled."""

from __future__ import annotations

import numpy as np

from core.results.cases.pooling import scale_warning

SCORES = np.array([0.1, 0.4, 0.9, np.nan, 0.7])


def test_equal_scores_may_be_pooled() -> None:
    assert scale_warning(SCORES, SCORES + 1e-7) == ""


def test_a_scale_that_was_stretched_is_found_with_its_line() -> None:
    assert scale_warning(SCORES, 1.02676 * SCORES - 0.02676) == (
        "The two sources score 4 of 4 common texts differently: the second is 1.0268 times the first − 0.0268. "
        "Their scores cannot be pooled."
    )


def test_scores_that_follow_no_line_are_found_as_well() -> None:
    found = scale_warning(SCORES, np.array([0.1, 0.8, 0.2, 0.3, 0.7]))
    assert found == "The two sources score 2 of 4 common texts differently. Their scores cannot be pooled."


def test_one_common_text_is_enough_to_see_a_difference() -> None:
    assert scale_warning(np.array([0.5]), np.array([0.6])).startswith(
        "The two sources score 1 of 1 common texts differently."
    )


def test_sources_without_a_common_text_cannot_be_judged() -> None:
    assert "share no text" in scale_warning(np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
