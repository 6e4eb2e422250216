"""Characters that nobody sees the difference of: letters of another script, and marks without width."""

from __future__ import annotations

import random
import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.errors import UnscorableError
from core.types import Edit, Example, Span

_WORD = re.compile(r"[A-Za-z]{4,}")
_LOOKALIKES = str.maketrans("aceopxyijsACEHIKMOPTXY", "асеорхуіјѕАСЕНІКМОРТХУ")
"""Latin letters and the Cyrillic ones of the same look (Unicode confusables, UTS 39)."""
_UNSEEN = ("\u200b", "\u200d", "\u2060", "\u00ad")
"""A space of no width, a joiner, a word joiner, and a soft hyphen."""


@dataclass(frozen=True)
class HiddenNoise(Perturbation):
    """Changes a `share` of the words of four letters or more, at least one, so that a reader sees no difference."""

    share: float = 0.2

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        if not 0 < self.share <= 1:
            raise UnscorableError(f"share={self.share} is no share of the words. Set share= above 0 and up to 1.")
        noisy_words = [(word, self.written(word.group(), rng)) for word in _WORD.finditer(example.summary)]
        able = [(word, new) for word, new in noisy_words if new != word.group()]
        if not able:
            raise UnscorableError("No word of the summary has four letters or more of which one could be written so.")
        sampled = rng.sample(able, max(1, round(self.share * len(able))))
        edits = [Edit(Span(*word.span()), new, self.card.does, self.spec) for word, new in sampled]
        return sorted(edits, key=lambda edit: edit.span)

    @abstractmethod
    def written(self, word: str, rng: random.Random) -> str:
        """The word as it looks the same."""


@PERTURBATIONS.add
class Homoglyphs(HiddenNoise):
    """Writes every letter of a word that has a Cyrillic lookalike by it."""

    name: ClassVar[str] = "homoglyphs"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Lookalike letters",
        intent="preserving",
        does="Writes words with Cyrillic letters that look like the Latin ones: a reader sees no difference.",
        paper="Boucher et al. 2022, Bad Characters: Imperceptible NLP Attacks",
    )

    def written(self, word: str, rng: random.Random) -> str:  # noqa: ARG002  # every letter that can be
        return word.translate(_LOOKALIKES)


@PERTURBATIONS.add
class Invisible(HiddenNoise):
    """Puts a character without width inside of a word."""

    name: ClassVar[str] = "invisible"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Invisible characters",
        intent="preserving",
        does="Puts characters without width, as a soft hyphen, inside of words: a reader sees no difference.",
        paper="Boucher et al. 2022, Bad Characters: Imperceptible NLP Attacks",
    )

    def written(self, word: str, rng: random.Random) -> str:
        place = rng.randrange(1, len(word))
        return word[:place] + rng.choice(_UNSEEN) + word[place:]
