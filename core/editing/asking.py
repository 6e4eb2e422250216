"""Asking a language model for edits in one of two forms, and reading its answer (SummExecEdit, Thorat et al. 2024)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from core import edits as executable
from core.editing.checking import Told, change, check
from core.editing.proposal import Form, Proposals
from core.errors import EditError, UnscorableError
from core.llm.saying import Sampling
from core.llm.structured import Shape, structured
from core.prompt import Messages
from core.types import Edit, Example, Rounds
from core.variant import rewritten


class ProposedEdit(Shape):
    """One executable edit as the prompt asks for it."""

    original_text: str
    replace_text: str
    explanation: str


class ExecutableEdits(Shape):
    """What the prompt `executable-edits` asks for."""

    edits: list[ProposedEdit]


class EditedSummary(Shape):
    """One edited summary as the prompt asks for it."""

    edited_summary: str
    explanation: str


class EditedSummaries(Shape):
    """What the prompt `edited-summaries` asks for."""

    summaries: list[EditedSummary]


Ask = Callable[[Example, Messages, Sampling, str], Rounds[Proposals]]


def executable_edits(example: Example, messages: Messages, sampling: Sampling, by: str) -> Rounds[Proposals]:
    """The edits of an answer that tells replacements. Raises UnscorableError for an answer without any."""
    answer = yield from structured(messages, sampling, ExecutableEdits)
    told = [Told(_written(one), partial(_executed, one, example.summary, by)) for one in answer.edits]
    return _some(check(example, told))


def edited_summaries(example: Example, messages: Messages, sampling: Sampling, by: str) -> Rounds[Proposals]:
    """The edits of an answer that tells whole summaries, recovered by diff. Raises UnscorableError for one without any."""
    answer = yield from structured(messages, sampling, EditedSummaries)
    told = [Told(_written(one), partial(_recovered, one, example, by)) for one in answer.summaries]
    return _some(check(example, told))


PROMPTS = {Form.EXECUTABLE: "executable-edits", Form.REWRITTEN: "edited-summaries"}

ASK: dict[Form, Ask] = {Form.EXECUTABLE: executable_edits, Form.REWRITTEN: edited_summaries}


def _executed(told: ProposedEdit, summary: str, by: str) -> Edit:
    [edit] = executable.parse(json.dumps(told.model_dump()), summary, by)
    return edit


def _recovered(told: EditedSummary, example: Example, by: str) -> Edit:
    if not told.explanation.strip():
        raise EditError("The explanation is empty. Say why the edited summary is inconsistent with the document.")
    found = change(example.summary, rewritten(example, told.edited_summary))
    return replace(found, explanation=told.explanation.strip(), by=by)


def _written(told: Shape) -> str:
    return json.dumps(told.model_dump(), ensure_ascii=False, indent=1)


def _some(proposals: Proposals) -> Proposals:
    if not proposals.checked:
        raise UnscorableError("The model proposed no edit at all. Ask again, or ask another model.")
    return proposals
