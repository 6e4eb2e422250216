"""The pool loads in the background, keeps what is leased, drops what was used longest ago, and fails with a sentence."""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import torch

from core.errors import LoadError, MemoryFullError, MissingWeightsError
from core.model_reference import Checkpoint
from core.models import model_pool
from core.models.device import collect_garbage, free_memory
from core.models.model_pool import ModelPool
from core.models.weights.locations import ModelStatus
from core.models.weights.weight_files import memory_bytes
from core.types import Question
from tests.bench.meters import resident_bytes
from tests.doubles.models import ScriptedKind, weights

SETTLED = {ModelStatus.READY, ModelStatus.FAILED}
Pools = Callable[..., ModelPool]


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[Pools]:
    made: list[ModelPool] = []

    def make(budget: int | float | None = None, patience_s: float = 60.0) -> ModelPool:
        made.append(ModelPool("cpu", budget, tmp_path / "cache", patience_s))
        return made[-1]

    yield make
    for pool in made:
        pool.close()


@pytest.fixture
def copies(tiny_roberta: Path, tmp_path: Path) -> list[Checkpoint]:
    """Three checkpoints of one size."""
    folders = [shutil.copytree(tiny_roberta, tmp_path / name) for name in "abc"]
    return [Checkpoint(str(folder), "sequence_classifier") for folder in folders]


@pytest.fixture
def room_for_two(copies: list[Checkpoint]) -> int:
    return int(2.5 * memory_bytes(Path(copies[0].source), copies[0]))


def load(pool: ModelPool, checkpoint: Checkpoint) -> ModelStatus:
    pool.request(checkpoint)
    return pool.wait_for(checkpoint, SETTLED, 60).status


def test_a_request_returns_before_the_model_is_loaded(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    assert pool.state(copies[0]).status is ModelStatus.COLD
    assert pool.request(copies[0]).status in {ModelStatus.LOADING, ModelStatus.READY}
    assert pool.wait_for(copies[0], SETTLED, 60).status is ModelStatus.READY


def test_a_loaded_model_says_how_much_memory_it_takes(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    with pool.lease(copies[0]) as model:
        assert pool.state(copies[0]).nbytes == model.nbytes > 100_000


def test_a_lease_loads_what_is_on_disk(pools: Pools, copies: list[Checkpoint]) -> None:
    with pools().lease(copies[0]) as model:
        [answer] = model.forward(model.encode([Question(copies[0], ("Nobody was hurt.",))]))
    assert sum(answer.values) == pytest.approx(1, abs=1e-5)


def test_a_folder_that_does_not_exist_says_so(pools: Pools) -> None:
    pool, checkpoint = pools(), Checkpoint("./no/such/folder", "sequence_classifier")
    state = pool.request(checkpoint)
    assert state.status is ModelStatus.FAILED
    assert "no folder './no/such/folder'" in state.message
    with pytest.raises(MissingWeightsError, match="no folder"), pool.lease(checkpoint):
        pass


def test_a_repository_that_is_not_here_needs_a_download(pools: Pools) -> None:
    pool, checkpoint = pools(), Checkpoint("touchstone-tests/not-here", "sequence_classifier")
    state = pool.request(checkpoint)
    assert state.status is ModelStatus.NEEDS_DOWNLOAD
    assert "Press Download" in state.message
    with pytest.raises(MissingWeightsError, match="is not on this machine"), pool.lease(checkpoint):
        pass


def test_a_source_that_is_neither_folder_nor_repository_says_so(pools: Pools) -> None:
    state = pools().state(Checkpoint("what is this?", "sequence_classifier"))
    assert "neither a folder of this machine nor the name of a hub repository" in state.message


def test_a_failure_lasts_until_someone_tries_again(pools: Pools, copies: list[Checkpoint]) -> None:
    pool, weights = pools(), Path(copies[0].source) / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:5000])
    assert load(pool, copies[0]) is ModelStatus.FAILED
    weights.write_bytes(whole)
    assert pool.request(copies[0]).status is ModelStatus.FAILED
    with pytest.raises(LoadError, match="is cut off: 5,000 of"), pool.lease(copies[0]):
        pass
    pool.retry(copies[0])
    assert pool.wait_for(copies[0], SETTLED, 60).status is ModelStatus.READY


def test_a_broken_checkpoint_leaves_the_others_working(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    (Path(copies[0].source) / "model.safetensors").write_bytes(b"not weights")
    pool.request(copies[0])
    assert load(pool, copies[1]) is ModelStatus.READY
    assert pool.state(copies[0]).status is ModelStatus.FAILED


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
            "The model cannot be read: Too many open files. Try again in a while.",
        ),
        (MemoryError(), "This machine has no memory left for the model. Free some."),
    ],
)
def test_a_model_that_the_system_does_not_read_says_so(
    pools: Pools,
    copies: list[Checkpoint],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    sentence: str,
) -> None:
    def fail(_: object) -> Path:
        raise error

    pool = pools()
    with monkeypatch.context() as patch:
        patch.setattr(model_pool, "locate", fail)
        assert load(pool, copies[0]) is ModelStatus.FAILED
    assert pool.state(copies[0]).message == sentence
    assert "Traceback" not in caplog.text


