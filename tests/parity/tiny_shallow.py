"""A shallow model with random weights, which stands in for a trained one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.models.words.shallow import MODEL_SUFFIX, SHALLOW_FEATURES, Layer, ShallowModel, TrainingFacts


def model(folder: Path) -> Path:
    """The file of this model."""
    folder.mkdir(parents=True)
    file = folder / f"model{MODEL_SUFFIX}"
    file.write_text(shallow().model_dump_json(), encoding="utf-8")
    return file


def shallow() -> ShallowModel:
    """A model that some training pair showed every feature as undefined."""
    random = np.random.default_rng(20_240_607)
    return ShallowModel(
        output="probability",
        features=SHALLOW_FEATURES,
        means=(*random.uniform(0, 1, 5).tolist(), 20.0),  # the last: words of the document for each of the summary
        scales=(*random.uniform(0.1, 0.5, 5).tolist(), 20.0),
        undefined=(True,) * 6,
        layers=tuple(
            Layer(
                weights=tuple(map(tuple, random.normal(0, 1, (above, below)).tolist())),
                biases=tuple(random.normal(0, 1, below).tolist()),
            )
            for above, below in ((12, 4), (4, 1))
        ),
        facts=TrainingFacts(
            dataset="nothing",
            target="label",
            seed=0,
            pairs=0,
            documents=0,
            held_out_pairs=0,
            held_out_documents=0,
            measure="ROC AUC",
            agreement=None,
            signatures={},
        ),
    )


SPECS = {"shallow": lambda built: f"shallow[model={built(model)}]"}
