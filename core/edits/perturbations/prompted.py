"""Perturbations that a language model is prompted for: one file of core/models/prompts and one line of the table below each."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from core.edits.perturbation import PERTURBATIONS, Perturbation, PerturbationCard
from core.errors import UnscorableError
from core.model_reference import ModelRef
from core.models.llm.chat import (
    Sampling,
    answer_text,
    first_question,
    place_signature,
    sampling_signature,
    unusable_answer,
)
from core.models.llm.endpoints.endpoints import resolve_model
from core.models.llm.endpoints.local_models import chat_model, model_title
from core.models.llm.prompts import PAIR_VARIABLES, Prompt, bundled_prompt, load_prompt, pair_texts
from core.models.llm.rewrites import (
    check_added_from_document,
    check_sentences_kept,
    check_sentences_moved,
    check_shorter_and_whole,
    clean_rewrite,
)
from core.text.edits import recover
from core.text.text import sentences
from core.types import Edit, Example, Rounds

VariantCheck = Callable[[Example, str], None]
"""Raises UnscorableError for a variant that is not what the prompt asks for."""


@dataclass(frozen=True, slots=True)
class PromptTask:
    """Requirements on the answer to a prompt besides a new summary, and how many different sentences it needs."""

    check: VariantCheck
    sentences: int = 1


@dataclass(frozen=True)
class Prompted(Perturbation):
    """Asks once, at temperature 0 and top_p 0.5 as the papers do; an answer that is not what was asked is refused.

    Another seed is another draw where temperature= is above 0.
    """

    prompt_name: ClassVar[str]
    task: ClassVar[PromptTask]

    model: str = ""
    temperature: float = 0.0
    top_p: float = 0.5
    max_tokens: int = 2048
    endpoint: str = ""

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (chat_model(self.model, self.endpoint),)

    @property
    def signature(self) -> str:
        """Signature that distinguishes two variants; raises MissingEndpointError where no endpoint is set."""
        return self._signed(self._prompt(), resolve_model(self.model, self.endpoint))

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # the signature of every perturbation
        raise UnscorableError(
            f"“{self.card.title}” asks a language model, which takes a while: it cannot be done at once."
        )

    def rounds(self, example: Example, seed: int) -> Rounds[list[Edit]]:
        self._applies(example.summary)
        used, model = self._prompt(), resolve_model(self.model, self.endpoint)
        by = self._signed(used, model)
        sample = seed if self.temperature else 0
        sampling = Sampling(model, self.temperature, self.top_p, self.max_tokens, sample, self.endpoint)
        [answer] = yield [first_question(used.fill(pair_texts(example)), sampling)]
        variant = self._checked(example, answer_text(answer))
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
            variant = clean_rewrite(example, answer)
            self.task.check(example, variant)
        except UnscorableError as problem:
            raise unusable_answer(str(problem), answer) from None
        return variant

    def _prompt(self) -> Prompt:
        return load_prompt(self.prompt_name, PAIR_VARIABLES, self.profile)

    def _signed(self, used: Prompt, model: str) -> str:
        sampling = Sampling(model, self.temperature, self.top_p, self.max_tokens, endpoint=self.endpoint)
        return f"{self.name}|model:{model_title(model)}|{sampling_signature(sampling)}|{used.signature}|{place_signature(sampling)}"


def _make_perturbation(name: str, task: PromptTask) -> type[Prompted]:
    """The perturbation `<name>-llm`, described by the head of its prompt."""
    head = bundled_prompt(name)
    card = PerturbationCard(f"{head.title} (LLM)", "preserving", head.does, head.paper, form="prompt")
    members = {"name": f"{name}-llm", "card": card, "prompt_name": name, "task": task, "__module__": __name__}
    return type(f"Prompted{name.title().replace('-', '')}", (Prompted,), members)


_TASKS = {
    "paraphrased": PromptTask(check_sentences_kept),
    "simplified": PromptTask(check_sentences_kept),
    "synonyms": PromptTask(check_sentences_kept),
    "less-diverse": PromptTask(check_sentences_kept),
    "negated": PromptTask(check_sentences_kept),
    "summarized": PromptTask(check_shorter_and_whole),
    "added": PromptTask(check_added_from_document),
    "shuffled": PromptTask(check_sentences_moved, sentences=2),
}

for _name, _task in _TASKS.items():
    PERTURBATIONS.add(_make_perturbation(_name, _task))
