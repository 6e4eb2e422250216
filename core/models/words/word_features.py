"""Features of each word of a sentence that show its support in the document: alignment, wording, place, neighbours."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.models.words.letter_case import capitals
from core.models.words.word_states import Places, WordStates
from core.text import (
    AMOUNTS,
    CALENDAR,
    FUNCTION_WORDS,
    MODALS,
    NEGATIVES,
    NUMBER_WORDS,
    PREPOSITIONS,
    SUBORDINATORS,
    base_forms,
    mutual_words,
)

Features = NDArray[np.float32]
Matrix = NDArray[np.float32]

WORD_FEATURES = (
    "late",
    "early",
    "late margin",
    "late top 5",
    "late at early match",
    "early at late match",
    "late inside",
    "early inside",
    "late around",
    "early around",
    "matches agree",
    "match inside",
    "match around",
    "early match around",
    "exact",
    "exact inside",
    "exact around",
    "count",
    "base",
    "base inside",
    "base around",
    "prefix",
    "number unknown",
    "pair left",
    "pair right",
    "step left",
    "step right",
    "early step left",
    "early step right",
    "apart before",
    "apart after",
    "function word",
    "negative",
    "modal",
    "preposition",
    "subordinator",
    "quantifier",
    "pronoun",
    "calendar",
    "number",
    "capital",
    "letters",
    "pieces",
    "adverb",
    "past",
    "ing",
    "un",
    "place",
    "last",
    "size",
    "denied here",
    "denied there",
    "denial differs",
    "denials",
    "contrary around",
    "contrary anywhere",
    "late here less mean",
    "early here less mean",
    "rank",
    "late left",
    "late right",
    "early left",
    "early right",
    "exact left",
    "exact right",
    "same sentence",
    "nearby",
    "late mean",
    "late least",
    "closest sentence",
    "second sentence",
    "known share",
    "known share inside",
)
"""The names of the features, in the order of the columns."""
_NEAREST = 3
"""Sentences of the document that count as those a sentence rests on."""
_QUANTIFIERS = frozenset(
    "all every each any some most many few several both only more less fewer least half none always never".split()
)
_PRONOUNS = frozenset("he she it they him her them his hers its their theirs we us our i me my you your who".split())
_FAR = 200.0  # words, from which on two places of a document are simply far apart
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_DAYS_AND_MONTHS = CALENDAR - {"March", "May", "August"}
"""Those that are no other word in small letters."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadDocument:
    """The words of a document, and tables to look them up for every sentence of a summary."""

    states: WordStates
    """The words with their states."""

    low: tuple[str, ...]
    """The words in small letters."""

    places: Mapping[str, Places]
    """Numbers of the words with this form, by the form in small letters."""

    base_places: Mapping[str, Places]
    """Numbers of the words with this base form."""

    pairs: frozenset[tuple[str, str]]
    """Neighbouring words, in small letters."""

    numbers: frozenset[float]
    """Values of the words that are numbers."""

    prefixes: frozenset[str]
    """First five letters of the longer words."""

    negated: Features
    """1 where the word or one of the four before it negates, else 0, (words,)."""

    sentences: Matrix
    """Mean state of the words of each sentence, of unit length, (sentences, width)."""

    def closeness(self, sentence: WordStates) -> Features:
        """Closeness of each of its sentences to another sentence, by the mean states of their words, (sentences,)."""
        whole = sentence.late.mean(0)
        return np.asarray(self.sentences @ (whole / max(float(np.linalg.norm(whole)), 1e-12)), dtype=np.float32)


def read_document(states: WordStates) -> ReadDocument:
    """Tables to look up words of a document, made once for all its summaries."""
    low = tuple(form.lower() for form in states.forms)
    count = int(states.sentence.max()) + 1 if low else 0
    totals = np.zeros((count, states.late.shape[1]), dtype=np.float32)
    np.add.at(totals, states.sentence, states.late)
    return ReadDocument(
        states=states,
        low=low,
        places=_by_key((word, place) for place, word in enumerate(low)),
        base_places=_by_key((base, place) for place, word in enumerate(low) for base in base_forms(word)),
        pairs=frozenset(pairwise(low)),
        numbers=frozenset(value for word in low if (value := number_value(word)) is not None),
        prefixes=frozenset(word[:5] for word in low if len(word) > 5),
        negated=_near_negation(low),
        sentences=totals / np.maximum(np.linalg.norm(totals, axis=1, keepdims=True), 1e-12),
    )


def _by_key(key_places: Iterable[tuple[str, int]]) -> dict[str, Places]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for key, place in key_places:
        places[key].append(place)
    return {key: np.array(listed) for key, listed in places.items()}


def number_value(word: str) -> float | None:
    """Value of a lower-case number word, None for a word that is no number."""
    if word in NUMBER_WORDS:
        return float(NUMBER_WORDS[word])
    return float(word.replace(",", "")) if _DIGITS.fullmatch(word) and word.replace(",", "").count(".") < 2 else None


