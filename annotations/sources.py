"""Where samples come from: imported datasets, what people kept and labelled here, and campaigns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlmodel import Session

from annotations.campaigns.describing import Described, describe, labelled_campaigns
from annotations.campaigns.evaluating import load_campaign
from annotations.database import read
from annotations.datasets import load_examples, load_samples, stored
from annotations.own import load_own
from annotations.records import CAMPAIGN, OWN
from annotations.store import Store
from core.types import Example, Sample


def samples(store: Store, dataset: str) -> list[Sample]:
    """The samples of a dataset, of `OWN` or of a campaign, with our scores. Raises RecordError for an unknown name."""
    with read(store.engine) as session:
        return _loaded(session, dataset)


def examples(store: Store, dataset: str) -> Iterator[Example]:
    """Each stored text that `samples` gives once, under the id of the store, those of one document together."""
    with read(store.engine) as session:
        own = _is_own(dataset)
        ids = [sample.stored for sample in _loaded(session, dataset)] if own else stored(session, dataset)
        yield from load_examples(session, ids)


def campaigns(store: Store) -> list[str]:
    """The names under which `samples` knows the campaigns that have labels, newest first."""
    with read(store.engine) as session:
        return labelled_campaigns(session)


def described(store: Store, dataset: str) -> Described:
    """How the labels of a campaign came about. Raises RecordError for an unknown name."""
    with read(store.engine) as session:
        return describe(session, dataset)


def _is_own(dataset: str) -> bool:
    return dataset == OWN or dataset.startswith(CAMPAIGN)


def _loaded(session: Session, dataset: str) -> list[Sample]:
    if not _is_own(dataset):
        return load_samples(session, dataset)
    return load_own(session) if dataset == OWN else load_campaign(session, dataset)
