"""Questions that wait for a model: equal ones merged, the most urgent first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.engine.conversation import Priority, QueueOrder, Task
from core.models.model import Row
from core.types import Checkpoint, Question


@dataclass(eq=False)
class PendingQuestion:
    """One distinct question and the tasks that want its answer; its tokens once they are known."""

    key: bytes
    question: Question
    tasks: list[Task] = field(default_factory=list)
    row: Row | None = None

    @property
    def order(self) -> QueueOrder:
        return min(task.order for task in self.tasks)


class QuestionQueue:
    """The open questions by checkpoint. Not safe for threads: the engine's lock guards it."""

    def __init__(self) -> None:
        self._open: dict[Checkpoint, dict[bytes, PendingQuestion]] = {}

    def put(self, key: bytes, question: Question, task: Task) -> bool:
        """Enqueue a question; False where the same one already waits and the task joins it."""
        pending = self._open.setdefault(question.weights, {}).setdefault(key, PendingQuestion(key, question))
        pending.tasks.append(task)
        return len(pending.tasks) == 1

    def checkpoints(self) -> dict[Checkpoint, QueueOrder]:
        """The checkpoints with questions that somebody still waits for, and the order of their most urgent one."""
        for checkpoint in list(self._open):
            self._drop_cancelled(checkpoint)
        return {
            checkpoint: min(pending.order for pending in pending_questions.values())
            for checkpoint, pending_questions in self._open.items()
        }

    def front(self, checkpoint: Checkpoint, limit: int) -> list[PendingQuestion]:
        """The most urgent questions, all of one priority."""
        self._drop_cancelled(checkpoint)
        ordered = sorted(self._open.get(checkpoint, {}).values(), key=lambda pending: pending.order)
        return [pending for pending in ordered[:limit] if pending.order[0] == ordered[0].order[0]]

    def take(self, pending: PendingQuestion) -> list[Task]:
        """Remove an answered question and give the tasks that waited for it."""
        pending_questions = self._open.get(pending.question.weights, {})
        pending_questions.pop(pending.key, None)
        if not pending_questions:
            self._open.pop(pending.question.weights, None)
        return pending.tasks

    def clear(self, checkpoint: Checkpoint) -> list[Task]:
        """Remove all questions to a checkpoint that will not answer, and give the tasks that waited."""
        pending_questions = self._open.pop(checkpoint, {})
        return list(dict.fromkeys(task for pending in pending_questions.values() for task in pending.tasks))

    def _drop_cancelled(self, checkpoint: Checkpoint) -> None:
        pending_questions = self._open.get(checkpoint, {})
        for pending in list(pending_questions.values()):
            pending.tasks = [task for task in pending.tasks if task.live]
            if not pending.tasks:
                self.take(pending)


def next_checkpoint(
    orders: dict[Checkpoint, QueueOrder], ready: Iterable[Checkpoint], last: Checkpoint | None
) -> Checkpoint | None:
    """Which loaded model answers next: the most urgent; among equals of bulk work the one that answered last.

    Staying with one model keeps two that do not fit together from evicting each other at every batch.
    """
    candidates = {checkpoint: orders[checkpoint] for checkpoint in ready}
    if not candidates:
        return None
    best = min(candidates, key=candidates.__getitem__)
    if last in candidates and candidates[best][0] == candidates[last][0] == Priority.BULK:
        return last
    return best


def fill_batch(pending_questions: list[PendingQuestion], budget: int, most: int) -> list[PendingQuestion]:
    """The first batch: longest questions first, padded tokens within the budget, always at least one question."""
    ordered = sorted(pending_questions, key=row_length, reverse=True)
    size = min(most, max(1, budget // max(1, row_length(ordered[0]))))
    return ordered[:size]


def row_length(pending: PendingQuestion) -> int:
    return pending.row.length if pending.row else 0
