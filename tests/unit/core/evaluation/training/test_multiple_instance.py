"""Labels of whole summaries shared out among their words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.evaluation.training.multiple_instance import bag_loss, bags_of, shared_labels, word_targets
from core.evaluation.training.trainer import train_words
from core.evaluation.training.training_data import training_data
from core.models.unfinished_training import UnfinishedTraining
from core.models.words.word_table import StateTable, WordTable
from core.stats.discrimination import LabelledScores, auc
from tests.unit.core.evaluation.training.hashed_words import encoder
from tests.unit.core.evaluation.training.training_process import items

ODDS = np.array([0.0, 0.0, -30.0, 2.0], dtype=np.float32)
BAGS = np.array([0, 0, 0, 1])
WORDS = 8


def test_a_label_is_shared_out_by_what_is_likely_once_some_word_is_wrong() -> None:
    # two even words: one of them is wrong with 3/4, each with 1/2 of that; a word alone must be the wrong one
    assert shared_labels(ODDS, BAGS) == pytest.approx([2 / 3, 2 / 3, 0, 1], abs=1e-9)
    sure = shared_labels(np.full(2, -40, dtype=np.float32), np.zeros(2, dtype=np.intp))
    assert sure == pytest.approx([0.5, 0.5])


def test_the_loss_of_a_wrong_summary_is_that_of_the_noisy_or_of_its_words() -> None:
    wrong = 1 / (1 + np.exp(-2.0))
    assert bag_loss(ODDS, BAGS) == pytest.approx(-np.log(3 / 4) - np.log(wrong))
    assert bag_loss(np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.intp)) == 0


def table(known: int, plain: int) -> tuple[WordTable, np.ndarray]:
    """Summaries of eight words, of which the one with a large first feature is wrong, and the places of these words."""
    rng = np.random.default_rng(0)
    rows = known + plain
    bad = rng.integers(WORDS, size=rows) + WORDS * np.arange(rows)
    values = rng.normal(size=(rows * WORDS, 3)).astype(np.float32)
    values[bad, 0] += 6
    wrong = np.zeros(rows * WORDS, dtype=np.int8)
    wrong[bad] = 1
    wrong[known * WORDS :] = -1
    nothing = StateTable(np.zeros((0, 1), np.float16), np.zeros((0, 1), np.float16), np.arange(rows), np.arange(rows))
    return WordTable(
        values, wrong, np.repeat(np.arange(rows), WORDS), np.arange(rows), np.zeros(rows, dtype=np.bool_), nothing
    ), bad


def test_a_word_like_those_that_pairs_show_to_be_wrong_has_the_label_of_a_plain_summary(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.evaluation.training.multiple_instance._FIRST_TREES", 50)
    words, bad = table(200, 30)
    targets = word_targets(words, np.ones(230, dtype=np.bool_), 0)
    plain = targets[200 * WORDS :].reshape(30, WORDS)
    assert np.mean(200 * WORDS + plain.argmax(1) + WORDS * np.arange(30) == bad[200:]) > 0.9
    assert plain.sum(1).min() >= 1 - 1e-6  # at least one word of each is wrong
    assert targets[: 200 * WORDS].tolist() == words.wrong[: 200 * WORDS].tolist()
    assert np.isnan(word_targets(words, np.arange(230) < 200, 0)[200 * WORDS :]).all()


def test_without_a_known_word_all_words_of_a_summary_share_its_label() -> None:
    words, _ = table(0, 5)
    places, bags = bags_of(words, np.arange(5) > 0)
    assert len(places) == 4 * WORDS
    assert bags.tolist() == np.repeat(np.arange(4), WORDS).tolist()
    assert word_targets(words, np.ones(5, dtype=np.bool_), 0) == pytest.approx(np.full(5 * WORDS, 1 / WORDS))


@pytest.mark.slow
def test_plain_labels_alone_teach_words(tmp_path: Path) -> None:
    plain = [replace(one, parent=None, edits=()) for one in items()]
    data = training_data(plain, 0, seed=0)
    run = train_words(data, encoder(), 0, UnfinishedTraining.open(tmp_path, ["plain"]))
    while True:
        try:
            next(run)
        except StopIteration as end:
            found = end.value
            break
    area = auc(LabelledScores(found.held_out, ~np.array([row.wrong for row in data.rows]), data.documents))
    assert area.weigh(np.ones((len(area.documents), 1)))[0] > 0.8
