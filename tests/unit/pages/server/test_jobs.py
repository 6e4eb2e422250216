"""Jobs as a list: under way, paused, done, and interrupted by the end of a server."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from annotations.store.store import Store
from core.base import BackgroundTask
from core.errors import TouchstoneError
from pages.server import jobs as jobs_module
from pages.server import services
from pages.server.job_list import JobList, job_rows, jobs_path
from pages.server.jobs import BackgroundJob, Jobs, job_actions
from pages.server.person_jobs import PersonJobs

SCORING = BackgroundJob("scoring ships", "scoring", "ships", "evaluate", {"dataset": "ships"}, {"metrics": ["rouge2"]})


class Steps:
    """Work that takes a step whenever it is let."""

    def __init__(self) -> None:
        self.go = threading.Semaphore(0)

    def work(self) -> Generator[int]:
        for step in range(4):
            self.go.acquire(timeout=30)
            yield step

    def begin(self) -> BackgroundTask[int]:
        return BackgroundTask(self.work, 4)

    def end(self) -> None:
        for _ in range(4):
            self.go.release()


@pytest.fixture
def store(tmp_path: Path, migrated_database: Path) -> Iterator[Store]:
    file = tmp_path / "touchstone.db"
    file.write_bytes(migrated_database.read_bytes())
    store = Store.open(f"sqlite:///{file}")
    yield store
    store.close()


def opened(store: Store) -> Jobs:
    return Jobs(lambda: store, PersonJobs(None))


def stop_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go on as another process, and the one before is gone."""
    monkeypatch.setattr(jobs_module, "_PROCESS", f"{jobs_module._PROCESS}, the next")


def test_a_job_is_listed_while_it_runs_and_when_it_is_done_and_by_the_next_server(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, jobs = Steps(), opened(store)
    task = jobs.start(SCORING, steps.begin)
    [job] = jobs.rows("")
    assert (job.state, job.line, job_actions(job)) == ("running", "0 of 4 scores", ["open", "pause", "cancel"])
    assert jobs.rows("ada") == []
    steps.end()
    assert task.wait(30)
    [job] = jobs.rows("")
    assert (job.state, job.line, job_actions(job)) == ("done", "4 of 4 scores", ["open", "dismiss"])
    stop_the_process(monkeypatch)
    assert [job.state for job in opened(store).rows("")] == ["done"]
    opened(store).dismiss(job.id)
    assert opened(store).rows("") == []


def test_a_paused_job_goes_on_and_a_cancelled_one_is_listed_as_such(store: Store) -> None:
    steps, jobs = Steps(), opened(store)
    task = jobs.start(SCORING, steps.begin)
    jobs.stop(SCORING.id, "paused")
    steps.go.release()
    assert task.wait(30)
    [job] = jobs.rows("")
    assert (job.state, job_actions(job)) == ("paused", ["open", "continue", "dismiss"])
    steps = Steps()
    task = jobs.start(job, steps.begin)
    jobs.stop(job.id)
    steps.go.release()
    assert task.wait(30)
    assert [job.state for job in jobs.rows("")] == ["stopped"]


def test_a_job_of_a_server_that_stopped_is_interrupted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps()
    task = opened(store).start(SCORING, steps.begin)
    stop_the_process(monkeypatch)
    jobs = opened(store)
    [job] = jobs.rows("")
    assert (job.state, job.settings, job_actions(job)[1]) == ("interrupted", {"metrics": ["rouge2"]}, "continue")
    assert jobs.interrupted() == [job]
    imported = BackgroundJob("import mills", "import", "mills", "evaluate", state="interrupted")
    assert job_actions(imported) == ["open", "start again", "dismiss"]
    steps.end()
    assert task.wait(30)


def test_a_job_of_another_machine_goes_on_while_that_machine_writes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps()
    monkeypatch.setattr(jobs_module, "_PROCESS", "elsewhere 7 abcd")
    task = opened(store).start(SCORING, steps.begin)
    stop_the_process(monkeypatch)
    assert [job.state for job in opened(store).rows("")] == ["running"]
    monkeypatch.setattr(jobs_module, "_GONE_AFTER_S", 0.0)
    assert [job.state for job in opened(store).rows("")] == ["interrupted"]
    steps.end()
    assert task.wait(30)


def test_a_job_that_failed_says_why(store: Store) -> None:
    def refuse() -> int:
        raise TouchstoneError("Name another file.")

    jobs = opened(store)
    assert jobs.start(SCORING, partial(BackgroundTask.call, refuse)).wait(30)
    assert [(job.state, job.error) for job in jobs.rows("")] == [("failed", "Name another file.")]


def test_figures_that_are_there_soon_are_no_job(store: Store) -> None:
    jobs, steps = opened(store), Steps()
    task = jobs.start(BackgroundJob("figures 1", "figures", "Reading", "evaluate"), steps.begin, listed=False)
    assert jobs.rows("") == []
    steps.end()
    assert task.wait(30)
    assert jobs.rows("") == []


def test_the_list_is_read_with_the_key_of_a_page_and_with_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def page(_: Request) -> Response:
        return PlainTextResponse("a page")

    jobs, steps = opened(store), Steps()
    monkeypatch.setattr(services, "jobs", lambda: jobs)
    http = TestClient(JobList(Starlette(routes=[Route("/{path:path}", page)])))
    task = jobs.start(SCORING, steps.begin)
    answer = http.get(jobs_path(""))
    assert answer.json() == {"jobs": job_rows("")}
    assert answer.json()["jobs"][0]["says"] == "under way, 0 of 4 scores"
    assert http.get(jobs_path("ben")).json() == {"jobs": []}
    for guess in ("guessed", "gu%C3%A9", "%ff"):
        assert http.get(f"/jobs/{guess}").status_code == 404
    assert http.get("/probe").text == "a page"
    steps.end()
    assert task.wait(30)
