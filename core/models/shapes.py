"""The sizes of networks: classes that every architecture has, and the published shape behind each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Shape:
    """Width of the states, layers (of the encoder, and as many of a decoder), heads, width of the inner layer, words."""

    name: str
    width: int
    layers: int
    heads: int
    inner: int
    words: int


Numbers = tuple[int, int, int, int]

_TINY: Numbers = (64, 2, 4, 128)
_BERT: dict[str, Numbers] = {
    "tiny": _TINY,
    "small": (512, 4, 8, 2048),
    "base": (768, 12, 12, 3072),
    "large": (1024, 24, 16, 4096),
}
_SHAPES: Mapping[str, tuple[int, Mapping[str, Numbers]]] = {
    "albert": (30_000, {**_BERT, "xlarge": (2048, 24, 16, 8192)}),
    "bart": (50_265, {**_BERT, "base": (768, 6, 12, 3072), "large": (1024, 12, 16, 4096)}),
    "bert": (30_522, _BERT),
    "deberta": (50_265, {**_BERT, "xlarge": (1024, 48, 16, 4096)}),
    "deberta-v3": (128_100, {**_BERT, "small": (768, 6, 12, 3072)}),
    "electra": (30_522, _BERT),
    "llama": (128_256, {**_BERT, "large": (2048, 16, 32, 8192)}),
    "modernbert": (50_368, {**_BERT, "base": (768, 22, 12, 1152), "large": (1024, 28, 16, 2624)}),
    "rembert": (250_300, {**_BERT, "large": (1152, 32, 18, 4608)}),
    "roberta": (50_265, _BERT),
    "t5": (
        32_128,
        {"tiny": _TINY, "small": (512, 8, 6, 1024), "base": (768, 12, 12, 2048), "large": (1024, 24, 16, 2816)},
    ),
}
"""Words of the published vocabulary, and shapes by class. T5 is version 1.1; the large RemBERT is that of BLEURT-20."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """A class for every architecture, and another for some of them."""

    every: str = "base"
    some: tuple[tuple[str, str], ...] = ()

    def shape(self, architecture: str) -> Shape:
        size = dict(self.some).get(architecture, self.every)
        words, shapes = _SHAPES[architecture]
        return Shape(f"{architecture}-{size}", *shapes[size], words)


def read_sizes(spelled: Iterable[str]) -> Sizes:
    """Sizes from their spelling, the last one counts: `base` for all, `albert-xlarge` for one; raises UnknownNameError."""
    every, some = "base", {}
    for name in spelled:
        architecture, _, size = name.rpartition("-")
        if name not in {*_BERT, *_names()}:
            raise UnknownNameError("size", name, [*_BERT, *_names()])
        if architecture:
            some[architecture] = size
        else:
            every = size
    return Sizes(every, tuple(some.items()))


def _names() -> list[str]:
    return [f"{architecture}-{size}" for architecture, (_, shapes) in _SHAPES.items() for size in shapes]
