"""The tasks that wait for a thread of the planner: owner by owner, people before runs, and never all threads for one of them."""

from __future__ import annotations

import threading
from collections import Counter

from core.scoring.engine.conversation import Priority, RunningConversation
from core.scoring.engine.fair_queue import FairQueue, Turns


class StepQueue:
    """Tasks whose next round is to be planned or folded. Safe among threads.

    Of `threads` that take tasks one is left to the others, however many one person or all runs together have waiting.
    """

    def __init__(self, threads: int) -> None:
        self._most = max(1, threads - 1)
        self._changed = threading.Condition()
        self._waiting: FairQueue[RunningConversation] = FairQueue(Turns(), lambda lane, task: task.live)  # noqa: ARG005  # of any lane
        self._under_way: Counter[str] = Counter()  # tasks by lane owner
        self._closed = False

    @property
    def idle(self) -> bool:
        """True if no task waits or is under way; one that was cancelled waits until it is met."""
        with self._changed:
            return not self._under_way and self._waiting.next_lane() is None

    def put(self, task: RunningConversation) -> None:
        with self._changed:
            self._waiting.put(_share(task), task.order, task)
            self._changed.notify()

    def take(self) -> RunningConversation | None:
        """The task whose turn it is, waited for; None once the queue is closed. `done` says that it was taken as far as it goes."""
        with self._changed:
            while not self._closed:
                full = [share for share, number in self._under_way.items() if number >= self._most]
                if task := self._waiting.take(full):
                    self._under_way[_share(task)] += 1
                    return task
                self._changed.wait()
            return None

    def done(self, task: RunningConversation) -> None:
        with self._changed:
            self._under_way[_share(task)] -= 1
            self._under_way += Counter()  # without those that have none
            self._changed.notify()

    def close(self) -> list[RunningConversation]:
        """Give out no other task; those that wait."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            tasks = []
            while task := self._waiting.take():
                tasks.append(task)
            return tasks


def _share(task: RunningConversation) -> str:
    """Owner of the share of the threads that a task takes: a person, or all runs together."""
    return task.owner if task.order[0] == Priority.INTERACTIVE else "runs"
