"""Words give way to others that say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.edits.perturbation import PERTURBATIONS, PerturbationCard, RulePerturbation, replacement
from core.errors import UnscorableError
from core.text import BUNDLED_LEXICON, Lexicon, join_lexicons, tokenize, wordnet_lexicon
from core.types import Edit, Example

LexiconChoice = Literal["best", "wordnet", "bundled"]


@PERTURBATIONS.add
@dataclass(frozen=True)
class Synonyms(RulePerturbation):
    """Replaces words by synonyms, inflected as what they replace; `lexicon=best` is the bundled list, and
    WordNet too where NLTK has it.

    The signature says which lexicon was used.
    """

    name: ClassVar[str] = "synonyms"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Replace by synonyms",
        intent="preserving",
        does="Replaces words by synonyms: those of a bundled list of words that say the same wherever they stand, and those of "
        "WordNet where NLTK has it.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )
    no_proposals_message: ClassVar[str] = "The summary has no word or phrase of which a synonym is sure."

    most: int = 5
    lexicon: LexiconChoice = "best"

    @property
    def signature(self) -> str:
        return f"{self.spec}|lexicon:{select_lexicon(self.lexicon).signature}"

    def proposals(self, example: Example) -> list[Edit]:
        lexicon = select_lexicon(self.lexicon)
        return [
            replacement(example.summary, span, new, f"Says the same by {lexicon.title}.")
            for sentence in tokenize(example.summary)
            for span, new in lexicon.synonyms(example.summary, sentence)
        ]


def select_lexicon(choice: LexiconChoice) -> Lexicon:
    """The lexicon that is read on this machine; raises UnscorableError for WordNet where it is not installed."""
    wordnet = None if choice == "bundled" else wordnet_lexicon()
    if choice == "wordnet" and wordnet is None:
        raise UnscorableError(
            "NLTK has no WordNet on this machine. Install its data package wordnet, or set lexicon=bundled."
        )
    if wordnet is None:
        return BUNDLED_LEXICON
    return join_lexicons(BUNDLED_LEXICON, wordnet) if choice == "best" else wordnet
