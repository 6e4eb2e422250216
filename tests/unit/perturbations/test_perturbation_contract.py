"""Every perturbation: seeded, executable, never a silent nothing."""

from __future__ import annotations

import random

import pytest

from core import edits as executable
from core.datasets.bundled import examples
from core.errors import UnscorableError
from core.perturbation import PERTURBATIONS, Perturbation
from core.registry import spell
from core.types import Example

SEEDS = [item.example for item in examples() if not item.parent]
ALL = [plugin() for plugin in PERTURBATIONS if plugin.card.form == "rule"]


@pytest.fixture(params=ALL, ids=lambda perturbation: perturbation.name)
def perturbation(request: pytest.FixtureRequest) -> Perturbation:
    chosen: Perturbation = request.param
    return chosen


def test_the_same_seed_gives_the_same_edits(perturbation: Perturbation) -> None:
    for example in SEEDS:
        assert perturbation.edits(example, random.Random(7)) == perturbation.edits(example, random.Random(7))


def test_executing_the_edits_changes_the_summary(perturbation: Perturbation) -> None:
    for example in SEEDS:
        edits = perturbation.edits(example, random.Random(1))
        assert executable.apply(example.summary, edits) != example.summary


def test_its_rounds_give_what_its_edits_give(perturbation: Perturbation) -> None:
    rounds = perturbation.rounds(SEEDS[0], seed=3)
    assert next(rounds) == []
    with pytest.raises(StopIteration) as stop:
        rounds.send([])
    assert stop.value.value == perturbation.edits(SEEDS[0], random.Random(f"3\0{SEEDS[0].id}"))


def test_its_spelling_reads_back(perturbation: Perturbation) -> None:
    assert PERTURBATIONS.parse(spell(perturbation)) == perturbation


def test_shuffling_keeps_every_sentence() -> None:
    example = Example("a", "doc", "One came. Two left. Three stayed.")
    edits = PERTURBATIONS.parse("shuffled").edits(example, random.Random(0))
    shuffled = executable.apply(example.summary, edits)
    assert shuffled != example.summary
    assert sorted(shuffled.replace(".", "").split()) == sorted(example.summary.replace(".", "").split())


def test_one_sentence_cannot_be_shuffled_and_says_so() -> None:
    with pytest.raises(UnscorableError, match="needs two different"):
        PERTURBATIONS.parse("shuffled").edits(Example("a", "doc", "Only one."), random.Random(0))


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(UnscorableError, match="change nothing"):
        PERTURBATIONS.parse('phrase[phrase=" "]').edits(SEEDS[0], random.Random(0))
