"""What a cross-encoder reads: each sentence of a summary as a claim, beside the passages of the document that fit its limit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.retrieval import bm25, closest_rows
from core.text import sentences, words
from core.trained.training_data import TrainingRow
from core.types import Span

CountTokens = Callable[[Sequence[str]], list[int]]
"""The number of tokens of each text, without special ones."""

_SPARE_TOKENS = 8  # special tokens, and what joined sentences may take more than each by itself
_BATCH_TEXTS = 8


@dataclass(frozen=True, slots=True)
class Premise:
    """What is read of a document beside a claim, and its sentence that is closest to the claim."""

    text: str
    closest: Span


@lru_cache(maxsize=64)
def _document_words(document: str) -> tuple[tuple[Span, tuple[str, ...]], ...]:
    return tuple((span, tuple(words(span.of(document)))) for span in sentences(document))


def premise(document: str, claim: str, limit: int, count: CountTokens) -> Premise | None:
    """The whole document where it fits beside the claim into `limit` tokens, else its sentences that are closest by BM25.

    These stand in the order of the document, joined by one blank. None for a document without a sentence.
    """
    read = _document_words(document)
    if not read:
        return None
    closeness = bm25(words(claim), [found for _, found in read])
    order = closest_rows(closeness, len(read))
    closest = read[order[0]][0]
    room = limit - _SPARE_TOKENS - min(count([claim])[0], limit // 2)
    sizes = count([document, *(span.of(document) for span, _ in read)])
    if sizes[0] <= room:
        return Premise(document, closest)
    kept = order[:1]  # which the tokenizer cuts where it alone is too long
    room -= sizes[1 + order[0]]
    for place in order[1:]:
        if sizes[1 + place] <= room:
            kept.append(place)
            room -= sizes[1 + place]
    return Premise(" ".join(read[place][0].of(document) for place in sorted(kept)), closest)


@dataclass(frozen=True, slots=True)
class Unit:
    """Claims of which it is known whether all of them are supported, by their places among the texts."""

    texts: tuple[int, ...]
    supported: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """What one step learns from: units, and pairs of a supported summary and its wrong edit, each by its texts.

    `texts` are the places of the distinct texts; units and pairs count from the first of these.
    """

    texts: tuple[int, ...]
    units: tuple[Unit, ...]
    pairs: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def units_of(row: TrainingRow, texts: Sequence[int]) -> list[Unit]:
    """A unit for each sentence where it is known which ones are wrong, else one for the summary; `texts` has one a sentence."""
    if not row.wrong:
        return [Unit((text,), True) for text in texts]
    spans = sentences(row.summary)
    wrong = [any(_touches(span, place) for place in row.wrong_words or ()) for span in spans]
    if not any(wrong):
        return [Unit(tuple(texts), False)]
    return [Unit((text,), not bad) for text, bad in zip(texts, wrong, strict=True)]


def _touches(sentence: Span, place: Span) -> bool:
    """Whether a changed place lies in a sentence; a deletion is an empty place, which may begin or end one."""
    return place.start <= sentence.end and max(place.end, place.start + 1) > sentence.start


def batches(
    rows: Sequence[TrainingRow], texts: Sequence[Sequence[int]], chosen: Sequence[int], seed: str
) -> Iterator[Batch]:
    """The chosen rows once, in an order that the seed draws, an original followed by its edits; `texts` are those of each row."""
    families: dict[tuple[str, str], list[int]] = {}
    for place in chosen:
        row = rows[place]
        families.setdefault((row.document, row.parent or row.id), []).append(place)
    drawn = list(families.values())
    random.Random(seed).shuffle(drawn)
    gathered: list[int] = []
    for place in (place for family in drawn for place in family):
        gathered.append(place)
        if len({text for known in gathered for text in texts[known]}) >= _BATCH_TEXTS:
            yield _batch(rows, texts, gathered)
            gathered = []
    if gathered:
        yield _batch(rows, texts, gathered)


def _batch(rows: Sequence[TrainingRow], texts: Sequence[Sequence[int]], chosen: Sequence[int]) -> Batch:
    distinct = tuple(dict.fromkeys(text for place in chosen for text in texts[place]))
    number = {text: at for at, text in enumerate(distinct)}
    local = {place: tuple(number[text] for text in texts[place]) for place in chosen}
    originals = {(rows[place].document, rows[place].id): place for place in chosen if not rows[place].wrong}
    pairs = [
        (local[originals[rows[place].document, rows[place].parent]], local[place])
        for place in chosen
        if rows[place].wrong and (rows[place].document, rows[place].parent) in originals
    ]
    units = dict.fromkeys(unit for place in chosen for unit in units_of(rows[place], local[place]))
    return Batch(distinct, tuple(units), tuple(pairs))
