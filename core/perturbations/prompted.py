"""Perturbations that a language model is prompted for: one file of core/prompts and one line of the table below each."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from core.edits import recover
from core.errors import UnscorableError
from core.llm.addressee import at
from core.llm.endpoint import chosen_model, configured
from core.llm.promptfile import bundled_prompt, prompt
from core.llm.saying import Sampling, ask, flagged, said
from core.llm.signing import drawn
from core.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.prompt import Prompt
from core.text import sentences
from core.types import Checkpoint, Edit, Example, Rounds
from core.variant import adds_from_document, is_shorter, keeps_sentences, moves_sentences, rewritten

Check = Callable[[Example, str], None]
"""Raises UnscorableError for a variant that is not what the prompt asks for."""


@dataclass(frozen=True, slots=True)
class Task:
    """What the answer to a prompt has to be besides a rewritten summary, and how many different sentences it needs."""

    check: Check
    sentences: int = 1


@dataclass(frozen=True)
class Prompted(Perturbation):
    """Asks once, at temperature 0 and top_p 0.5 as the papers do; an answer that is not what was asked is refused.

    Another seed is another draw where temperature= is above 0.
    """

    prompt_name: ClassVar[str]
    task: ClassVar[Task]

    model: str = ""
    temperature: float = 0.0
    top_p: float = 0.5
    max_tokens: int = 2048
    endpoint: str = ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (at(self.endpoint, "say"),)

    @property
    def signature(self) -> str:
        """What tells two variants apart; raises NoEndpointError where nobody can be asked."""
        return self._signed(self._prompt(), chosen_model(self.model, self.endpoint))

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # the signature of every perturbation
        raise UnscorableError(
            f"“{self.card.title}” asks a language model, which takes a while: it cannot be done at once."
        )

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:
        self._applies(example.summary)
        used, model = self._prompt(), chosen_model(self.model, self.endpoint)
        by = self._signed(used, model)
        sample = seed if self.temperature else 0
        sampling = Sampling(model, self.temperature, self.top_p, self.max_tokens, sample, self.endpoint)
        [answer] = yield [ask(used.fill(_texts(example)), sampling)]
        variant = self._checked(example, said(answer))
        edits = recover(example.summary, variant)
        return [replace(edit, explanation=self.card.does, by=by) for edit in edits]

    def _applies(self, summary: str) -> None:
        different = len({span.of(summary) for span in sentences(summary)})
        if different < self.task.sentences:
            raise UnscorableError(
                f"The summary has {different} different sentence(s); this needs {self.task.sentences}."
            )

    def _checked(self, example: Example, answer: str) -> str:
        try:
            variant = rewritten(example, answer)
            self.task.check(example, variant)
        except UnscorableError as problem:
            raise flagged(str(problem), answer) from None
        return variant

    def _prompt(self) -> Prompt:
        return prompt(self.prompt_name, ("document", "summary"))

    def _signed(self, used: Prompt, model: str) -> str:
        sampling = Sampling(model, self.temperature, self.top_p, self.max_tokens, endpoint=self.endpoint)
        place = f"endpoint:{configured(self.endpoint).fingerprint[:12]}"
        return f"{self.name}|model:{model}|{drawn(sampling)}|{used.signature}|{place}"


def _texts(example: Example) -> dict[str, str]:
    return {"document": example.document, "summary": example.summary}


def _member(name: str, task: Task) -> type[Prompted]:
    """The perturbation `<name>-llm`, described by the head of its prompt."""
    head = bundled_prompt(name)
    card = PerturbationCard(f"{head.title} (LLM)", "preserving", head.does, head.paper, form="prompt")
    told = {"name": f"{name}-llm", "card": card, "prompt_name": name, "task": task, "__module__": __name__}
    return type(f"Prompted{name.title().replace('-', '')}", (Prompted,), told)


_TASKS = {
    "paraphrased": Task(keeps_sentences),
    "simplified": Task(keeps_sentences),
    "synonyms": Task(keeps_sentences),
    "less-diverse": Task(keeps_sentences),
    "negated": Task(keeps_sentences),
    "summarized": Task(is_shorter),
    "added": Task(adds_from_document),
    "shuffled": Task(moves_sentences, sentences=2),
}

for _name, _task in _TASKS.items():
    PERTURBATIONS.add(_member(_name, _task))
