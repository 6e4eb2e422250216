"""Batches of claims that a cross-encoder learns from: units of known support, and pairs of a summary and its wrong edit."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from core.evaluation.training.training_row import TrainingRow
from core.models import Batch, TextPair, Unit
from core.text import sentences

_BATCH_TEXTS = 8


def units_of(row: TrainingRow, texts: Sequence[int]) -> list[Unit]:
    """A unit for each sentence if it is known which are wrong, else one for the summary; `texts` has a number per sentence."""
    if not row.wrong:
        return [Unit((text,), True) for text in texts]
    spans = sentences(row.summary)
    changed = [(place.start, max(place.end, place.start + 1)) for place in row.wrong_words or ()]
    # a deletion is an empty span, possibly at the start or end of a sentence
    wrong = [any(start <= span.end and end > span.start for start, end in changed) for span in spans]
    if not any(wrong):
        return [Unit(tuple(texts), False)]
    return [Unit((text,), not bad) for text, bad in zip(texts, wrong, strict=True)]


def batches(
    rows: Sequence[TrainingRow], texts: Sequence[Sequence[int]], places: Sequence[int], seed: str
) -> Iterator[Batch]:
    """The rows at `places`, in an order drawn by the seed, each original followed by its edits; `texts` are those of every row."""
    families: dict[tuple[str, str], list[int]] = {}
    for place in places:
        row = rows[place]
        families.setdefault((row.document, row.parent or row.id), []).append(place)
    shuffled = list(families.values())
    random.Random(seed).shuffle(shuffled)
    gathered: list[int] = []
    for place in (place for family in shuffled for place in family):
        gathered.append(place)
        if len({text for member in gathered for text in texts[member]}) >= _BATCH_TEXTS:
            yield _batch(rows, texts, gathered)
            gathered = []
    if gathered:
        yield _batch(rows, texts, gathered)


def _batch(rows: Sequence[TrainingRow], texts: Sequence[Sequence[int]], places: Sequence[int]) -> Batch:
    distinct = tuple(dict.fromkeys(text for place in places for text in texts[place]))
    number = {text: at for at, text in enumerate(distinct)}
    local = {place: tuple(number[text] for text in texts[place]) for place in places}
    originals = {(rows[place].document, rows[place].id): place for place in places if not rows[place].wrong}
    pairs = [
        (local[originals[rows[place].document, rows[place].parent]], local[place])
        for place in places
        if rows[place].wrong and (rows[place].document, rows[place].parent) in originals
    ]
    units = dict.fromkeys(unit for place in places for unit in units_of(rows[place], local[place]))
    return Batch(distinct, tuple(units), tuple(pairs))


def stress_batches(
    rows: Sequence[TrainingRow],
    texts: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
    seed: str,
) -> Iterator[Batch]:
    """Originals with their variants, in an order drawn by the seed: pairs only, no units, because labels are unknown."""
    families: dict[int, list[int]] = {}
    for original, variant in pairs:
        families.setdefault(original, []).append(variant)
    originals = list(families)
    chance = random.Random(seed)
    chance.shuffle(originals)
    gathered: list[tuple[int, int]] = []
    for original in originals:
        for variant in chance.sample(families[original], len(families[original])):
            gathered.append((original, variant))
            if len({text for pair in gathered for place in pair for text in texts[place]}) >= _BATCH_TEXTS:
                yield _stress_batch(rows, texts, gathered)
                gathered = []
    if gathered:
        yield _stress_batch(rows, texts, gathered)


def _stress_batch(
    rows: Sequence[TrainingRow], texts: Sequence[Sequence[int]], pairs: Sequence[tuple[int, int]]
) -> Batch:
    distinct = tuple(dict.fromkeys(text for pair in pairs for place in pair for text in texts[place]))
    number = {text: at for at, text in enumerate(distinct)}
    claim_pairs: tuple[list[TextPair], list[TextPair]] = ([], [])
    for original, variant in pairs:
        before, after = (tuple(number[text] for text in texts[place]) for place in (original, variant))
        claim_pairs[rows[variant].wrong].append((before, after))
    return Batch(distinct, (), tuple(claim_pairs[True]), tuple(claim_pairs[False]))
