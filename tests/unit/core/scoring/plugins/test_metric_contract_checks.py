"""Each breach of the contract is found by the check for it, and a metric that keeps it passes all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.assessment.gate.metric_contract import CHECKS, MetricContract
from core.scoring.metric import METRICS, Metric
from core.scoring.plugins.processes.loading import load_plugin
from core.settings import Settings
from core.types import Example, Result, Seen
from tests.unit.core.scoring.plugins.conftest import WriteFile

RegisterMetric = Callable[[str], Metric]

BODY = "words = set(document.lower().split()); own = summary.lower().split(); "
SCORE = "sum(word in words for word in own) / max(1, len(own))"

BREACHES = {
    "bundled texts have scores within the range": (f"return {SCORE} + 1", "outside its range from 0 to 1"),
    "the same twice": (f"import random; return {SCORE} / 2 + random.random() / 2", "asked again by a new process."),
    "not a constant": ("return 0.5", "It scores 0.5 for every one of 20 bundled texts"),
    "long texts": (f"assert len(document) < 10_000; return {SCORE}", "a document of 20,000 words: AssertionError"),
    "unusual characters": (f"document.encode(); return {SCORE}", "half of a character: UnicodeEncodeError"),
}


@pytest.fixture
def registered(write: WriteFile, monkeypatch: pytest.MonkeyPatch) -> RegisterMetric:
    """Function that makes a metric of the body of a function and registers it while the test runs."""

    def made(source: str) -> Metric:
        METRICS.names()
        [metric] = load_plugin(write(source), Settings.read()).metrics
        monkeypatch.setitem(METRICS.listed, metric.name, metric)  # type: ignore[arg-type]  # a dictionary, seen as a mapping
        return metric()

    return made


def breaches(metric: Metric, *checks: str) -> dict[str, str]:
    contract = MetricContract(metric)
    return {check: sentence for check in checks or CHECKS if (sentence := CHECKS[check](contract))}


def test_a_metric_that_keeps_the_contract_passes_every_check(registered: RegisterMetric) -> None:
    assert breaches(registered(f"@ts.metric\ndef kept(document, summary):\n    {BODY}return {SCORE}")) == {}


@pytest.mark.parametrize("check", BREACHES)
def test_a_breach_is_found(check: str, registered: RegisterMetric) -> None:
    body, sentence = BREACHES[check]
    found = breaches(registered(f"@ts.metric\ndef broken(document, summary):\n    {BODY}{body}"), check)
    assert sentence in found[check]


@pytest.mark.slow
def test_a_score_that_depends_on_the_others_of_its_batch_is_found(registered: RegisterMetric) -> None:
    source = "@ts.metric\ndef broken(examples): return [len(one.summary) / (len(one.summary) + len(examples)) for one in examples]"
    found = breaches(registered(source), "the same alone and in any order")
    assert "asked for alone, the last text first." in found["the same alone and in any order"]


def test_the_wrong_direction_is_found(registered: RegisterMetric) -> None:
    source = f"@ts.metric(direction='lower')\ndef broken(document, summary):\n    {BODY}return {SCORE}"
    contract = MetricContract(registered(source))
    faithful = {pair[0] for pair in contract.pairs}
    contract.__dict__["first"] = {
        text: outcome_of(contract, text, 1.0 if text in faithful else 0.0) for text in contract.texts
    }
    assert "Check direction='lower'." in CHECKS["its direction on ten pairs"](contract)


def outcome_of(contract: MetricContract, text: Example, score: float) -> Result:
    return Result(text.id, contract.metric.spec, "", score, (), Seen(), 0.0, "cpu")


def test_a_metric_of_ours_passes() -> None:
    assert breaches(METRICS.parse("conciseness"), "the same twice", "empty texts", "read back from its spec") == {}
