"""A tiny random chat model in a hub cache of its own, and the server of transformers that speaks as OpenAI for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from tests.e2e.server import free_port
from tests.tiny import byte_level, random_network

MODEL = "touchstone/tiny-chat"
TEMPLATE = "{% for one in messages %}{{ one.role }}: {{ one.content }}\n{% endfor %}assistant:"
START_S = 180.0
_COMMIT = "0" * 40


def tokenizer() -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_level(), bos_token="<s>", eos_token="</s>", pad_token="<pad>", chat_template=TEMPLATE
    )


def build(hub: Path) -> None:
    """The model as a download would have left it."""
    place = hub / f"models--{MODEL.replace('/', '--')}"
    words = tokenizer()
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    network = random_network(lambda: LlamaForCausalLM(config))
    network.generation_config = GenerationConfig(
        do_sample=True, eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id
    )
    network.save_pretrained(place / "snapshots" / _COMMIT)
    words.save_pretrained(place / "snapshots" / _COMMIT)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(_COMMIT)


@contextmanager
def serving_transformers(folder: Path) -> Iterator[str]:
    """`transformers serve` of the installed version until the block ends; its address."""
    build(folder / "hub")
    port = free_port()
    command = [str(Path(sys.executable).with_name("transformers")), "serve", MODEL, "--device=cpu", f"--port={port}"]
    settings = {"HF_HOME": str(folder), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(command, env={**os.environ, **settings}, stdout=log, stderr=log) as process,
    ):
        try:
            wait_for_server(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def wait_for_server(url: str, process: subprocess.Popen[bytes], start_s: float = START_S) -> None:
    deadline = time.monotonic() + start_s
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:  # refused, or not in time
            time.sleep(0.05)
    raise RuntimeError("The server did not start; its log is in the test's folder.")
