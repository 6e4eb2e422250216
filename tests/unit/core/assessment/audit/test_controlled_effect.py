"""The verdict on an effect: what may be chance is not claimed, and what every document shows alike is."""

from __future__ import annotations

import numpy as np

from core.assessment.audit.controlled_effect import bias
from core.assessment.audit.question import AuditFigure, Level, VerdictScale
from core.stats.rates.cluster_mean import cluster_mean
from core.stats.statistic import Estimate, Values

SCALE = VerdictScale(good=0.1, fails=0.3)


def level(values: Values) -> Level:
    estimate = cluster_mean(values, np.arange(len(values)))
    return bias(AuditFigure("wins", estimate, "score"), SCALE, ("first", "second")).level


def test_an_effect_that_all_documents_have_alike_is_claimed_without_an_interval() -> None:
    assert level(np.ones(10)) is Level.FAILS
    assert level(-np.ones(10)) is Level.FAILS


def test_an_effect_that_no_document_has_is_good() -> None:
    assert level(np.zeros(10)) is Level.GOOD


def test_an_effect_whose_interval_holds_zero_is_not_claimed() -> None:
    assert level(np.array([1.0, -1.0, 1.0, 1.0, 0.0] * 2)) is Level.MEASURED


def test_too_few_documents_have_no_verdict_even_where_all_are_alike() -> None:
    assert level(np.ones(9)) is Level.TOO_FEW


def test_documents_that_an_audit_does_not_take_are_not_asked_for() -> None:
    share = Estimate(0.05, 0.01, 0.2, 120, documents=40)
    scale = VerdictScale(good=0.125, fails=0.3)
    assert "would." in scale.untold(share)
    assert (
        scale.untold(share, most=40)
        == "It does not fail. More cannot be told with 40 documents, and at most 40 are taken."
    )
    assert "would." in scale.untold(share, most=1000)
