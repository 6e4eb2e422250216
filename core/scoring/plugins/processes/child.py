"""The process of one plug-in: loads its file or module, says which metrics it has, and scores what it is sent.

`python -m core.scoring.plugins.processes.child SOCKET MEMORY SOURCE` is such a process: the number of an open socket, and bytes of memory, 0 for no limit.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import socket
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from core.errors import UnscorableError
from core.scoring.plugins.declaration import Declaration, WrongScoreError, check_score, declared_functions
from core.scoring.plugins.processes.asking import MissingAnswersError
from core.scoring.plugins.processes.frames import receive_frame, send_frame
from core.scoring.plugins.processes.network import NetworkPermission
from core.types import Context, Example, Span

Message = dict[str, Any]

_MOST_CHARACTERS = 500
_NOT_SENT = {"function", "module"}
_ADVICE = "Give network=True to @touchstone.metric, and reach it in the function, not while the file loads."


class _WrongAnswerError(Exception):
    """A file without a metric, or a batch of another length: no fault of an example."""


def main(number: str, memory: str, source: str, advice: str = _ADVICE) -> None:
    """Answer requests until the connection ends. `advice` ends the sentence for a function without permission for the network."""
    connection = socket.socket(fileno=int(number))
    connection.set_inheritable(False)
    requests: SimpleQueue[Message] = SimpleQueue()
    threading.Thread(target=_read_requests, args=(connection, requests), daemon=True).start()
    if int(memory):
        nbytes = int(memory)
        # what this process may allocate; macOS does not enforce it
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        limit = nbytes if most == resource.RLIM_INFINITY else min(nbytes, most)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    sys.argv = [source]
    network = NetworkPermission(advice)
    network.hold()
    send_frame(connection, _outcome(partial(_load, source), source, network))
    functions = {declaration.name: declaration for declaration in declared_functions()}
    while request := requests.get():
        function = functions[request["metric"]]
        network.is_given, network.refused = function.network, ""
        answer = _outcome(partial(_score, function, request, source, network), source, network)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        send_frame(connection, {**answer, "id": request["id"], "memory": peak, "refused": network.refused})


def _read_requests(connection: socket.socket, requests: SimpleQueue[Message]) -> None:
    """Exit immediately, in the middle of a function too, once the parent is gone."""
    while (request := receive_frame(connection)) is not None:
        requests.put(request)
    os._exit(0)


def _outcome(action: Callable[[], Message], source: str, network: NetworkPermission) -> Message:
    """Outcome of an action: its message, or the sentence for what it raised. No exception of a plug-in ends its process."""
    try:
        return action()
    except MissingAnswersError as reply:
        return {"scores": [{"texts": reply.texts}]}
    except BaseException as error:  # noqa: BLE001  # of code that is not ours, SystemExit and KeyboardInterrupt too
        return {
            "error": _describe_error(error, source, network),
            "unscorable": isinstance(error, UnscorableError),
            "of_batch": isinstance(error, _WrongAnswerError),
        }


def _load(source: str) -> Message:
    if source.endswith(".py"):
        file = Path(source)
        name = f"plugin_{file.stem}"  # its own name may be that of a library
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        sys.path.append(str(file.parent))  # last: a file beside it takes no library's place
        spec.loader.exec_module(module)
    else:
        importlib.import_module(source)
    declared = declared_functions()
    if not declared:
        raise _WrongAnswerError("It declares no metric. Put @touchstone.metric above a function (document, summary).")
    slots = [name for name in Declaration.__slots__ if name not in _NOT_SENT]
    return {"metrics": [{name: getattr(declaration, name) for name in slots} for declaration in declared]}


def _score(declaration: Declaration, request: Message, source: str, network: NetworkPermission) -> Message:
    """The scores of all examples, or for each the sentence for what it raised; raises what the call as a whole raises."""
    examples = []
    for record in request["examples"]:
        contexts = tuple(Context(name, Span(start, end)) for name, start, end in record["contexts"])
        examples.append(Example("", record["document"], record["summary"], contexts, record["question"]))
    call = partial(declaration.function, **request["settings"])
    if declaration.inputs == 1:
        batch = call(list(examples))
        values = _wait_for(batch) if declaration.waits else batch
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise _WrongAnswerError(
                f"It returned {type(values).__name__} for a list of {len(examples)} examples. Return a list of scores."
            )
        values = list(values)
        if len(values) != len(examples):
            raise _WrongAnswerError(
                f"It returned {len(values)} scores for {len(examples)} examples. Return one for each, in order."
            )
    else:
        texts = [(example.document, example.summary, example.question)[: declaration.inputs] for example in examples]
        values = [call(*arguments) for arguments in texts]
        values = _wait_for(_gather(values)) if declaration.waits else values
    pairs = zip(values, examples, strict=True)
    return {
        "scores": [
            _outcome(partial(_write_score, value, declaration, example), source, network) for value, example in pairs
        ]
    }


def _wait_for(work: Coroutine[Any, Any, Any]) -> Any:
    import asyncio  # most plug-ins do not wait, and start in half the time

    return asyncio.run(work)


async def _gather(calls: Sequence[Awaitable[Any]]) -> list[Any]:
    import asyncio

    return await asyncio.gather(*calls, return_exceptions=True)


def _write_score(value: Any, declaration: Declaration, example: Example) -> Message:
    """A score as it is sent; raises what its call raised, and WrongScoreError for what is no score."""
    if isinstance(value, BaseException):
        raise value
    score = check_score(value, declaration, example)
    parts = [
        (
            part.span.start,
            part.span.end,
            float(part.score),
            *((part.evidence.start, part.evidence.end) if part.evidence else ()),
        )
        for part in score.parts
    ]
    return {"value": float(score.value), "parts": parts, "notes": [str(note) for note in score.seen.notes]}


def _describe_error(error: BaseException, source: str, network: NetworkPermission) -> str:
    """An exception in a sentence, with the last line of the plug-in that it went through."""
    if isinstance(error, (_WrongAnswerError, WrongScoreError)):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} ({Path(error.filename or source).name}, line {error.lineno})."
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, MemoryError):
        message = "MemoryError: it needs more memory than TOUCHSTONE_PLUGIN_MEMORY_GB allows"
    if isinstance(error, ModuleNotFoundError):
        message = f"{message}. Install that package where Touchstone runs"
    if network.refused:  # libraries say of it no more than that there was no connection
        message = f"{type(error).__name__}: {network.refused}"
    folder = str(Path(source).parent) if source.endswith(".py") else source.replace(".", "/")
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if folder in frame.filename]
    place = f" ({Path(lines[-1].filename).name}, line {lines[-1].lineno})" if lines else ""
    return f"{message[:_MOST_CHARACTERS].rstrip('.')}{place}."


if __name__ == "__main__":
    main(*sys.argv[1:])
