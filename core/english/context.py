"""Whether a sentence says the same away from the sentences before it."""

from __future__ import annotations

from core.english.syntax import split_tokens
from core.english.tagger import part_of_speech_tags
from core.text import words

_REFERRING = frozenset(
    "he she him her his hers they them their theirs i me my we us our you your this these those such it its one ones "
    "another other others former latter same here there then so".split()
)
_OPENING = frozenset(
    "that but and or nor yet also however moreover furthermore still meanwhile instead otherwise therefore thus hence both "
    "neither either each all none most many some several please".split()
)
_FINITE_TAGS = frozenset(("VBZ", "VBD", "VBN", "VBP", "MD"))


def refers_back(sentence: str) -> bool:
    """Whether a sentence has a pronoun, opens with a connective or quantifier, or has no subject before its verb."""
    found = words(sentence)
    if not found or found[0] in _OPENING or _REFERRING & set(found):
        return bool(found)
    tokens = tuple(token.text for token in split_tokens(sentence) if token.is_word)
    return part_of_speech_tags(tokens)[0] in _FINITE_TAGS
