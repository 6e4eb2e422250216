"""Gradient-boosted trees of scikit-learn fitted on words, and how they become arrays that numpy alone evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.models.words.word_features import Features
from core.stats import Values

STEP_TREES, MAX_TREES = 25, 250
_LEAVES = 15
_RATE = 0.05
_MIN_LEAF = 40
_L2 = 5.0
_SHARE_OF_FEATURES = 0.5  # that each split chooses from

_OF_NODES = ("feature", "threshold", "left", "right", "value")

Labels = NDArray[np.int8]


def boost(
    values: Features, wrong: Labels, seed: int, trees: int = MAX_TREES, weights: Values | None = None
) -> Iterator[Any]:
    """The model after every step of `STEP_TREES` trees, for features (n, features), labels (n,) and weights (n,) of words."""
    # sklearn takes two seconds to import, and only training needs it
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        learning_rate=_RATE,
        max_leaf_nodes=_LEAVES,
        min_samples_leaf=_MIN_LEAF,
        l2_regularization=_L2,
        max_features=_SHARE_OF_FEATURES,
        early_stopping=False,
        warm_start=True,
        random_state=seed,
    )
    for count in range(STEP_TREES, trees + 1, STEP_TREES):
        model.set_params(max_iter=count)
        yield model.fit(values, wrong, weights)


def tree_tensors(model: Any) -> dict[str, NDArray[Any]]:
    """The nodes of all trees one after the other, as `core.models.words.head` reads them."""
    # sklearn has no public way to a tree; a test compares what is made here with its own predictions
    trees = [predictor.nodes for [predictor] in model._predictors]
    starts = np.cumsum([0, *(len(nodes) for nodes in trees)])[:-1]
    nodes = np.concatenate(trees)
    here = np.arange(len(nodes))
    offset = np.repeat(starts, [len(tree) for tree in trees])
    leaf = nodes["is_leaf"].astype(bool)
    return {
        "feature": np.where(leaf, 0, nodes["feature_idx"]).astype(np.int32),
        "threshold": np.where(leaf, 0.0, nodes["num_threshold"]),
        "left": np.where(leaf, here, nodes["left"] + offset).astype(np.int32),
        "right": np.where(leaf, here, nodes["right"] + offset).astype(np.int32),
        "value": np.where(leaf, nodes["value"], 0.0),
        "roots": starts.astype(np.int32),
        "base": np.asarray(model._baseline_prediction, dtype=np.float64).reshape(1),
    }


def first_trees(tensors: Mapping[str, NDArray[Any]], trees: int) -> dict[str, NDArray[Any]]:
    """The first trees of a model: the model as it was with that number of trees."""
    roots = tensors["roots"]
    end = roots[trees] if trees < len(roots) else len(tensors["feature"])
    return {name: tensors[name][:end] for name in _OF_NODES} | {"roots": roots[:trees], "base": tensors["base"]}


def mean_trees(members: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The trees whose logit is the mean of the members', which have equally many."""
    starts = np.cumsum([0, *(len(member["feature"]) for member in members)])[:-1].astype(np.int32)
    moved = [
        {**member, **{name: member[name] + start for name in ("left", "right", "roots")}}
        for member, start in zip(members, starts, strict=True)
    ]
    return {name: np.concatenate([member[name] for member in moved]) for name in (*_OF_NODES, "roots", "base")}


def member_trees(tensors: Mapping[str, NDArray[Any]], member: int) -> dict[str, NDArray[Any]]:
    """The trees of one of the members that `mean_trees` put together, which have equally many; the nodes stay those of all."""
    members = len(tensors["base"])
    roots = tensors["roots"].reshape(members, -1)[member]
    return {**tensors, "roots": roots, "base": tensors["base"][member : member + 1]}
