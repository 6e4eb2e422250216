"""What a decoder knows of a text it has read: after an edit only the tokens from the first changed one on are run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from torch import Tensor
from transformers.cache_utils import EncoderDecoderCache

_KEPT_BYTES = 256 << 20  # two documents of 1,024 tokens with their summaries for a large BART in float32

Ids = tuple[int, ...]


@dataclass(slots=True)
class Reading:
    """One source with the target read last: the keys and values of every layer, and the target's values, (tokens,)."""

    target: Ids
    cache: EncoderDecoderCache
    values: Tensor

    @property
    def nbytes(self) -> int:
        halves = (self.cache.self_attention_cache, self.cache.cross_attention_cache)
        return sum(_nbytes(layer) for half in halves for layer in half.layers)

    def keep(self, target: Ids) -> int:
        """Forget what does not belong to this target; how many of its tokens have a value already, never all of them."""
        kept = min(_shared(self.target, target), len(target) - 1)
        # a value rests on the tokens before: the state that gives the first changed one is run again
        if surplus := self.cache.get_seq_length() - kept:
            self.cache.crop(-surplus)
        return kept


def _shared(one: Ids, other: Ids) -> int:
    """The length of the beginning that two texts share."""
    differing = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def _nbytes(layer: object) -> int:
    parts = (getattr(layer, "keys", None), getattr(layer, "values", None))
    return sum(part.nbytes for part in parts if part is not None)


class Readings:
    """The readings used last, within a budget of memory; each belongs to one thread while it is worked on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Ids, Reading] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, source: Ids) -> Reading | None:
        with self._lock:
            return self._kept.pop(source, None)

    def put(self, source: Ids, reading: Reading) -> None:
        with self._lock:
            self._kept[source] = reading
            while sum(kept.nbytes for kept in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
