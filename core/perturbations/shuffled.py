"""The same sentences in another order: the facts stay, the flow goes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from core.errors import UnscorableError
from core.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.text import sentences
from core.types import Edit, Example


@PERTURBATIONS.add
@dataclass(frozen=True)
class Shuffled(Perturbation):
    """Puts another sentence into every place whose sentence moves."""

    name: ClassVar[str] = "shuffled"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Shuffle the sentences",
        intent="preserving",
        does="Puts the summary's sentences into another order.",
        paper="Ramprasad & Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
    )

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:
        spans = sentences(example.summary)
        texts = [span.of(example.summary) for span in spans]
        if len(set(texts)) < 2:
            raise UnscorableError(f"The summary has {len(spans)} sentence(s); shuffling needs two different ones.")
        order = texts
        while order == texts:
            order = rng.sample(texts, len(texts))
        moved = zip(spans, texts, order, strict=True)
        return [Edit(span, new, self.card.does, self.spec) for span, old, new in moved if new != old]
