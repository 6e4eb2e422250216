"""Parts of speech: an averaged perceptron over the tokens of `syntax`, trained on UD English EWT by `tagger_training`."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from core.base import memoize
from core.text.english.inflection import lemmas_by_part
from core.text.english.word_lists import FUNCTION_WORDS

WEIGHTS_FILE = Path(__file__).parent / "data" / "pos_tagger.json.gz"
Weights = Mapping[str, Mapping[str, int]]
"""feature → tag → weight"""


@memoize(512)
def part_of_speech_tags(words: tuple[str, ...]) -> tuple[str, ...]:
    """The Penn Treebank tag of every token of a sentence; a token with a clitic has two, as NNP+POS or VBD+RB."""
    weights = _weights()
    lexical = [*lexical_features(words)]
    tags: list[str] = []
    for place in range(len(words)):
        tags.append(best_tag(weights, [*lexical[place], *history_features(words, place, tags)]))
    return tuple(tags)


def best_tag(weights: Weights, features: Sequence[str]) -> str:
    """The tag with the largest sum of weights; of equal ones the last in the alphabet, a noun where nothing is known."""
    scores: defaultdict[str, int] = defaultdict(int)
    for feature in features:
        for tag, weight in weights.get(feature, {}).items():
            scores[tag] += weight
    return max(scores, key=lambda tag: (scores[tag], tag), default="NN")


def lexical_features(words: Sequence[str]) -> Iterator[list[str]]:
    """Features of each word before any tag: its letters, its dictionary entry and its neighbours."""
    low = ["^^", "^", *(_normal_form(word) for word in words), "$", "$$"]
    kinds = ["", *(_dictionary_entry(word) for word in words), ""]
    for place, word in enumerate(words):
        here = low[place + 2]
        yield [
            "bias",
            f"w {here}",
            f"s3 {here[-3:]}",
            f"s2 {here[-2:]}",
            f"p {here[:1]}",
            f"shape {_shape(word)} {place == 0}",
            f"k {kinds[place + 1]} {_shape(word)[:1]}",
            f"ks {kinds[place + 1]} {here[-2:]}",
            f"w-1 {low[place + 1]}",
            f"w-2 {low[place]}",
            f"w+1 {low[place + 3]}",
            f"w+2 {low[place + 4]}",
            f"s+1 {low[place + 3][-3:]}",
            f"k+1 {kinds[place + 2]} {kinds[place + 1]}",
            f"w w+1 {here} {low[place + 3]}",
            f"w-1 w {low[place + 1]} {here}",
        ]


def history_features(words: Sequence[str], place: int, tags: Sequence[str]) -> list[str]:
    """Features of a word from the tags of the words before it."""
    before = tags[place - 1] if place else "^"
    earlier = tags[place - 2] if place > 1 else "^"
    here = _normal_form(words[place])
    entry = _dictionary_entry(words[place])
    after = _normal_form(words[place + 1]) if place + 1 < len(words) else "$"
    return [
        f"t-1 {before}",
        f"t-2 {earlier} {before}",
        f"t-1 w {before} {here}",
        f"t-1 k {before} {entry} {here[-2:]}",
        f"t-2 k {earlier} {before} {entry}",
        f"t-1 w+1 {before} {entry} {after}",
    ]


def _normal_form(word: str) -> str:
    return "0" * min(len(word), 4) if word[0].isdigit() else word.lower()


def _shape(word: str) -> str:
    if word.isupper():
        return "XX" if len(word) > 1 else "X."
    return "Xx" if word[0].isupper() else "0" if word[0].isdigit() else "x" if word[0].isalpha() else "."


@cache
def _dictionary_entry(word: str) -> str:
    """The parts of speech of a word in lemminflect's dictionary, "=" after those of which it is a base form."""
    low = word.lower()
    if low in FUNCTION_WORDS or not low.isalpha():
        return low if low in FUNCTION_WORDS else ""
    lemmas_of_part = lemmas_by_part(low)
    return ",".join(f"{part[:3]}{'=' if low in lemmas else '+'}" for part, lemmas in sorted(lemmas_of_part.items()))


@cache
def _weights() -> Weights:
    read: Weights = json.loads(gzip.decompress(WEIGHTS_FILE.read_bytes()))
    return read
