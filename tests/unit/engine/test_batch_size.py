"""How large a batch is: by how long passes take, and by what did not fit into memory."""

from __future__ import annotations

from core.engine.batch_size import BatchSize
from tests.doubles.bench import Bench


def test_a_pass_takes_as_long_as_a_person_may_wait() -> None:
    size = BatchSize(10_000)
    assert size.tokens == 256
    size.passed(256, 0.03)
    assert size.tokens == 1280
    size.passed(1280, 1.5)
    assert size.tokens == 128


def test_a_batch_is_never_larger_than_the_device_gains_from_nor_empty() -> None:
    size = BatchSize(1024)
    size.passed(256, 0.0)
    assert size.tokens == 1024
    size.passed(0, 1000.0)
    assert size.tokens == 1


def test_what_did_not_fit_is_not_tried_again() -> None:
    size = BatchSize(1024)
    size.passed(1024, 0.0)
    size.overflowed(800)
    size.passed(400, 0.0)
    assert size.tokens == 400


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


def test_one_text_that_is_too_long_makes_no_batch_smaller(bench: Bench) -> None:
    bench.kind.fit = 0
    bench.ask(bench.asking(), summary="One came.")
    bench.kind.fit = 100
    bench.kind.batches.clear()
    bench.ask(bench.asking(), summary="A sat. B sat. C sat. D sat. E sat. F sat.")
    assert [len(batch) for batch in bench.kind.batches] == [6]
