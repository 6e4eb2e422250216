"""Edits of many summaries, filtered and written as pairs, and one request for edits in the background."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Literal

from core.base import BackgroundTask
from core.edits.editing.editor import Editor
from core.edits.editing.proposals import EDITS_PER_REQUEST, INTENDED_VERDICT, AcceptedEdit, Proposals, UnusedReason
from core.edits.editing.trivial import TrivialityJudgement, trivial_kind
from core.scoring import Conversation, Engine, JsonRecord
from core.text import edit_origin, optional_fields, to_records
from core.types import Example, Failure, Item


def pair_record(source: Item, accepted: AcceptedEdit, opinion: TrivialityJudgement | None) -> JsonRecord:
    """The source with one edit; `trivial` holds what the rule and, where it was asked, the model says of it."""
    example = source.example
    by_rule = trivial_kind(accepted.edit, example.summary)
    return {
        "id": f"{example.id}/{accepted.number}",
        "source": example.id,
        "document": example.document,
        **optional_fields(example),
        "summary": example.summary,
        "edited": accepted.edited,
        "edits": to_records(example.summary, [accepted.edit]),
        "label": INTENDED_VERDICT.value,
        "signature": accepted.edit.by,
        "trivial": {
            "rule": by_rule and by_rule.value,
            "model": opinion and (opinion.kind.value if opinion.kind else "other"),
        },
        "origin": edit_origin(accepted.edit, example.summary, example.document),
        "remarks": list(accepted.remarks),
        "group": source.group,
        "domain": source.domain,
    }


TrivialFilter = Literal["none", "rule", "model", "both"]
"""Verdicts that keep a trivial edit out: none, the rule's, the model's (the paper's form), or either of the two."""


@dataclass(frozen=True, slots=True)
class UnusedEdit:
    """Edit that does not become a pair, its source, and the reason."""

    source: str
    reason_kind: UnusedReason
    error: str


def edited_pairs(
    engine: Engine, editor: Editor, items: Iterable[Item], trivial_filter: TrivialFilter
) -> Iterator[JsonRecord | UnusedEdit]:
    """Every edit of every answer, as they come. With the filter "both" the model is asked about what the rule leaves, with "model" about all."""
    pending: list[tuple[Item, AcceptedEdit]] = []
    for outcome in _accepted_edits(engine, editor, items, trivial_filter):
        if isinstance(outcome, UnusedEdit):
            yield outcome
        elif trivial_filter in {"none", "rule"}:
            yield pair_record(*outcome, None)
        else:
            pending.append(outcome)
    # about all summaries together: a batch takes as long for six questions as for thousands
    conversations = (editor.triviality_conversation(item.example, accepted.edit) for item, accepted in pending)
    with closing(engine.converse(conversations)) as opinions:
        for (item, accepted), (_, opinion) in zip(pending, opinions, strict=True):
            id = f"{item.example.id}/{accepted.number}"
            if isinstance(opinion, Failure):
                yield UnusedEdit(id, UnusedReason.FAILED, f"Whether it is trivial: {opinion.error}")
            elif opinion.kind:
                yield UnusedEdit(
                    id, UnusedReason.TRIVIAL, f"By the model it is a change of {opinion.kind}: {opinion.because}"
                )
            else:
                yield pair_record(item, accepted, opinion)


def judge_triviality(
    engine: Engine, editor: Editor, example: Example, edits: Sequence[AcceptedEdit]
) -> Iterator[TrivialityJudgement | Failure]:
    """Ask the model about every edit at once; return its judgements in their order."""
    conversations = [editor.triviality_conversation(example, accepted.edit) for accepted in edits]
    return (outcome for _, outcome in engine.converse(conversations))


def _accepted_edits(
    engine: Engine, editor: Editor, items: Iterable[Item], trivial_filter: TrivialFilter
) -> Iterator[tuple[Item, AcceptedEdit] | UnusedEdit]:
    """Every edit of every answer that neither its form nor, where it is asked, the rule keeps out."""
    items_by_id: dict[str, Item] = {}

    def conversations() -> Iterator[Conversation[Proposals]]:
        for item in items:
            items_by_id[item.example.id] = item
            yield editor.propose_conversation(item.example)

    with closing(engine.converse(conversations())) as answers:
        for conversation, outcome in answers:
            item = items_by_id.pop(conversation.example.id)
            if isinstance(outcome, Failure):
                yield UnusedEdit(item.example.id, UnusedReason.FAILED, outcome.error)
                continue
            for rejected in outcome.rejected:
                yield UnusedEdit(f"{item.example.id}/{rejected.number}", rejected.reason_kind, rejected.error)
            for accepted in outcome.accepted:
                kind = trivial_kind(accepted.edit, item.example.summary)
                if trivial_filter in {"rule", "both"} and kind is not None:
                    reason = f"By rule it is a change of {kind}."
                    yield UnusedEdit(f"{item.example.id}/{accepted.number}", UnusedReason.TRIVIAL, reason)
                else:
                    yield item, accepted


_EditEvent = Proposals | Failure | tuple[AcceptedEdit, TrivialityJudgement | Failure]


class EditRequestTask(BackgroundTask[_EditEvent]):
    """The edits of one answer and, where `judged`, what the same model says of each of them afterwards.

    Cancelling it asks nothing more; an answer under way is paid for and is not shown.
    """

    def __init__(self, engine: Engine, editor: Editor, example: Example, judged: bool) -> None:
        self.example = example
        self.editor = editor
        self.judged = judged
        super().__init__(partial(_edit_events, engine, editor, example, judged), 1 + EDITS_PER_REQUEST)

    @property
    def outcome(self) -> Proposals | Failure | None:
        """None until there is an answer."""
        return next((result for result in self.results if not isinstance(result, tuple)), None)

    @property
    def verdicts(self) -> dict[int, TrivialityJudgement | Failure]:
        """Judgements of the model on the edits so far, by their number."""
        return {result[0].number: result[1] for result in self.results if isinstance(result, tuple)}


def _edit_events(engine: Engine, editor: Editor, example: Example, judged: bool) -> Generator[_EditEvent]:
    for _, outcome in engine.converse([editor.propose_conversation(example)]):
        yield outcome
        if judged and isinstance(outcome, Proposals):
            accepted = outcome.accepted
            yield from zip(accepted, judge_triviality(engine, editor, example, accepted), strict=True)
