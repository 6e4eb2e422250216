"""The languages of a document and its summary in words, for those who import or open them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from core.text.language import ENGLISH, language_of, script_of

_NAMES = dict(
    line.split(maxsplit=1)
    for line in """
af Afrikaans
am Amharic
ar Arabic
az Azerbaijani
be Belarusian
bg Bulgarian
bn Bengali
bs Bosnian
ca Catalan
cs Czech
cy Welsh
da Danish
de German
el Greek
en English
eo Esperanto
es Spanish
et Estonian
eu Basque
fa Persian
fi Finnish
fr French
ga Irish
gl Galician
gu Gujarati
ha Hausa
he Hebrew
hi Hindi
hr Croatian
hu Hungarian
hy Armenian
id Indonesian
is Icelandic
it Italian
ja Japanese
ka Georgian
kk Kazakh
km Khmer
kn Kannada
ko Korean
la Latin
lb Luxembourgish
lt Lithuanian
lv Latvian
mk Macedonian
ml Malayalam
mn Mongolian
mr Marathi
ms Malay
mt Maltese
my Burmese
ne Nepali
nl Dutch
no Norwegian
pa Punjabi
pl Polish
ps Pashto
pt Portuguese
ro Romanian
ru Russian
si Sinhala
sk Slovak
sl Slovenian
sq Albanian
sr Serbian
sv Swedish
sw Swahili
ta Tamil
te Telugu
th Thai
tl Tagalog
tr Turkish
uk Ukrainian
ur Urdu
uz Uzbek
vi Vietnamese
zh Chinese
""".strip().splitlines()
)
"""English names by the code of ISO 639; a language that is not here is called by its code."""

_READ_CHARACTERS = 2_000  # of the start of a text, as its language is judged
_MIN_LETTERS = 12  # a shorter text has no language to speak of
_MIN_PIECE_CHARACTERS = 40  # shorter sentences in English are taken for other languages
_LEAST_SHARE = 0.25  # of the characters of the sentences whose language is certain
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])|\n+")  # roughly: no place is taken from it


@lru_cache(10_000)  # documents come once for each of their summaries
def name_language(text: str) -> str:
    """The language of the start of a text: “German”, or “mixed German and English” where each has a quarter of its sentences.

    The script (“Han script”) where the language is not certain. Where it is Latin, “uncertain”, and "" for a text of fewer
    than twelve letters.
    """
    start = text[:_READ_CHARACTERS]
    characters: Counter[str] = Counter()
    for piece in _SENTENCE_END.split(start):
        if len(piece) >= _MIN_PIECE_CHARACTERS and (language := language_of(piece)):
            characters[language] += len(piece)
    least = _LEAST_SHARE * characters.total()
    shares = [language for language, number in characters.most_common() if number >= least]
    if len(shares) > 1:
        return f"mixed {' and '.join(_NAMES.get(language, language) for language in shares)}"
    if language := language_of(text):
        return _NAMES.get(language, language)
    if script := script_of(text):
        return f"{script} script"
    return "uncertain" if sum(map(str.isalpha, start)) >= _MIN_LETTERS else ""


def name_languages(document: str, summary: str) -> str:
    """The languages of both texts: “German document, English summary”; a text without letters is left out."""
    texts = {"document": document, "summary": summary}
    return ", ".join(f"{language} {kind}" for kind, text in texts.items() if (language := name_language(text)))


def format_named_languages(counts: Mapping[str, int]) -> str:
    """A line on pairs by their languages, as `name_languages` gives them, the most frequent first; "" where all is English."""
    named = Counter({languages: number for languages, number in counts.items() if languages})
    if all(map(_is_english, named)):
        return ""
    if len(named) == 1:
        return f"Language: {next(iter(named))}"
    return f"Languages: {'; '.join(f'{languages} ({number})' for languages, number in named.most_common())}"


def _is_english(languages: str) -> bool:
    return all(text.startswith(f"{_NAMES[ENGLISH]} ") for text in languages.split(", "))
