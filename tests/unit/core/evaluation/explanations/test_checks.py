"""What rules say of an explanation that is to be judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.evaluation.explanations.checks import run_rule_checks
from tests.unit.core.evaluation.explanations.scenes import CASE


@pytest.mark.parametrize(
    ("explanation", "expected"),
    [
        (CASE.explanation, {"names_edit": True, "contradicts_verdict": False}),
        ("The storm came on Tuesday.", {"names_edit": False, "contradicts_verdict": False}),
        ("The summary is consistent with the document.", {"names_edit": False, "contradicts_verdict": True}),
    ],
    ids=["names it", "speaks of something else", "denies it"],
)
def test_an_explanation_is_checked_against_the_edit_and_its_own_verdict(
    explanation: str, expected: dict[str, bool | None]
) -> None:
    assert run_rule_checks(replace(CASE, explanation=explanation)) == expected


@pytest.mark.parametrize("seed", ["", CASE.summary], ids=["not known", "not edited"])
def test_where_no_edit_is_known_nothing_is_said_about_naming_it(seed: str) -> None:
    assert run_rule_checks(replace(CASE, seed=seed))["names_edit"] is None