def test_a_kind_that_raises_anything_fails_only_its_model(pools: Pools, copies: list[Checkpoint]) -> None:
    pool, unknown = pools(), Checkpoint(copies[0].source, "no_such_kind")
    assert load(pool, unknown) is ModelStatus.FAILED
    assert "a reason that is in the log" in pool.state(unknown).message
    assert load(pool, copies[0]) is ModelStatus.READY


def test_the_model_used_longest_ago_makes_room(pools: Pools, copies: list[Checkpoint], room_for_two: int) -> None:
    pool = pools(room_for_two)
    for checkpoint in (copies[0], copies[1], copies[0]):
        with pool.lease(checkpoint):
            pass
    assert load(pool, copies[2]) is ModelStatus.READY
    assert [pool.state(checkpoint).status for checkpoint in copies] == [
        ModelStatus.READY,
        ModelStatus.COLD,
        ModelStatus.READY,
    ]


def test_a_leased_model_stays(pools: Pools, copies: list[Checkpoint], room_for_two: int) -> None:
    pool = pools(room_for_two)
    with pool.lease(copies[0]):
        load(pool, copies[1])
        load(pool, copies[2])
        assert [pool.state(checkpoint).status for checkpoint in copies] == [
            ModelStatus.READY,
            ModelStatus.COLD,
            ModelStatus.READY,
        ]


def test_a_load_waits_for_memory_that_is_in_use(pools: Pools, copies: list[Checkpoint], room_for_two: int) -> None:
    pool = pools(room_for_two)
    with pool.lease(copies[0]), pool.lease(copies[1]):
        pool.request(copies[2])
        waiting = "waiting for memory that other models use"
        while (seen := pool.states())[copies[2]].message != waiting:
            assert pool.wait_for_change(seen, 60)
    assert pool.wait_for(copies[2], SETTLED, 60).status is ModelStatus.READY


def test_a_load_gives_up_when_memory_stays_in_use(pools: Pools, copies: list[Checkpoint], room_for_two: int) -> None:
    pool = pools(room_for_two, patience_s=0.05)
    with pool.lease(copies[0]), pool.lease(copies[1]):
        assert load(pool, copies[2]) is ModelStatus.FAILED
    assert "memory" in pool.state(copies[2]).message


