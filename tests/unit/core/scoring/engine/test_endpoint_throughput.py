"""The engine asks an endpoint about as many questions a second as a bare client, in the same run."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Result
from tests.e2e.server import free_port
from tests.integration.tiny_chat import wait_for_server

pytestmark = pytest.mark.slow

AT_ONCE, QUESTIONS, TRIES = 8, 400, 5
SERVER = """
import asyncio, json, sys, uvicorn

ANSWER = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"score": 70}'}}],
          "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}}

async def app(scope, receive, send):
    if scope["type"] == "http":
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(0.1)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(ANSWER).encode()})

uvicorn.run(app, port=int(sys.argv[1]), log_level="error", lifespan="off")
"""


@pytest.fixture
def url() -> Iterator[str]:
    """A server of another process that takes a tenth of a second for an answer, however many it is asked at once."""
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", SERVER, str(port)]) as process:
        try:
            wait_for_server(f"http://127.0.0.1:{port}/", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def bare_seconds(url: str) -> float:
    async def ask_all() -> float:
        async with httpx2.AsyncClient(timeout=60) as client:
            turns = asyncio.Semaphore(AT_ONCE)

            async def ask(number: int) -> str:
                messages = [{"role": "user", "content": f"Rain fell in Town {number}." * 30}]
                async with turns:
                    answer = await client.post(f"{url}/chat/completions", json={"model": "m", "messages": messages})
                return str(json.loads(answer.json()["choices"][0]["message"]["content"])["score"])

            started = time.perf_counter()
            assert {*await asyncio.gather(*map(ask, range(QUESTIONS)))} == {"70"}
            return time.perf_counter() - started

    return asyncio.run(ask_all())


def test_a_run_takes_at_most_a_tenth_longer_than_a_bare_client(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", url)
    monkeypatch.setenv("TOUCHSTONE_LLM_AT_ONCE", str(AT_ONCE))
    metric = METRICS.parse("direct-assessment[model=m]")
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))

    def seconds(run: str, number: int) -> float:
        pairs = [Example(f"{run}-{place}", "It rained.", f"Rain fell in {run} {place}.") for place in range(number)]
        started = time.perf_counter()
        assert all(isinstance(outcome, Result) for _, outcome in engine.run([metric], pairs))
        return time.perf_counter() - started

    seconds("Warming", 4 * AT_ONCE)
    ratios = []
    for run in range(TRIES):  # another program may have the machine in one of them
        ratios.append(seconds(f"Town {run}", QUESTIONS) / bare_seconds(url))
        if ratios[-1] <= 1.1:
            break
    engine.close()
    assert min(ratios) <= 1.1, ratios
