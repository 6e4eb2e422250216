"""A language model compares the variant with the original, statement by statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.guard import GUARDS, Guard, Mark
from core.llm.addressee import at
from core.llm.endpoint import chosen_model
from core.llm.promptfile import prompt
from core.llm.saying import Sampling
from core.llm.structured import Shape, structured
from core.types import Checkpoint, Rounds


class Contradiction(Shape):
    """What the prompt `contradiction` asks for."""

    contradicts: bool
    because: str


@GUARDS.add
@dataclass(frozen=True)
class LanguageModel(Guard):
    """Asks once, at temperature 0; `model` and `endpoint` are those of the settings where none is named."""

    name: ClassVar[str] = "language-model"
    title: ClassVar[str] = "Language model"

    model: str = ""
    max_tokens: int = 2048
    endpoint: str = ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        return (at(self.endpoint, "say"),)

    def rounds(self, original: str, variant: str) -> Rounds[Mark]:
        used = prompt("contradiction", ("original", "variant"))
        messages = used.fill({"original": original, "variant": variant})
        model = chosen_model(self.model, self.endpoint)
        sampling = Sampling(model, max_tokens=self.max_tokens, endpoint=self.endpoint)
        found = yield from structured(messages, sampling, Contradiction)
        return Mark(found.contradicts, f"{sampling.model}|{used.signature}", said=found.because)
