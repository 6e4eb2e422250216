"""A pronoun that points at somebody else than the document speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.text import BE, FUNCTION_WORDS, HAVE, Sentence, sentence_tags, token_at, tokenize
from core.types import Edit, ErrorType, Example, Span

_OTHER_GENDER: Mapping[str, str] = MappingProxyType({"he": "she", "she": "he", "him": "her"})
_REFLEXIVE = frozenset({"himself", "herself"})
_ALTERNATIVES = frozenset({"or", "/"})
_SHIP_WORDS = frozenset("hull deck crew captain mast bow stern cargo engine keel moorings maiden".split())


@PERTURBATIONS.add
class Pronoun(RulePerturbation):
    """He becomes she, or their his, in one place; the grammar holds and the reference does not.

    They stays where it may be one person whom nothing gives a gender, as the author.
    """

    name: ClassVar[str] = "pronoun"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Turn a pronoun to somebody else",
        intent="breaking",
        does="Replaces he, she or they by a pronoun of another gender or number, which points at somebody else or at nobody.",
        paper="Ma et al. 2023, BUMP",
        error_type=ErrorType.COREFERENCE,
    )
    no_proposals_message: ClassVar[str] = (
        "The summary has no he, she or they, in any case, that can be turned without breaking its grammar."
    )

    def proposals(self, example: Example) -> list[Edit]:
        sentences = tokenize(example.summary)
        return [
            edit
            for place, sentence in enumerate(sentences)
            if not any(token.low in _REFLEXIVE for token in sentence)
            for edit in [
                *_other_gender(example.summary, sentence),
                *([] if _may_be_one_person(sentences, place) else _one_for_many(example.summary, sentence)),
            ]
        ]


def _other_gender(summary: str, sentence: Sentence) -> list[Edit]:
    swaps = [(token, _swapped_pronoun(sentence, place)) for place, token in enumerate(sentence)]
    return [replacement(summary, token.span, new, _WHY.format(new=new)) for token, new in swaps if new]


def _one_for_many(summary: str, sentence: Sentence) -> list[Edit]:
    swaps = [(token, new) for place, token in enumerate(sentence) for new in _singular_pronouns(sentence, place)]
    agreed = [
        edit
        for place, token in enumerate(sentence)
        if token.low == "they"
        for edit in _agreed(summary, sentence, place)
    ]
    return agreed + [replacement(summary, token.span, new, _WHY.format(new=new)) for token, new in swaps]


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


_AGREEMENT: Mapping[str, str] = MappingProxyType({"are": "is", "were": "was", "have": "has", "do": "does"})


def _agreed(summary: str, sentence: Sentence, place: int) -> list[Edit]:
    """He is for they are: the pronoun with its auxiliary."""
    verb = token_at(sentence, place + 1)
    if verb.low not in _AGREEMENT:
        return []
    span = Span(sentence[place].span.start, verb.span.end)
    return [replacement(summary, span, f"{new} {_AGREEMENT[verb.low]}", _WHY.format(new=new)) for new in ("he", "she")]


_WHY = "The document does not speak of the person that “{new}” points at here."
_SINGULAR: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"they": ("he", "she"), "them": ("him", "her"), "their": ("his", "her")}
)


def _singular_pronouns(sentence: Sentence, place: int) -> tuple[str, ...]:
    """He or she for they, where the verb after it has the same form for both."""
    word, tags = sentence[place].low, sentence_tags(sentence)
    if word == "they":
        after = place + 1
        while after < len(tags) and tags[after] in {"RB", "RBR", "RBS"}:
            after += 1
        if token_at(sentence, after).low in BE | HAVE or after >= len(tags) or tags[after] not in {"VBD", "MD"}:
            return ()
    if word == "them" and _has_plural_complement(tags, place + 1):
        return ()
    if word == "their" and (place + 1 >= len(tags) or token_at(sentence, place + 1).low == "own"):
        return ()
    return _SINGULAR.get(word, ())


def _has_plural_complement(tags: tuple[str, ...], place: int) -> bool:
    """True if it says what they are made or called: makes them good candidates."""
    while place < len(tags) and tags[place] == "JJ":
        place += 1
    return place < len(tags) and tags[place] == "NNS"


_ANYBODY = frozenset(
    "adult agent applicant artist author buyer caller candidate caretaker child client clerk colleague customer doctor driver employee "
    "friend guest host individual interviewee kid manager member narrator neighbor neighbour officer participant partner patient "
    "person player poster producer reader representative roommate seller somebody someone speaker student teacher teenager user "
    "victim viewer worker writer anyone everyone".split()
)
"""Nouns for one person of either gender, whom "they" may stand for."""
_SENTENCES_BEFORE = 2


def _may_be_one_person(sentences: Sequence[Sentence], place: int) -> bool:
    """True if a sentence or those before it speak of one person whose gender they do not tell: "he" may be right for them."""
    near = sentences[max(0, place - _SENTENCES_BEFORE) : place + 1]
    return any(token.low in _ANYBODY for sentence in near for token in sentence)
