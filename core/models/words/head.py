"""A trained metric as a folder: the trees and attention heads that read words, its facts in config.json, and no code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from core.models.words.trees import member_trees
from core.models.words.word_features import WORD_FEATURES, Features

WEIGHTS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
CARD_FILE, FIGURES_FILE, DOCUMENTS_FILE = "README.md", "figures.json", "training_documents.txt"

SHALLOW_FILE = "shallow.json"
"""The one file of the recipe "shallow"."""

FORMAT = "touchstone-words-4"
"""Format in config.json of a metric that reads words: the trees and attention heads that it holds."""

CROSS_ENCODER_FORMAT = "touchstone-cross-encoder-1"
"""Format in config.json, under "touchstone", of a cross-encoder that was trained here."""

SENTENCE_FACTS = ("largest", "mean of 3 largest", "mean of 8 largest", "mean", "unlike", "constant")
"""Facts about the words of a sentence: means of their logits, one minus their mean similarity, and 1."""
SIMILARITY = WORD_FEATURES.index("late")
"""The feature that says how similar the most similar word of the document is."""


def document_key(document: str) -> str:
    """The name of a document's text, as the store names it."""
    return hashlib.sha256(document.encode()).hexdigest()[:16]


class HeadConfig(BaseModel):
    """Configuration that a head was made for: with another encoder or other features its trees mean nothing.

    `encoder_sha256` is the hash of the encoder's weights. `prior` is the log odds that a word was wrong in training. `folds`
    says of each document that was learned from, by its sketch, which member did not learn from it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: str = FORMAT
    encoder: str
    encoder_sha256: str
    features: tuple[str, ...]
    prior: float
    folds: Mapping[str, NonNegativeInt] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_known(self) -> HeadConfig:
        if self.format != FORMAT:
            raise ValueError(f"its format is {self.format[:60]!r}, and {FORMAT!r} is read here; train it again")
        if self.features != WORD_FEATURES:
            raise ValueError("it reads other features of words than this version of Touchstone has; train it again")
        return self


Tensors = Mapping[str, NDArray[np.float64] | NDArray[np.int32]]
"""`feature`, `threshold`, `left`, `right`, `value` of all nodes of all trees, (nodes,); a leaf is its own left and right child.
`roots` are the first nodes of the trees, one member's after the other's, and `base` is what the trees of each member are added
to, (members,). `sentence`, (1 + members, facts), weighs SENTENCE_FACTS: first for all members together, then for each alone.
`similarity`, (1 + members, 2), is what the mean similarity of a summary's words adds to its log odds, and the similarity that
adds nothing."""

AttentionTensors = Mapping[str, NDArray[np.float16]]
"""`query`, `key` and `value` (members, width, units), `sharpness` (members, 1, heads, 1), `hidden` (members, inputs, hidden),
`hidden_bias` and `out` (members, 1, hidden) and `out_bias` (members, 1) of attention heads that were learned from different
documents; `mean` and `spread` of the features that each was learned from, (members, 1, features)."""


HEADS, UNITS, HIDDEN = 4, 64, 128
"""Heads of an attention, units of all of them together, and of the perceptron that judges what they found."""


def attention_shapes(members: int, width: int) -> dict[str, tuple[int, ...]]:
    """The shapes of AttentionTensors for states of some width."""
    inputs = len(WORD_FEATURES) + 4 * UNITS + 2 * HEADS
    return {
        **dict.fromkeys(("query", "key", "value"), (members, width, UNITS)),
        "sharpness": (members, 1, HEADS, 1),
        "hidden": (members, inputs, HIDDEN),
        **dict.fromkeys(("hidden_bias", "out"), (members, 1, HIDDEN)),
        "out_bias": (members, 1),
        **dict.fromkeys(("mean", "spread"), (members, 1, len(WORD_FEATURES))),
    }


class Head:
    """Learned weights: trees and attention heads for words, and how the words make a sentence's logit and a summary's.

    It has several members, each learned without one fold of the documents, and says their mean.
    """

    def __init__(self, config: HeadConfig, tensors: Tensors, attention: AttentionTensors) -> None:
        self.config = config
        self.tensors = dict(tensors)
        self.attention = dict(attention)
        self.members = len(tensors["base"])
        self.nbytes = sum(tensor.nbytes for tensor in (*self.tensors.values(), *self.attention.values()))

    def member(self, member: int) -> Head:
        """One member alone: what judges the documents of its fold, which it did not learn from."""
        own = slice(1 + member, 2 + member)
        weights = {name: self.tensors[name][own] for name in ("sentence", "similarity")}
        attention = {name: tensor[member : member + 1] for name, tensor in self.attention.items()}
        return Head(self.config, {**member_trees(self.tensors, member), **weights}, attention)

    def tree_logits(self, values: Features) -> Features:
        """The logit of each word being wrong by the trees alone, (words,), for features (words, features)."""
        return tree_logits(self.tensors, values)

    def sentence_logit(self, values: Features, logits: Features) -> float:
        """The logit of a sentence being wrong, for its words' features and logits."""
        return float(sentence_facts(values, logits) @ self.tensors["sentence"][0])

    def similarity_odds(self, values: Features) -> float:
        """Contribution of the similarity of these words to the log odds of a summary, times the number of its words."""
        weight, usual = self.tensors["similarity"][0]
        return float(weight * (values[:, SIMILARITY] - usual).sum())


def tree_logits(trees: Tensors, values: Features) -> Features:
    """Logits of the trees for each word, (words,), for features (words, features)."""
    rows = np.arange(len(values))[:, None]
    node = np.tile(trees["roots"], (len(values), 1))  # (words, trees)
    while True:
        goes_left = values[rows, trees["feature"][node]] <= trees["threshold"][node]
        below = np.where(goes_left, trees["left"][node], trees["right"][node])
        if (below == node).all():
            break
        node = below
    base = trees["base"]
    return np.asarray(base.mean() + trees["value"][node].sum(1) / len(base), dtype=np.float32)


def mean_logits(by_trees: Features, by_attention: Features) -> Features:
    """The logit of each word being wrong, (words,)."""
    return np.asarray((by_trees + by_attention) / 2, dtype=np.float32)


def sentence_facts(values: Features, logits: Features) -> NDArray[np.float64]:
    """SENTENCE_FACTS of a sentence's words, for their features and logits."""
    ordered = np.sort(logits.astype(np.float64))[::-1]
    means = (ordered[:count].mean() for count in (1, 3, 8))
    return np.array([*means, ordered.mean(), 1 - float(values[:, SIMILARITY].mean()), 1.0])


def probability(logit: float) -> float:
    """The logistic function, without overflow."""
    return float(1 / (1 + np.exp(-np.clip(logit, -50, 50))))
