"""Questions to a server that takes 200 ms for each: a bare asynchronous client, one with threads, ours, a metric, and that with a budget.

Run: python -m tests.load.endpoint_throughput [QUESTIONS [AT_ONCE [REPEATS]]]. Prints for each repeat the seconds, the processor time of a
question, and their ratios to the bare asynchronous client, which waits for as many answers at once. The server is another process, whose
processor time does not count. On a machine that is busy otherwise only the smallest figures say something.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import openai

from core.model_reference import EndpointModel
from core.models.llm.chat import Sampling, answer_text, first_question
from core.models.llm.prompts import Messages
from core.scoring.engine.conversation import Conversation
from core.scoring.engine.engine import Engine
from core.scoring.metrics.direct_assessment import DirectAssessment
from core.settings import Settings
from core.types import Example, Failure, Rounds

QUESTIONS, AT_ONCE, REPEATS = map(int, (*sys.argv[1:4], *("1000", "32", "3")[len(sys.argv[1:4]) :]))
LATENCY_S = 0.2
IDEAL_S = QUESTIONS / AT_ONCE * LATENCY_S
ANSWER = {
    "id": "x",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"score": 80}'}}],
    "usage": {"prompt_tokens": 200, "completion_tokens": 3, "total_tokens": 203},
}


def serve(ready: Connection, latency_s: float = LATENCY_S) -> None:
    """Answer every request after the latency, until the process is stopped."""
    body = json.dumps(ANSWER).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in request.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                await reader.readexactly(length)
                await asyncio.sleep(latency_s)
                writer.write(head + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def asking(number: int) -> Conversation[str]:
    """A conversation of one question that no other asks."""

    def rounds() -> Rounds[str]:
        messages = Messages("Is the summary consistent?", f"{'The ferry left at dawn. ' * 30}{number}")
        [answer] = yield [first_question(messages, Sampling("m", max_tokens=256))]
        return answer_text(answer)

    pair = Example(str(number), "The ferry left at dawn.", "A ferry left.")
    return Conversation(f"asking {number}", pair, rounds, (EndpointModel("", "endpoint_chat"),))


def body(number: int) -> dict[str, Any]:
    content = f"{'The ferry left at dawn. ' * 30}{number}"
    messages = [{"role": "system", "content": "Is the summary consistent?"}, {"role": "user", "content": content}]
    return {"model": "m", "messages": messages, "temperature": 0, "top_p": 1, "max_tokens": 256}


def asynchronous(url: str) -> None:
    async def run() -> None:
        turns = asyncio.Semaphore(AT_ONCE)
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:

            async def ask(number: int) -> None:
                async with turns:
                    answer = await client.chat.completions.create(**body(number))
                assert answer.choices[0].message.content == '{"score": 80}'

            await asyncio.gather(*map(ask, range(QUESTIONS)))

    asyncio.run(run())


def threads(url: str) -> None:
    client = openai.OpenAI(base_url=url, api_key="none")

    def ask(number: int) -> None:
        answer = client.chat.completions.create(**body(number))
        assert answer.choices[0].message.content == '{"score": 80}'

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(ask, range(QUESTIONS)))


def ours(url: str) -> None:
    os.environ["TOUCHSTONE_LLM_BASE_URL"] = url
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=Path(folder)))
        found = [answer for _, answer in engine.converse(map(asking, range(QUESTIONS)))]
        failures = [one for one in found if isinstance(one, Failure)]
        assert not failures, failures[0]
        engine.close()


def metric(url: str) -> None:
    os.environ["TOUCHSTONE_LLM_BASE_URL"] = url
    pairs = [Example(str(one), f"{'The ferry left at dawn. ' * 30}{one}", "A ferry left.") for one in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=Path(folder)))
        failures = [
            one
            for _, one in engine.run([DirectAssessment(model="m", max_tokens=256)], pairs)
            if isinstance(one, Failure)
        ]
        assert not failures, failures[0]
        engine.close()


def with_budget(url: str) -> None:
    limits = {"TOUCHSTONE_LLM_PRICE_READ": "1", "TOUCHSTONE_LLM_PRICE_WRITTEN": "4", "TOUCHSTONE_LLM_BUDGET": "5"}
    os.environ.update(limits)
    metric(url)
    for name in limits:
        del os.environ[name]


def timed(run: Callable[[str], None], url: str) -> tuple[float, float]:
    """Seconds of the wall and of the processor."""
    started, worked = time.perf_counter(), time.process_time()
    run(url)
    return time.perf_counter() - started, time.process_time() - worked


def main() -> None:
    os.environ["TOUCHSTONE_LLM_AT_ONCE"] = str(AT_ONCE)
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    runs = {
        "asynchronous": asynchronous,
        "threads": threads,
        "ours": ours,
        "metric": metric,
        "with a budget": with_budget,
    }
    for run in runs.values():  # imports and first uses are no cost of a question
        run(url)
    for _ in range(REPEATS):
        times = {name: timed(run, url) for name, run in runs.items()}
        for name, (seconds, processor_s) in times.items():
            ratios = (time / base for time, base in zip((seconds, processor_s), times["asynchronous"], strict=True))
            print(  # noqa: T201  # its purpose
                f"{name}: {seconds:.2f} s, {seconds / IDEAL_S:.2f} × ideal; {1000 * processor_s / QUESTIONS:.2f} ms of the processor each; "
                f"{' and '.join(f'{ratio:.2f}' for ratio in ratios)} × asynchronous",
                flush=True,
            )
    server.terminate()


if __name__ == "__main__":
    main()
