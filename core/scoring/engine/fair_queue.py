"""Order of service, and the tasks that wait for a thread of the planner by it.

The most urgent priority goes first, in it the owner who was served longest ago, and of theirs what is first.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Generic

from cachetools import LRUCache

from core.scoring.engine.conversation import Priority, QueueOrder, RunningConversation
from core.types import T

Turn = tuple[int, int, int, int]
"""(priority, when the owner was served last, request, place in the request): smaller goes first"""

_OWNERS = 4096  # whose last turn is remembered


class Turns:
    """Time of the last service of each owner, counted in services; shared by all queues that the same threads serve."""

    def __init__(self) -> None:
        self._served: LRUCache[str, int] = LRUCache(_OWNERS)
        self._numbers = itertools.count(1)

    def last(self, owner: str) -> int:
        """A number that grows with every service; 0 for an owner who was never served."""
        return int(self._served.get(owner, 0))

    def serve(self, owner: str) -> None:
        self._served[owner] = next(self._numbers)


LaneKey = tuple[int, int]
"""(priority, request)"""

Entry = tuple[int, int, T]
"""(place in the request, number of the entry, item)"""

FrontEntry = tuple[int, int, int, T]
"""(size, place and number with the sign turned, item): the largest goes first, of equal ones the first; 0 for a size that is not known yet"""


@dataclass(eq=False)
class Lane(Generic[T]):
    """Entries that wait for one request of one owner: a heap, and a front of some that left it, the last one to go first.

    `place` is that of the first entry which came to the front, of which so many as `measured` are in order.
    """

    owner: str
    key: LaneKey
    heap: list[Entry[T]] = field(default_factory=list)
    front: list[FrontEntry[T]] = field(default_factory=list)
    place: int = 0
    measured: int = 0

    @property
    def priority(self) -> int:
        return self.key[0]


class FairQueue(Generic[T]):
    """Items in lanes, one for each request. Not safe for threads.

    `wanted` says of an item that is met whether it still counts in that lane; one that does not is dropped then.
    Nothing looks at items that are not met: an item is put in once and taken out once.
    """

    def __init__(self, turns: Turns, is_wanted: Callable[[LaneKey, T], bool]) -> None:
        self._turns = turns
        self._is_wanted = is_wanted
        self._lanes: dict[LaneKey, Lane[T]] = {}
        self._numbers = itertools.count()
        self.operations = 0  # entries put in and taken out since the start

    def put(self, owner: str, order: QueueOrder, item: T) -> None:
        priority, request, place = order
        lane = self._lanes.get((priority, request))
        if lane is None:
            lane = self._lanes[priority, request] = Lane(owner, (priority, request))
        heapq.heappush(lane.heap, (place, next(self._numbers), item))
        self.operations += 1

    def turn(self, lane: Lane[T]) -> Turn:
        """The turn of a lane in which something is wanted."""
        place = lane.place if lane.front else lane.heap[0][0]
        return (lane.priority, self._turns.last(lane.owner), lane.key[1], place)

    def next_lane(self, excluded: Collection[str] = ()) -> Lane[T] | None:
        """The lane whose turn it is, of no excluded owner, with an item that is wanted where it is taken next."""
        while lanes := [lane for lane in self._lanes.values() if lane.owner not in excluded]:
            lane = min(lanes, key=self._rank)
            if self._has_front(lane) or self._has_first(lane):
                return lane
            del self._lanes[lane.key]
        return None

    def take(self, excluded: Collection[str] = ()) -> T | None:
        """The first item of the lane whose turn it is; its owner has had a turn then. None where nothing waits."""
        lane = self.next_lane(excluded)
        if lane is None:
            return None
        self.serve(lane)
        return self.pop(lane)

    def pop(self, lane: Lane[T]) -> T | None:
        """The next item of a lane, taken out; None where nothing in it is wanted."""
        if self._has_front(lane):
            return self.pop_front(lane)
        if not self._has_first(lane):
            return None
        self.operations += 1
        return heapq.heappop(lane.heap)[2]

    def pop_front(self, lane: Lane[T]) -> T | None:
        """The next item of the front of a lane, taken out; None where nothing in it is wanted."""
        while lane.front:
            self.operations += 1
            item = lane.front.pop()[-1]
            if self._is_wanted(lane.key, item):
                return item
        return None

    def fill_front(self, lane: Lane[T], limit: int) -> list[T]:
        """Bring the first items of the heap to the front until it has `limit`, those that came."""
        fresh: list[Entry[T]] = []
        while lane.heap and len(lane.front) + len(fresh) < limit:
            self.operations += 1
            entry = heapq.heappop(lane.heap)
            if self._is_wanted(lane.key, entry[-1]):
                fresh.append(entry)
        if fresh:
            lane.place = fresh[0][0] if not lane.front else min(lane.place, fresh[0][0])
            lane.measured = min(lane.measured, len(lane.front))
            lane.front += [(0, -place, -number, item) for place, number, item in fresh]
        return [item for _, _, item in fresh]

    def sort_front(self, lane: Lane[T], size: Callable[[T], int]) -> None:
        """Have the largest of the front taken next, of equal ones the first, where some came since."""
        if fresh := lane.front[lane.measured :]:
            lane.front[lane.measured :] = [(size(item), place, number, item) for _, place, number, item in fresh]
            lane.front.sort()
            lane.measured = len(lane.front)
            self.operations += len(fresh)

    def serve(self, lane: Lane[T]) -> None:
        """Count that the owner of a lane has had a turn."""
        self._turns.serve(lane.owner)

    def clear(self) -> None:
        self._lanes.clear()

    def _rank(self, lane: Lane[T]) -> tuple[int, int, int]:
        return (lane.priority, self._turns.last(lane.owner), lane.key[1])

    def _has_front(self, lane: Lane[T]) -> bool:
        while lane.front and not self._is_wanted(lane.key, lane.front[-1][-1]):
            lane.front.pop()
            self.operations += 1
        return bool(lane.front)

    def _has_first(self, lane: Lane[T]) -> bool:
        while lane.heap and not self._is_wanted(lane.key, lane.heap[0][-1]):
            heapq.heappop(lane.heap)
            self.operations += 1
        return bool(lane.heap)


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
        """True if no task waits or is under way; a cancelled one counts until its turn comes."""
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
