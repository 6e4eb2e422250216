"""Our side of a plug-in's process: started, asked within a time limit, and ended when it does not answer."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from core.errors import PluginError, Problem
from core.scoring.plugins.environments import framework_environment, framework_of
from core.scoring.plugins.processes.frames import FrameError, receive_frame, send_frame
from core.scoring.plugins.processes.isolated import ISOLATED_START
from core.scoring.plugins.source import module_of, source_title
from core.settings import Settings
from core.types import Answer, Example, FailureKind, Option, Span

_ROOT = Path(__file__).parents[__name__.count(".")]
_SECRETS = ("TOUCHSTONE_LLM_API_KEY", "TOUCHSTONE_KEY_", "TOUCHSTONE_DATABASE_URL")
_MOST_OUTPUT = 2_000  # characters that are kept of what it prints
_PIECE = 2**16


@dataclass(frozen=True, slots=True)
class PluginLimits:
    """Seconds for a call and for loading, and bytes of memory, 0 for no limit."""

    call_s: float
    load_s: float
    memory: int

    @classmethod
    def of(cls, settings: Settings) -> PluginLimits:
        return cls(settings.plugin_timeout_s, settings.plugin_load_timeout_s, int(settings.plugin_memory_gb * 2**30))


class PluginProcess:
    """A process that has loaded one plug-in. `metrics` are its declarations, as records; not for several threads at once.

    `refused` is the sentence for an address that the last call asked for without permission, "" where it asked for none.

    Raises PluginError where the plug-in does not load; the process has ended then.
    """

    def __init__(self, source: str, limits: PluginLimits) -> None:
        self.source = source
        self.peak_memory = 0
        self.refused = ""
        self._limits = limits
        self._numbers = count()
        self._printed: deque[str] = deque(maxlen=_MOST_OUTPUT)
        # our variables without the secrets that are ours alone, those of a framework, and the paths that we import from
        variables = {name: value for name, value in os.environ.items() if not name.upper().startswith(_SECRETS)}
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        if framework := framework_of(source):
            variables |= framework.variables
            python = framework_environment(framework).python
            program = [str(python), "-I", "-c", ISOLATED_START, str(_ROOT)]
        else:
            program = [sys.executable, "-m", f"{__package__}.child"]
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*program, str(theirs.fileno()), str(limits.memory), module_of(source)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                env={**variables, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # so that Ctrl+C reaches us alone, and what it starts ends with it
            )
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()
        loaded = self._receive(limits.load_s, "load")
        if "error" in loaded:
            self.end()
            raise PluginError(f"{source_title(source)} does not load. {loaded['error']}")
        self.metrics: list[dict[str, Any]] = loaded["metrics"]

    @property
    def alive(self) -> bool:
        """True until it was ended or ended by itself."""
        return self._process.poll() is None

    def ask(self, metric: str, settings: Sequence[Option], examples: Sequence[Example]) -> list[Answer | Problem]:
        """The answer for each example, or the problem that it had.

        Raises PluginError where the call failed as a whole; after a time-out or a crash the process has ended.
        """
        number = next(self._numbers)
        records = []
        for example in examples:
            contexts = [(context.name, context.span.start, context.span.end) for context in example.contexts]
            texts = {"document": example.document, "summary": example.summary, "question": example.question}
            records.append({**texts, "contexts": contexts})
        request = {"id": number, "metric": metric, "settings": dict(settings), "examples": records}
        try:
            self._connection.settimeout(self._limits.call_s)
            send_frame(self._connection, request)
        except OSError:
            raise self._ended() from None
        reply = self._receive(self._limits.call_s, "call")
        if reply.get("id") != number:
            raise self._broken()
        self.refused = str(reply.get("refused", ""))
        self.peak_memory = max(self.peak_memory, int(reply.get("memory", 0)))
        if "error" in reply and (len(examples) == 1 or reply["of_batch"]):
            return [_problem(reply)] * len(examples)
        if "error" in reply:
            raise PluginError(reply["error"])
        return [_problem(score) if "error" in score else _answer(score) for score in reply["scores"]]

    def end(self) -> None:
        """Kill it and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()

    def _receive(self, seconds: float, doing: str) -> dict[str, Any]:
        try:
            message = receive_frame(self._connection, time.monotonic() + seconds)
        except TimeoutError:
            self.end()
            setting = "TOUCHSTONE_PLUGIN_TIMEOUT_S" if doing == "call" else "TOUCHSTONE_PLUGIN_LOAD_TIMEOUT_S"
            raise PluginError(
                f"{source_title(self.source)} gave no answer within {seconds:g} s, and its process was ended. "
                f"Look for a loop that does not end, or raise {setting}."
            ) from None
        except (FrameError, ConnectionError):
            raise self._broken() from None
        if message is None:
            raise self._ended()
        if not isinstance(message, dict):
            raise self._broken()
        return message

    def _ended(self) -> PluginError:
        self._process.wait()
        self._reader.join(1.0)
        self.end()
        status = self._process.returncode
        how = f"with exit status {status}" if status >= 0 else f"by {signal.Signals(-status).name}"
        lines = "".join(self._printed).strip().splitlines()
        last = f" Its last line was: {lines[-1]}" if lines else ""
        return PluginError(f"The process of {source_title(self.source)} ended {how}. It starts again.{last}")

    def _broken(self) -> PluginError:
        self.end()
        return PluginError(
            f"{source_title(self.source)} wrote into the connection of its process, which was ended. Print to standard output instead."
        )

    def _read_output(self) -> None:
        """Keep the end of what it prints, so that a full pipe never stops it."""
        assert self._process.stdout
        with self._process.stdout as output:
            while piece := output.read1(_PIECE):  # type: ignore[attr-defined]  # a pipe is buffered
                self._printed.extend(piece.decode(errors="replace")[-_MOST_OUTPUT:])


def _problem(record: Mapping[str, Any]) -> Problem:
    return Problem(FailureKind.INPUT if record["unscorable"] else FailureKind.ERROR, str(record["error"]))


def _answer(record: Mapping[str, Any]) -> Answer:
    """A score: `values` are that of the summary and those of its sentences, `spans` the sentences; `texts` are places of evidence, then notes.

    What a scorer replies that lacks answers of its model has no values; see `core.scoring.plugins.processes.asking`.
    """
    if "texts" in record:
        return Answer(texts=tuple(map(str, record["texts"])))
    parts = record["parts"]
    return Answer(
        values=(float(record["value"]), *(float(part[2]) for part in parts)),
        spans=tuple(Span(int(part[0]), int(part[1])) for part in parts),
        texts=(*(" ".join(str(int(place)) for place in part[3:]) for part in parts), *map(str, record["notes"])),
    )