def _near_negation(low: Sequence[str]) -> Features:
    """Mask of the words that are denied by one of the four words before them, or by themselves."""
    denies = np.array([word in NEGATIVES for word in low], dtype=np.float32)
    return np.array([denies[max(0, place - 4) : place + 1].max() for place in range(len(low))], dtype=np.float32)


@cache
def _antonyms() -> Mapping[str, tuple[str, ...]]:
    return mutual_words("antonyms")


def feature_matrix(document: ReadDocument, sentence: WordStates) -> Features:
    """The features of each word of one sentence, (words, features). Both texts must have a word."""
    features = word_features(document, sentence)
    return np.stack([features[name] for name in WORD_FEATURES], axis=1)


def word_features(document: ReadDocument, sentence: WordStates) -> dict[str, Features]:
    """The same by name, (words,) each."""
    low = [form.lower() for form in sentence.forms]
    late, early = sentence.late @ document.states.late.T, sentence.early @ document.states.early.T  # (words, read)
    closeness = document.closeness(sentence)
    nearest = np.argsort(-closeness)[:_NEAREST]
    inside = document.states.sentence == nearest[0]
    around = np.isin(document.states.sentence, nearest)
    match, match_early = late.argmax(1), early.argmax(1)

    exact = [document.places.get(word) for word in low]
    bases = [_base_places(document, word) for word in low]
    wording_features = {
        "exact": _each(places is not None for places in exact),
        "exact inside": _each(places is not None and inside[places].any() for places in exact),
        "exact around": _each(places is not None and around[places].any() for places in exact),
        "count": np.log1p(_each(0 if places is None else len(places) for places in exact)),
        "base": _each(len(places) > 0 for places in bases),
        "base inside": _each(inside[places].any() for places in bases),
        "base around": _each(around[places].any() for places in bases),
        "prefix": _each(word[:5] in document.prefixes for word in low),
        "number unknown": _each(
            value is not None and value not in document.numbers for value in map(number_value, low)
        ),
    }

    near = _near_negation(low)
    there = document.negated[match]
    read = {word for word, is_near in zip(document.low, around, strict=True) if is_near}
    contraries = [{base for form in base_forms(word) for base in _antonyms().get(form, ())} for word in low]
    denied = _each(word in NEGATIVES for word in low).sum() - sum(word in NEGATIVES for word in read)
    polarity_features = {
        "denied here": near,
        "denied there": there,
        "denial differs": near - there,
        "denials": np.full(len(low), denied),
        "contrary around": _each(bool(opposites & read) for opposites in contraries),
        "contrary anywhere": _each(any(base in document.places for base in opposites) for opposites in contraries),
    }
    features = {
        **_similarity_features(late, early, match, match_early, inside, around),
        **wording_features,
        **_neighbour_features(document, low, match, match_early),
        **_surface_features(document, sentence, low),
        **polarity_features,
    }
    features |= _context_features(features, document, match, closeness)
    return {name: np.asarray(values, dtype=np.float32) for name, values in features.items()}


def _similarity_features(
    late: Matrix,
    early: Matrix,
    match: Places,
    match_early: Places,
    inside: NDArray[np.bool_],
    around: NDArray[np.bool_],
) -> dict[str, Features]:
    rows = np.arange(len(late))
    ordered = np.sort(late, axis=1)[:, ::-1]
    top5 = ordered[:, :5]
    best = late.max(1)
    return {
        "late": best,
        "early": early.max(1),
        "late margin": best - (ordered[:, 1] if late.shape[1] > 1 else 0.0),
        "late top 5": top5.mean(1),
        "late at early match": late[rows, match_early],
        "early at late match": early[rows, match],
        "late inside": late[:, inside].max(1),
        "early inside": early[:, inside].max(1),
        "late around": late[:, around].max(1),
        "early around": early[:, around].max(1),
        "matches agree": (match == match_early).astype(np.float32),
        "match inside": inside[match].astype(np.float32),
        "match around": around[match].astype(np.float32),
        "early match around": around[match_early].astype(np.float32),
    }


def _base_places(document: ReadDocument, word: str) -> Places:
    places = [document.base_places[base] for base in base_forms(word) if base in document.base_places]
    return np.unique(np.concatenate(places)) if places else np.empty(0, dtype=np.int64)


def _each(values: Iterable[bool | np.bool_ | float]) -> Features:
    return np.array([float(value) for value in values], dtype=np.float32)


