"""The direction of a word, of the name of a column and of a score: what it says of a summary, or that it does not say."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from core.data.datasets.formats.polarity_words import (
    AMBIGUOUS_ADJECTIVES,
    DESCRIBING,
    DETERMINERS,
    ERROR_NOUNS,
    FLIPPING_PREFIXES,
    FLIPPING_SUFFIXES,
    FREE,
    FREE_OF,
    LOWER_WORDS,
    MEASUREMENT_WORDS,
    METRIC_WORDS,
    NEGATIONS,
    PERSON_PARTS,
    PERSON_WORDS,
    PLAIN_PREFIXES,
    PLAIN_WORDS,
    REFERENCE_NOUNS,
    REFERENCE_TEXTS,
    REVERSING,
    SEPARATE_PREFIXES,
    STEMS,
    TRUE_NAMES,
    UNSETTLED,
    UNSETTLED_NAMES,
    WORDS,
)
from core.types import Verdict

_CAMEL = re.compile(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[\W_]+")
_CODE = re.compile(
    r"^\s*[\[(]?(\d{1,2}|[a-z])\s*[\])]?\s*[-–—=:.)\]]\s+(?=\w)|^\s*(\d{1,2})\s*[=:]\s*(?=\w)", re.IGNORECASE
)
_ANSWER_FIRST = re.compile(
    r"^\s*(yes|no|ja|nein|oui|non|sí|si|sim|não|y|n)(\s*[,;:.(/–—]+\s*|\s*-+\s+|\s+-+\s*)(?=\w)", re.IGNORECASE
)  # a hyphen without blanks joins: non-factual is no answer

_DIGIT_MEANING = re.compile(r"(?<![\w.])([01])\s*(?:=|:|→|->|means|is)\s*([^\W\d][^,;/|()\[\]\d]*)", re.IGNORECASE)
_EXPLANATION = re.compile(r"[(\[].*[)\]]")
_ANSWERS = frozenset({"yes", "no", "y", "n", "true", "false"})
_WITH = re.compile(r"\bw/(?!o)", re.IGNORECASE)
_NON = re.compile(r"\bnon-(?=[^\W\d_])", re.IGNORECASE)
_WITHOUT = re.compile(r"\bw/o\b", re.IGNORECASE)
SYMBOLS = {"👍": Verdict.CONSISTENT, "👎": Verdict.INCONSISTENT}
_LONGEST_PHRASE = 80  # characters; a longer text is a remark
_OTHER = {Verdict.CONSISTENT: Verdict.INCONSISTENT, Verdict.INCONSISTENT: Verdict.CONSISTENT}
_NEGATED = " (negated)"
_IDIOMS = re.compile(r"\b(made|thumbs) (up|down)\b")
_TRAILING_DIGITS = re.compile(r"(?<=[^\W\d])\d+$")
_SHORTEST_COMPOUND = 8  # letters
_LONGEST_ENDING = 9  # letters
_IN_ENDINGS = ("not", "absent", "none", "free", "less", "never", "missing", "lack", "zero")


def opposite(verdict: Verdict) -> Verdict:
    """The other of consistent and inconsistent."""
    return _OTHER[verdict]


def name_direction(name: str) -> Verdict | None:
    """Verdict that yes or 1 states under a column of this name; None where its words do not settle it.

    Digits that the name explains count first, as in `label (1 = hallucinated)`.
    """
    explained = _DIGIT_MEANING.findall(name)
    if explained and not any(words.strip().lower() in _ANSWERS for _, words in explained):
        directions = [(digit, phrase_direction(words)) for digit, words in explained]
        of_yes = {opposite(verdict) if digit == "0" else verdict for digit, verdict in directions if verdict}
        return of_yes.pop() if len(of_yes) == 1 else None
    plain = _EXPLANATION.sub("", name) if explained else name
    words = phrase_words(plain)
    if {*words} - PLAIN_WORDS <= UNSETTLED_NAMES or (len(words) == 1 and words[0] in TRUE_NAMES):
        return None
    return phrase_direction(plain)


def value_direction(value: str) -> Verdict | None:
    """Verdict that a value of a label states, as `No hallucination` or `0 - not supported`; None where it does not say.

    Yes and no, 1 and 0 depend on the question and state nothing by themselves.
    """
    if value.strip() in SYMBOLS:
        return SYMBOLS[value.strip()]
    words = _CODE.sub("", value)
    return phrase_direction(_ANSWER_FIRST.sub("", words))


@lru_cache(4096)
def phrase_direction(phrase: str) -> Verdict | None:
    """Verdict that a phrase states where it holds, with its negations resolved.

    None for a phrase with a word that no table has, or with parts that contradict each other.
    """
    words = phrase_words(phrase)
    if not words or len(phrase) > _LONGEST_PHRASE or not all(map(_is_listed, words)) or _is_open(words):
        return None
    verdicts, following = list[Verdict | None](), list[str]()
    for part in _parts(words):
        roots = [word for word in part if word_direction(word)]
        negations = [word for word in part if _is_negation(word)]
        if roots:
            verdicts.append(_part_direction(roots, negations))
        else:
            following += negations
    if not following:
        return verdicts[0] if len({*verdicts}) == 1 else None
    # a negation at the end, as in hallucination none, turns what is before it
    return opposite(verdicts[0]) if len(verdicts) == len(following) == 1 and verdicts[0] else None


def phrase_words(phrase: str) -> list[str]:
    """The words of a name or value in lower case without accents; camelCase and words grown together are separated."""
    spelt = unicodedata.normalize("NFKC", phrase).replace("n't", " not").replace("n’t", " not")
    spelt = _NON.sub("non", spelt)
    spelt = _WITH.sub("with ", _WITHOUT.sub("without ", spelt.replace("_", " ").replace("/ ", "/")))
    # case tells words apart before it is dropped; accents are combining marks after NFD
    plain = unicodedata.normalize("NFD", _CAMEL.sub(" ", spelt).lower())
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    joined = _IDIOMS.sub(lambda match: match[1] + match[2], _GAP.sub(" ", bare))
    words = joined.replace(" or not", "").split()
    return [word for grown in words for word in _separate(grown)]


def _separate(word: str) -> list[str]:
    """A word, or the two roots that it is grown together of, as factualerror."""
    if _is_listed_word(word) or len(word) < _SHORTEST_COMPOUND:
        return [word]
    for place in range(len(word) - 3, 2, -1):
        if word_direction(word[:place]) and word_direction(word[place:]) and _root(word[place:]):
            return [word[:place], word[place:]]
    return [word]


def _is_listed_word(word: str) -> bool:
    return word in PLAIN_WORDS or word in WORDS or _is_negation(word)


def _is_listed(word: str) -> bool:
    return (
        _is_listed_word(word)
        or word.isdigit()
        or _TRAILING_DIGITS.sub("", word) in PLAIN_WORDS
        or word_direction(word) is not None
    )


def _is_open(words: Sequence[str]) -> bool:
    """True where a reading would be a guess: a reference's name, a number of errors, an article that may be a prefix."""
    pairs = list(pairwise(words))
    return any(
        (first in AMBIGUOUS_ADJECTIVES and second in REFERENCE_NOUNS | REFERENCE_TEXTS)
        or (first in REFERENCE_NOUNS and second in AMBIGUOUS_ADJECTIVES)
        or (first in SEPARATE_PREFIXES and word_direction(second))
        or (first == "no" and second == "of")
        for first, second in pairs
    ) or any(
        (word == "0" and not any(map(word_direction, words[place + 1 : place + 3])))
        or (
            word in FREE
            and not any(map(word_direction, words[:place]))
            and not {*words[place + 1 : place + 2]} & FREE_OF
        )
        for place, word in enumerate(words)
    )


