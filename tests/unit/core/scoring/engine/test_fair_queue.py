"""Turns: people before runs, owner by owner, what is first in a request first; what is not wanted is dropped when it is met."""

from __future__ import annotations

from core.scoring.engine.conversation import Priority, Request, RunningConversation
from core.scoring.engine.fair_queue import FairQueue, StepQueue, Turns
from tests.doubles.bench import asking

PERSON, RUN = 0, 1


def taken(queue: FairQueue[str], most: int = 100) -> str:
    found = [item for _ in range(most) if (item := queue.take())]
    return " ".join(found)


def queue_of(*entries: tuple[str, int, int, str], unwanted: str = "") -> FairQueue[str]:
    """Entries of owner, priority, place and item; every owner has one request."""
    queue: FairQueue[str] = FairQueue(Turns(), lambda _, item: item not in unwanted.split())
    for owner, priority, place, item in entries:
        queue.put(owner, (priority, ord(owner[0]), place), item)
    return queue


def test_people_go_before_runs() -> None:
    assert taken(queue_of(("run", RUN, 0, "r"), ("ana", PERSON, 0, "a"), ("ben", PERSON, 0, "b"))) == "a b r"


def test_owners_take_turns_however_much_one_of_them_asks() -> None:
    long = [("ana", PERSON, place, f"a{place}") for place in range(4)]
    assert taken(queue_of(*long, ("ben", PERSON, 0, "b0"), ("ben", PERSON, 1, "b1"))) == "a0 b0 a1 b1 a2 a3"


def test_runs_take_turns_too() -> None:
    assert (
        taken(queue_of(*[(owner, RUN, place, f"{owner}{place}") for owner in "xy" for place in (1, 0)]))
        == "x0 y0 x1 y1"
    )


def test_one_who_comes_later_goes_next() -> None:
    queue = queue_of(*[(owner, PERSON, place, f"{owner}{place}") for owner in "ab" for place in range(3)])
    assert taken(queue, 3) == "a0 b0 a1"
    queue.put("c", (PERSON, 1, 0), "c0")
    assert taken(queue) == "c0 b1 a2 b2"


def test_what_is_not_wanted_is_dropped_when_it_is_met() -> None:
    queue = queue_of(
        ("ana", PERSON, 0, "gone"), ("ana", PERSON, 1, "here"), ("ben", PERSON, 0, "left"), unwanted="gone left"
    )
    assert taken(queue) == "here"
    assert queue.next_lane() is None


def test_the_front_of_a_lane_is_filled_up_to_its_limit() -> None:
    queue = queue_of(*[("ana", PERSON, place, f"a{place}") for place in range(6)])
    lane = queue.next_lane()
    assert lane
    assert queue.fill_front(lane, 2) == ["a0", "a1"]
    assert queue.fill_front(lane, 5) == ["a2", "a3", "a4"]
    assert queue.fill_front(lane, 5) == []


def test_an_owner_that_is_excluded_waits() -> None:
    queue = queue_of(("ana", PERSON, 0, "a"), ("run", RUN, 0, "r"))
    assert queue.take({"ana"}) == "r"
    assert queue.take({"ana"}) is None
    assert queue.take() == "a"


def test_turns_are_shared_by_the_queues_that_share_them() -> None:
    turns = Turns()
    first, second = (FairQueue[str](turns, lambda _, __: True) for _ in range(2))
    for queue in (first, second):
        for number, owner in enumerate("ab"):
            queue.put(owner, (PERSON, number, 0), owner)
    assert [first.take(), second.take(), first.take(), second.take()] == ["a", "b", "b", "a"]


def step(request: Request) -> RunningConversation:
    return asking(request, 0)


def test_one_thread_is_left_for_others() -> None:
    queue, ana, run = StepQueue(4), Request((), (), Priority.INTERACTIVE, owner="ana"), Request((), (), Priority.BULK)
    for request in (ana, ana, ana, ana, run):
        queue.put(step(request))
    first = [queue.take() for _ in range(4)]
    assert [task.owner for task in first if task] == ["ana", "ana", "ana", run.owner]
    for task in first[:1]:
        assert task
        queue.done(task)
    assert [task.owner for task in [queue.take()] if task] == ["ana"]


def test_steps_that_were_cancelled_are_not_taken_and_the_rest_is_handed_back_at_the_end() -> None:
    queue, gone, here = StepQueue(4), Request((), (), Priority.BULK), Request((), (), Priority.BULK)
    task = step(here)
    queue.put(step(gone))
    queue.put(task)
    gone.cancelled.set()
    assert not queue.idle
    assert queue.close() == [task]
    assert queue.take() is None
    assert queue.idle
