"""Seats in the order of asking."""

from __future__ import annotations

import os
import threading

import pytest

from annotations.database import FairSemaphore, parse_url
from annotations.records import StoreError


def test_whoever_waits_longest_is_next() -> None:
    turns, served = FairSemaphore(), list[int]()

    def be_served(number: int) -> None:
        with turns:
            served.append(number)

    threads = [threading.Thread(target=be_served, args=(number,)) for number in range(5)]
    with turns:
        for place, thread in enumerate(threads, start=1):
            thread.start()
            while turns.waiting < place:
                os.sched_yield()
        assert served == []
    for thread in threads:
        thread.join()
    assert served == [0, 1, 2, 3, 4]


def test_an_error_inside_lets_the_next_one_in() -> None:
    turns = FairSemaphore()
    for _ in range(2):
        with pytest.raises(StoreError), turns:
            parse_url("nonsense")
    assert turns.waiting == 0


def test_as_many_are_let_in_as_there_are_seats() -> None:
    turns = FairSemaphore(seats=2)
    waited = threading.Thread(target=turns.__enter__)
    with turns:
        with turns:
            waited.start()
            while not turns.waiting:
                os.sched_yield()
        waited.join()
    assert turns.waiting == 0
