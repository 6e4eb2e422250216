"""Kind "summac_head": the 32 numbers of a head of SummaC-Conv, from the file in which its authors save it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.models.weights.weights import read_pickle
from core.types import Answer, Question

_BINS = 23
_SHAPES = {
    "mlp.weight": (1, _BINS),
    "mlp.bias": (1,),
    "layer_final.weight": (2, 3),
    "layer_final.bias": (2,),
}
"""The weights in their order, and their shapes."""


class HeadNumbers:
    """No inputs and no options. Values: the weights of the bins and their bias, those of the last layer by rows and its biases."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self._answer = Answer(values=tuple(numbers))
        self.nbytes = 0

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, length=0, payload=()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [self._answer for _ in rows]


def load(path: Path, checkpoint: Checkpoint, device: str) -> HeadNumbers:  # noqa: ARG001  # the signature of every kind
    state = read_pickle(path)
    shapes = {name: tuple(getattr(state.get(name), "shape", ())) for name in _SHAPES}
    if shapes != _SHAPES:
        raise LoadError(
            f"{path} is no head of SummaC-Conv with percentile bins: it holds {shapes}, not {_SHAPES}. Set head= to such a file."
        )
    return HeadNumbers([float(number) for name in _SHAPES for number in state[name].flatten()])
