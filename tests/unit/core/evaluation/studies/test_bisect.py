"""Which edit moves a metric: metrics that are sums, products and thresholds of the edits, so that the answer is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.evaluation.studies.bisect import EditEffect, EditSubset, edit_effects, edit_subsets, examples_by_subset
from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import Metric
from core.types import Edit, Example, Result, Span
from tests.unit.core.results.runs.toys import Adoring, Length

EXAMPLE = Example("pair", "A document.", "one two three four five six")
WEIGHTS = (0.5, -0.2, 0.0, 0.1, 0.3, 0.7)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(ModelPool("cpu", None, tmp_path), AnswerCache(tmp_path))
    yield engine
    engine.close()


def blamed(engine: Engine, metric: Metric, summary: str, *changes: tuple[str, str]) -> list[EditEffect]:
    """What each of these replacements does to a metric that scores every subset of them."""
    example = Example("pair", "A document.", summary)
    made = [Edit(Span(summary.index(old), summary.index(old) + len(old)), new) for old, new in changes]
    texts = examples_by_subset(example, made)
    outcomes = {one.id: outcome for one, outcome in engine.run([metric], list(texts.values()))}
    scores = {subset: outcomes[text.id] for subset, text in texts.items()}
    return edit_effects(
        {subset: one.score if isinstance(one, Result) else None for subset, one in scores.items()}, len(made)
    )


def edits(number: int) -> list[Edit]:
    """Capitalise so many words."""
    words = EXAMPLE.summary.split()[:number]
    starts = [EXAMPLE.summary.index(word) for word in words]
    return [Edit(Span(start, start + len(word)), word.upper()) for start, word in zip(starts, words, strict=True)]


def of(number: int, score: Callable[[EditSubset], float]) -> list[EditEffect]:
    return edit_effects({subset: score(subset) for subset in edit_subsets(number)}, number)


def test_every_subset_of_a_few_edits_is_executed_once() -> None:
    texts = examples_by_subset(EXAMPLE, edits(3))
    assert len({example.summary for example in texts.values()}) == len(texts) == 8
    assert len({example.id for example in texts.values()}) == 8
    assert texts[frozenset()].summary == EXAMPLE.summary
    assert texts[frozenset({0, 2})].summary == "ONE two THREE four five six"


def test_of_many_edits_each_alone_and_all_without_each_are_executed() -> None:
    assert len(edit_subsets(5)) == 32
    assert sorted(map(len, edit_subsets(6))) == [0, *[1] * 6, *[5] * 6, 6]


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_metric_that_adds_up_blames_each_edit_for_its_own_weight(number: int) -> None:
    found = of(number, lambda subset: 0.4 + sum(WEIGHTS[edit] for edit in subset))
    assert [blame.share for blame in found] == pytest.approx(WEIGHTS[:number])
    assert [blame.alone for blame in found] == pytest.approx(WEIGHTS[:number])
    assert [blame.without for blame in found] == pytest.approx([sum(WEIGHTS[:number]) - w for w in WEIGHTS[:number]])


def test_edits_that_only_move_a_metric_together_share_the_blame() -> None:
    found = of(3, lambda subset: 1.0 if {0, 1} <= subset else 0.0)
    assert [blame.alone for blame in found] == [0.0, 0.0, 0.0]
    assert [blame.without for blame in found] == [0.0, 0.0, 1.0]
    assert [blame.share for blame in found] == pytest.approx([0.5, 0.5, 0.0])


def test_the_shares_sum_to_the_whole_shift() -> None:
    found = of(4, lambda subset: len(subset) ** 2 + 3.0 * (2 in subset))
    assert sum(blame.share or 0.0 for blame in found) == pytest.approx(16 + 3)


def test_of_many_edits_there_is_no_share_but_the_shifts_alone_and_without() -> None:
    found = of(6, lambda subset: sum(WEIGHTS[edit] for edit in subset))
    assert [blame.share for blame in found] == [None] * 6
    assert [blame.alone for blame in found] == pytest.approx(WEIGHTS)
    assert found[5].without == pytest.approx(sum(WEIGHTS[:5]))


def test_a_score_that_is_missing_leaves_out_what_needs_it() -> None:
    scores: dict[EditSubset, float | None] = {subset: float(len(subset)) for subset in edit_subsets(2)}
    scores[frozenset({1})] = None
    assert edit_effects(scores, 2) == [EditEffect(1.0, None, None), EditEffect(None, 1.0, None)]


def test_a_metric_that_counts_words_blames_each_edit_for_the_words_that_it_brings(engine: Engine) -> None:
    found = blamed(engine, Length(), "A storm shut the port.", ("A storm", "It"), ("port", "port of the old town"))
    assert [(blame.alone, blame.without, blame.share) for blame in found] == [(-1.0, 4.0, -1.0), (4.0, -1.0, 4.0)]


def test_a_metric_that_adores_two_words_in_a_row_blames_both_edits_that_bring_them_together(engine: Engine) -> None:
    changes = [("grey", "clear"), ("seas", "skies"), ("port", "harbour")]
    found = blamed(engine, Adoring(), "Under grey seas the port was shut.", *changes)
    assert [blame.alone for blame in found] == [0.0, 0.0, 0.0]
    assert [blame.share for blame in found] == pytest.approx([0.5, 0.5, 0.0])
    assert [blame.without for blame in found] == [0.0, 0.0, 1.0]
