"""Passes on a pretended GPU: one is launched before the last is read, and what other allocations take is not theirs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.models.device import MemoryPeak, allocating
from core.models.networks.model import Row
from core.types import Answer, Failure, Result
from tests.doubles.bench import Bench, open_bench, pair
from tests.doubles.models import PATIENCE_S, ScriptedKind, ScriptedModel
from tests.doubles.pretended_gpu import pretend_cards

ROWS = 40


@pytest.fixture
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    pretend_cards(monkeypatch)
    opened = open_bench(tmp_path, ScriptedKind().install(monkeypatch), "cuda")
    opened.ask(opened.asking(), summary="A first score, which imports what later ones find.")
    opened.kind.batches.clear()
    opened.kind.entered.clear()
    yield opened
    opened.kind.gate.set()
    opened.engine.close()


def run_behind(bench: Bench) -> tuple[threading.Thread, list[object]]:
    outcomes: list[object] = []
    pairs = [pair(f"Rain fell {number} times.", str(number)) for number in range(ROWS)]
    thread = threading.Thread(
        target=lambda: outcomes.extend(out for _, out in bench.engine.run([bench.asking()], pairs))
    )
    thread.start()
    return thread, outcomes


def until_passes(kind: ScriptedKind, count: int) -> None:
    while len(kind.batches) < count:
        assert kind.entered.wait(PATIENCE_S), f"{len(kind.batches)} passes under way"
        kind.entered.clear()


def test_a_pass_is_launched_before_the_last_is_read(gpu: Bench) -> None:
    gpu.kind.length = 65_536  # each a pass of its own
    gpu.kind.gate.clear()
    thread, outcomes = run_behind(gpu)
    until_passes(gpu.kind, 2)
    assert len(gpu.kind.batches) == 2
    gpu.kind.gate.set()
    thread.join(PATIENCE_S)
    assert [type(outcome) for outcome in outcomes] == [Result] * ROWS
    assert len(gpu.kind.asked) == len(set(gpu.kind.asked)) == ROWS


def test_what_needs_no_network_is_asked_by_one_thread_at_a_time(gpu: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu.kind.length = 0
    plain, inside, most = ScriptedModel.forward, threading.Semaphore(1), list[bool]()

    def forward(model: ScriptedModel, rows: Sequence[Row]) -> list[Answer]:
        most.append(inside.acquire(blocking=False))
        try:
            return plain(model, rows)
        finally:
            if most[-1]:
                inside.release()

    monkeypatch.setattr(ScriptedModel, "forward", forward)
    thread, outcomes = run_behind(gpu)
    thread.join(PATIENCE_S)
    assert [type(outcome) for outcome in outcomes] == [Result] * ROWS
    assert all(most)


def test_seconds_that_a_pass_waited_for_the_one_before_are_not_counted_twice(gpu: Bench) -> None:
    gpu.kind.length = 65_536
    thread, outcomes = run_behind(gpu)
    thread.join(PATIENCE_S)
    assert all(isinstance(outcome, Result) and outcome.counts.passes == 1 for outcome in outcomes)


def test_a_model_that_fails_refuses_what_both_passes_asked(gpu: Bench) -> None:
    gpu.kind.length, gpu.kind.poison = 65_536, "Rain fell"
    thread, outcomes = run_behind(gpu)
    thread.join(PATIENCE_S)
    assert [type(outcome) for outcome in outcomes] == [Failure] * ROWS


def test_memory_of_a_load_or_of_another_pass_is_not_that_of_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_cards(monkeypatch)
    monkeypatch.setattr("torch.cuda.max_memory_allocated", lambda *_: 5_000)
    alone = MemoryPeak("cuda")
    assert alone.nbytes() == 5_000
    during = MemoryPeak("cuda")
    with allocating("cuda"):
        beside = MemoryPeak("cuda")
    assert (beside.nbytes(), during.nbytes()) == (0, 0)
    on_another = MemoryPeak("cuda:1")
    with allocating("cuda:0"):
        assert on_another.nbytes() == 5_000
    assert MemoryPeak("cpu").nbytes() == 0
