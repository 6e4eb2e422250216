"""Edits of many summaries: proposed, sifted, and told as lines of pairs, or as what is not used and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from core.editing.editor import Editor
from core.editing.line import as_pair
from core.editing.proposal import Accepted, Proposals, Why
from core.engine import Engine
from core.job import Talk
from core.report import Record
from core.trivial import Opinion, trivial
from core.types import Example, Failure, Item

Sieve = Literal["none", "rule", "both"]
"""Which verdicts keep a trivial edit out: nobody's, the rule's, or the rule's and the model's."""


@dataclass(frozen=True, slots=True)
class Unused:
    """What does not become a pair, where it came from, and why."""

    source: str
    why: Why
    reason: str


def edited_pairs(engine: Engine, editor: Editor, items: Iterable[Item], sieve: Sieve) -> Iterator[Record | Unused]:
    """Every edit of every answer, as they come. With the sieve "both" the model is asked about what the rule leaves."""
    asked: dict[str, Item] = {}

    def talks() -> Iterator[Talk[Proposals]]:
        for item in items:
            asked[item.example.id] = item
            yield editor.proposing(item.example)

    with closing(engine.converse(talks())) as answers:
        for talk, outcome in answers:
            item = asked.pop(talk.example.id)
            if isinstance(outcome, Failure):
                yield Unused(item.example.id, Why.FAILED, outcome.message)
                continue
            for rejected in outcome.rejected:
                yield Unused(f"{item.example.id}/{rejected.number}", rejected.why, rejected.reason)
            yield from _sifted(engine, editor, item, outcome, sieve)


def opinions(
    engine: Engine, editor: Editor, example: Example, edits: Sequence[Accepted]
) -> Iterator[Opinion | Failure]:
    """What the model says of each edit, in their order, all asked for at once."""
    talks = [editor.judging(example, accepted.edit) for accepted in edits]
    return (outcome for _, outcome in engine.converse(talks))


def _sifted(
    engine: Engine, editor: Editor, item: Item, proposals: Proposals, sieve: Sieve
) -> Iterator[Record | Unused]:
    kept = []
    for accepted in proposals.accepted:
        kind = trivial(accepted.edit, item.example.summary)
        if sieve == "none" or kind is None:
            kept.append(accepted)
        else:
            yield Unused(f"{item.example.id}/{accepted.number}", Why.TRIVIAL, f"By rule it is a change of {kind}.")
    if sieve != "both":
        yield from (as_pair(item, accepted, None) for accepted in kept)
        return
    for accepted, opinion in zip(kept, opinions(engine, editor, item.example, kept), strict=True):
        yield _judged(item, accepted, opinion)


def _judged(item: Item, accepted: Accepted, opinion: Opinion | Failure) -> Record | Unused:
    id = f"{item.example.id}/{accepted.number}"
    if isinstance(opinion, Failure):
        return Unused(id, Why.FAILED, f"Whether it is trivial: {opinion.message}")
    if opinion.kind:
        return Unused(id, Why.TRIVIAL, f"By the model it is a change of {opinion.kind}: {opinion.because}")
    return as_pair(item, accepted, opinion)
