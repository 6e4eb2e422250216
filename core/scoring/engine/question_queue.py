"""Questions that wait for a model: equal ones merged, taken owner by owner and by length; and the contract of what has them answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import Problem
from core.model_reference import Checkpoint
from core.models import Row
from core.scoring.engine.conversation import Priority, QueueOrder, RunningConversation
from core.scoring.engine.fair_queue import FairQueue, LaneKey, Turn, Turns
from core.types import Answer, Counts, Question

_MOST_PADDING = 1.05  # padded tokens of a batch for each that is read
_FRONT_TOKENS = 1_000_000  # at most of one lane made ready: about 170 MB
_FEW_ROWS = 16  # that a batch may have with more padding: so few keep no device busy


@dataclass(eq=False, slots=True)
class PendingQuestion:
    """One distinct question and the tasks that want its answer; its tokens once they are known.

    `fingerprint` is that of the weights that must answer. `under_way` is set while a model is asked. `places` are the
    orders by which it was put into lanes and waits there.
    """

    key: bytes
    question: Question
    tasks: list[RunningConversation] = field(default_factory=list)
    row: Row | None = None
    under_way: bool = False
    fingerprint: str = ""
    places: tuple[QueueOrder, ...] = ()

    @property
    def prompt(self) -> str:
        """Name of the prompt, metric or perturbation that asks, without settings."""
        return next((task.conversation.spec.partition("[")[0] for task in self.tasks), "")

    @property
    def payer(self) -> str:
        """Person who pays for the answer: of those who wait for it, the one who asked first; "" for nobody."""
        return next((task.payer for task in self.tasks), "")

    def drop_cancelled(self) -> None:
        self.tasks = [task for task in self.tasks if task.live]

    def is_wanted_in(self, lane: LaneKey) -> bool:
        """True if a task of a lane still waits for it."""
        for task in self.tasks:  # noqa: SIM110  # asked for every question that is met: a generator takes twice as long
            if task.order[:2] == lane and task.live:
                return True
        return False


class QuestionQueue:
    """The open questions of one worker or model. Not safe for threads: the engine's lock guards it.

    Each open question that is not under way waits in the lane of every task that wants it, once in each. What no task
    waits for any more is dropped when its turn comes.
    """

    def __init__(self, turns: Turns | None = None) -> None:
        self._open: dict[bytes, PendingQuestion] = {}
        self._waiting: FairQueue[PendingQuestion] = FairQueue(turns or Turns(), self._is_wanted)

    def __len__(self) -> int:
        """Number of questions that are open, under way or not."""
        return len(self._open)

    @property
    def operations(self) -> int:
        """Number of entries put in or taken out since the start."""
        return self._waiting.operations

    def put_all(self, questions: Mapping[bytes, Question], task: RunningConversation) -> int:
        """Enqueue questions of a task by their keys; how many are new: an equal one that is open already is joined."""
        return sum([self.put(key, question, task) for key, question in questions.items()])

    def put(self, key: bytes, question: Question, task: RunningConversation) -> bool:
        """Enqueue a question; False where an equal one is open already and the task joins it."""
        pending = self._open.get(key)
        if pending is None:
            fingerprint = task.fingerprints.get(question.checkpoint, "")
            pending = self._open[key] = PendingQuestion(key, question, [task], fingerprint=fingerprint)
            self._push(pending, task)
            return True
        if not pending.under_way:
            pending.drop_cancelled()
        # one that began again may have asked this before
        pending.tasks = [*(other for other in pending.tasks if other is not task), task]
        self._push(pending, task)
        return len(pending.tasks) == 1

    def reorder(self, task: RunningConversation) -> None:
        """See that the open questions of a task that has become more urgent are taken in their turn."""
        for key in task.missing:
            if key in self._open:
                self._push(self._open[key], task)

    def next_turn(self) -> Turn | None:
        """The turn of the question that is taken next; None where none waits."""
        lane = self._waiting.next_lane()
        return self._waiting.turn(lane) if lane else None

    def take(self, limit: int) -> list[PendingQuestion]:
        """The questions whose turn it is, all of one priority, owner by owner, marked as under way."""
        taken: list[PendingQuestion] = []
        first = self._waiting.next_lane()
        while first and len(taken) < limit and (lane := self._waiting.next_lane()) and lane.priority == first.priority:
            taken += [self._begin(pending) for pending in filter(None, [self._waiting.take()])]
        return taken

    def put_back(self, taken: Iterable[PendingQuestion]) -> None:
        """Let questions that were taken and have no answer wait again."""
        for pending in taken:
            pending.under_way = False
            if self._open.get(pending.key) is pending:
                for task in pending.tasks:
                    self._push(pending, task)
                self._drop_unwanted(pending)

    def fill_front(self, limit: int) -> list[PendingQuestion]:
        """Bring questions of the lane whose turn it is to its front, up to `limit`, fewer long ones; those whose length is not known yet."""
        lane = self._waiting.next_lane()
        if lane is None:
            return []
        longest = row_length(lane.front[-1][-1]) if lane.front else 0
        limit = min(limit, _FRONT_TOKENS // max(1, longest))
        if 2 * len(lane.front) > limit:
            return []
        fresh = dict.fromkeys(self._waiting.fill_front(lane, limit))
        return [pending for pending in fresh if pending.row is None]

    def take_batch(self, budget: int, most: int, budget_writing: int = 0) -> list[PendingQuestion]:
        """A batch from the front of the lane whose turn it is: the longest first, of similar length, padded tokens within the budget, or the larger one of answers that are generated.

        At least one question, where there is any, marked as under way; its owner has had a turn then.
        """
        lane = self._waiting.next_lane()
        if lane is None:
            return []
        self._waiting.sort_front(lane, row_length)
        batch: list[PendingQuestion] = []
        size = 1
        while len(batch) < size and (pending := self._waiting.pop_front(lane)):
            batch.append(self._begin(pending))
            if len(batch) == 1:
                tokens = max(budget, budget_writing) if pending.row and pending.row.writes else budget
                fit = min(most, max(1, tokens // max(1, row_length(pending))))
                behind = reversed(lane.front[-fit:])
                size = similar_rows([row_length(batch[0]), *(length for length, *_ in behind)][:fit])
        if batch:
            self._waiting.serve(lane)
        return batch

    def answer(self, answers: Iterable[tuple[PendingQuestion, Answer]]) -> list[RunningConversation]:
        """Give answers to the tasks that wait for them; those that have all their answers now."""
        tasks: dict[RunningConversation, None] = {}
        for pending, answer in answers:
            for task in self.remove(pending):
                task.receive(pending.key, answer)
                tasks[task] = None
        return [task for task in tasks if task.is_answered()]

    def refuse(self, pending: PendingQuestion, problem: Problem) -> None:
        """Fail the tasks that wait for a question that cannot be answered."""
        for task in self.remove(pending):
            task.fail(problem)

    def deliver(self, pending: PendingQuestion, outcome: Answer | Problem) -> list[RunningConversation]:
        """Answer or refuse a question of an endpoint; the tasks that have all their answers now."""
        if isinstance(outcome, Problem):
            self.refuse(pending, outcome)
            return []
        for asker in pending.tasks[:1]:
            asker.counts += Counts(passes=1, tokens=outcome.tokens)
        return self.answer([(pending, outcome)])

    def remove(self, pending: PendingQuestion) -> list[RunningConversation]:
        """Remove one question, and give the tasks that wait for it."""
        if self._open.get(pending.key) is pending:
            del self._open[pending.key]
        return [task for task in pending.tasks if pending.key in task.missing]

    def clear(self) -> list[RunningConversation]:
        """Remove all questions, and give the tasks that waited for them."""
        waiting = (task for pending in self._open.values() for task in pending.tasks if pending.key in task.missing)
        tasks = list(dict.fromkeys(waiting))
        self._open.clear()
        self._waiting.clear()
        return tasks

    def _push(self, pending: PendingQuestion, task: RunningConversation) -> None:
        if pending.under_way:
            return
        for order in pending.places:
            if order[:2] == task.order[:2] and order <= task.order:
                return
        pending.places += (task.order,)
        self._waiting.put(task.owner, task.order, pending)

    def _begin(self, pending: PendingQuestion) -> PendingQuestion:
        if len(pending.tasks) > 1:  # of one task it was seen to be live when the question was met
            pending.drop_cancelled()
        pending.under_way = True
        pending.places = ()
        return pending

    def _is_wanted(self, lane: LaneKey, pending: PendingQuestion) -> bool:
        if pending.under_way or self._open.get(pending.key) is not pending:
            return False
        if pending.is_wanted_in(lane):
            return True
        pending.places = tuple(order for order in pending.places if order[:2] != lane)
        self._drop_unwanted(pending)
        return False

    def _drop_unwanted(self, pending: PendingQuestion) -> None:
        """Forget a question that waits and that no task waits for."""
        pending.drop_cancelled()
        if not pending.tasks:
            del self._open[pending.key]


class QuestionWorker(Protocol):
    """Worker that gets questions answered in threads of its own. The lock is held over all but `close` and `join`."""

    @property
    def counts(self) -> Counts:
        """Forward passes and tokens since the start."""
        ...

    def put_all(self, questions: Mapping[bytes, Question], task: RunningConversation) -> int:
        """Enqueue questions of a task by their keys; how many are new: an equal one that is open already is joined."""
        ...

    @property
    def idle(self) -> bool:
        """True if no question is open."""
        ...

    def reorder(self, task: RunningConversation) -> None:
        """Take the questions of a task in their turn again: it has become more urgent."""
        ...

    def close(self) -> None:
        """Begin nothing any more."""
        ...

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for what is under way, but no longer than this."""
        ...

    def unanswered_tasks(self) -> list[RunningConversation]:
        """The tasks whose questions will not be answered any more; nothing is open afterwards."""
        ...