def _parts(words: Sequence[str]) -> list[list[str]]:
    """The words in parts; a negation that follows a root begins the next, except one that belongs to the word before."""
    parts: list[list[str]] = [[]]
    rooted = False
    for word in words:
        if rooted and _is_negation(word) and word not in FREE:
            parts.append([])
            rooted = False
        parts[-1].append(word)
        rooted = rooted or word_direction(word) is not None
    return parts


def _part_direction(roots: Sequence[str], negations: Sequence[str]) -> Verdict | None:
    """Direction of roots of which the last is described by the others, as in consistency error."""
    *describing, noun = [word for place, word in enumerate(roots) if place == len(roots) - 1 or not word.endswith("ly")]
    verdict = word_direction(noun)
    if verdict is None:
        return None
    others = [word for word in describing if word_direction(word) is not verdict]
    if others and not (noun.startswith(ERROR_NOUNS) and all(word.startswith(DESCRIBING) for word in others)):
        return None  # as in error correct, pass fail
    if others and any(word not in DETERMINERS and word not in FREE for word in negations):
        return None  # not factual error: an error that is not factual, or none
    return opposite(verdict) if len(negations) % 2 else verdict


def _is_negation(word: str) -> bool:
    return word in NEGATIONS or word in DETERMINERS


@lru_cache(4096)
def word_direction(word: str) -> Verdict | None:
    """Direction of a single word in lower case, with its own prefix or suffix resolved; None for any other word."""
    if word in UNSETTLED or word in PLAIN_WORDS or _is_negation(word):
        return None
    for suffix in FLIPPING_SUFFIXES:
        root = word.removesuffix(suffix)
        if root != word and (verdict := word_direction(root)):
            return opposite(verdict)
    if verdict := _root(word):
        return verdict
    for prefixes, turns in ((FLIPPING_PREFIXES, True), (PLAIN_PREFIXES, False)):
        for prefix in prefixes:
            rest = word.removeprefix(prefix)
            if rest != word and (verdict := word_direction(rest)):
                return opposite(verdict) if turns else verdict
    return None


