"""Models of several devices: each placed on one, asked by a thread for each device, with the same scores."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import torch
from transformers import AutoModel

from core.errors import BadSettingError
from core.model_reference import local_checkpoints
from core.models.device import MatrixPrecision
from core.models.hardware import require_devices
from core.scoring.engine.conversation import CellState
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric, signature
from core.settings import Settings
from core.types import Failure, Result
from tests.bench import network_shapes
from tests.bench.network_shapes import Shape, network_configuration
from tests.doubles.bench import Bench, open_bench, pair
from tests.doubles.models import NO_HEADER, PATIENCE_S, ScriptedKind
from tests.doubles.models import weights as scripted_weights

TWO = "cpu:0,cpu:1"
SUMMARIES = ["Nobody was hurt.", "The harbour was open on Tuesday.", "A ferry sank, and two men were hurt."]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    opened = open_bench(tmp_path, ScriptedKind().install(monkeypatch), TWO)
    yield opened
    opened.kind.gate.set()
    opened.engine.close()


@pytest.fixture
def real(tiny_roberta: Path, tiny_deberta: Path, tiny_t5: Path) -> list[Metric]:
    """Metrics on three architectures, which ask one question about a sentence."""
    return [
        METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]"),
        METRICS.parse(f"minicheck-deberta[checkpoint={tiny_deberta}]"),
        METRICS.parse(f"minicheck-flan-t5[checkpoint={tiny_t5}]"),
    ]


@pytest.mark.slow
def test_two_devices_give_the_same_scores_as_one_and_both_are_used(real: list[Metric], tmp_path: Path) -> None:
    one, _ = scores(real, "cpu", tmp_path / "one")
    two, places = scores(real, TWO, tmp_path / "two")
    assert two == one
    assert set(places) == {"cpu:0", "cpu:1"}


def test_an_answer_of_one_device_is_known_to_another(real: list[Metric], tmp_path: Path) -> None:
    before, _ = scores(real, "cpu", tmp_path)
    with closing(opened(TWO, tmp_path)) as engine:
        again = [outcome for _, outcome in engine.run(real, [pair(SUMMARIES[0])])]
        assert engine.counts().asked == 0
    assert [(one.score, one.signature) for one in again if isinstance(one, Result)] == before[:3]


def test_a_pass_on_one_device_does_not_wait_for_another(two: Bench) -> None:
    two.kind.gate.clear()
    request = two.engine.submit("ana", [two.asking("a"), two.asking("b")], [pair("Rain fell.")])
    two.until(request, lambda cells: all(cell.state is CellState.RUNNING for cell in cells.values()))
    two.kind.gate.set()
    assert all(isinstance(outcome, Result) for outcome in two.outcomes(request).values())
    assert set(two.kind.devices.values()) == {"cpu:0", "cpu:1"}
    assert {result.device for result in two.outcomes(request).values() if isinstance(result, Result)} == {"cpu"}


def test_models_go_where_most_memory_is_left_for_them(two: Bench) -> None:
    sizes = {"large": 900, "small": 300, "medium": 500, "last": 250}
    for name, size in sizes.items():
        scripted_weights(two.folder / name, NO_HEADER + bytes(size))
        two.ask(two.asking(name))
    assert two.kind.devices == {"large": "cpu:0", "small": "cpu:1", "medium": "cpu:1", "last": "cpu:1"}


def test_memory_is_counted_for_each_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = open_bench(tmp_path, ScriptedKind().install(monkeypatch), TWO)
    with closing(bench.engine):
        for name in "abcd":
            scripted_weights(tmp_path / name, NO_HEADER + name.encode() * 600_000)
            bench.ask(bench.asking(name))
        loaded = {Path(checkpoint.source).name for checkpoint in bench.engine.pool.states()}
    assert loaded == {"c", "d"}  # each device has room for one of them


def test_of_six_models_with_room_for_five_four_stay_at_an_edit_and_the_state_says_why_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, messages = open_bench(tmp_path, ScriptedKind().install(monkeypatch)), set[str]()
    with closing(bench.engine):
        for name in "abcdef":
            scripted_weights(tmp_path / name, NO_HEADER + name.encode() * 199_000)
        metrics = [bench.asking(name) for name in "abcdef"]
        bench.ask(*metrics)
        bench.kind.loads.clear()
        pool = bench.engine.pool
        pool.watch(lambda: messages.update(state.message for state in pool.states().values()))
        for edit in range(3):
            bench.ask(*metrics, summary=f"Rain fell {edit} times.")
    assert 3 <= len(bench.kind.loads) <= 6
    assert len({*"abcdef"} - {*bench.kind.loads}) >= 3
    assert any("has made room for another model" in message for message in messages)


def test_a_device_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    require_devices("cuda:0,cuda:1")
    with pytest.raises(BadSettingError, match="run on cuda:2, and torch finds cuda, cuda:0, cuda:1 on this machine"):
        require_devices("cuda:1,cuda:2")


def test_passes_of_two_precisions_take_turns_and_those_of_one_run_together() -> None:
    precision, both = MatrixPrecision(), threading.Barrier(2)
    seen: list[tuple[bool, bool]] = []

    def work(tf32: bool) -> None:
        for _ in range(50):
            with precision.set_to(tf32):
                seen.append((tf32, torch.backends.cuda.matmul.allow_tf32))

    def meet() -> None:
        with precision.set_to(True):
            both.wait(PATIENCE_S)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, [True, False, True, False]))
        list(threads.map(lambda _: meet(), range(2)))
    assert len(seen) == 200
    assert all(asked == set_to for asked, set_to in seen)
    with precision.set_to(False):
        assert not torch.backends.cuda.matmul.allow_tf32


def test_tf32_stands_in_the_signature_and_is_refused_where_no_gpu_has_it(tiny_roberta: Path, tmp_path: Path) -> None:
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta},dtype=tf32]")
    with closing(opened("cpu", tmp_path)) as engine:
        [outcome] = [outcome for _, outcome in engine.run([metric], [pair("Nobody was hurt.")])]
    assert isinstance(outcome, Failure)
    assert outcome.error == "No processor for tf32 here: cpu. NVIDIA GPUs have it from Ampere on; set dtype=float32."
    assert "|dtype:tf32|" in signature(metric, ["0" * 64], "punkt")


def test_attention_is_fused_wherever_the_architecture_has_it() -> None:
    """In transformers DeBERTa, which adds relative positions, and RemBERT have no fused kernel."""
    eager = []
    for architecture, (words, _) in network_shapes._SHAPES.items():
        shape = Shape("tiny", 32, 1, 4, 64, words)
        with torch.device("meta"):
            network = AutoModel.from_config(network_configuration(architecture, shape))
        if network.config._attn_implementation != "sdpa":
            eager.append(architecture)
    assert eager == ["deberta", "deberta-v3", "rembert"]


def opened(device: str, folder: Path) -> Engine:
    return Engine.open(Settings(device=device, memory="1GB", cache_dir=folder))


def scores(metrics: list[Metric], device: str, folder: Path) -> tuple[list[tuple[float, str]], list[str]]:
    """Scores with their signatures, and the device of each model; one question a model at a time, so that batches are equal."""
    with closing(opened(device, folder)) as engine:
        outcomes = [outcome for summary in SUMMARIES for _, outcome in engine.run(metrics, [pair(summary, summary)])]
        places = [engine.pool.place(one) for metric in metrics for one in local_checkpoints(metric.checkpoints())]
    results = [outcome for outcome in outcomes if isinstance(outcome, Result)]
    assert len(results) == len(outcomes)
    return [(one.score, one.signature) for one in results], places