def test_a_model_larger_than_the_budget_fails_at_once(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools(budget=1000)
    with pytest.raises(MemoryFullError, match="TOUCHSTONE_MEMORY"), pool.lease(copies[0]):
        pass
    assert pool.state(copies[0]).status is ModelStatus.FAILED


def test_a_model_that_needs_the_whole_budget_is_loaded(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools(memory_bytes(Path(copies[0].source), copies[0]), patience_s=0.05)
    assert pool.fits(copies[0])
    assert load(pool, copies[0]) is ModelStatus.READY


def test_two_models_load_side_by_side_and_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = ScriptedKind().install(monkeypatch)
    kind.loadable.clear()
    named = [Checkpoint(str(weights(tmp_path / name)), "scripted") for name in "abc"]
    with closing(ModelPool("cpu", 1_000_000, tmp_path / "cache")) as pool:
        for checkpoint in (*named, *named):
            pool.request(checkpoint)
        until_messages(pool, ["loading", "loading", "waiting for its turn"])
        kind.loadable.set()
        assert [pool.wait_for(checkpoint, SETTLED, 60).status for checkpoint in named] == [ModelStatus.READY] * 3
    assert sorted(kind.loads) == ["a", "b", "c"]


def test_loads_side_by_side_do_not_take_the_same_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = ScriptedKind().install(monkeypatch)
    kind.loadable.clear()
    named = [Checkpoint(str(weights(tmp_path / name, bytes(600))), "scripted") for name in "ab"]
    with closing(ModelPool("cpu", 1000, tmp_path / "cache")) as pool:
        for checkpoint in named:
            pool.request(checkpoint)
        until_messages(pool, ["loading", "waiting for memory that other models use"])
        kind.loadable.set()
        for checkpoint in named:
            with pool.lease(checkpoint):
                assert sum(state.nbytes for state in pool.states().values()) <= 1000


def test_a_budget_is_a_share_of_what_is_free_at_first(pools: Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.device.free_memory", lambda _: 1000)
    assert pools().budgets == {"cpu": 500}
    assert pools(0.25).budgets == {"cpu": 250}
    assert pools(700).budgets == {"cpu": 700}


def test_memory_that_other_programs_use_is_not_taken(
    pools: Pools, copies: list[Checkpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.device.free_memory", lambda _: 1000)
    pool = pools(10**9)
    assert load(pool, copies[0]) is ModelStatus.FAILED
    assert "GB of cpu are free: other programs use the rest. End some" in pool.state(copies[0]).message


def test_the_memory_of_a_container_counts_without_files_that_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"memory.max": "5000\n", "memory.current": "3000\n", "memory.stat": "anon 1\ninactive_file 600\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("core.models.device._CGROUP", tmp_path)
    assert free_memory("cpu") == 2600
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory("cpu") > 10**6


def test_unloading_waits_for_the_lease_to_end(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    with pool.lease(copies[0]):
        pool.unload(copies[0])
        assert pool.state(copies[0]).status is ModelStatus.READY
    assert pool.state(copies[0]).status is ModelStatus.COLD


def test_an_unloaded_model_leaves_memory(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    with pool.lease(copies[0]) as model:
        gone = weakref.ref(model)
    del model
    pool.unload(copies[0])
    assert gone() is None


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="The C library is not that of most Linux.",
)
def test_memory_of_a_dropped_model_goes_back_to_the_system() -> None:
    del [torch.ones(7_000_000)][0]  # 28 MB: the C library keeps smaller ones from now on
    weights, kept = [], []
    for _ in range(300):
        weights.append(torch.ones(250_000))
        kept.append(torch.ones(50_000))
    before = resident_bytes()
    weights.clear()
    collect_garbage()
    assert before - resident_bytes() > 250_000_000


def test_whether_a_model_fits_is_known_before_it_loads(
    pools: Pools, copies: list[Checkpoint], room_for_two: int
) -> None:
    pool = pools(room_for_two)
    load(pool, copies[0])
    assert pool.fits(copies[1])
    load(pool, copies[1])
    assert not pool.fits(copies[2])


def test_watchers_hear_of_every_state_until_they_stop(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    heard: list[ModelStatus] = []
    stop = pool.watch(lambda: heard.append(pool.state(copies[0]).status))
    load(pool, copies[0])
    assert heard[0] is ModelStatus.LOADING
    assert ModelStatus.READY in heard
    stop()
    count = len(heard)
    pool.unload(copies[0])
    assert len(heard) == count


def test_a_watcher_may_ask_another_thread_about_the_pool(pools: Pools, copies: list[Checkpoint]) -> None:
    pool = pools()
    with ThreadPoolExecutor(1) as other:
        pool.watch(lambda: other.submit(pool.states).result(timeout=30) and None)
        assert load(pool, copies[0]) is ModelStatus.READY


def test_waiting_for_a_status_ends_with_a_message(pools: Pools, copies: list[Checkpoint]) -> None:
    with pytest.raises(TimeoutError, match="cold"):
        pools().wait_for(copies[0], {ModelStatus.READY}, 0.01)


def test_closing_answers_those_who_wait(pools: Pools, copies: list[Checkpoint], room_for_two: int) -> None:
    pool = pools(room_for_two)
    failures: list[BaseException] = []

    def want() -> None:
        try:
            with pool.lease(copies[2]):
                pass
        except LoadError as error:
            failures.append(error)

    with pool.lease(copies[0]), pool.lease(copies[1]):
        thread = threading.Thread(target=want)
        thread.start()
        pool.wait_for(copies[2], {ModelStatus.LOADING}, 60)
        pool.close()
        thread.join(60)
    assert [str(error) for error in failures] == ["The model pool is closed."]


@pytest.mark.slow
def test_eight_threads_share_a_pool_with_room_for_two(
    pools: Pools, copies: list[Checkpoint], room_for_two: int
) -> None:
    pool = pools(room_for_two, 300.0)
    alone = {checkpoint: _answer(pool, checkpoint) for checkpoint in copies}

    def hammer(seed: int) -> bool:
        dice = random.Random(seed)
        chosen = [dice.choice(copies) for _ in range(5)]
        for checkpoint in chosen:
            assert _answer(pool, checkpoint) == pytest.approx(alone[checkpoint], abs=1e-5)
            if dice.random() < 0.1:
                pool.unload(dice.choice(copies))
        return sum(state.nbytes for state in pool.states().values()) <= pool.budget_bytes

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(hammer, range(8)))


@pytest.mark.slow
def test_asking_for_states_loads_no_torch(tiny_roberta: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from core.models.model_pool import ModelPool; from core.types import Checkpoint\n"
        f"pool = ModelPool('cpu', None, Path({str(tmp_path)!r}))\n"
        f"print(pool.state(Checkpoint({str(tiny_roberta)!r}, 'sequence_classifier')).status, 'torch' in sys.modules)\n"
        f"with pool.lease(Checkpoint({str(tiny_roberta)!r}, 'token_count')): print('torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["cold", "False", "False"]


def until_messages(pool: ModelPool, messages: list[str]) -> None:
    """Wait until the models on their way say this, in any order."""
    seen = pool.states()
    while sorted(state.message for state in seen.values()) != messages:
        assert pool.wait_for_change(seen, 60)
        seen = pool.states()


def _answer(pool: ModelPool, checkpoint: Checkpoint) -> tuple[float, ...]:
    with pool.lease(checkpoint) as model:
        [answer] = model.forward(model.encode([Question(checkpoint, ("Two ferries were torn loose.",))]))
    return answer.values
