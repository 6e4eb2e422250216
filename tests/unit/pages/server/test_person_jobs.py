"""Work in the background by person."""

from __future__ import annotations

import threading
from collections.abc import Generator
from functools import partial

import pytest

from annotations.store.records import RecordError
from core.base import BackgroundTask
from pages.server.person_jobs import PersonJobs


def test_a_person_has_no_more_jobs_under_way_than_the_server_allows() -> None:
    jobs, end = PersonJobs(1), threading.Event()

    def work() -> Generator[int]:
        end.wait(30)
        yield 1

    task = jobs.start("ada", partial(BackgroundTask, work))
    assert (jobs.count("ada"), jobs.count("ben")) == (1, 0)
    with pytest.raises(RecordError, match="ada has 1 jobs under way, and a person of this server may have 1 at once"):
        jobs.start("ada", partial(BackgroundTask, work))
    with pytest.raises(RecordError, match="Wait for one of them, or stop it"):
        jobs.require_place("ada")
    other = jobs.start("ben", partial(BackgroundTask, work))
    end.set()
    assert task.wait(30)
    assert other.wait(30)
    assert jobs.count("ada") == 0
    assert jobs.start("ada", partial(BackgroundTask, work)).wait(30)


def test_nobody_is_limited_where_the_server_sets_no_limit_and_a_job_that_goes_on_counts_once() -> None:
    jobs, end = PersonJobs(None), threading.Event()

    def work() -> Generator[int]:
        end.wait(30)
        yield 1

    task = jobs.start("ada", partial(BackgroundTask, work))
    assert jobs.start("ada", lambda: task) is task
    assert jobs.count("ada") == 1
    end.set()
    assert task.wait(30)
