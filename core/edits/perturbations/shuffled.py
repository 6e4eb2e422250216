"""The same sentences in another order: the facts stay, the flow goes; what a sentence refers back to stays before it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.errors import UnscorableError
from core.text.english.mentions import NounChoice, definite_nouns, refers_back
from core.text.text import sentences, words
from core.types import Edit, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class Shuffled(Perturbation):
    """Puts another sentence into every place whose sentence moves.

    Sentences that refer back, by a pronoun, a connective or a subject left out, move with the one before. The paper moves them
    alone, so that one in three summaries of BUMP has a pronoun before, or away from, what it stands for. With `nouns=introduced`
    a sentence with "the mill" stays behind the ones before it where one of them speaks of a mill.
    """

    name: ClassVar[str] = "shuffled"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Shuffle the sentences",
        intent="preserving",
        does="Puts the summary's sentences into another order; a sentence that refers back stays behind the one before it.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )

    nouns: NounChoice = "any"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        spans = sentences(example.summary)
        texts = [span.of(example.summary) for span in spans]
        groups: list[list[str]] = []  # each sentence with those after it that refer back
        for place, text in enumerate(texts):
            before = {*words(" ".join(texts[:place]))} if self.nouns == "introduced" else set()
            if groups and (refers_back(text) or definite_nouns(text) & before):
                groups[-1].append(text)
            else:
                groups.append([text])
        if len({*map(tuple, groups)}) < 2:
            raise UnscorableError(
                f"The summary has {len(spans)} sentence(s); shuffling needs two different ones that do not refer back."
            )
        order = texts
        while order == texts:
            order = [text for group in rng.sample(groups, len(groups)) for text in group]
        moved = zip(spans, texts, order, strict=True)
        return [Edit(span, new, self.card.does, self.spec) for span, old, new in moved if new != old]
