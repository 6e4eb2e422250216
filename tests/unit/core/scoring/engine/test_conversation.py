"""What a task keeps of those who wait for it."""

from __future__ import annotations

from itertools import pairwise

from core.scoring.engine.conversation import Priority, Request
from core.types import FailureKind
from tests.doubles.bench import asking, pair
from tests.doubles.metrics import Letters


def a_request() -> Request:
    return Request([Letters()], [pair("Rain fell.")], Priority.INTERACTIVE)


def test_cancelled_requests_do_not_pile_up_behind_an_unchanged_summary() -> None:
    requests = [a_request() for _ in range(50)]
    task = asking(requests[0], 0)
    for older, newer in pairwise(requests):
        task.join(newer, 0)
        older.cancelled.set()
    assert task.watchers == requests[-2:]
    assert task.live


def test_a_task_that_nobody_waits_for_is_not_live() -> None:
    request = a_request()
    task = asking(request, 0)
    request.cancelled.set()
    assert not task.live


def test_a_task_whose_weights_are_replaced_begins_again_five_times_and_then_fails() -> None:
    task = asking(a_request(), 0)
    for _ in range(5):
        task.next_round()
        task.restart()
        assert not task.done.done()
        assert task.keys is None
    task.restart()
    assert task.failed(FailureKind.LOAD)
    assert "replaced again and again" in task.done.result().error
