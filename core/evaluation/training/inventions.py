"""Inventions as systems write them, in summaries that were right: sentences, clauses and leads about something else, and sources
that nobody named."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.evaluation.training.training_row import TrainingRow
from core.models import word_spans
from core.text import (
    CALENDAR,
    FUNCTION_WORDS,
    PEOPLE,
    PREPOSITIONS,
    SUBORDINATORS,
    entities,
    find_names,
    sentences,
    words,
)
from core.types import Span

_SEEDS = 3
_DRAWS = 30  # of a sentence of another document, until one is about something else
_SENTENCE_WORDS = range(7, 41)
_KNOWN_SHARE = 1 / 3  # of the content words of what is invented, that the document may have too
_CUTS = PREPOSITIONS | SUBORDINATORS | {"and", "but", "who", "which", "that"}
_ENDS = ".!?…\"'”’) \n"
_SOURCES = (", according to {}", ", said {}", ", {} said", ", {} told reporters", ", as {} put it")


@dataclass(frozen=True, slots=True)
class Invention:
    """A summary, and where something was invented in it."""

    summary: str
    places: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class TrueClaim:
    """A summary that is right, one of its sentences without the full stop, and the names of its document."""

    summary: str
    sentence: Span
    names: tuple[str, ...]

    def replaced(self, sentence: str, places: Sequence[Span]) -> Invention:
        """The summary with another sentence in the place of its own; `places` count from the start of that sentence."""
        start, end = self.sentence.start, self.sentence.end
        summary = self.summary[:start] + sentence + self.summary[end:]
        return Invention(summary, tuple(Span(start + place.start, start + place.end) for place in places))


def invented_sentence(claim: TrueClaim, foreign: str, rng: random.Random) -> Invention | None:
    """The sentence makes way for one about something else."""
    del rng
    return claim.replaced(foreign, [Span(0, len(foreign))])


def invented_clause(claim: TrueClaim, foreign: str, rng: random.Random) -> Invention | None:
    """The sentence goes on with the end of one about something else."""
    cut = _cut(foreign, rng)
    if cut is None:
        return None
    own = claim.sentence.of(claim.summary)
    return claim.replaced(f"{own} {foreign[cut:]}", [Span(len(own) + 1, len(own) + 1 + len(foreign) - cut)])


def splice(claim: TrueClaim, foreign: str, rng: random.Random) -> Invention | None:
    """The sentence breaks off, and ends as one about something else does."""
    own = claim.sentence.of(claim.summary)
    here, there = _cut(own, rng), _cut(foreign, rng)
    if here is None or there is None:
        return None
    return claim.replaced(own[:here] + foreign[there:], [Span(here, here + len(foreign) - there)])


def invented_lead(claim: TrueClaim, foreign: str, rng: random.Random) -> Invention | None:
    """The summary is one sentence about something else, said of the names of the document."""
    there = [span for span in entities(foreign) if _is_name(span.of(foreign))]
    if not claim.names or not there:
        return None
    text, places, done = "", [], 0
    for span, name in zip(there, rng.sample(claim.names, min(len(there), len(claim.names))), strict=False):
        places.append(Span(len(text), len(text) + span.start - done))
        text += foreign[done : span.start] + name
        done = span.end
    places.append(Span(len(text), len(text) + len(foreign) - done))
    return Invention(f"{text}{foreign[done:]}.", tuple(place for place in places if place.end > place.start))


def invented_source(claim: TrueClaim, foreign: str, rng: random.Random) -> Invention | None:
    """The sentence is put into the mouth of somebody whom the document does not know."""
    name_words = {word for name in claim.names for word in words(name)}
    people = (name.text for name in find_names(foreign, foreign) if name.kind in PEOPLE)
    there = [name for name in people if not name_words & {*words(name)}]
    if not there:
        return None
    own, name, form = claim.sentence.of(claim.summary), rng.choice(there), rng.choice(_SOURCES)
    start = len(own) + form.index("{")
    return claim.replaced(own + form.format(name), [Span(start, start + len(name))])


INVENTIONS: Mapping[str, Callable[[TrueClaim, str, random.Random], Invention | None]] = {
    "invented-sentence": invented_sentence,
    "invented-clause": invented_clause,
    "splice": splice,
    "invented-lead": invented_lead,
    "invented-source": invented_source,
}


def invented_rows(rows: Sequence[TrainingRow], seed: int) -> Iterator[TrainingRow]:
    """Inventions in consistent rows, from sentences of the documents of the others."""
    foreign: list[str] = []  # sentences that may stand in a summary, without their full stops
    for text in dict.fromkeys(row.document for row in rows):
        claims = [_without_end(text, span).of(text) for span in sentences(text)]
        foreign += [claim for claim in claims if len(words(claim)) in _SENTENCE_WORDS and "\n" not in claim]
    names: dict[str, tuple[str, ...]] = {}
    for row in rows:
        spans = [_without_end(row.summary, span) for span in sentences(row.summary)]
        if row.document not in names:
            entity_texts = (span.of(row.document) for span in entities(row.document))
            names[row.document] = tuple(dict.fromkeys(filter(_is_name, entity_texts)))
        seen = {row.summary}
        for kind, invent in INVENTIONS.items():
            for number in range(_SEEDS):
                rng = random.Random(f"{seed}\0{number}\0{kind}\0{row.id}")
                about = _about_something_else(foreign, row.document, rng)
                if not spans or about is None:
                    continue
                invention = invent(TrueClaim(row.summary, rng.choice(spans), names[row.document]), about, rng)
                if invention is None or invention.summary in seen:
                    continue
                seen.add(invention.summary)
                yield replace(
                    row,
                    id=f"{row.id}/{kind}-{number}",
                    summary=invention.summary,
                    wrong=True,
                    wrong_words=invention.places,
                    kind=kind,
                    origin="invention",
                    parent=row.id,
                )


def _without_end(text: str, sentence: Span) -> Span:
    sentence_text = sentence.of(text)
    start = sentence.start + len(sentence_text) - len(sentence_text.lstrip())
    return Span(start, max(start, sentence.start + len(sentence_text.rstrip(_ENDS))))


def _is_name(entity: str) -> bool:
    return not entity[0].isdigit() and entity not in CALENDAR


def _about_something_else(foreign: Sequence[str], document: str, rng: random.Random) -> str | None:
    """A sentence of which the document has few content words; a near-duplicate of the document has none such."""
    document_words = {*words(document)}
    for _ in range(_DRAWS if foreign else 0):
        sentence = rng.choice(foreign)
        content = {*words(sentence)} - FUNCTION_WORDS
        if content and len(content & document_words) <= _KNOWN_SHARE * len(content):
            return sentence
    return None


def _cut(sentence: str, rng: random.Random) -> int | None:
    """Place of a word in the middle half of a sentence at which its ends can be exchanged; None where there is none."""
    spans = word_spans(sentence)
    inner = spans[max(2, len(spans) // 4) : max(2, len(spans) - 2)]
    cuts = [span.start for span in inner if span.of(sentence).lower() in _CUTS]
    return rng.choice(cuts) if cuts else None
