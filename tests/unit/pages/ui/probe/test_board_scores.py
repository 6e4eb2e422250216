"""Cells of the board for the sentences of the summary."""

from __future__ import annotations

from core.types import ClaimScore, Failure, FailureKind, Result, Seen, Span, SummaryClaim
from pages.ui.probe.board_scores import places_without_claim

TEXT = "It rained. Nobody came. The pier closed."


def test_a_sentence_that_no_claim_is_of_has_its_place() -> None:
    claims = tuple(
        ClaimScore(SummaryClaim(words, span), 0.5) for words, span in (("Rain fell.", Span(0, 10)), ("X", None))
    )
    result = Result("a", "claims", "claims", 0.5, (), Seen(), 0.1, "cpu", claims=claims)
    assert places_without_claim(result, TEXT) == {1, 2}


def test_a_metric_without_claims_leaves_no_sentence_out() -> None:
    assert not places_without_claim(Result("a", "rouge2", "rouge2", 0.5, (), Seen(), 0.1, "cpu"), TEXT)
    assert not places_without_claim(Failure("a", "rouge2", FailureKind.INPUT, "The summary is empty."), TEXT)
    assert not places_without_claim(None, TEXT)
