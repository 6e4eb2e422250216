"""Training a shallow model on some documents, and how well it predicts the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.errors import TouchstoneError
from core.models import SHALLOW_FEATURES, Layer, OutputKind, ShallowModel, TrainingFacts, network_inputs
from core.stats import Mask, Numbers, Values

_HELD_OUT_SHARE = 0.25  # of the documents
_HIDDEN_LAYERS = (16,)
_L2_PENALTY = 0.1  # strong, because there are a dozen inputs and only some hundred pairs
_LEARNING_RATE = 0.01
_EPOCHS = 5000


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Features (n, 6), targets (n,) and the number of each pair's document (n,)."""

    values: Values
    targets: Values
    documents: Numbers

    def where(self, mask: Mask) -> TrainingTable:
        return TrainingTable(self.values[mask], self.targets[mask], self.documents[mask])

    def number_of_documents(self) -> int:
        return len(np.unique(self.documents))


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """Task of a training: names for the file, the kind of output, the seed of split and weights, and a given split."""

    dataset: str
    target: str
    output: OutputKind
    seed: int = 0
    split: str = ""


def train_model(
    table: TrainingTable, task: TrainingTask, signatures: Mapping[str, str], held_out: Mask | None = None
) -> ShallowModel:
    """The model of three quarters of the documents, with its agreement on the rest; or on the pairs of the mask `held_out`, (n,).

    A document of a held-out pair is learned from in no other pair. The same table and seed give the same weights. Raises
    TouchstoneError where there are too few documents, or targets that are all alike.
    """
    apart = held_out_pairs(table.documents, task.seed) if held_out is None else held_out
    learnt = table.where(~np.isin(table.documents, table.documents[apart]))
    rest = table.where(apart)
    if len(np.unique(learnt.targets)) < 2:
        raise TouchstoneError(
            f"The {len(learnt.targets)} pairs to learn from all have the same {task.target}. Add some with another."
        )
    training_facts = TrainingFacts(
        dataset=task.dataset,
        target=task.target,
        seed=task.seed,
        pairs=len(learnt.targets),
        documents=learnt.number_of_documents(),
        held_out_pairs=len(rest.targets),
        held_out_documents=rest.number_of_documents(),
        measure="ROC AUC" if task.output == "probability" else "Spearman",
        agreement=None,
        signatures=dict(signatures),
        split=task.split,
    )
    model = fit_model(learnt, task, training_facts)
    measured = held_out_agreement(task.output, rest.targets, model.predict(rest.values))
    return model.model_copy(update={"facts": model.facts.model_copy(update={"agreement": measured})})


def held_out_pairs(numbers: Numbers, seed: int) -> Mask:
    """Mask of the pairs of documents that are kept from training, (n,); raises TouchstoneError for one document."""
    different = np.unique(numbers)
    if len(different) < 2:
        raise TouchstoneError("All pairs are of one document, so that none can be held out. Add pairs of another.")
    documents = np.random.default_rng(seed).permutation(different)[: max(1, round(_HELD_OUT_SHARE * len(different)))]
    return np.isin(numbers, documents)


def fit_model(table: TrainingTable, task: TrainingTask, facts: TrainingFacts) -> ShallowModel:
    """The perceptron trained on a whole table."""
    means, scales = _feature_standards(table.values)
    mean, scale = (table.targets.mean(), table.targets.std()) if task.output == "score" else (0.0, 1.0)
    read = network_inputs(table.values, means, scales)

    targets = (table.targets - mean) / scale
    # sklearn takes two seconds to import, and only training needs it
    from sklearn.neural_network import (
        MLPClassifier,
        MLPRegressor,
    )

    network = (MLPClassifier if task.output == "probability" else MLPRegressor)(
        hidden_layer_sizes=_HIDDEN_LAYERS,
        activation="tanh",  # bounded: a text unlike all of training gets no absurd prediction
        alpha=_L2_PENALTY,
        learning_rate_init=_LEARNING_RATE,
        max_iter=_EPOCHS,
        random_state=task.seed,
    ).fit(read, targets)
    first, *others = network.coefs_
    # an input that never varied was not learned, so its random initial weights must not count
    matrices = [np.where(np.ptp(read, axis=0)[:, None] > 0, first, 0.0), *others]
    layers = tuple(
        Layer(weights=tuple(map(tuple, matrix.tolist())), biases=tuple(biases.tolist()))
        for matrix, biases in zip(matrices, network.intercepts_, strict=True)
    )
    return ShallowModel(
        output=task.output,
        features=SHALLOW_FEATURES,
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        undefined=tuple(bool(np.isnan(column).any()) for column in table.values.T),
        layers=layers,
        target_mean=float(mean),
        target_scale=float(scale),
        facts=facts,
    )


def held_out_agreement(output: OutputKind, targets: Values, predicted: Values) -> float | None:
    """ROC AUC for a probability, Spearman's correlation for a score; None where either side is all alike."""
    from scipy.stats import spearmanr
    from sklearn.metrics import roc_auc_score

    if len(np.unique(targets)) < 2 or len(np.unique(predicted)) < 2:
        return None
    if output == "probability":
        return float(roc_auc_score(targets, predicted))
    return float(spearmanr(targets, predicted).statistic)


def _feature_standards(values: Values) -> tuple[Values, Values]:
    """Mean and standard deviation of the defined values of each feature, (6,) each; 1 for one that never varies."""
    defined = [column[~np.isnan(column)] for column in values.T]
    means = np.array([column.mean() if len(column) else 0.0 for column in defined])
    spreads = np.array([column.std() if len(column) else 0.0 for column in defined])
    return means, np.where(spreads > 1e-12, spreads, 1.0)
