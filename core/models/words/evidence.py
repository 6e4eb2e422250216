"""The sentence, list item or table row of a document that says most of a sentence of its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log

import numpy as np

from core.models.words.word_states import States, WordStates
from core.text import document_units
from core.types import Span


@dataclass(frozen=True, slots=True, eq=False)
class DocumentUnits:
    """The units of a document that have words, with the means of their states and the weights of their words.

    `means` are of unit length, (units, width). A word weighs log(1 + units / units with it), by its form in small letters.
    """

    spans: tuple[Span, ...]
    means: States
    words: tuple[frozenset[str], ...]
    weights: Mapping[str, float]

    def closest(self, sentence: WordStates) -> Span:
        """The unit closest to a sentence: by the cosine of their mean states, and the weighted share of words in common.

        States alone take the heading of a table for its row, and words alone miss what is said in other words.
        """
        claimed = _forms(sentence.forms)
        shared = np.array([self._share(claimed, held) for held in self.words])
        return self.spans[int((self.means @ _unit_mean(sentence.late) + shared).argmax())]

    def _share(self, claimed: frozenset[str], held: frozenset[str]) -> float:
        """The share of the weight of all words of two units that is of the words of both, from 0 to 1."""
        strange = log(1 + len(self.spans))
        both, either = (
            fsum(self.weights.get(word, strange) for word in words) for words in (claimed & held, claimed | held)
        )
        return both / either


def units_of_document(document: str, states: WordStates) -> DocumentUnits:
    """The units of a document with at least one word, whose `states` were read."""
    units = document_units(document)
    ends, starts = [unit.end for unit in units], [span.start for span in states.spans]
    places = np.minimum(np.searchsorted(ends, starts, side="right"), len(units) - 1)
    numbers = np.unique(places)
    words = tuple(_forms([states.forms[word] for word in np.flatnonzero(places == number)]) for number in numbers)
    counts = Counter(word for held in words for word in held)
    return DocumentUnits(
        spans=tuple(units[number] for number in numbers),
        means=np.stack([_unit_mean(states.late[places == number]) for number in numbers]),
        words=words,
        weights={word: log(1 + len(words) / count) for word, count in counts.items()},
    )


def _forms(forms: Sequence[str]) -> frozenset[str]:
    return frozenset(form.lower() for form in forms)


def _unit_mean(states: States) -> States:
    mean = states.mean(0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), dtype=np.float32)
