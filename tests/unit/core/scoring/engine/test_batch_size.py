"""How large a batch is: by how long passes take, and by what did not fit into memory."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import torch
from transformers import RobertaForSequenceClassification

from core.scoring.engine.batch_size import BATCH_TOKENS, BatchSize
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Failure, Result
from tests.doubles.bench import Bench, pair


def test_a_pass_takes_as_long_as_a_person_may_wait() -> None:
    size = BatchSize(10_000)
    assert size.tokens == 256
    size.passed(256, 0.03)
    assert size.tokens == 1280
    size.passed(1280, 0.3)
    assert size.tokens == 640


def test_a_batch_is_never_larger_than_the_device_gains_from_nor_so_small_that_it_wastes_a_pass() -> None:
    size = BatchSize(1024)
    size.passed(256, 0.0)
    assert size.tokens == 1024
    size.passed(1024, 1000.0)
    assert size.tokens == 256
    size.overflowed(100)
    size.passed(10, 1000.0)
    assert size.tokens == 50


def test_quick_passes_share_a_turn_and_slow_ones_do_not() -> None:
    size = BatchSize(1000)
    size.passed(500, 0.025)
    assert (size.tokens, size.turn_tokens) == (1000, 3000)
    size.passed(500, 0.15)
    assert (size.tokens, size.turn_tokens) == (500, 500)
    size.passed(500, 1e-9)
    assert size.turn_tokens == 16 * size.tokens


def test_a_run_goes_on_after_a_pass_that_took_long_for_few_tokens(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = BatchSize(1000)
    size.passed(1, 60.0)  # as the first one of a process, which makes ready what later ones find
    assert (size.tokens, size.turn_tokens) == (256, 1)
    monkeypatch.setattr("core.scoring.engine.batch_size._SLICE_S", 1e-9)
    texts = [pair(f"Rain fell {number} times.", str(number)) for number in range(4)]
    for text in texts:  # one after the other: the next turn is taken after the pass that took long
        [(_, outcome)] = bench.engine.run([bench.asking()], [text])
        assert isinstance(outcome, Result)


def test_what_did_not_fit_is_not_tried_again() -> None:
    size = BatchSize(1024)
    size.passed(1024, 0.0)
    size.overflowed(800)
    size.passed(400, 0.0)
    assert size.tokens == 400


def test_a_pass_that_generates_reads_more_until_that_does_not_fit() -> None:
    size = BatchSize(1024)
    assert size.tokens_writing == 2048
    size.overflowed(2048)
    assert size.tokens_writing == 1024
    size.passed(1024, 1000.0)
    assert (size.tokens, size.tokens_writing) == (256, 1024)
    large = BatchSize(65_536)
    large.passed(2048, 0.0)
    assert large.tokens_writing == 65_536


WRITING = {
    # tokens that a row reads and writes, seconds of a launch, of a step, and of a token of a row
    "a judge of 7 B": (700, 200, 0.03, 0.025, 1 / 40e3),
    "Flan-T5-large as a judge": (700, 60, 0.03, 0.025, 1 / 400e3),
    "questions of QAFactEval": (150, 30, 0.03, 0.03, 1 / 500e3),
    "questions of Q2": (120, 40, 0.03, 0.03, 1 / 500e3),
    "translation": (40, 40, 0.02, 0.02, 1 / 500e3),
}


@pytest.mark.parametrize("model", WRITING)
def test_a_device_that_writes_is_given_as_many_rows_as_it_gains_from(model: str) -> None:
    reads, writes, launch, step, token = WRITING[model]
    size = BatchSize(BATCH_TOKENS["cuda"])

    def seconds(rows: int) -> float:
        return launch + token * rows * reads + writes * (step + token * rows)

    for number in range(8):
        rows = min(256, size.tokens_writing // reads)
        size.passed(rows * reads, (1.5 if number == 0 else 0) + seconds(rows), writes=True)
    most = min(256, BATCH_TOKENS["cuda"] // reads)
    assert rows >= 32
    assert (most / seconds(most)) / (rows / seconds(rows)) < 1.3


def test_a_device_that_gains_nothing_from_more_rows_is_not_given_more() -> None:
    size = BatchSize(65_536)
    for _ in range(20):
        size.passed(size.tokens_writing, size.tokens_writing / 1000, writes=True)
    assert size.tokens_writing == 2 * 2048  # what was tried once
    size.took(4096, 8_000_000, 4_000_000)
    assert size.tokens_writing == 819
    size.passed(819, 0.0001, writes=True)
    size.took(819, 1_600_000, 4_000_000)
    assert size.tokens_writing == 819


def test_a_lowered_limit_is_raised_after_some_passes_that_fit_and_later_each_time_that_it_fails() -> None:
    size = BatchSize(1024)

    def passes_until_more() -> int:
        limit = size.tokens
        for number in range(1, 10_000):
            size.passed(size.tokens, 0.0)
            if size.tokens > limit:
                return number
        raise AssertionError(limit)

    size.passed(256, 0.0)
    size.overflowed(1024)
    first = passes_until_more()
    assert size.tokens == 1024
    size.overflowed(1024)
    assert size.tokens == 512
    assert passes_until_more() == 2 * first
    size.overflowed(1024)
    assert passes_until_more() == 4 * first


@pytest.mark.parametrize("failures", [1, 3, 6])
def test_a_limit_recovers_within_ten_passes_once_memory_is_free_again(failures: int) -> None:
    size = BatchSize(65_536)
    size.passed(256, 0.0)
    for number in range(failures):
        size.overflowed(65_536 >> number)
    assert size.tokens == 65_536 >> failures
    assert passes_to(size, 65_536) <= 10


@pytest.mark.parametrize(
    ("tokens", "nbytes", "free"),
    [(256, 256 * 60_000 + 32_000_000, 60 << 30), (30, 33_000_000, 3 << 30), (30, 33_000_000, 10 << 30)],
)
def test_a_limit_by_the_memory_of_a_small_pass_recovers_within_ten_passes(tokens: int, nbytes: int, free: int) -> None:
    size = BatchSize(65_536)
    size.passed(tokens, 0.0)
    size.took(tokens, nbytes, free)
    assert passes_to(size, 65_536) <= 10


def passes_to(size: BatchSize, tokens: int) -> int:
    """Passes as large as they may be until they may have so many tokens."""
    for number in range(100):
        if size.tokens >= tokens:
            return number
        size.passed(size.tokens, 0.0)
    raise AssertionError(size.tokens)


def test_small_passes_say_nothing_about_a_limit() -> None:
    size = BatchSize(1024)
    size.overflowed(1024)
    for _ in range(10_000):
        size.passed(100, 0.0)
    assert size.tokens == 512


def test_a_limit_is_raised_only_as_far_as_the_memory_that_a_pass_took_allows() -> None:
    size = BatchSize(1024)
    size.overflowed(1024)
    for _ in range(1000):
        size.passed(512, 0.0)
        size.took(512, 512_000, 1_280_000)
        assert size.tokens == 512


def test_a_pass_takes_most_of_the_memory_that_is_free_and_no_more() -> None:
    size = BatchSize(65_536)
    size.took(256, 256_000, 20_000_000)
    size.passed(256, 0.0)
    assert size.tokens == 8000
    size.passed(8000, 0.0)
    size.took(8000, 16_000_000, 20_000_000)  # longer texts took twice as much for a token
    assert size.tokens == 4000


@pytest.mark.slow
def test_passes_are_as_large_as_the_memory_that_the_first_one_took(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.device.MemoryPeak.nbytes", lambda _: 16_000 * len(bench.kind.batches[-1]))
    monkeypatch.setattr("core.models.device.free_memory", lambda _: 80_000)
    bench.kind.length = 64
    bench.ask(bench.asking(), summary="One came. Two left. Three stayed. Four slept. Five woke. Six ate.")
    assert [len(batch) for batch in bench.kind.batches] == [4, 2]
    bench.kind.batches.clear()
    bench.ask(bench.asking(), summary="A sat. B sat. C sat. D sat. E sat. F sat.")
    assert [len(batch) for batch in bench.kind.batches] == [2, 2, 2]


def test_a_network_that_ran_out_of_memory_gives_every_score_and_is_asked_less_from_then_on(
    tiny_roberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = RobertaForSequenceClassification.forward
    passes: list[int] = []

    def forward_in_little_memory(self: RobertaForSequenceClassification, **inputs: torch.Tensor) -> object:
        passes.append(inputs["input_ids"].numel())
        if passes[-1] > 100:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return forward(self, **inputs)

    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    texts = [pair(f"Nobody was hurt in the harbour on day {number}.", f"{number}") for number in range(24)]
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "whole"))) as engine:
        whole = [outcome for _, outcome in engine.run([metric], texts)]
    monkeypatch.setattr(RobertaForSequenceClassification, "forward", forward_in_little_memory)
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "little"))) as engine:
        first = [outcome for _, outcome in engine.run([metric], texts[:12])]
        assert max(passes) > 100
        passes.clear()
        rest = [outcome for _, outcome in engine.run([metric], texts[12:])]
    assert 0 < max(passes) <= 100
    for one, other in zip([*first, *rest], whole, strict=True):
        assert not isinstance(one, Failure)
        assert not isinstance(other, Failure)
        assert one.score == pytest.approx(other.score, abs=1e-5)


def test_a_model_that_ran_out_of_memory_is_not_given_as_much_again(bench: Bench) -> None:
    bench.kind.fit = 4
    bench.ask(
        bench.asking(),
        summary="One came. Two left. Three stayed. Four slept. Five woke. Six ate. Seven sang. Eight ran.",
    )
    assert len(bench.kind.batches[0]) == 8
    bench.kind.batches.clear()
    bench.ask(bench.asking(), summary="A sat. B sat. C sat. D sat. E sat. F sat.")
    assert [len(batch) for batch in bench.kind.batches] == [4, 2]


@pytest.mark.slow
def test_a_model_is_given_as_much_again_when_memory_is_free_for_long(bench: Bench) -> None:
    bench.kind.fit = 4
    bench.ask(
        bench.asking(),
        summary="One came. Two left. Three stayed. Four slept. Five woke. Six ate. Seven sang. Eight ran.",
    )
    bench.kind.fit = 100
    for number in range(600):
        bench.ask(bench.asking(), summary=" ".join(f"{name} sat {number}." for name in "ABCDEFGH"))
    assert len(bench.kind.batches[-1]) == 8


def test_one_text_that_is_too_long_makes_no_batch_smaller(bench: Bench) -> None:
    bench.kind.fit = 0
    bench.ask(bench.asking(), summary="One came.")
    bench.kind.fit = 100
    bench.kind.batches.clear()
    bench.ask(bench.asking(), summary="A sat. B sat. C sat. D sat. E sat. F sat.")
    assert [len(batch) for batch in bench.kind.batches] == [6]
