"""Bulk work: in order, a window at a time, behind the people at their screens."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.data.datasets.bundled import bundled_items as bundled
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Counts, Example, Failure, FailureKind, Outcome, Result
from tests.doubles.bench import Bench, pair
from tests.doubles.metrics import Asking, Breaking, Letters
from tests.doubles.models import NO_HEADER, PATIENCE_S, weights

WINDOW = 512
CLOSED = "The engine was closed before this was answered. Start again."
TEXT = bundled()[0].example.document
TEN = [f"{who} {did}." for who, did in zip("Ana Ben Cem Dora Emil Fay Gus Hana Ivo June".split(), ["left early"] * 10, strict=True)]  # fmt: skip


def numbered(count: int) -> Iterator[Example]:
    return (pair(f"Rain fell {number} times.", str(number)) for number in range(count))


def test_outcomes_come_in_the_order_of_the_input(bench: Bench) -> None:
    metrics = [bench.asking(), Letters(), Breaking()]
    names = [(example.id, outcome.metric) for example, outcome in bench.engine.run(metrics, numbered(300))]
    assert names == [(str(number), metric.spec) for number in range(300) for metric in metrics]


def test_a_score_says_how_long_it_took(bench: Bench) -> None:
    began = time.perf_counter()
    [outcome] = bench.ask(bench.asking())
    assert isinstance(outcome, Result)
    assert 0 < outcome.seconds <= time.perf_counter() - began


def test_the_passes_of_a_run_share_writes_and_those_for_a_person_do_not(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    put = bench.engine._cache.put
    monkeypatch.setattr(bench.engine._cache, "put", lambda answers: (written.append(len(answers)), put(answers))[1])
    bench.kind.length = 1024  # a pass for each text
    metric = bench.asking()
    bench.kind.gate.clear()
    threading.Thread(target=lambda: (bench.until_planned(60), bench.kind.gate.set())).start()
    list(bench.engine.run([metric], numbered(60)))
    assert sum(written) == len(bench.kind.batches) > len(written)
    written.clear()
    bench.outcomes(
        bench.engine.submit("ana", [metric], [pair(f"Snow fell {number} times.", str(number)) for number in range(5)])
    )
    assert written == [1] * 5


def test_every_outcome_is_of_its_own_example(bench: Bench) -> None:
    for example, outcome in bench.engine.run([Letters()], numbered(700)):
        assert isinstance(outcome, Result)
        assert (outcome.example_id, outcome.score) == (example.id, len(example.summary))


def test_a_million_examples_are_read_a_window_ahead(bench: Bench) -> None:
    read = itertools.count(1)
    examples = (pair("Rain fell.", str(next(read))) for _ in range(1_000_000))
    with closing(bench.engine.run([Letters()], examples)) as outcomes:
        taken = list(itertools.islice(outcomes, 10))
    assert len(taken) == 10
    assert next(read) <= WINDOW + 11


def test_nothing_is_read_before_the_first_outcome_is_wanted(bench: Bench) -> None:
    read = itertools.count()
    bench.engine.run([Letters()], (pair("Rain fell.", str(next(read))) for _ in range(10)))
    assert next(read) == 0


def test_closing_a_run_cancels_the_rest(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    run = bench.engine.run([Letters(), bench.asking()], numbered(2 * WINDOW))
    next(run)
    bench.at_the_model()
    run.close()
    bench.kind.gate.set()
    bench.ask(bench.asking(), summary="Snow fell.")
    assert bench.kind.asked[1:] == ["Snow fell."]


def test_a_person_goes_before_bulk_work(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    run = bench.engine.run([bench.asking()], numbered(20))
    reader = threading.Thread(target=lambda: list(run))
    reader.start()
    bench.at_the_model()
    request = bench.engine.submit("ana", [bench.asking()], [pair("Snow fell.")])
    bench.until_planned(21)
    bench.kind.gate.set()
    bench.outcomes(request)
    reader.join()
    assert bench.kind.asked.index("Snow fell.") == 1
    assert len(bench.kind.asked) == 21


def test_bulk_work_stays_with_one_model_until_it_is_done(bench: Bench) -> None:
    bench.kind.length = 1024
    models = [bench.asking("model"), bench.asking("other", prefix="so ")]
    for model in models:
        bench.load(model)
    bench.kind.gate.clear()
    run = bench.engine.run(models, numbered(10))
    reader = threading.Thread(target=lambda: list(run))
    reader.start()
    bench.until_planned(20)
    bench.kind.gate.set()
    reader.join()
    changes = sum(a.startswith("so ") != b.startswith("so ") for a, b in itertools.pairwise(bench.kind.asked))
    assert changes == 1


def test_closing_the_engine_ends_a_run_of_another_thread(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    outcomes: list[Outcome] = []
    run = bench.engine.run([bench.asking()], numbered(2 * WINDOW))
    reader = threading.Thread(target=lambda: outcomes.extend(outcome for _, outcome in run), daemon=True)
    reader.start()
    bench.at_the_model()
    request = bench.engine.submit("ana", [Letters()], [pair("Rain fell.")])
    closer = threading.Thread(target=bench.engine.close)
    closer.start()
    assert request.cancelled.wait(PATIENCE_S)
    bench.kind.gate.set()
    closer.join()
    reader.join(PATIENCE_S)
    assert [outcome.error for outcome in outcomes if isinstance(outcome, Failure)] == [CLOSED] * 2 * WINDOW


def test_a_closed_engine_says_so(bench: Bench) -> None:
    bench.engine.close()
    [(_, outcome)] = bench.engine.run([Letters()], numbered(1))
    assert outcome == Failure("0", "letters", FailureKind.ERROR, CLOSED)


def test_a_broken_example_does_not_end_a_run(bench: Bench) -> None:
    examples = [pair("Rain fell.", "a"), pair(" ", "b"), pair("Snow fell.", "c")]
    outcomes = [outcome for _, outcome in bench.engine.run([Letters()], examples)]
    assert [type(outcome) for outcome in outcomes] == [Result, Failure, Result]


def test_the_bill_adds_up(bench: Bench) -> None:
    examples = [pair(" ".join(TEN[start : start + 4]), str(start)) for start in range(7)]
    list(bench.engine.run([bench.asking()], examples))
    once = bench.engine.counts()
    outcomes = [outcome for _, outcome in bench.engine.run([bench.asking()], examples)]
    twice = bench.engine.counts()
    assert once.planned == 28 == once.cached + once.merged + once.asked
    assert (once.asked, once.tokens) == (10, 10)
    assert twice == Counts(56, once.cached + 28, once.merged, 10, once.passes, 10)
    shares = [outcome.counts for outcome in outcomes if isinstance(outcome, Result)]
    assert sum(shares, Counts()) == Counts(planned=28, cached=28)


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "cache"))
    yield engine
    engine.close()


def test_an_edited_sentence_alone_is_asked_again(real: Engine, tiny_roberta: Path) -> None:
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    [(_, before)] = real.run([metric], [Example("pair", TEXT, " ".join(TEN))])
    edited = [*TEN[:4], "Emil came late.", *TEN[5:]]
    [(_, after)] = real.run([metric], [Example("pair", TEXT, " ".join(edited))])
    assert isinstance(before, Result)
    assert isinstance(after, Result)
    chunks = len(before.seen.pieces)
    assert chunks > 1
    assert before.counts.asked == 1 + 10 * chunks  # the lengths of the document's sentences are one question
    assert (after.counts.asked, after.counts.cached) == (chunks, 1 + 9 * chunks)
    changed = [old.score != new.score for old, new in zip(before.parts, after.parts, strict=True)]
    assert changed == [number == 4 for number in range(10)]


def test_a_real_metric_asks_nothing_the_second_time(real: Engine, tiny_roberta: Path) -> None:
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    examples = [Example("pair", TEXT, " ".join(TEN))]
    [(_, first)] = real.run([metric], examples)
    asked = real.counts().asked
    [(_, second)] = real.run([metric], examples)
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    assert real.counts().asked == asked
    assert (second.score, second.parts, second.signature) == (first.score, first.parts, first.signature)


def test_the_engine_of_the_settings_is_closed_with_all_its_threads(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    assert len(set(threading.enumerate()) - before) >= 5
    engine.close()
    assert set(threading.enumerate()) == before


def test_a_model_that_does_not_fit_beside_another_takes_its_place(bench: Bench) -> None:
    large = [
        Asking(str(weights(bench.folder / name, NO_HEADER + name.encode() * 120_000))) for name in ("first", "other")
    ]
    assert all(isinstance(outcome, Result) for outcome in bench.ask(*large))
    assert len(bench.kind.asked) == 2
    assert len(bench.engine.pool.states()) == 1
