"""Which summaries of a dataset a run perturbs: each text once, and so many of them as are drawn by the seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from core.stress.records import Source
from core.types import Example, Sample, T, Verdict


def whole(samples: Iterable[Sample]) -> list[Sample]:
    """The samples whose summary and document are both stored, each text once."""
    kept: dict[str, Sample] = {}
    for sample in samples:
        if sample.stored and sample.item.example.summary:
            kept.setdefault(sample.stored, sample)
    return list(kept.values())


def sound(samples: Iterable[Sample]) -> list[Sample]:
    """Those that are not labelled inconsistent: what is broken already cannot be broken by a perturbation."""
    return [sample for sample in samples if sample.item.intended is not Verdict.INCONSISTENT]


def pick(samples: Sequence[T], most: int, seed: int) -> list[T]:
    """At most so many, drawn without replacement and given in their order; the same seed draws the same."""
    if len(samples) <= most:
        return list(samples)
    return [samples[place] for place in sorted(random.Random(seed).sample(range(len(samples)), most))]


def sources(picked: Iterable[Sample], texts: Iterable[Example]) -> list[Source]:
    """What a run perturbs; `texts` are those of the dataset under the ids of the store, others among them left out."""
    wanted = {sample.stored: sample for sample in picked}
    found = {text.id: text for text in texts if text.id in wanted}
    return [_source(sample, found[id]) for id, sample in wanted.items() if id in found]


def _source(sample: Sample, text: Example) -> Source:
    item = sample.item
    example = Example(item.example.id, text.document, text.summary)
    return Source(example, sample.document, item.domain, item.title)
