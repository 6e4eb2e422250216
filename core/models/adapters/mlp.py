"""Kind "mlp": the prediction of a shallow model from the values of its features; needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import UnscorableError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.models.words.shallow import ShallowModel, TrainingFacts, read_model
from core.types import Answer, Question


class ShallowPredictor:
    """Options: the values of the features by their specs; one that is undefined is left out, and there are no inputs.

    Values: the prediction. Texts: a sentence on what was learned from what. A feature that no training pair lacked must
    be there.
    """

    def __init__(self, model: ShallowModel) -> None:
        self._model = model
        self.nbytes = 8 * sum(len(layer.biases) * (len(layer.weights) + 1) for layer in model.layers)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        for question in questions:
            if lacking := self._model.never_lacked(self._values(question)):
                raise UnscorableError(
                    f"This text has no {', '.join(lacking)}, and no pair that the model learned from lacked it."
                )
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        predicted = self._model.predict(np.array([self._values(row.question) for row in rows]))
        note = training_note(self._model.facts)
        return [Answer(values=(float(value),), texts=(note,)) for value in predicted]

    def _values(self, question: Question) -> NDArray[np.float64]:
        """The features, (6,), NaN where undefined."""
        features = dict(question.options)
        return np.array([features.get(name, np.nan) for name in self._model.features], dtype=np.float64)


def training_note(facts: TrainingFacts) -> str:
    reached = "unknown" if facts.agreement is None else f"{facts.agreement:.3f}"
    return (
        f"Predicts {facts.target} as learned from {facts.pairs} pairs of {facts.documents} documents of {facts.dataset}; "
        f"{facts.measure} on {facts.held_out_documents} other documents: {reached}."
    )


def load(path: Path, checkpoint: Checkpoint, device: str) -> ShallowPredictor:  # noqa: ARG001  # the signature of every kind
    return ShallowPredictor(read_model(path))
