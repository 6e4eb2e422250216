"""A language model compares the variant with the original, statement by statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.model_reference import ModelRef
from core.models import Sampling, StructuredAnswer, ask_structured, chat_model, load_prompt, model_title, resolve_model
from core.scoring.nli_check import NLI_CHECKS, NliCheck, NliResult
from core.types import Rounds


class Contradiction(StructuredAnswer):
    """Answer to the prompt `contradiction`."""

    contradicts: bool
    because: str


@NLI_CHECKS.add
@dataclass(frozen=True)
class LanguageModelCheck(NliCheck):
    """Asks once, at temperature 0; `model` and `endpoint` are those of the settings where none is named."""

    name: ClassVar[str] = "language-model"
    title: ClassVar[str] = "Language model"

    model: str = ""
    max_tokens: int = 2048
    endpoint: str = ""

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (chat_model(self.model, self.endpoint),)

    def rounds(self, original: str, variant: str) -> Rounds[NliResult]:
        used = load_prompt("contradiction", ("original", "variant"))
        messages = used.fill({"original": original, "variant": variant})
        model = resolve_model(self.model, self.endpoint)
        sampling = Sampling(model, max_tokens=self.max_tokens, endpoint=self.endpoint)
        verdict = yield from ask_structured(messages, sampling, Contradiction)
        return NliResult(verdict.contradicts, f"{model_title(sampling.model)}|{used.signature}", said=verdict.because)
