"""Sources are parsed while other threads parse too."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.base.faces import parse_expression, parse_source
from tests.sources import ROOT


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads that take turns while a tree is made: garbage is collected often, and who collects it lets the others run."""

    def rest(phase: str, info: dict[str, int]) -> None:  # noqa: ARG001  # gc's
        time.sleep(0)

    before = gc.get_threshold()
    gc.set_threshold(50)
    gc.callbacks.append(rest)
    yield
    gc.callbacks.remove(rest)
    gc.set_threshold(*before)


@pytest.mark.usefixtures("hasty_threads")
def test_threads_that_parse_at_once_all_get_a_tree() -> None:
    text = Path(ROOT, "core", "types.py").read_text(encoding="utf-8")
    with ThreadPoolExecutor(8) as threads:
        assert all(tree.body for tree in threads.map(parse_source, [text] * 64))
        assert all(threads.map(parse_expression, ["[" * 50 + "1" + "]" * 50] * 64))