def _root(word: str) -> Verdict | None:
    bare = _TRAILING_DIGITS.sub("", word)
    if bare in WORDS:
        return WORDS[bare]
    stems = [stem for length in range(1, len(bare) + 1) if (stem := bare[:length]) in STEMS]
    rest = bare.removeprefix(stems[-1]) if stems else ""
    grown = any(negation in rest for negation in _IN_ENDINGS)  # as errornotfound
    return STEMS[stems[-1]] if stems and len(rest) <= _LONGEST_ENDING and not grown else None


def higher_is_better(name: str) -> bool | None:
    """True or False for the name of a score that says which way is better; None where it does not."""
    if name.endswith(_NEGATED):  # as our own exports write it
        inner = higher_is_better(name.removesuffix(_NEGATED))
        return None if inner is None else not inner
    words = [*phrase_words(name), *phrase_words(name.lower())]  # AlignScore is one word, and edit distance two
    words += [first + second for first, second in pairwise(words)]
    if "no" in words or "0" in words or "per" in phrase_words(name)[1:-1]:  # a number of errors, words per sentence
        return None
    if "negative log likelihood" in " ".join(words):
        return False
    bare = [word if word in PLAIN_WORDS or word == "q2" else _TRAILING_DIGITS.sub("", word) for word in words]
    lower, higher = any(word in LOWER_WORDS for word in bare), any(_is_metric(word) for word in bare)
    roots = {word_direction(word) for word in words} - {None}
    if not lower and not higher:
        verdict = phrase_direction(name)
        return None if verdict is None else verdict is Verdict.CONSISTENT
    if REVERSING & {*bare} or any(map(_is_negation, words)) or (lower and higher) or SEPARATE_PREFIXES & {*bare}:
        return None
    return None if roots - {Verdict.INCONSISTENT if lower else Verdict.CONSISTENT} else higher


def _is_metric(word: str) -> bool:
    return (
        word in METRIC_WORDS
        or word == "q2"
        or word.startswith(("rouge", "bleu", "bertscore", "summac", "alignscore", "questeval"))
    )


def is_measurement(name: str) -> bool:
    """True for the name of a time, a confidence, a session or a size, which judges no summary."""
    words = phrase_words(name)
    if any(word in LOWER_WORDS or _is_metric(word) for word in words):
        return False
    if words[-1:] == ["by"]:
        return False
    return any(word in MEASUREMENT_WORDS for word in words) or (len(words) > 1 and words[-1] == "at")


def names_people(name: str) -> bool:
    """True for the name of a column that names or numbers who answered, as `annotator`, `worker_id` and `reviewed_by`."""
    words = [_TRAILING_DIGITS.sub("", word) for word in phrase_words(name)]
    if len(words) > 1 and words[-1] == "by":
        return True
    people = [word for word in words if word in PERSON_WORDS]
    others = [word for word in words if word not in PERSON_WORDS and not word.isdigit()]
    numbered = any(character.isdigit() for character in name)
    return bool(people) and all(word in PERSON_PARTS for word in others) and (bool(others) or not numbered)
