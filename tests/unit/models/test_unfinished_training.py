"""A training that was stopped, by Cancel or with its process, goes on; what belongs to other inputs is thrown away."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.models.unfinished_training import UNFINISHED, UnfinishedTraining
from core.trained.trainer import Trained, TrainingStep, train_words
from core.trained.training_data import training_data
from tests.unit.trained.hashed_words import encoder
from tests.unit.trained.test_training import items

DATA = training_data(items(), 0, seed=0)


def run(unfinished: UnfinishedTraining | None = None, until: str = "") -> tuple[list[str], Trained | None]:
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


def test_a_second_run_goes_on_where_the_first_was_stopped(tmp_path: Path) -> None:
    _, nothing = run(UnfinishedTraining.open(tmp_path, ["these"]), until="Fold 3 of 5")
    assert nothing is None
    stages, resumed = run(UnfinishedTraining.open(tmp_path, ["these"]))
    assert stages[0] == "Fold 3 of 5"
    _, whole = run()
    assert resumed
    assert whole
    assert resumed.head.tensors.keys() == whole.head.tensors.keys()
    assert all(np.array_equal(resumed.head.tensors[name], whole.head.tensors[name]) for name in whole.head.tensors)
    assert np.array_equal(resumed.held_out, whole.held_out)


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
