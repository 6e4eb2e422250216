"""Runs of a journey in processes of their own, each with one fault, and the verdict on each.

After a fault that the journey survives, everything is as without it. After one that ends it, there is a sentence and a status other
than 0, every file that is there is whole, and the same journey run again leads to what it leads to without a fault.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.calls import KILLED, Calls, Fault, faults_of
from tests.faults.observed import observe, without_times

VARIABLES = {
    "TOUCHSTONE_DATABASE_URL": "sqlite:///touchstone.db",
    "TOUCHSTONE_CACHE_DIR": "cache",
    "TOUCHSTONE_MODELS_DIR": "models",
    "TOUCHSTONE_METRICS_DIR": "metrics",
    "TOUCHSTONE_DEVICE": "cpu",
}
"""Settings of every journey, with paths in its folder."""
_VERSION = "alembic_version"
_LONGEST_S = 60
_IGNORED = re.compile(
    r"(?m)^Exception ignored in: .*\n(Traceback .*\n(  .*\n)*.*\n)?"
)  # that C code prints, as FreeType's reader of files
_HUNG = 128 + signal.SIGALRM


@dataclass(frozen=True, slots=True)
class Journey:
    """Something that a user does. `prepare` fills a new folder, in which `act` then runs as the working directory.

    Databases of one that is atomic are as before or as they are to be. `acknowledged` has a text that every later database
    contains, by the line of output that promises it. One that `drops_cut_line` begins with what is whole of a file of lines.
    """

    name: str
    prepare: Callable[[], object]
    act: Callable[[], object]
    variables: Mapping[str, str] = field(default_factory=dict)
    is_atomic: bool = False
    acknowledged: Mapping[str, str] = field(default_factory=dict)
    drops_cut_line: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One run: exit status, both streams, what the folder holds afterwards, and the calls that were made."""

    status: int
    output: str
    messages: str
    files: Mapping[str, str]
    counts: Counter[str]


class UnsteadyError(Exception):
    """A journey that fails without a fault, or leads to something else each time."""


