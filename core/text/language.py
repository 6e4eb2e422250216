"""The language of a text if that is certain, and the mark on scores of texts in a language that a metric does not support."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.base import memoize
from core.errors import BadSettingError
from core.types import Example, Score

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
ANY = "any"
"""A metric that reads every language."""
SPACED = "spaced"
"""A metric that reads every language that puts spaces between its words."""
NOT_STATED = "not stated"
"""A metric whose weights were replaced by others of unknown languages; texts in English are not marked, since its paper's are."""

UNVERIFIED = "unverified: "
"""Beginning of the mark."""

_READ_CHARACTERS = 2_000  # of the start of a text: more of a document says nothing new
_MIN_LETTERS = 12
_MIN_CONFIDENCE = 0.7  # sentences in English that were taken for another language: below 0.3; pidgin apart, see _UNSURE
_UNSURE = {"pcm", "zxx"}  # Nigerian Pidgin, for which names of footballers are taken; and no language at all
_MAIN_LANGUAGE = {"yue": "zh", "wuu": "zh", "nn": "no", "arz": "ar", "ary": "ar"}
_UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my", "dz"})

_WORD = re.compile(r"[^\W\d_]+")
_ASCII_LETTERS = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
_ENGLISH_WORDS = frozenset(
    "the of and to that was with for by from has have been were this which their his her".split()
)
_MIN_ENGLISH_SHARE = 0.12
_MOST_TEXTS = 5_000  # whose languages are counted for a warning, which takes up to a second

_READ_LETTERS = 500  # of the start of a text: more of it says nothing new
_LEAST_LETTER_SHARE = 0.5  # of the letters
_LETTER = re.compile(r"[^\W\d_]")

_SCRIPT_LANGUAGES = {
    "Arabic": "ar fa ur ps ug sd ku",
    "Armenian": "hy",
    "Bengali": "bn as",
    "Cyrillic": "ru uk bg sr mk be kk ky mn tg",
    "Devanagari": "hi mr ne sa",
    "Ethiopic": "am ti",
    "Georgian": "ka",
    "Greek": "el",
    "Gujarati": "gu",
    "Gurmukhi": "pa",
    "Hangul": "ko",
    "Hebrew": "he yi",
    "Hiragana": "ja",
    "Kannada": "kn",
    "Katakana": "ja",
    "Khmer": "km",
    "Lao": "lo",
    "Malayalam": "ml",
    "Myanmar": "my",
    "Oriya": "or",
    "Sinhala": "si",
    "Tamil": "ta",
    "Telugu": "te",
    "Thai": "th",
    "Tibetan": "bo dz",
    "Han": "zh ja",
}
"""Codes of ISO 639 by the first word of the Unicode names of a script's letters, Han for CJK; Latin is none of them."""

_UNSPACED_SCRIPTS = frozenset({"Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai", "Tibetan"})
"""Scripts that put no blank between words."""

_CODES = re.compile(r"[a-z]{2,3}(?: [a-z]{2,3})*")
_NAMES = {ENGLISH: "English"}
_MOST_LISTED = 15  # BLEURT's 13 are named


@lru_cache(10_000)  # of every text that is scored: what threads wait for costs more than the words
def language_of(text: str) -> str:
    """The ISO 639 code of the language of a text; "" where it is too short or uncertain.

    By the start of the text. A text in English that is taken for another language is the worst mistake: what is not sure is "".
    """
    start = text[:_READ_CHARACTERS]
    words = _words(start.lower())
    if sum(map(len, words)) < _MIN_LETTERS:
        return ""
    # half a second to load the library is spared where it would tell nothing else
    if sum(map(_ENGLISH_WORDS.__contains__, words)) >= _MIN_ENGLISH_SHARE * len(words):
        return ENGLISH
    language: str
    language, confidence = _identifier().classify(start)
    if confidence < _MIN_CONFIDENCE or language in _UNSURE:
        return ""
    return _MAIN_LANGUAGE.get(language, language)


@lru_cache(10_000)
def script_of(text: str) -> str:
    """The script of at least half of the letters of a text's start; "" for Latin, another one, or no letter."""
    if text.isascii():
        return ""
    letters = _LETTER.findall(text[: 4 * _READ_LETTERS])[:_READ_LETTERS]
    scripts = Counter(
        unicodedata.name(letter, "").replace("CJK", "HAN").partition(" ")[0].title() for letter in letters
    )
    script, number = max(scripts.items(), key=lambda item: item[1], default=("", 0))
    return script if script in _SCRIPT_LANGUAGES and number >= _LEAST_LETTER_SHARE * len(letters) else ""


