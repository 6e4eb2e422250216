"""Questions that wait for a model: equal ones merged, the most urgent first, what no task waits for dropped when it is met; and the contract of what has them answered."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from core.engine.conversation import Priority, QueueOrder, Task
from core.errors import Problem
from core.models.model import Row
from core.types import Answer, Checkpoint, Counts, Question


@dataclass(eq=False)
class PendingQuestion:
    """One distinct question and the tasks that want its answer; its tokens once they are known.

    `fingerprint` is that of the weights that must answer. `number` counts the questions of a queue as they came,
    `under_way` is set while a model is asked.
    """

    key: bytes
    question: Question
    tasks: list[Task] = field(default_factory=list)
    row: Row | None = None
    number: int = 0
    under_way: bool = False
    fingerprint: str = ""

    @property
    def order(self) -> QueueOrder:
        return min(task.order for task in self.tasks)

    @property
    def prompt(self) -> str:
        """Who asks, without settings: a prompt, metric or perturbation."""
        return next((task.conversation.spec.partition("[")[0] for task in self.tasks), "")

    def drop_cancelled(self) -> None:
        self.tasks = [task for task in self.tasks if task.live]


class QuestionQueue:
    """The open questions of one worker or model. Not safe for threads: the engine's lock guards it.

    Each open question that is not under way has an entry in a heap that is no later than its turn. An entry that is too
    early, as the task that made it urgent was cancelled, is put right when it is met.
    """

    def __init__(self) -> None:
        self._open: dict[bytes, PendingQuestion] = {}
        self._heap: list[tuple[QueueOrder, int, bytes]] = []
        self._numbers = itertools.count()

    def __len__(self) -> int:
        """How many questions are open, under way or not."""
        return len(self._open)

    def put(self, key: bytes, question: Question, task: Task) -> bool:
        """Enqueue a question; False where an equal one is open already and the task joins it."""
        pending = self._open.get(key)
        if pending is None:
            fingerprint = task.fingerprints.get(question.checkpoint, "")
            pending = self._open[key] = PendingQuestion(
                key, question, fingerprint=fingerprint, number=next(self._numbers)
            )
        if not pending.under_way:
            pending.drop_cancelled()
        first = not pending.tasks or task.order < pending.order
        # one that began again may have asked this before
        pending.tasks = [*(other for other in pending.tasks if other is not task), task]
        if first:
            self._push(pending)
        return len(pending.tasks) == 1

    def reorder(self, task: Task) -> None:
        """See that the open questions of a task that has become more urgent are taken in their turn."""
        for key in task.keys or ():
            if key in self._open and key not in task.answers:
                self._push(self._open[key])

    def first_order(self) -> QueueOrder | None:
        """The order of the most urgent question that is not under way; None where there is none."""
        pending = self._first()
        return pending.order if pending else None

    def take(self, limit: int) -> list[PendingQuestion]:
        """The most urgent questions, all of one priority, marked as under way."""
        taken: list[PendingQuestion] = []
        while len(taken) < limit and (pending := self._first()):
            if taken and pending.order[0] != taken[0].order[0]:
                break
            heapq.heappop(self._heap)
            pending.under_way = True
            taken.append(pending)
        return taken

    def put_back(self, taken: Iterable[PendingQuestion]) -> None:
        """Let questions that were taken and have no answer wait again."""
        for pending in taken:
            pending.under_way = False
            if self._open.get(pending.key) is pending:
                self._push(pending)

    def answer(self, pending: PendingQuestion, answer: Answer) -> list[Task]:
        """Give an answer to the tasks that wait for it; those that have all their answers now."""
        tasks = self.remove(pending)
        for task in tasks:
            task.answers[pending.key] = answer
        if tasks:
            tasks[0].counts += Counts(tokens=answer.tokens)
        return [task for task in tasks if task.is_answered()]

    def refuse(self, pending: PendingQuestion, problem: Problem) -> None:
        """Fail the tasks that wait for a question that cannot be answered."""
        for task in self.remove(pending):
            task.fail(problem)

    def deliver(self, pending: PendingQuestion, outcome: Answer | Problem) -> list[Task]:
        """Answer or refuse a question of an endpoint; the tasks that have all their answers now."""
        if isinstance(outcome, Problem):
            self.refuse(pending, outcome)
            return []
        for asker in pending.tasks[:1]:
            asker.counts += Counts(passes=1)
        return self.answer(pending, outcome)

    def remove(self, pending: PendingQuestion) -> list[Task]:
        """Remove one question, and give the tasks that wait for it."""
        if self._open.get(pending.key) is pending:
            del self._open[pending.key]
        return [task for task in pending.tasks if task.wants(pending.key)]

    def clear(self) -> list[Task]:
        """Remove all questions, and give the tasks that waited for them."""
        waiting = (task for pending in self._open.values() for task in pending.tasks if task.wants(pending.key))
        tasks = list(dict.fromkeys(waiting))
        self._open.clear()
        self._heap.clear()
        return tasks

    def _push(self, pending: PendingQuestion) -> None:
        if not pending.under_way:
            heapq.heappush(self._heap, (pending.order, pending.number, pending.key))

    def _first(self) -> PendingQuestion | None:
        """The most urgent question that is not under way; its entry is at the top of the heap."""
        while self._heap:
            order, number, key = self._heap[0]
            pending = self._open.get(key)
            if pending and pending.number == number and not pending.under_way:
                pending.drop_cancelled()
                if not pending.tasks:
                    del self._open[key]
                elif pending.order <= order:
                    return pending
                else:
                    self._push(pending)
            heapq.heappop(self._heap)
        return None


class QuestionWorker(Protocol):
    """What has questions answered in threads of its own. The engine's lock is held over all but `close` and `join`."""

    @property
    def counts(self) -> Counts:
        """Forward passes and tokens since the start."""
        ...

    def put(self, key: bytes, question: Question, task: Task) -> bool:
        """Enqueue a question; False where an equal one is open already and the task joins it."""
        ...

    @property
    def idle(self) -> bool:
        """Whether no question is open."""
        ...

    def reorder(self, task: Task) -> None:
        """Take the questions of a task in their turn again: it has become more urgent."""
        ...

    def close(self) -> None:
        """Begin nothing any more."""
        ...

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for what is under way, but no longer than this."""
        ...

    def unanswered_tasks(self) -> list[Task]:
        """The tasks whose questions will not be answered any more; nothing is open afterwards."""
        ...


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
