"""Who is asked for edits, in which form and how: settings whose signature every edit carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from core.editing.asking import ASK, PROMPTS
from core.editing.proposal import Form, Proposals
from core.job import Talk
from core.llm.addressee import at
from core.llm.endpoint import chosen_model
from core.llm.promptfile import prompt
from core.llm.saying import Sampling
from core.llm.signing import signed
from core.prompt import Prompt
from core.registry import spell
from core.trivial import Opinion, by_language_model
from core.types import Edit, Example, Rounds

_TEXTS = ("document", "summary")


@dataclass(frozen=True, slots=True)
class Editor:
    """A language model that edits; another `sample` is another draw of the same.

    An empty model is that of the endpoint, an empty endpoint the default one.
    """

    name: ClassVar[str] = "edits"

    form: Form = Form.EXECUTABLE
    model: str = ""
    endpoint: str = ""
    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 4096
    sample: int = 0

    @property
    def signature(self) -> str:
        """What tells the edits of two editors apart; raises NoEndpointError where nobody can be asked."""
        return self._signed(self._prompt(), self._sampling())

    def proposing(self, example: Example) -> Talk[Proposals]:
        """The conversation that ends in the edits of one answer, checked and executed."""
        return Talk(spell(self), example, partial(self._propose, example), (at(self.endpoint, "say"),))

    def judging(self, example: Example, edit: Edit) -> Talk[Opinion]:
        """The conversation in which the same model says whether an edit of the summary is trivial."""
        rounds = partial(self._judge, example, edit)
        return Talk(f"trivial by {spell(self)}", example, rounds, (at(self.endpoint, "say"),))

    def _propose(self, example: Example) -> Rounds[Proposals]:
        used, sampling = self._prompt(), self._sampling()
        messages = used.fill({"document": example.document, "summary": example.summary})
        return (yield from ASK[self.form](example, messages, sampling, self._signed(used, sampling)))

    def _judge(self, example: Example, edit: Edit) -> Rounds[Opinion]:
        # at temperature 0 whatever the edits were drawn at: a filter is no draw
        return (yield from by_language_model(edit, example.summary, Sampling(self._model(), endpoint=self.endpoint)))

    def _prompt(self) -> Prompt:
        return prompt(PROMPTS[self.form], _TEXTS)

    def _model(self) -> str:
        return chosen_model(self.model, self.endpoint)

    def _sampling(self) -> Sampling:
        return Sampling(self._model(), self.temperature, self.top_p, self.max_tokens, self.sample, self.endpoint)

    def _signed(self, used: Prompt, sampling: Sampling) -> str:
        return signed(f"{self.name}-{self.form}", used, sampling)