def _words(text: str) -> list[str]:
    """The runs of letters of a text; of one in ASCII in a third of the time of the pattern."""
    return text.translate(_ASCII_LETTERS).split() if text.isascii() else _WORD.findall(text)


@memoize(1)  # loaded by one thread while the others wait: it takes half a second
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def unverified_languages(languages: str, example: Example) -> tuple[str, ...]:
    """The languages of document and summary, sorted, that a metric for `languages` is not for.

    A text whose language is not certain is judged by its script, which then stands for the language.
    """
    if languages == ANY:
        return ()
    others = {_unverified_language(languages, text) for text in (example.document, example.summary)} - {""}
    return tuple(sorted(others))


def _unverified_language(languages: str, text: str) -> str:
    """The language of a text that a metric is not for, its script where the language is not certain; "" where there is none."""
    if language := language_of(text):
        is_verified = language not in _UNSPACED if languages == SPACED else language in languages.split()
        return "" if is_verified else language
    if not (script := script_of(text)):
        return ""
    if languages == SPACED:
        return script if script in _UNSPACED_SCRIPTS else ""
    return "" if {*_SCRIPT_LANGUAGES[script].split()} & {*languages.split()} else script


def language_note(languages: str, example: Example) -> str:
    """The mark on the score that a metric for `languages` gives an example; "" where there is none."""
    others = unverified_languages(_marked_beside(languages), example)
    return f"{UNVERIFIED}{_why(languages)} ({', '.join(others)})" if others else ""


def mark_language(score: Score, languages: str, example: Example) -> Score:
    """The score with the mark among its notes where there is one; its value stays."""
    note = language_note(languages, example)
    return replace(score, seen=replace(score.seen, notes=(note, *score.seen.notes))) if note else score


def find_mark(notes: Iterable[str]) -> str:
    """The mark among the notes of a score, "" where it has none."""
    return next((note for note in notes if note.startswith(UNVERIFIED)), "")


def looked_at(texts: int) -> slice:
    """Of so many texts those whose languages are looked at for a warning: all, or some that are evenly spread."""
    return slice(None, None, -(-texts // _MOST_TEXTS) or 1)


def count_unverified(metric: str, languages: str, examples: Sequence[Example]) -> list[str]:
    """A sentence on how many of the texts that a metric scores are in a language that it is not for; none where none is.

    Of many texts some are looked at, which the sentence says.
    """
    return warn_of_languages(metric, languages, examples[looked_at(len(examples))], len(examples))


def warn_of_languages(metric: str, languages: str, read: Sequence[Example], scored: int) -> list[str]:
    """The same from those that are looked at, of so many that are scored."""
    marked = [unverified_languages(_marked_beside(languages), example) for example in read]
    counts = Counter(language for others in marked for language in others)
    if not counts:
        return []
    listed = ", ".join(f"{language} {count}" for language, count in counts.most_common())
    part = f" looked at of {scored}" if len(read) < scored else ""
    return [
        f"{metric}: scores of {sum(map(bool, marked))} of {len(marked)} texts{part} are {UNVERIFIED}{_why(languages)} ({listed})."
    ]


def require_languages(setting: str, metric: str) -> None:
    """Raise BadSettingError for a setting that names no languages."""
    if setting not in {"", ANY} and not _CODES.fullmatch(setting):
        raise BadSettingError(
            f"{metric}: languages must be {ANY}, or codes of ISO 639 with blanks between, as de or de fr; got {setting!r}."
        )


def format_languages(languages: str) -> str:
    """Languages that a metric is for, in a sentence of its card."""
    if languages == ANY:
        return "Reads any language."
    if languages == SPACED:
        return "Reads any language that puts spaces between words; scores of others are marked unverified."
    if languages == NOT_STATED:
        return "The languages of its weights are not stated; scores of texts that are not in English are marked unverified."
    return f"Made for {_listed(languages)}; scores of texts in other languages are marked unverified."


def _marked_beside(languages: str) -> str:
    """The languages beside which texts are marked."""
    return ENGLISH if languages == NOT_STATED else languages


def _why(languages: str) -> str:
    if languages == NOT_STATED:
        return "languages of the weights not stated"
    return "no spaces between words" if languages == SPACED else f"not {_listed(languages)}"


def _listed(languages: str) -> str:
    codes = languages.split()
    if len(codes) > _MOST_LISTED:
        return f"one of {len(codes)} languages"
    return ", ".join(_NAMES.get(code, code) for code in codes)
