"""Questions that wait for a model: equal ones merged, the most urgent first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.engine.conversation import Priority, QueueOrder, Task
from core.models.model import Row
from core.types import Checkpoint, Question


@dataclass(eq=False)
class PendingQuestion:
    """One distinct question and the jobs that want its answer; its tokens once they are known."""

    key: bytes
    question: Question
    jobs: list[Task] = field(default_factory=list)
    row: Row | None = None

    @property
    def order(self) -> QueueOrder:
        return min(job.order for job in self.jobs)


class QuestionQueue:
    """The open questions by checkpoint. Not safe for threads: the engine's lock guards it."""

    def __init__(self) -> None:
        self._open: dict[Checkpoint, dict[bytes, PendingQuestion]] = {}

    def ask(self, key: bytes, question: Question, job: Task) -> bool:
        """Put a question down; False where the same one already waits and the job joins it."""
        waiting = self._open.setdefault(question.checkpoint, {}).setdefault(key, PendingQuestion(key, question))
        waiting.jobs.append(job)
        return len(waiting.jobs) == 1

    def checkpoints(self) -> dict[Checkpoint, QueueOrder]:
        """The checkpoints with questions that somebody still waits for, and the order of their most urgent one."""
        for checkpoint in list(self._open):
            self._drop_cancelled(checkpoint)
        return {
            checkpoint: min(waiting.order for waiting in waitings.values())
            for checkpoint, waitings in self._open.items()
        }

    def front(self, checkpoint: Checkpoint, limit: int) -> list[PendingQuestion]:
        """The most urgent questions, all of one priority."""
        self._drop_cancelled(checkpoint)
        ordered = sorted(self._open.get(checkpoint, {}).values(), key=lambda waiting: waiting.order)
        return [waiting for waiting in ordered[:limit] if waiting.order[0] == ordered[0].order[0]]

    def take(self, waiting: PendingQuestion) -> list[Task]:
        """Remove an answered question and give the jobs that waited for it."""
        waitings = self._open.get(waiting.question.checkpoint, {})
        waitings.pop(waiting.key, None)
        if not waitings:
            self._open.pop(waiting.question.checkpoint, None)
        return waiting.jobs

    def clear(self, checkpoint: Checkpoint) -> list[Task]:
        """Remove all questions to a checkpoint that will not answer, and give the jobs that waited."""
        waitings = self._open.pop(checkpoint, {})
        return list(dict.fromkeys(job for waiting in waitings.values() for job in waiting.jobs))

    def _drop_cancelled(self, checkpoint: Checkpoint) -> None:
        waitings = self._open.get(checkpoint, {})
        for waiting in list(waitings.values()):
            waiting.jobs = [job for job in waiting.jobs if job.live]
            if not waiting.jobs:
                self.take(waiting)


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


def fill_batch(waitings: list[PendingQuestion], budget: int, most: int) -> list[PendingQuestion]:
    """The first batch: longest questions first, padded tokens within the budget, always at least one question."""
    ordered = sorted(waitings, key=row_length, reverse=True)
    size = min(most, max(1, budget // max(1, row_length(ordered[0]))))
    return ordered[:size]


def row_length(waiting: PendingQuestion) -> int:
    return waiting.row.length if waiting.row else 0
