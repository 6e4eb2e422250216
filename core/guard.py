"""Does a rewritten summary contradict the original? An entailment model or a language model marks it."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import UnscorableError
from core.llm.promptfile import prompt
from core.llm.saying import Sampling
from core.llm.structured import Shape, structured
from core.metrics.summac import SummaCZS
from core.types import Example, Rounds

_CONTRADICTS = 0.5

# each sentence of the variant against the whole original; the score is one less its largest probability of contradiction
ENTAILMENT = SummaCZS(document_units="document", labels="contradiction", over_document="max", over_summary="min")
"""The model that SummaC reads by default; `replace` its nli or checkpoint for another."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Whether a variant contradicts its original, and who says so.

    `probability` is that of the most contradicting sentence, where a model gives one; `said` is a language model's reason;
    `notes` tell what was not read.
    """

    contradicts: bool
    by: str
    probability: float | None = None
    said: str = ""
    notes: tuple[str, ...] = ()


class Contradiction(Shape):
    """What the prompt `contradiction` asks for."""

    contradicts: bool
    because: str


def by_entailment(original: str, variant: str, metric: SummaCZS = ENTAILMENT) -> Rounds[Mark]:
    """Ask an entailment model; a probability above one half marks. Raises UnscorableError where no sentence can be read."""
    pair = Example("", original, variant)
    if not metric.plan(pair):
        raise UnscorableError(
            "No sentence of the variant is long enough for the entailment model. Ask a language model."
        )
    score = yield from metric.rounds(pair)
    probability = 1 - score.value
    return Mark(probability > _CONTRADICTS, metric.spec, probability, notes=score.seen.notes)


def by_language_model(original: str, variant: str, sampling: Sampling) -> Rounds[Mark]:
    """Ask a language model. Raises UnscorableError, with the raw answer, for one that cannot be read."""
    used = prompt("contradiction", ("original", "variant"))
    messages = used.fill({"original": original, "variant": variant})
    found = yield from structured(messages, sampling, Contradiction)
    return Mark(found.contradicts, f"{sampling.model}|{used.signature}", said=found.because)
