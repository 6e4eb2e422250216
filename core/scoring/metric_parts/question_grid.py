"""Questions of a grid, every passage beside every claim, kept as columns: a metric plans thousands of them and few are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import overload

from core.model_reference import ModelRef
from core.types import Option, Question, Span

Inputs = tuple[str, ...]


@dataclass(frozen=True)
class QuestionGrid(Sequence[Question]):
    """Questions to one model with the same options, claim by claim, for each claim passage by passage.

    `inputs` has those of all of them in this order. `claims` and `passages` are where they stand, which does not count in
    equality. A `Question` is made when one is looked at.
    """

    checkpoint: ModelRef
    options: tuple[Option, ...]
    inputs: tuple[Inputs, ...]
    claims: Sequence[Span] = field(compare=False)
    passages: Sequence[Span] = field(compare=False)

    def __len__(self) -> int:
        return len(self.inputs)

    @overload
    def __getitem__(self, place: int) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> list[Question]: ...
    def __getitem__(self, place: int | slice) -> Question | list[Question]:
        if isinstance(place, slice):
            return [self[number] for number in range(len(self))[place]]
        inputs = self.inputs[place]
        claim, passage = divmod(place if place >= 0 else len(self.inputs) + place, len(self.passages))
        return Question(self.checkpoint, inputs, self.options, self.claims[claim], self.passages[passage])


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """The inputs of questions that follow one another and go to one model with the same options."""

    checkpoint: ModelRef
    options: tuple[Option, ...]
    inputs: Sequence[Inputs]


def question_runs(questions: Sequence[Question]) -> list[QuestionRun]:
    """The runs that questions consist of, in their order: what is the same in all of a run is looked at once."""
    if isinstance(questions, QuestionGrid):
        return [QuestionRun(questions.checkpoint, questions.options, questions.inputs)] if questions.inputs else []
    return [
        QuestionRun(some[0].checkpoint, some[0].options, [question.inputs for question in some])
        # by identity: the many questions of a round ask a few models, and comparing them takes long
        for _, group in groupby(questions, lambda question: (id(question.checkpoint), question.options))
        for some in [list(group)]
    ]
