"""A training that was stopped, by Cancel or with its process, goes on; what belongs to other inputs is thrown away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.evaluation.training.trainer import Trained, train_words
from core.evaluation.training.training_data import training_data
from core.models.unfinished_training import UNFINISHED, TrainingStep, UnfinishedTraining
from tests.unit.core.evaluation.training.hashed_words import encoder
from tests.unit.core.evaluation.training.test_training import items

DATA = training_data(items(), 0, seed=0)


def run(unfinished: UnfinishedTraining, until: str = "") -> tuple[list[str], Trained | None]:
    """The stages of a training and its result; None for one that is stopped at a stage."""
    stages: list[str] = []
    training = train_words(DATA, encoder(), 0, unfinished)
    while True:
        try:
            step: TrainingStep = next(training)
        except StopIteration as end:
            return stages, end.value
        stages.append(step.stage)
        if step.stage == until:
            training.close()
            return stages, None


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["Fold 3 of 5", pytest.param("Attention, fold 3 of 5", marks=pytest.mark.slow)])
def test_a_second_run_goes_on_where_the_first_was_stopped(tmp_path: Path, stage: str) -> None:
    _, nothing = run(UnfinishedTraining.open(tmp_path / "stopped", ["these"]), until=stage)
    assert nothing is None
    stages, resumed = run(UnfinishedTraining.open(tmp_path / "stopped", ["these"]))
    assert stages[0] == stage
    _, whole = run(UnfinishedTraining.open(tmp_path / "whole", ["these"]))
    assert resumed
    assert whole
    for one, other in ((resumed.head.tensors, whole.head.tensors), (resumed.head.attention, whole.head.attention)):
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in other)
    assert np.array_equal(resumed.held_out, whole.held_out)


@pytest.mark.slow
def test_states_that_are_gone_are_read_again(tmp_path: Path) -> None:
    unfinished = UnfinishedTraining.open(tmp_path, ["these"])
    run(unfinished, until="Fold 1 of 5")
    states = unfinished.folder / "document_states.f16"
    states.write_bytes(states.read_bytes()[:-32])
    assert run(unfinished, until="Fold 1 of 5")[0][0] == "Reading"


def test_other_inputs_begin_at_the_beginning(tmp_path: Path) -> None:
    UnfinishedTraining.open(tmp_path, ["these", 1]).save("words", {"values": np.zeros(3)})
    assert UnfinishedTraining.open(tmp_path, ["these", 1]).load("words") is not None
    assert UnfinishedTraining.open(tmp_path, ["these", 2]).load("words") is None
    assert UnfinishedTraining.open(tmp_path, ["these", 1]).load("words") is None


def test_a_broken_file_is_done_again(tmp_path: Path) -> None:
    unfinished = UnfinishedTraining.open(tmp_path, ["these"])
    unfinished.save("words", {"values": np.zeros(3)})
    file = tmp_path / UNFINISHED / "words.safetensors"
    file.write_bytes(file.read_bytes()[:-4])
    assert unfinished.load("words") is None
    unfinished.remove()
    assert not (tmp_path / UNFINISHED).exists()
