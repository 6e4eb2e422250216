"""A trained metric as a folder: the trees and attention heads that read words, its facts in config.json, and no code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from core.models.words.aggregation import SummaryWeights
from core.models.words.trees import member_trees
from core.models.words.word_features import WORD_FEATURES, Features

WEIGHTS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
CARD_FILE, FIGURES_FILE, DOCUMENTS_FILE = "README.md", "figures.json", "training_documents.txt"

SHALLOW_FILE = "shallow.json"
"""The one file of the recipe "shallow"."""

FORMAT = "touchstone-words-5"
"""Format in config.json of a metric that reads words: the trees and attention heads that it holds."""

CROSS_ENCODER_FORMAT = "touchstone-cross-encoder-1"
"""Format in config.json, under "touchstone", of a cross-encoder that was trained here."""

SIMILARITY = WORD_FEATURES.index("late")
"""The feature that says how similar the most similar word of the document is."""
LIKE = 0.5
"""Similarity from which a word of the document is like one of the summary: of consistent summaries nine in ten have fewer than one
content word in five below it, of texts without content all have more than half."""
FUNCTION_WORD = WORD_FEATURES.index("function word")
"""The feature that is 1 for a word without content of its own."""


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
to, (members,). `worst` and `share`, (1 + members, 2), are the offset and slope of either reason to doubt a summary: first for all
members together, then for each alone."""

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
        weights = {name: self.tensors[name][own] for name in ("worst", "share")}
        attention = {name: tensor[member : member + 1] for name, tensor in self.attention.items()}
        return Head(self.config, {**member_trees(self.tensors, member), **weights}, attention)

    def tree_logits(self, values: Features) -> Features:
        """The logit of each word being wrong by the trees alone, (words,), for features (words, features)."""
        return tree_logits(self.tensors, values)

    def summary_weights(self) -> SummaryWeights:
        """The weights of the two reasons to doubt a summary, of all members together."""
        return SummaryWeights(*(np.asarray(self.tensors[name][0], dtype=np.float64) for name in ("worst", "share")))


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


@dataclass(frozen=True, slots=True)
class SentenceFacts:
    """Facts of the words of one sentence that its own score and its summary's are made of."""

    doubt: float
    """Log mean odds that a word is wrong."""
    content: float
    """Number of content words."""
    closeness: float
    """Sum over the content words of how similar the most similar word of the document is."""
    strange: float
    """Number of the content words that no word of the document is like."""


def sentence_facts(values: Features, logits: Features) -> SentenceFacts:
    """Facts of a sentence's words, for their features and logits."""
    closeness = values[values[:, FUNCTION_WORD] == 0, SIMILARITY]
    return SentenceFacts(
        doubt=float(np.log(np.mean(np.exp(np.clip(logits.astype(np.float64), -50, 50))))),
        content=float(len(closeness)),
        closeness=fsum(closeness.tolist()),
        strange=float((closeness < LIKE).sum()),
    )


def probability(logit: float) -> float:
    """The logistic function, without overflow."""
    return float(1 / (1 + np.exp(-np.clip(logit, -50, 50))))
