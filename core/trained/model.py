"""A trained metric as a folder: the trees that read word features, its facts in config.json, and no code."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, model_validator

from core.trained.word_features import FEATURES, Features

WEIGHTS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
CARD_FILE, FIGURES_FILE, DOCUMENTS_FILE = "README.md", "figures.json", "training_documents.txt"

SHALLOW_FILE = "shallow.json"
"""The one file of the recipe "shallow"."""

CROSS_ENCODER_FORMAT = "touchstone-cross-encoder-1"
"""What config.json of a cross-encoder that was trained here says under "touchstone"."""

SENTENCE_FACTS = ("largest", "mean of 3 largest", "mean of 8 largest", "mean", "unlike", "constant")
"""What the words of a sentence come to: means of their logits, one minus their mean similarity, and 1."""
_LATE = FEATURES.index("late")


class HeadConfig(BaseModel):
    """What a head was made for: with another encoder or other features its trees mean nothing.

    `encoder_sha256` is the hash of the encoder's weights. `prior` is the log odds that a word was wrong in training.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: str = "touchstone-words-1"
    encoder: str
    encoder_sha256: str
    features: tuple[str, ...]
    prior: float

    @model_validator(mode="after")
    def _is_known(self) -> HeadConfig:
        if self.format != "touchstone-words-1":
            raise ValueError(f"its format is {self.format[:60]!r}, and 'touchstone-words-1' is read here")
        if self.features != FEATURES:
            raise ValueError("it reads other features of words than this version of Touchstone has; train it again")
        return self


Tensors = Mapping[str, NDArray[np.float64] | NDArray[np.int32]]
"""`feature`, `threshold`, `left`, `right`, `value` of all nodes of all trees, (nodes,); a leaf is its own left and right child.
`roots` are the first nodes of the trees, `base` is what they are added to, (1,), and `sentence` weighs SENTENCE_FACTS."""


class Head:
    """Word features to logits of a word being wrong, and these to the logit of the sentence being wrong."""

    def __init__(self, config: HeadConfig, tensors: Tensors) -> None:
        self.config = config
        self.tensors = dict(tensors)
        self.nbytes = sum(tensor.nbytes for tensor in self.tensors.values())

    def word_logits(self, values: Features) -> Features:
        """The logit of each word, (words,), for features (words, features)."""
        known = self.tensors
        rows = np.arange(len(values))[:, None]
        node = np.tile(known["roots"], (len(values), 1))  # (words, trees)
        while True:
            goes_left = values[rows, known["feature"][node]] <= known["threshold"][node]
            below = np.where(goes_left, known["left"][node], known["right"][node])
            if (below == node).all():
                break
            node = below
        return np.asarray(known["base"][0] + known["value"][node].sum(1), dtype=np.float32)

    def sentence_logit(self, values: Features, logits: Features) -> float:
        """The logit of a sentence being wrong, for its words' features and logits."""
        return float(sentence_facts(values, logits) @ self.tensors["sentence"])


def sentence_facts(values: Features, logits: Features) -> NDArray[np.float64]:
    """SENTENCE_FACTS of a sentence's words, for their features and logits."""
    ordered = np.sort(logits.astype(np.float64))[::-1]
    means = (ordered[:count].mean() for count in (1, 3, 8))
    return np.array([*means, ordered.mean(), 1 - float(values[:, _LATE].mean()), 1.0])


def probability(logit: float) -> float:
    """The logistic function, without overflow."""
    return float(1 / (1 + np.exp(-np.clip(logit, -50, 50))))
