"""The data of an audit out of a file or the store: labelled texts, and the way to the cases once they are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from annotations.exchange.samples import dataset_references, load_samples, load_texts
from annotations.store.store import Store
from core.assessment import AuditData, items_data, kept_scores, read_file, samples_data
from core.errors import TouchstoneError
from core.results import Cases, pool_cases
from core.types import PRECOMPUTED, Outcome

_SCORES_PER_WRITE = 500
BUNDLED = "bundled"
"""The short name of the bundled examples, where no dataset is called so."""


def open_audit_data(store: Store, data: Sequence[str], most: int | None, seed: int) -> AuditData:
    """A file of pairs, or datasets of the store. Raises TouchstoneError for a file among others, or one that cannot be read."""
    files = [Path(name) for name in data if Path(name).is_file()]
    if not files:
        stored = store.dataset_names()
        names = [PRECOMPUTED if name == BUNDLED and name not in stored else name for name in data]
        return stored_data(store, names, most, seed)
    if len(data) > 1:
        raise TouchstoneError(
            "A file of pairs stands alone. Import it to put it together with others: cli.py import pairs FILE"
        )
    return items_data(files[0], read_file(files[0]), most, seed)


def stored_data(store: Store, names: Sequence[str], most: int | None, seed: int) -> AuditData:
    """Datasets of the store, whose new scores are kept there, or the bundled examples.

    Raises RecordError for an unknown name and TouchstoneError where no text is stored.
    """
    names = dataset_references(store, names)
    datasets = {name: load_samples(store, name) for name in names}
    texts = list(chain.from_iterable(load_texts(store, name) for name in names))
    if not texts:
        raise TouchstoneError(f"No text of {', '.join(names)} is stored: there is nothing to score.")

    def cases_of(outcomes: Sequence[Outcome]) -> Cases:
        if not store.read_only and PRECOMPUTED not in names:
            for start in range(0, len(outcomes), _SCORES_PER_WRITE):
                store.save_outcomes(outcomes[start : start + _SCORES_PER_WRITE])
            return pool_cases([load_samples(store, name) for name in names])
        scores = kept_scores(outcomes)
        return pool_cases(
            [
                [replace(sample, kept=tuple(scores[sample.stored])) for sample in of_dataset]
                for of_dataset in datasets.values()
            ]
        )

    return samples_data(datasets, texts, cases_of, most, seed)
