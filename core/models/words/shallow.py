"""A trained shallow model: a file of numbers in JSON, and the prediction that they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from core.base import wrong_fields
from core.errors import LoadError
from core.stats import Values

SHALLOW_FEATURES = (
    "rouge2[measured=f1]",
    "entity-overlap",
    "semantic-similarity[compared=sentences]",
    "word-novelty",
    "sentence-novelty",
    "conciseness[numerator=document]",
)
"""Specs of the metrics that are the features, in the order of the columns, as Ramprasad and Wallace (2024, section 2.3) have them."""

MODEL_SUFFIX = ".json"
"""Ending of a model's file: the model pool takes such a single file for weights."""

OutputKind = Literal["probability", "score"]
"""`probability`: that the label is "consistent". `score`: what another metric gives, on its own scale."""


class _FrozenShallow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Layer(_FrozenShallow):
    """`weights` has a row per input and a column per output, `biases` one number per output."""

    weights: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]


class TrainingFacts(_FrozenShallow):
    """Origin of a model, and how well it predicts documents that it was not trained on."""

    dataset: str
    """The name of the labelled data."""

    target: str
    """Target of the training: the labels, or a score by its name."""

    seed: int
    """Decides the division of documents and the first weights."""

    pairs: int
    """Pairs that it was trained on."""

    documents: int
    """Documents that these pairs are of."""

    held_out_pairs: int
    """Pairs that `agreement` is measured on."""

    held_out_documents: int
    """Documents that the held-out pairs are of; none was trained on."""

    measure: Literal["ROC AUC", "Spearman"]
    """Meaning of `agreement`: for labels the area under the ROC curve, for scores Spearman's correlation."""

    agreement: float | None
    """Correlation of predictions with the held-out targets; None if these are all equal."""

    signatures: dict[str, str]
    """Signature of each feature, by its name."""

    split: str = ""
    """Name of the held-out part in the dataset; "" if the seed drew it."""


class ShallowModel(_FrozenShallow):
    """A perceptron with tanh between its layers.

    Its twelve inputs are the features, standardized, and an indicator of each that is 1 where the feature is undefined.
    """

    format: Literal["touchstone-shallow-1"] = "touchstone-shallow-1"
    """Version of the file."""

    output: OutputKind
    """Kind of output: a probability, or a number on the scale of a score."""

    features: tuple[str, ...]
    """Names of the six features, in the order of the inputs."""

    means: tuple[float, ...]
    """Mean of each feature over the training documents; an undefined feature stands at its mean."""

    scales: tuple[float, ...]
    """The spread that each feature is divided by."""

    undefined: tuple[bool, ...]
    """True for a feature that some training pair lacked."""

    layers: tuple[Layer, ...]
    """Weights and biases, from the inputs to the output."""

    target_mean: float = 0.0
    """Added to an output that is a score."""

    target_scale: float = 1.0
    """The spread that an output that is a score is multiplied by."""

    facts: TrainingFacts
    """Origin of the model, and how good it is."""

    @model_validator(mode="after")
    def _fits_together(self) -> ShallowModel:
        if self.features != SHALLOW_FEATURES:
            raise ValueError(f"it reads {', '.join(self.features)}, and the features are {', '.join(SHALLOW_FEATURES)}")
        if {len(self.means), len(self.scales), len(self.undefined)} != {len(SHALLOW_FEATURES)} or min(self.scales) <= 0:
            raise ValueError("means, scales and undefined must hold one entry for each feature, scales above 0")
        width = 2 * len(SHALLOW_FEATURES)
        for layer in self.layers:
            if len(layer.weights) != width or {len(row) for row in layer.weights} != {len(layer.biases)}:
                raise ValueError("the layers do not fit together")
            width = len(layer.biases)
        if width != 1:
            raise ValueError("the last layer must have one output")
        return self

    def never_lacked(self, values: Values) -> list[str]:
        """The features that are undefined in (6,) and were not so in training: of these the model knows nothing."""
        missing = zip(self.features, np.isnan(values), self.undefined, strict=True)
        return [name for name, absent, was_absent in missing if absent and not was_absent]

    def predict(self, values: Values) -> Values:
        """The predictions, (n,), for features (n, 6) with NaN where one is undefined."""
        *hidden, last = [(np.array(layer.weights), np.array(layer.biases)) for layer in self.layers]
        state = network_inputs(values, self.means, self.scales)
        for weights, biases in hidden:
            state = np.tanh(state @ weights + biases)
        outputs = (state @ last[0] + last[1])[:, 0]
        if self.output == "probability":
            return np.asarray(1 / (1 + np.exp(-outputs)))
        return np.asarray(outputs * self.target_scale + self.target_mean)


def network_inputs(values: Values, means: ArrayLike, scales: ArrayLike) -> Values:
    """Inputs of the perceptron, (n, 12), for features (n, 6)."""
    missing = np.isnan(values)
    standard = (values - np.asarray(means)) / np.asarray(scales)
    return np.hstack([np.where(missing, 0.0, standard), missing.astype(np.float64)])


def read_model(path: Path) -> ShallowModel:
    """The model of a file; raises LoadError, with what is wrong, for another file."""
    try:
        return ShallowModel.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise LoadError(
            f"{path.name} is no shallow model: {wrong_fields(error)}. "
            f"Train one: python cli.py train-shallow PAIRS.jsonl -o MODEL{MODEL_SUFFIX}"
        ) from error