def _neighbour_features(
    document: ReadDocument, low: Sequence[str], match: Places, match_early: Places
) -> dict[str, Features]:
    """Features of neighbours: the same ones in the document, and the distance between the matches of neighbours."""
    pair_left = _each(pair in document.pairs for pair in zip(["", *low[:-1]], low, strict=True))
    pair_right = _each(pair in document.pairs for pair in zip(low, [*low[1:], ""], strict=True))
    content = [place for place, word in enumerate(low) if word not in FUNCTION_WORDS]
    before = [max((place for place in content if place < here), default=-1) for here in range(len(low))]
    after = [min((place for place in content if place > here), default=-1) for here in range(len(low))]
    return {
        "pair left": pair_left,
        "pair right": pair_right,
        "step left": _distance(match, np.roll(match, 1)),
        "step right": _distance(match, np.roll(match, -1)),
        "early step left": _distance(match_early, np.roll(match_early, 1)),
        "early step right": _distance(match_early, np.roll(match_early, -1)),
        "apart before": _closest_together(document, low, before),
        "apart after": _closest_together(document, low, after),
    }


def _distance(first: Places, second: Places) -> Features:
    return np.asarray(np.log1p(np.minimum(np.abs(first - second), _FAR)), dtype=np.float32)


def _closest_together(document: ReadDocument, low: Sequence[str], others: Sequence[int]) -> Features:
    """Closeness of each word and another one of the sentence in the document; far where one does not occur."""
    distances = np.full(len(low), np.log1p(_FAR), dtype=np.float32)
    for place, other in enumerate(others):
        if other < 0:
            continue
        mine, theirs = _base_places(document, low[place]), _base_places(document, low[other])
        if len(mine) and len(theirs):
            distances[place] = np.log1p(min(_FAR, float(np.abs(mine[:, None] - theirs[None]).min())))
    return distances


def _surface_features(document: ReadDocument, sentence: WordStates, low: Sequence[str]) -> dict[str, Features]:
    size = len(low)
    place = np.arange(size)
    capital = capitals(sentence.forms, document.states, document.places)
    return {
        "function word": _each(word in FUNCTION_WORDS for word in low),
        "negative": _each(word in NEGATIVES for word in low),
        "modal": _each(word in MODALS for word in low),
        "preposition": _each(word in PREPOSITIONS for word in low),
        "subordinator": _each(word in SUBORDINATORS for word in low),
        "quantifier": _each(word in _QUANTIFIERS or word in AMOUNTS for word in low),
        "pronoun": _each(word in _PRONOUNS for word in low),
        "calendar": _each(form in CALENDAR or form.capitalize() in _DAYS_AND_MONTHS for form in sentence.forms),
        "number": _each(number_value(word) is not None for word in low),
        "capital": _each([False, *capital[1:]]),
        "letters": np.log1p(_each(map(len, low))),
        "pieces": sentence.pieces,
        "adverb": _each(word.endswith("ly") and len(word) > 4 for word in low),
        "past": _each(word.endswith("ed") and len(word) > 3 for word in low),
        "ing": _each(word.endswith("ing") and len(word) > 4 for word in low),
        "un": _each(word.startswith(("un", "in", "dis", "im", "non")) and len(word) > 5 for word in low),
        "place": place / max(size - 1, 1),
        "last": (place == size - 1).astype(np.float32),
        "size": np.full(size, np.log1p(size)),
    }


def _context_features(
    features: Mapping[str, Features],
    document: ReadDocument,
    match: Places,
    closeness: Features,
) -> dict[str, Features]:
    """Features of a word against the others of its sentence, and of its sentence against the document."""
    late, size = features["late"], len(match)
    rank = np.argsort(np.argsort(late)) / max(size - 1, 1)
    ordered = np.sort(closeness)[::-1]
    content = 1 - features["function word"]
    total = max(float(content.sum()), 1.0)
    same = np.array([np.mean(document.states.sentence[match] == document.states.sentence[place]) for place in match])
    nearby = np.array([np.mean(np.abs(match - place) < 30) for place in match])
    return {
        "late here less mean": late - late.mean(),
        "early here less mean": features["early"] - features["early"].mean(),
        "rank": rank,
        "late left": np.concatenate([late[:1], late[:-1]]),
        "late right": np.concatenate([late[1:], late[-1:]]),
        "early left": np.concatenate([features["early"][:1], features["early"][:-1]]),
        "early right": np.concatenate([features["early"][1:], features["early"][-1:]]),
        "exact left": np.concatenate([[1.0], features["exact"][:-1]]),
        "exact right": np.concatenate([features["exact"][1:], [1.0]]),
        "same sentence": same,
        "nearby": nearby,
        "late mean": np.full(size, late.mean()),
        "late least": np.full(size, late.min()),
        "closest sentence": np.full(size, ordered[0]),
        "second sentence": np.full(size, ordered[0] - (ordered[1] if len(ordered) > 1 else 0.0)),
        "known share": np.full(size, float((content * features["base"]).sum()) / total),
        "known share inside": np.full(size, float((content * features["base inside"]).sum()) / total),
    }
