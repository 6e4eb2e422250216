"""A language model that edits: asks for edits in one of two forms and reads the answer (SummExecEdit, Thorat et al. 2024)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

from pydantic import AliasChoices, Field

from core.edits.editing.proposals import REWRITTEN_WORDS, EditForm, Proposals, RawEdit, check_edits, smallest_edit
from core.edits.editing.trivial import TrivialityJudgement, judge_trivial_kind
from core.errors import EditError, UnscorableError
from core.models import (
    PAIR_VARIABLES,
    Messages,
    Prompt,
    Sampling,
    StructuredAnswer,
    ask_structured,
    chat_model,
    clean_rewrite,
    load_prompt,
    model_signature,
    pair_texts,
    resolve_model,
)
from core.registry import format_spec, profile_field
from core.scoring import Conversation
from core.text import edits as executable
from core.types import Edit, Example, Rounds


class ProposedEdit(StructuredAnswer):
    """One executable edit as the prompt asks for it."""

    original_text: str
    replace_text: str
    explanation: str


class ExecutableEdits(StructuredAnswer):
    """Answer to the prompt `executable-edits`."""

    edits: list[ProposedEdit]


class EditedSummary(StructuredAnswer):
    """One edited summary as the prompt asks for it."""

    edited_summary: str
    explanation: str


class EditedSummaries(StructuredAnswer):
    """Answer to the prompt `edited-summaries`."""

    # the paper's own prompt calls them edits
    summaries: list[EditedSummary] = Field(validation_alias=AliasChoices("summaries", "edits", "edited_summaries"))


EditRequest = Callable[[Example, Messages, Sampling, str], Rounds[Proposals]]


def request_executable_edits(example: Example, messages: Messages, sampling: Sampling, by: str) -> Rounds[Proposals]:
    """The edits of an answer that gives replacements. Raises UnscorableError for an answer without any."""
    answer = yield from ask_structured(messages, sampling, ExecutableEdits)
    raw_edits = [
        RawEdit(_to_json(edit), partial(_parse_executable, edit, example.summary, by)) for edit in answer.edits
    ]
    return _require_any(check_edits(example, raw_edits))


def request_edited_summaries(example: Example, messages: Messages, sampling: Sampling, by: str) -> Rounds[Proposals]:
    """The edits of an answer that gives whole summaries, recovered by diff, of at most REWRITTEN_WORDS words each.

    Raises UnscorableError for an answer without any.
    """
    answer = yield from ask_structured(messages, sampling, EditedSummaries)
    raw_edits = [
        RawEdit(_to_json(proposed), partial(_recover_edit, proposed, example, by)) for proposed in answer.summaries
    ]
    return _require_any(check_edits(example, raw_edits, REWRITTEN_WORDS))


EDIT_PROMPTS = {EditForm.EXECUTABLE: "executable-edits", EditForm.REWRITTEN: "edited-summaries"}

EDIT_REQUESTS: dict[EditForm, EditRequest] = {
    EditForm.EXECUTABLE: request_executable_edits,
    EditForm.REWRITTEN: request_edited_summaries,
}


def _parse_executable(proposed: ProposedEdit, summary: str, by: str) -> Edit:
    [edit] = executable.parse(json.dumps(proposed.model_dump()), summary, by)
    return edit


def _recover_edit(proposed: EditedSummary, example: Example, by: str) -> Edit:
    if not proposed.explanation.strip():
        raise EditError("The explanation is empty. Say why the edited summary is inconsistent with the document.")
    edit = smallest_edit(example.summary, clean_rewrite(example, proposed.edited_summary))
    return replace(edit, explanation=proposed.explanation.strip(), by=by)


def _to_json(proposed: StructuredAnswer) -> str:
    return json.dumps(proposed.model_dump(), ensure_ascii=False, indent=1)


def _require_any(proposals: Proposals) -> Proposals:
    if not proposals.checked:
        raise UnscorableError("The model proposed no edit at all. Ask again, or ask another model.")
    return proposals


@dataclass(frozen=True, slots=True)
class Editor:
    """A language model that edits."""

    name: ClassVar[str] = "edits"
    """The name of the editor in specs and signatures."""

    form: EditForm = EditForm.EXECUTABLE
    """The form of the model's answer: executable edits, or whole summaries."""

    model: str = ""
    """The name of the model at the endpoint; "" for the one that the endpoint is configured with."""

    endpoint: str = ""
    """The name of the endpoint; "" for the default one."""

    temperature: float = 0.7
    """The sampling temperature; 0 is greedy."""

    top_p: float = 1.0
    """The share of probability that is sampled from, in 0..1."""

    max_tokens: int = 4096
    """The most tokens of an answer."""

    sample: int = 0
    """The number of the sample, from 0: the same settings with another number are asked again."""

    profile: str = profile_field()
    """The paper whose prompts are used; "" for ours."""

    examples: str = field(default="", metadata={"setting": False})
    """Good and bad edits after the system message, which the signature's hash of the prompt counts; "" for none."""

    @property
    def signature(self) -> str:
        """Signature that distinguishes the edits of two editors; raises MissingEndpointError without an endpoint."""
        return self._signed(self._prompt(), self._sampling())

    def propose_conversation(self, example: Example) -> Conversation[Proposals]:
        """The conversation that ends in the edits of one answer, checked and executed."""
        return Conversation(
            format_spec(self),
            example,
            partial(self._propose, example),
            (chat_model(self.model, self.endpoint),),
        )

    def triviality_conversation(self, example: Example, edit: Edit) -> Conversation[TrivialityJudgement]:
        """The conversation in which the same model says whether an edit of the summary is trivial."""
        rounds = partial(self._judge, example, edit)
        return Conversation(
            f"trivial by {format_spec(self)}", example, rounds, (chat_model(self.model, self.endpoint),)
        )

    def correct_conversation(self, example: Example, sentence: str) -> Conversation[Proposals]:
        """The conversation that ends in corrections of a sentence of the summary, checked and executed."""
        rounds = partial(self._correct, example, sentence)
        return Conversation(
            f"corrections by {format_spec(self)}", example, rounds, (chat_model(self.model, self.endpoint),)
        )

    def _correct(self, example: Example, sentence: str) -> Rounds[Proposals]:
        used, sampling = load_prompt("corrections", (*PAIR_VARIABLES, "sentence"), self.profile), self._sampling()
        messages = used.fill({**pair_texts(example), "sentence": sentence})
        by = model_signature("corrections", used, sampling)
        return (yield from request_executable_edits(example, messages, sampling, by))

    def _propose(self, example: Example) -> Rounds[Proposals]:
        used, sampling = self._prompt(), self._sampling()
        messages = used.fill(pair_texts(example))
        return (yield from EDIT_REQUESTS[self.form](example, messages, sampling, self._signed(used, sampling)))

    def _judge(self, example: Example, edit: Edit) -> Rounds[TrivialityJudgement]:
        # at temperature 0 whatever the edits were sampled at: a filter is not sampled
        return (yield from judge_trivial_kind(edit, example.summary, Sampling(self._model(), endpoint=self.endpoint)))

    def _prompt(self) -> Prompt:
        prompt = load_prompt(EDIT_PROMPTS[self.form], PAIR_VARIABLES, self.profile)
        if not self.examples:
            return prompt
        # braces would be places to fill in
        examples = self.examples.replace("{{", "{ {").replace("}}", "} }")
        return replace(
            prompt, system=f"{prompt.system}\n\n{examples}".strip(), mark=f"{prompt.mark}+examples".lstrip("+")
        )

    def _model(self) -> str:
        return resolve_model(self.model, self.endpoint)

    def _sampling(self) -> Sampling:
        return Sampling(self._model(), self.temperature, self.top_p, self.max_tokens, self.sample, self.endpoint)

    def _signed(self, used: Prompt, sampling: Sampling) -> str:
        return model_signature(f"{self.name}-{self.form}", used, sampling)
