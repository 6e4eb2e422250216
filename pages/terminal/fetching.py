"""Weights that a command needs are downloaded before it begins."""

from __future__ import annotations

import time
from collections.abc import Iterable

from core.guard import Guard
from core.metric import Metric
from core.models.pool import ModelPool
from core.models.state import Status
from core.types import Checkpoint
from pages.terminal.saying import say


def fetch(pool: ModelPool, chosen: Iterable[Metric | Guard]) -> None:
    """Download what metrics and guards need; what cannot be had fails its own scores later, with the reason."""
    for checkpoint in dict.fromkeys(checkpoint for one in chosen for checkpoint in one.checkpoints()):
        if pool.state(checkpoint).status is Status.NEEDS_DOWNLOAD:
            say(f"Downloading {checkpoint.source} …")
            pool.fetch(checkpoint)
            _follow(pool, checkpoint)


def _follow(pool: ModelPool, checkpoint: Checkpoint) -> None:
    while (state := pool.state(checkpoint)).status is Status.DOWNLOADING:
        say(f"\r  {100 * (state.progress or 0):3.0f} % {state.message}", end="")
        time.sleep(0.5)
    say(f"\r  {state.message or state.status}")
