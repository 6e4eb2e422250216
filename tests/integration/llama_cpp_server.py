"""llama.cpp's own server with a GGUF file. Run by the Python that has xllamacpp: python llama_cpp_server.py FILE NAME PORT."""

from __future__ import annotations

import signal
import sys

import xllamacpp  # of a Python of its own, which need not be ours


def serve(file: str, name: str, port: int) -> None:
    """Answer until the process is stopped."""
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias = file, {name}
    settings.hostnames, settings.port = ["127.0.0.1"], port
    settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = 4 * 3072, 4, 1
    server = xllamacpp.Server(settings)  # kept, as it ends with its object
    print(server.listening_address, flush=True)  # noqa: T201  # who started it waits for this line
    signal.pause()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