class Harness:
    """Runs journeys under a folder of its own; `tell` gets a line for each fault that broke something."""

    def __init__(self, folder: Path, tell: Callable[[str], None] = print) -> None:
        self._template, self._work, self._notes = folder / "template", folder / "work", folder / "notes"
        self._tell = tell
        self.verdicts: Counter[str] = Counter()

    def open(self, journey: Journey) -> list[Fault]:
        """Prepare a journey and run it twice without a fault, in this process first so that everything is imported: its faults."""
        self._journey = journey
        os.environ.update(
            {
                **VARIABLES,
                **journey.variables,
            }
        )
        shutil.rmtree(self._template, ignore_errors=True)
        self._template.mkdir(parents=True)
        _do_here(journey.prepare, self._template)
        self._before = observe(self._template)
        self._fresh()
        _do_here(journey.act, self._work)
        self._fresh()
        self._expected = self._run(None)
        self._fresh()
        again = self._run(None)
        if self._expected.status or not _equal(self._expected, again):
            raise UnsteadyError(
                f"{self._expected.messages[-300:]} {_difference(self._expected.files, again.files)} {self._expected.output[:300]} "
                f"{again.output[:300]}"
            )
        return faults_of(again.counts)

    def inject_faults(self, journey: Journey, part: tuple[int, int], seconds: float, seed: int, each: int = 0) -> str:
        """Inject every so-manieth fault of a journey in a random order; a line on what came of it.

        It ends after so many `seconds`, or `each` so many faults; 0 is no such limit. Seconds that are left are for two faults one
        after the other: in the journey, and where that ended by the first, in the one that resumes it.
        """
        began, had = time.monotonic(), self.verdicts.copy()
        try:
            faults = self.open(journey)
        except UnsteadyError as error:
            self.verdicts["broken"] += 1
            return f"{journey.name} is not the same twice: {error}"
        random.Random(seed).shuffle(faults)
        number, of = part
        used = _processor_s()
        for fault in faults[number::of][: each or None]:
            if seconds and time.monotonic() - began > seconds:
                break
            self.inject(fault)
        draws = random.Random(f"{seed} {number}")
        while seconds and faults and time.monotonic() - began < seconds:
            self.inject(draws.choice(faults), draws.choice(faults))
        verdicts = self.verdicts - had
        listed = ", ".join(f"{count} {name}" for name, count in verdicts.items())
        each_s = (_processor_s() - used) / max(1, verdicts.total())
        return (
            f"{journey.name}: {verdicts.total()} of {len(faults)} in {time.monotonic() - began:.0f} s, "
            f"{each_s:.2f} s of a processor each: {listed}"
        )

    def inject(self, fault: Fault, second: Fault | None = None) -> None:
        """Run the journey with a fault, and where it ended by that once more with a second one; note the verdict on the last run."""
        self._fresh()
        run, before = self._run(fault), self._before
        if second and run.status:
            run, before = self._run(second), run.files
        # a run whose threads come in another order may make fewer calls of a kind than the one that was counted
        verdict = self._judge(run, before) if run.counts["failed"] else "not reached"
        self.verdicts[verdict.partition(":")[0]] += 1
        if verdict.startswith("broken"):
            self._tell(f"{self._journey.name}, {fault}{f', then {second}' if second else ''}, {verdict}")

    def _judge(self, run: Run, before: Mapping[str, str]) -> str:
        """The verdict on a run with a fault, of the files that were there before it; one that failed is made again."""
        files = self._expected.files
        if run.status == 0:
            is_done = _equal(run, self._expected) if before is self._before else run.files == files
            return "done" if is_done else f"broken: done, but {_difference(files, run.files)}"
        if error := _silence(run) or self._torn(run, before) or self._lost(run):
            return f"broken: {error}"
        if run.files == files:
            return "done"
        again = self._run(None)
        if again.files != files:
            return (
                f"broken: run again, {again.status} {again.messages.strip()[-200:]} {_difference(files, again.files)}"
            )
        return "untouched" if run.files == before else "resumable"

    def _torn(self, run: Run, before: Mapping[str, str]) -> str:
        """The first file that is neither as before nor as it is to be, "" for none.

        A file of lines may lack some, or say of them that they have no score. A database that is written by several
        transactions is whole after each.
        """
        for name, content in run.files.items():
            expected = self._expected.files.get(name, "")
            if content in (before.get(name, ""), expected):
                continue
            if name.endswith(".db"):
                is_torn = self._journey.is_atomic and bool(json.loads(content).keys() - {_VERSION})
            else:
                whole = content[: content.rfind("\n") + 1] if self._journey.drops_cut_line else content
                is_torn = not _is_of_lines(whole, expected)
            if is_torn:
                return f"{name} is there in part: {_difference({name: expected}, {name: content})}"
        return ""

    def _lost(self, run: Run) -> str:
        """The first thing that was acknowledged and is not there, "" for none."""
        databases = [content for name, content in run.files.items() if name.endswith(".db")]
        for line, row in self._journey.acknowledged.items():
            if line in run.output and not any(row in content for content in databases):
                return f"lost after {line!r}"
        return ""

    def _fresh(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(self._template, self._work)

    def _run(self, fault: Fault | None) -> Run:
        calls = Calls(fault)
        status = self._in_child(self._work, self._journey.act, calls)
        output, messages, counts = (self._notes / name for name in ("output", "messages", "counts"))
        made = Counter(json.loads(counts.read_text())) if counts.exists() else Counter({"failed": 1})
        return Run(
            status,
            without_times(output.read_text(errors="replace")),
            messages.read_text(errors="replace"),
            observe(self._work),
            made,
        )

    def _in_child(self, folder: Path, act: Callable[[], object], calls: Calls) -> int:
        """Exit status of a process that does something in a folder; its streams and counts are in the notes."""
        shutil.rmtree(self._notes, ignore_errors=True)
        self._notes.mkdir(parents=True)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        status = 70
        try:
            signal.alarm(_LONGEST_S)
            signal.signal(signal.SIGALRM, lambda *_: os._exit(_HUNG))
            os.chdir(folder)
            for number, name in ((1, "output"), (2, "messages")):
                os.dup2(os.open(self._notes / name, os.O_WRONLY | os.O_CREAT), number)
            random.seed(0)
            calls.patch()
            status = _status_of(act)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            calls.counts["failed"] = calls.fault is not None and calls.counts[calls.fault.kind] >= calls.fault.number
            written = os.open(self._notes / "counts", os.O_WRONLY | os.O_CREAT)
            os.write(written, json.dumps(calls.counts).encode())
            os._exit(status)


def _processor_s() -> float:
    """Seconds that processors worked for this process and the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return math.fsum(part for of in used for part in (of.ru_utime, of.ru_stime))


def _do_here(act: Callable[[], object], folder: Path) -> None:
    """Do something in this process, so that no child has to import what it needs."""
    home = Path.cwd()
    os.chdir(folder)
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            _status_of(act)
    finally:
        os.chdir(home)


def _status_of(act: Callable[[], object]) -> int:
    try:
        act()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        return ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    except BaseException:  # noqa: BLE001  # a process that ends by one prints it
        traceback.print_exc()
        return 1
    return 0


def _silence(run: Run) -> str:
    """Error of a run that failed and does not say so in a sentence; "" for one that was killed."""
    if run.status == _HUNG:
        return "it hangs"
    messages = _IGNORED.sub("", run.messages)
    if run.status != KILLED and ("Traceback" in messages or not messages.strip()):
        return f"no sentence: {messages.strip()[-600:]}"
    return ""


def _equal(run: Run, other: Run) -> bool:
    return (run.status, run.output, run.files) == (other.status, other.output, other.files)


def _is_of_lines(content: str, expected: str) -> bool:
    lines = set(expected.split("\n"))
    return content.startswith("{") and all(line in lines or '"error": "' in line for line in content.split("\n"))


def _difference(expected: Mapping[str, str], had: Mapping[str, str]) -> str:
    """The first file that differs, and where."""
    for name in sorted({*expected, *had}):
        ours, theirs = expected.get(name), had.get(name)
        if ours == theirs:
            continue
        if ours is None or theirs is None:
            return f"{name} is {'new' if ours is None else 'missing'}"
        at = next(
            (n for n, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
            min(len(ours), len(theirs)),
        )
        return f"{name} has {theirs[max(0, at - 40) : at + 80]!r} in place of {ours[max(0, at - 40) : at + 80]!r}"
    return "the output differs"
