"""Verdicts of the sanity battery on a metric that is right, one that counts words, and one that is turned round."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from core.data.datasets.bundled import bundled_items
from core.edits.sanity import sanity_pairs
from core.results.cases.sanity import SanityRow, sanity_rows
from core.text.segmentation import words
from core.types import Example, Verdict

CONSISTENT = [item.example for item in bundled_items() if item.intended is Verdict.CONSISTENT]
PAIRS = sanity_pairs(CONSISTENT)


def rows_of(metric: Callable[[Example], float], *, higher_is_better: bool = True) -> list[SanityRow]:
    scores = {pair.example.id: metric(pair.example) for pair in PAIRS}
    consistent = {example.id: metric(example) for example in CONSISTENT}
    return sanity_rows(PAIRS, scores, consistent, higher_is_better=higher_is_better)


def share_of_pairs(example: Example) -> float:
    """Share of the neighbouring words of the summary that are neighbours in the document."""
    there, here = words(example.document), words(example.summary)
    neighbours = set(pairwise(there))
    pairs = list(pairwise(here))
    return sum(pair in neighbours for pair in pairs) / len(pairs) if pairs else 0.0


def passed(rows: list[SanityRow], expectation: str) -> float:
    group = [row for row in rows if row.expectation == expectation]
    return sum(row.passed for row in group) / sum(row.pairs for row in group)


def test_a_metric_of_word_pairs_passes_copies_contentless_foreign_and_shuffled() -> None:
    rows = rows_of(share_of_pairs)
    assert {expectation: passed(rows, expectation) for expectation in ("copy", "contentless", "foreign")} == {
        "copy": 1.0,
        "contentless": 1.0,
        "foreign": 1.0,
    }
    assert passed(rows, "shuffled") > 0.9
    assert all(row.failed == 0 and row.worst for row in rows)


def test_the_side_that_is_better_decides() -> None:
    straight, turned = (
        rows_of(share_of_pairs),
        rows_of(lambda example: -share_of_pairs(example), higher_is_better=False),
    )
    assert [row.passed for row in straight] == [row.passed for row in turned]
    assert passed(rows_of(lambda example: -share_of_pairs(example)), "copy") == 0.0


def test_a_metric_that_says_the_same_of_all_passes_copies_alone() -> None:
    rows = rows_of(lambda _: 0.5)
    assert [passed(rows, expectation) for expectation in ("copy", "contentless", "foreign", "shuffled")] == [1, 0, 0, 0]


def test_a_shorter_text_that_scores_higher_fails_and_the_worst_pair_is_named() -> None:
    rows = rows_of(lambda example: 1 / (1 + len(example.summary)))
    by_kind = {row.kind: row for row in rows}
    assert by_kind["whole document"].passed == 0
    assert by_kind["no"].passed == 0
    assert by_kind["whole document"].worst.endswith("/whole document")


def test_pairs_without_a_score_are_counted() -> None:
    consistent = {example.id: 0.5 for example in CONSISTENT}
    rows = sanity_rows(PAIRS, {}, consistent)
    assert sum(row.failed for row in rows) == len(PAIRS)
    assert all(row.pairs == 0 and row.worst == "" for row in rows)
    assert sanity_rows(PAIRS, {}, {}) == []
