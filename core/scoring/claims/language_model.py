"""A language model lists the claims of the summary: one of an endpoint, or a chat model of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from core.errors import BadSettingError
from core.model_reference import ModelRef
from core.models import (
    PAIR_VARIABLES,
    Sampling,
    StructuredAnswer,
    ask_structured,
    chat_model,
    collect_answers,
    load_prompt,
    model_title,
    pair_texts,
    resolve_model,
)
from core.scoring.claim import DECOMPOSERS, Decomposer, FoundClaims, claims_of_texts
from core.text import ANY
from core.types import Example, Rounds

_MOST_CLAIMS = 200  # of one summary: each is a question or more to the metric that scores it


class ListedClaims(StructuredAnswer):
    """Answer to the prompt `claims`."""

    claims: list[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]] = Field(
        min_length=1, max_length=_MOST_CLAIMS
    )


@DECOMPOSERS.add
@dataclass(frozen=True)
class LanguageModelClaims(Decomposer):
    """Asks at temperature 0, and once more where the answer cannot be read; `model` and `endpoint` are by default the configured ones.

    The place of a claim is the sentence of the summary that is closest to it in words.
    """

    name: ClassVar[str] = "language-model"
    title: ClassVar[str] = "Language model"
    languages: ClassVar[str] = ANY

    model: str = ""
    endpoint: str = ""
    max_tokens: int = 2048

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise BadSettingError(f"language-model: max_tokens must be 1 or more; got {self.max_tokens}.")

    def checkpoints(self) -> tuple[ModelRef, ...]:
        return (chat_model(self.model, self.endpoint),)

    def rounds(self, example: Example) -> Rounds[FoundClaims]:
        used, model = load_prompt("claims", PAIR_VARIABLES), resolve_model(self.model, self.endpoint)
        sampling = Sampling(model, max_tokens=self.max_tokens, endpoint=self.endpoint)
        conversation = ask_structured(used.fill(pair_texts(example)), sampling, ListedClaims)
        listed, answers = yield from collect_answers(conversation)
        claims = claims_of_texts(listed.claims, example.summary, "The model")
        facts = (f"claims by model:{model_title(model)}", used.signature)
        return FoundClaims(claims, facts, tuple(answers))
