"""Files from elsewhere, read in a process of their own: it has no secrets, and ends when it takes too long or too much memory.

`python -m core.base.files.foreign_files` is such a process: what to call comes on its input, and results go to its output.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from core.errors import TouchstoneError
from core.types import T

_LOG = logging.getLogger(__name__)
_CHUNK = 64  # results that are sent together
_SEND_S = 0.3  # but none waits longer for the next
_INHERITED = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"})
"""Variables that such a process gets; any other may hold a secret."""
_ITEMS, _REFUSED, _BROKEN, _END = "items", "refused", "broken", "end"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that one waits for a reader in all, and megabytes that it may take."""

    seconds: float
    megabytes: int


def read_apart(name: str, limits: Limits, read: Callable[..., Iterable[T]], *arguments: object) -> Generator[T]:
    """The results of `read(*arguments)`, which must be a function of a module, as they come; closing it ends the process.

    Raises TouchstoneError, which calls the file by its name, for what the reader refuses, breaks at or takes too much for.
    """
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    own = {key: value for key, value in os.environ.items() if key in _INHERITED}
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a file may have libraries print without end
        env={**own, "PYTHONPATH": paths, "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )
    assert process.stdin
    assert process.stdout
    try:
        with suppress(BrokenPipeError), process.stdin:  # its output has ended too, which says so
            pickle.dump((read, arguments, limits.seconds, limits.megabytes), process.stdin)
        yield from _results(name, limits, process, process.stdout)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def _results(name: str, limits: Limits, process: subprocess.Popen[bytes], output: IO[bytes]) -> Iterator[T]:
    seconds_left = limits.seconds
    while True:
        began = time.monotonic()
        timer = threading.Timer(max(0.0, seconds_left), process.kill)
        timer.start()
        try:
            kind, content = pickle.load(output)
        except (EOFError, pickle.UnpicklingError):
            kind, content = _BROKEN, ""
        finally:
            timer.cancel()
        seconds_left -= time.monotonic() - began  # what the caller does with the results does not count

        if kind == _ITEMS:
            yield from content
        elif kind == _END:
            return
        elif kind == _REFUSED:
            raise TouchstoneError(content)
        elif seconds_left <= 0:
            raise TouchstoneError(
                f"{name!r} takes longer than {limits.seconds:g} s to read, and was given up. Save it again, or as plain text."
            )
        else:
            if content:
                _LOG.warning("A reader broke at a file from elsewhere: %s", content)
            raise TouchstoneError(
                f"{name!r} cannot be read: it is damaged, or takes more than {limits.megabytes} MB of memory. Save it again, or as "
                "plain text."
            )


def work() -> None:
    """Call what is named on standard input, and write its results to standard output."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no result
    read, arguments, seconds, megabytes = pickle.load(sys.stdin.buffer)
    _limit(seconds, megabytes)
    try:
        for chunk in _chunks(read(*arguments)):
            pickle.dump((_ITEMS, chunk), output)
            output.flush()
        message = (_END, "")
    except TouchstoneError as error:
        message = (_REFUSED, str(error))
    except Exception as error:  # noqa: BLE001  # libraries raise anything for files they do not expect
        message = (_BROKEN, repr(error)[:500])
    pickle.dump(message, output)
    output.flush()


def _chunks(results: Iterable[T]) -> Iterator[list[T]]:
    chunk, sent = [], time.monotonic()
    for result in results:
        chunk.append(result)
        if len(chunk) == _CHUNK or time.monotonic() - sent > _SEND_S:
            yield chunk
            chunk, sent = [], time.monotonic()
    yield chunk


def _limit(seconds: float, megabytes: int) -> None:
    """Have the system refuse more memory, and end this process where nobody waits for it any more."""
    try:
        import resource
    except ImportError:  # Windows: the time alone is limited
        return
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * 2**20, megabytes * 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    work()
