"""Jobs: work in the background as a list that pages, a browser and a restart of the server do not end."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from annotations.store.store import Store
from core.base import BackgroundTask, Progress
from core.errors import TouchstoneError
from core.types import T
from pages.server.person_jobs import PersonJobs

JobState = Literal["running", "paused", "interrupted", "done", "failed", "stopped", "dismissed"]
PAUSABLE = frozenset({"stress run", "scoring", "audit", "training"})
"""Kinds of work that goes on where it stopped: what was computed is in the database, the cache or the folder of the training."""
_OWNER = ":jobs:"  # of their drafts; no person may be called so
_MOST_LISTED = 40
_SAVE_EVERY_S = 10.0
_GONE_AFTER_S = 60.0  # a server that wrote nothing for so long has stopped
_SHORT_S = 3.0  # figures that are there sooner are no job to follow
_PROCESS = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"


@dataclass(frozen=True, slots=True)
class BackgroundJob:
    """A piece of work in the background, as it is stored."""

    id: str
    """Kind and thing, as `scoring aggrefact`: the same thing begun again is the same job."""
    kind: str
    """Kind of the work, in the words of the list."""
    title: str
    """Thing that is worked on."""
    view: str
    """Page that shows it."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameters of its address."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Values from which it is started again, as JSON."""
    person: str = ""
    """Person who began it; empty on a server of one person."""
    state: JobState = "running"
    """State as last recorded."""
    done: int = 0
    """Work done, in `unit`."""
    total: int = 0
    """Work in all; 0 where unknown."""
    unit: str = "scores"
    """Plural of what is counted."""
    error: str = ""
    """Reason why it failed; empty where it did not."""
    resumed: bool = False
    """True for work that went on after it had stopped."""
    time_left: str = ""
    """Time left in words; empty where unknown, and for work that ended."""
    changed_at: float = 0.0
    """Time of the last record, in seconds since 1970."""
    process: str = ""
    """Server process that carries it."""

    @property
    def line(self) -> str:
        """As “412 of 1,200 scores, 2 to 3 min to go”."""
        counted = f"{self.done:,} of {self.total:,} {self.unit}" if self.total > 1 else ""
        if not self.total and self.done:
            counted = f"{self.done:,} {self.unit}"
        return ", ".join(filter(None, [counted, f"{self.time_left} to go" if self.time_left else ""]))


Counted = Callable[[], tuple[int, int, str]]
"""Work done, work in all and its unit, for tasks whose own progress does not count them."""


@dataclass(eq=False)
class _Running:
    """A job of this process with its task."""

    job: BackgroundJob
    task: BackgroundTask[Any]
    counted: Counted | None
    listed: bool
    ends: JobState | None = None
    saved_at: float = 0.0


_JOB: TypeAdapter[BackgroundJob] = TypeAdapter(BackgroundJob)


class Jobs:
    """The jobs of all people of a server; safe among threads. `store` keeps them, unless it keeps nothing."""

    def __init__(self, store: Callable[[], Store], limits: PersonJobs) -> None:
        self._store = store
        self._limits = limits
        self._lock = threading.RLock()
        self._running: dict[str, _Running] = {}
        self._ended: dict[str, BackgroundJob] = {}
        self._keys: dict[str, str] = {}

    def start(
        self,
        job: BackgroundJob,
        begin: Callable[[], BackgroundTask[T]],
        *,
        by: str = "",
        counted: Counted | None = None,
        listed: bool = True,
    ) -> BackgroundTask[T]:
        """Begin a job, or go on with it. Raises RecordError where the person `by` has as many under way as a person may.

        One that is not `listed` is shown while it runs and never kept.
        """
        task = self._limits.start(by, begin) if listed else begin()
        with self._lock:
            self._ended.pop(job.id, None)
            self._running[job.id] = _Running(replace(job, process=_PROCESS), task, counted, listed)
        self.record()
        return task

    def rows(self, person: str) -> list[BackgroundJob]:
        """The jobs of a person as of now, those under way first; without those that were dismissed."""
        self.record()
        with self._lock:
            own = {**self._ended, **{id: running.job for id, running in self._running.items()}}
        jobs = [job for job in {**self._stored(), **own}.values() if job.person == person and job.state != "dismissed"]
        return sorted(jobs, key=lambda job: (job.state != "running", -job.changed_at))

    def record(self) -> None:
        """Take the progress of every task, and keep what changed."""
        with self._lock:
            for running in [*self._running.values()]:
                self._record(running)

    def stop(self, id: str, state: JobState = "stopped") -> None:
        """Stop a job after the step under way; it is listed as `state` then, "stopped" or "paused"."""
        with self._lock:
            if running := self._running.get(id):
                running.ends = state
                running.task.cancel()

    def dismiss(self, id: str) -> None:
        """Take a job that is not under way off the list."""
        with self._lock:
            job = self._ended.pop(id, None) or self._stored().get(id)
            if job and id not in self._running:
                self._keep(replace(job, state="dismissed"))

    def interrupted(self) -> list[BackgroundJob]:
        """Jobs of servers that stopped meanwhile, of every person."""
        with self._lock:
            running = {*self._running}
        return [job for job in self._stored().values() if job.state == "interrupted" and job.id not in running]

    def key_of(self, person: str) -> str:
        """Key by which the pages of this person read their jobs from this process."""
        with self._lock:
            return self._keys.setdefault(person, secrets.token_urlsafe(24))

    def person_of(self, key: str) -> str | None:
        """Person of such a key; None for any other text."""
        with self._lock:
            keys = {own.encode(): name for name, own in self._keys.items()}
        sent = key.encode(errors="replace")  # bytes, as a path of other letters is no error
        return next((name for own, name in keys.items() if secrets.compare_digest(own, sent)), None)

    def _record(self, running: _Running) -> None:
        before, now = running.job, running.task.progress
        state = _state(running, now)
        if not running.listed and (not now.running or running.task.elapsed_s < _SHORT_S):
            state = "dismissed"
        done, total, unit = running.counted() if running.counted else (now.done, now.total, now.unit)
        running.job = replace(
            before,
            state=state,
            done=done,
            total=total,
            unit=unit,
            error=now.error if state == "failed" else "",
            time_left=now.time_left if now.running and not running.counted and total > 1 else "",
            changed_at=time.time(),
        )
        if not now.running:
            del self._running[before.id]
            if running.listed:
                self._ended[before.id] = running.job
        if running.listed and (not now.running or time.monotonic() - running.saved_at > _SAVE_EVERY_S):
            running.saved_at = time.monotonic()
            self._keep(running.job)

    def _keep(self, job: BackgroundJob) -> None:
        try:
            if not self._store().read_only:
                self._store().save_draft(f"job {job.id}", _OWNER, _JOB.dump_json(job).decode())
        except TouchstoneError:
            return  # the database is away; the next record keeps it

    def _stored(self) -> dict[str, BackgroundJob]:
        """Jobs of the database by id, the newest last; those of a server that is gone are interrupted."""
        jobs: dict[str, BackgroundJob] = {}
        try:
            drafts = self._store().recent_drafts(_OWNER, _MOST_LISTED)
        except TouchstoneError:
            return jobs
        for text in reversed(drafts):
            try:
                job = _JOB.validate_json(text)
            except ValidationError:  # of another version
                continue
            gone = job.state == "running" and not _is_alive(job)
            jobs[job.id] = replace(job, state="interrupted", time_left="") if gone else job
        return jobs


def _state(running: _Running, now: Progress) -> JobState:
    if now.running:
        return "running"
    if running.task.is_cancelled and now.done < now.total:
        return running.ends or ("paused" if running.job.kind in PAUSABLE else "stopped")
    return "failed" if now.error else "done"


def _is_alive(job: BackgroundJob) -> bool:
    """True if the process of a job may still work on it."""
    if job.process == _PROCESS:
        return False  # this process would have it
    host, _, rest = job.process.partition(" ")
    if host == socket.gethostname() and not _exists(int(rest.partition(" ")[0] or 0)):
        return False
    return time.time() - job.changed_at < _GONE_AFTER_S


def _exists(pid: int) -> bool:
    if pid == os.getpid():  # of a container, in which each server has the same number
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


STATE_TITLES: Mapping[JobState, str] = MappingProxyType(
    {
        "running": "under way",
        "paused": "paused",
        "interrupted": "interrupted",
        "done": "done",
        "failed": "failed",
        "stopped": "cancelled",
    }
)
"""State of a job in the words of the list."""


def job_actions(job: BackgroundJob) -> list[str]:
    """Actions that a job allows, of open, pause, cancel, continue, start again and dismiss."""
    if job.state == "running":
        return [
            "open",
            *(["pause"] if job.kind in PAUSABLE else []),
            *(["cancel"] if job.kind not in UNSTOPPABLE else []),
        ]
    again = [] if job.state == "done" else ["continue" if job.kind in PAUSABLE else "start again"]
    return ["open", *again, "dismiss"]


UNSTOPPABLE = frozenset({"download", "figures"})
"""Kinds of work that cannot be stopped half way."""