def next_checkpoint(
    turns: dict[Checkpoint, Turn], ready: Iterable[Checkpoint], last: Checkpoint | None
) -> Checkpoint | None:
    """Loaded model that answers next: the one whose turn it is; of one owner's bulk work the one that answered last.

    Staying with one model keeps two that do not fit together from evicting each other at every batch.
    """
    candidates = {checkpoint: turns[checkpoint] for checkpoint in ready}
    if not candidates:
        return None
    best = min(candidates, key=candidates.__getitem__)
    if last in candidates and candidates[best][0] == Priority.BULK and candidates[best][:2] == candidates[last][:2]:
        return last
    return best


def row_length(pending: PendingQuestion) -> int:
    return pending.row.length if pending.row else 0


def padded_tokens(batch: Sequence[PendingQuestion]) -> int:
    """Number of tokens of a batch when all its rows are as long as the longest."""
    return len(batch) * max(map(row_length, batch))


def similar_rows(lengths: Sequence[int]) -> int:
    """Number of rows of a batch, the longest first, that waste little on padding; some do, however much they waste."""
    tokens = 0
    for number, length in enumerate(lengths):
        if number >= _FEW_ROWS and lengths[0] * (number + 1) > _MOST_PADDING * (tokens + length):
            return number
        tokens += length
    return len(lengths)
