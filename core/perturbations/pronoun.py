"""A pronoun that points at somebody else than the document speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.english.closed import FUNCTION_WORDS
from core.english.tokens import Sentence, at, tokenised
from core.perturbation import PERTURBATIONS, PerturbationCard
from core.rewriting import Rewriting, replacement
from core.types import Edit, ErrorType, Example

_OTHER: Mapping[str, str] = MappingProxyType({"he": "she", "she": "he", "him": "her"})
_REFLEXIVE = frozenset({"himself", "herself"})
_BOTH = frozenset({"or", "/"})
_OF_SHIPS = frozenset("hull deck crew captain mast bow stern cargo engine keel moorings maiden".split())


@PERTURBATIONS.add
@dataclass(frozen=True)
class Pronoun(Rewriting):
    """He becomes she, or her his, in one place; the grammar holds and the reference does not."""

    name: ClassVar[str] = "pronoun"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Turn a pronoun to somebody else",
        intent="breaking",
        does="Replaces a pronoun by that of the other gender, which points at somebody else or at nobody.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.COREFERENCE,
    )
    lacking: ClassVar[str] = (
        "The summary has no he, she, him, her or his that can be turned without breaking its grammar."
    )

    def proposals(self, example: Example) -> list[Edit]:
        return [edit for sentence in tokenised(example.summary) for edit in _turned(example.summary, sentence)]


def _turned(summary: str, sentence: Sentence) -> list[Edit]:
    if any(token.low in _REFLEXIVE for token in sentence):
        return []
    found = ((token, _turn(sentence, place)) for place, token in enumerate(sentence))
    return [
        replacement(summary, token.span, new, f"The document does not speak of the person that “{new}” points at here.")
        for token, new in found
        if new
    ]


def _turn(sentence: Sentence, place: int) -> str:
    """The pronoun of the other gender in the same case, "" for what is none or cannot be told."""
    word, after = sentence[place].low, at(sentence, place + 1)
    if after.low in _BOTH or at(sentence, place - 1).low in _BOTH:
        return ""
    if after.low in _OF_SHIPS:
        return ""
    possesses = after.is_word and after.low not in FUNCTION_WORDS
    if word == "his":
        return "her" if possesses else ""
    if word == "her":
        return "his" if possesses else "him"
    return _OTHER.get(word, "")
