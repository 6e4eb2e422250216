"""A pronoun that points at somebody else than the document speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.english.syntax import Sentence, token_at, tokenize
from core.english.word_lists import FUNCTION_WORDS
from core.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.types import Edit, ErrorType, Example

_OTHER_GENDER: Mapping[str, str] = MappingProxyType({"he": "she", "she": "he", "him": "her"})
_REFLEXIVE = frozenset({"himself", "herself"})
_ALTERNATIVES = frozenset({"or", "/"})
_SHIP_WORDS = frozenset("hull deck crew captain mast bow stern cargo engine keel moorings maiden".split())


@PERTURBATIONS.add
@dataclass(frozen=True)
class Pronoun(RulePerturbation):
    """He becomes she, or her his, in one place; the grammar holds and the reference does not."""

    name: ClassVar[str] = "pronoun"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Turn a pronoun to somebody else",
        intent="breaking",
        does="Replaces a pronoun by that of the other gender, which points at somebody else or at nobody.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.COREFERENCE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no he, she, him, her or his that can be turned without breaking its grammar."
    )

    def proposals(self, example: Example) -> list[Edit]:
        return [edit for sentence in tokenize(example.summary) for edit in _swap_pronouns(example.summary, sentence)]


def _swap_pronouns(summary: str, sentence: Sentence) -> list[Edit]:
    if any(token.low in _REFLEXIVE for token in sentence):
        return []
    found = ((token, _swapped_pronoun(sentence, place)) for place, token in enumerate(sentence))
    return [
        replacement(summary, token.span, new, f"The document does not speak of the person that “{new}” points at here.")
        for token, new in found
        if new
    ]


def _swapped_pronoun(sentence: Sentence, place: int) -> str:
    """The pronoun of the other gender in the same case, "" for what is none or cannot be told."""
    word, after = sentence[place].low, token_at(sentence, place + 1)
    if after.low in _ALTERNATIVES or token_at(sentence, place - 1).low in _ALTERNATIVES:
        return ""
    if after.low in _SHIP_WORDS:
        return ""
    possesses = after.is_word and after.low not in FUNCTION_WORDS
    if word == "his":
        return "her" if possesses else ""
    if word == "her":
        return "his" if possesses else "him"
    return _OTHER_GENDER.get(word, "")
