"""WordNet's senses, read from the files that NLTK has on this machine; nothing is downloaded."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from core.text.segmentation import import_nltk

PartOfSpeech = Literal["noun", "verb", "adjective", "adverb"]

_PARTS_BY_NUMBER: dict[str, PartOfSpeech] = {
    "1": "noun",
    "2": "verb",
    "3": "adjective",
    "4": "adverb",
    "5": "adjective",
}
_INDEX_FILE = "corpora/wordnet/index.sense"
_MIN_MAIN_SHARE = 0.8  # of the uses of a word that were counted
_MIN_USES = 5  # uses that are enough to tell
_ENDINGS: dict[PartOfSpeech, tuple[tuple[str, str], ...]] = {
    "noun": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adjective": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adverb": (),
}
"""The endings that WordNet takes off (morphy(7WN)), and what it puts in their place."""


class Sense(NamedTuple):
    """A meaning of a word: the synset that it is in, and how often the word was counted with this meaning."""

    synset: str
    uses: int


@dataclass(frozen=True)
class WordNet:
    """Words in lower case, blanks as underscores. `senses` of (word, part of speech) stand the most frequent first."""

    fingerprint: str
    senses: Mapping[tuple[str, PartOfSpeech], tuple[Sense, ...]] = field(repr=False)
    members: Mapping[str, tuple[str, ...]] = field(repr=False)
    exceptions: Mapping[PartOfSpeech, Mapping[str, tuple[str, ...]]] = field(repr=False)

    def bases(self, word: str, part: PartOfSpeech) -> list[str]:
        """The words that a lower-case word may be a form of, itself included."""
        exceptions = self.exceptions[part].get(word)
        regular = [word[: -len(end)] + new for end, new in _ENDINGS[part] if word.endswith(end)]
        candidates = [word, *(regular if exceptions is None else exceptions)]
        return [base for base in dict.fromkeys(candidates) if (base, part) in self.senses]

    def knows(self, word: str) -> bool:
        """True if it is in WordNet as it is, as whatever part of speech."""
        return any((word, part) in self.senses for part in _ENDINGS)

    def is_irregular(self, base: str, part: PartOfSpeech) -> bool:
        """True if a word has a form that is not made by rule."""
        return any(base in bases for bases in self.exceptions[part].values())

    def synonyms(self, base: str, part: PartOfSpeech) -> list[str]:
        """Single words that surely mean the same: both words are mostly used in the sense that they share.

        The counts are WordNet's, of its semantic concordance. A synonym was counted at least five times, so that it is no
        rare word, and mostly as this part of speech.
        """
        main = self._main(base, part)
        others = self.members[main] if main else ()
        return [other for other in others if other != base and other.isalpha() and self._is_common(other, part, main)]

    def _is_common(self, word: str, part: PartOfSpeech, synset: str | None) -> bool:
        uses = {of: sum(sense.uses for sense in self.senses.get((word, of), ())) for of in _ENDINGS}
        return uses[part] >= max(_MIN_USES, _MIN_MAIN_SHARE * sum(uses.values())) and self._main(word, part) == synset

    def _main(self, base: str, part: PartOfSpeech) -> str | None:
        """The synset of the sense that a word has in most of its counted uses, or that is its only one."""
        senses = self.senses.get((base, part), ())
        total = sum(sense.uses for sense in senses)
        if len(senses) == 1 or (total >= _MIN_USES and senses[0].uses >= _MIN_MAIN_SHARE * total):
            return senses[0].synset
        return None


def _find(path: str) -> Any:
    import_nltk()  # listing the perturbations need not wait for it
    from nltk import data

    return data.find(path)


def is_installed() -> bool:
    """True if NLTK finds WordNet on this machine; nothing is read."""
    try:
        _find(_INDEX_FILE)
    except LookupError:
        return False
    return True


@cache
def load_wordnet() -> WordNet | None:
    """WordNet as NLTK finds it, in a folder or a zip file; None where it is not installed. Takes seconds once."""
    if not is_installed():
        return None
    with _find(_INDEX_FILE).open() as file:
        text = file.read()
    # forms that are not made by rule, and what they may be a form of
    exceptions: dict[PartOfSpeech, dict[str, tuple[str, ...]]] = {}
    for part in _ENDINGS:
        short = {"adjective": "adj", "adverb": "adv"}.get(part, part)
        with _find(f"corpora/wordnet/{short}.exc").open() as file:
            lines = [line.split() for line in file.read().decode("utf-8").splitlines()]
        exceptions[part] = {form: tuple(bases) for form, *bases in lines}
    return parse_wordnet(text.decode("utf-8"), exceptions)


def parse_wordnet(index: str, exceptions: Mapping[PartOfSpeech, Mapping[str, tuple[str, ...]]]) -> WordNet:
    """From the lines of `index.sense`: `lemma%number:…  offset sense-number count` each (senseidx(5WN))."""
    ranked_senses: defaultdict[tuple[str, PartOfSpeech], list[tuple[int, Sense]]] = defaultdict(list)
    members: defaultdict[str, list[str]] = defaultdict(list)
    for line in index.splitlines():
        key, offset, number, count = line.split()
        word, _, rest = key.partition("%")
        part = _PARTS_BY_NUMBER[rest[0]]
        synset = f"{part}-{offset}"
        ranked_senses[word, part].append((int(number), Sense(synset, int(count))))
        members[synset].append(word)
    senses = {
        place: tuple(sense for _, sense in sorted(some, key=lambda entry: entry[0]))
        for place, some in ranked_senses.items()
    }
    fingerprint = hashlib.sha256(index.encode()).hexdigest()[:8]
    return WordNet(fingerprint, senses, {synset: tuple(sorted(words)) for synset, words in members.items()}, exceptions)
