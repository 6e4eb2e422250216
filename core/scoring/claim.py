"""The contract of a decomposition: the claims that a summary makes, each a statement that can be scored alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from core.errors import UnscorableError
from core.model_reference import ModelRef
from core.registry import Registry, format_spec, profile_field
from core.scoring.engine.conversation import Conversation
from core.scoring.metric import portable_spec
from core.text import ENGLISH, closest_sentence, layout_units
from core.types import Answer, ClaimList, Example, Rounds, SummaryClaim

NO_CLAIM = "No claim is of the sentence"
"""Beginning of the note on a sentence that no claim is of."""

BY_HAND = "edited by hand"
"""Origin of a list of claims that a person changed."""


@dataclass(frozen=True, slots=True)
class FoundClaims:
    """The claims of a summary, at least one; `asked` is for signatures, as of a Score, and `answers` are what they were read from."""

    claims: tuple[SummaryClaim, ...]
    asked: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Decomposer(ABC):
    """A frozen dataclass whose fields are its settings.

    `rounds` raises UnscorableError, with the reason, where no claim is found: there is never an empty list. `languages` are as
    those of a Card.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    languages: ClassVar[str] = ENGLISH
    profile: str = profile_field()

    def checkpoints(self) -> tuple[ModelRef, ...]:
        """The models that it asks; none where it needs none."""
        return ()

    @abstractmethod
    def rounds(self, example: Example) -> Rounds[FoundClaims]:
        """The conversation that ends in the claims of the summary."""

    @property
    def spec(self) -> str:
        return format_spec(self)


DECOMPOSERS: Registry[Decomposer] = Registry("way to find claims", f"{__package__}.claims")


def claims_of_texts(texts: Iterable[str], summary: str, what: str) -> tuple[SummaryClaim, ...]:
    """Claims in words of their own, each once, put to the sentence or list item of the summary that shares most words with it.

    Raises UnscorableError, which says `what` gave none, where all are blank.
    """
    claim_texts = [text for text in dict.fromkeys(texts) if text.strip()]
    if not claim_texts:
        raise UnscorableError(f"{what} found no claim in the summary.")
    return tuple(SummaryClaim(text, closest_sentence(summary, text, split=layout_units)) for text in claim_texts)


def decomposition(way: Decomposer, example: Example) -> Conversation[ClaimList]:
    """The conversation in which the claims of a summary are found."""
    return Conversation(f"claims by {way.spec}", example, partial(_list_claims, way, example), way.checkpoints())


def _list_claims(way: Decomposer, example: Example) -> Rounds[ClaimList]:
    extraction = yield from way.rounds(example)
    by = ", ".join((portable_spec(way.spec, way.checkpoints()), *extraction.asked))
    return ClaimList(example.summary, extraction.claims, by)
