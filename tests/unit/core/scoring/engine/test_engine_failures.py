"""Whatever a metric or a model does spoils its own cell and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import pytest

from core.errors import BadSettingError
from core.models.weights.locations import ModelStatus
from core.scoring.engine.conversation import CellState
from core.scoring.engine.engine import Engine
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result
from tests.doubles.bench import Bench, pair
from tests.doubles.metrics import Asking, Breaking, Endless, Letters
from tests.doubles.models import PATIENCE_S, weights

UNEXPECTED = (
    "An unexpected error stopped this; the log has the details. Try another text, setting or checkpoint, and "
    "report it with the log."
)
HEADER = b"[]"
"""A list of tensors where safetensors keep an object."""


def failure(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failure)
    return outcome


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        ("value", FailureKind.ERROR, UNEXPECTED),
        ("silent", FailureKind.ERROR, UNEXPECTED),
        ("memory", FailureKind.OUT_OF_MEMORY, "This machine has no memory left for it. Shorten the text or free some."),
        ("full", FailureKind.OUT_OF_MEMORY, "The batch does not fit."),
        ("input", FailureKind.INPUT, "The summary rhymes."),
        ("setting", FailureKind.ERROR, "There is no layer 99."),
    ],
)
@pytest.mark.parametrize("when", ["plan", "fold"])
def test_a_metric_that_raises_leaves_the_others_and_the_next_request_working(
    bench: Bench, error: Literal["value"], kind: FailureKind, message: str, when: Literal["plan"]
) -> None:
    broken = Breaking(error, when)
    first = bench.ask(broken, Letters(), bench.asking())
    second = bench.ask(broken, Letters(), bench.asking(), summary="Snow fell.")
    for outcomes in (first, second):
        assert (failure(outcomes[0]).kind, failure(outcomes[0]).error) == (kind, message)
        assert [type(outcome) for outcome in outcomes[1:]] == [Result, Result]


@pytest.mark.parametrize("document", ["", " \n\t"])
def test_an_empty_document_is_refused_with_what_to_do(bench: Bench, document: str) -> None:
    request = bench.engine.submit("ana", [Letters()], [Example("pair", document, "Rain fell.")])
    outcome = failure(bench.outcomes(request)[("letters", "pair")])
    assert (outcome.kind, outcome.error) == (FailureKind.INPUT, "The document is empty. Paste, load or type one.")


def test_an_empty_summary_is_refused_with_what_to_do(bench: Bench) -> None:
    outcome = failure(bench.ask(Letters(), summary=" \u3000")[0])
    assert (outcome.kind, outcome.error) == (FailureKind.INPUT, "The summary is empty. Paste, load or type one.")


@pytest.mark.parametrize("metric", [Endless(), Endless(float("nan")), Endless(0.0, float("nan"))])
def test_what_is_no_number_is_a_failure(bench: Bench, metric: Endless) -> None:
    broken, other = bench.ask(metric, Letters())
    assert failure(broken).kind is FailureKind.ERROR
    assert "is no number" in failure(broken).error
    assert isinstance(other, Result)


def test_a_batch_that_does_not_fit_is_halved(bench: Bench) -> None:
    bench.kind.fit = 2
    [result] = bench.ask(bench.asking(), summary="One came. Two left. Three stayed. Four slept. Five woke.")
    assert isinstance(result, Result)
    assert len(result.parts) == 5
    assert [len(batch) for batch in bench.kind.batches] == [5, 2, 3, 1, 2]


def test_a_text_that_does_not_fit_alone_fails_and_the_rest_is_answered(bench: Bench) -> None:
    bench.kind.fit = 0
    broken = failure(bench.ask(bench.asking(), summary="One came. Two left.")[0])
    bench.kind.fit = 1
    [result] = bench.ask(bench.asking(), summary="Three stayed.")
    assert (broken.kind, broken.error) == (FailureKind.OUT_OF_MEMORY, "A batch of 1 texts does not fit.")
    assert isinstance(result, Result)


def test_a_question_that_makes_the_model_raise_spoils_only_its_metric(bench: Bench) -> None:
    bench.kind.poison = "poison"
    broken, whole = bench.ask(bench.asking(prefix="poison "), bench.asking(), summary="Rain fell. Snow fell.")
    assert (failure(broken).kind, failure(broken).error) == (FailureKind.ERROR, UNEXPECTED)
    assert isinstance(whole, Result)


def test_a_question_that_cannot_be_encoded_spoils_only_its_metric(bench: Bench) -> None:
    bench.kind.gate.clear()
    bench.engine.submit("ben", [bench.asking()], [pair("Hail fell.")])
    bench.at_the_model()
    bench.kind.unreadable = "strange"
    request = bench.engine.submit(
        "ana", [bench.asking(prefix="strange "), bench.asking()], [pair("Rain fell. Snow fell.")]
    )
    bench.until_planned(5)
    bench.kind.gate.set()
    broken, whole = bench.outcomes(request).values()
    assert failure(broken).error == "This cannot be encoded."
    assert isinstance(whole, Result)


def test_the_other_questions_of_a_failed_metric_are_not_asked(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.poison = "One"
    bench.kind.gate.clear()
    request = bench.engine.submit("ana", [bench.asking()], [pair("One came. Two left. Three stayed.")])
    bench.at_the_model()
    bench.kind.gate.set()
    assert isinstance(bench.outcomes(request)[(bench.asking().spec, "pair")], Failure)
    bench.ask(bench.asking(), summary="Four slept.")
    assert bench.kind.asked == ["One came.", "Four slept."]


def test_what_failed_is_tried_again_with_the_next_request(bench: Bench) -> None:
    bench.kind.fit = 0
    bench.ask(bench.asking())
    bench.kind.fit = 1
    [again, _] = bench.ask(bench.asking(), Letters())
    assert isinstance(again, Result)


def test_a_model_that_does_not_load_fails_its_cells_only(bench: Bench) -> None:
    broken, whole = bench.asking("broken"), bench.asking("whole")
    bench.kind.broken.add(broken.checkpoint)
    outcomes = bench.ask(broken, whole, Letters(), summary="Rain fell. Snow fell.")
    assert (failure(outcomes[0]).kind, failure(outcomes[0]).error) == (FailureKind.LOAD, "broken is broken.")
    assert [type(outcome) for outcome in outcomes[1:]] == [Result, Result]


def test_a_failed_model_is_asked_again_after_a_retry(bench: Bench) -> None:
    metric, examples = bench.asking(), [pair("Rain fell.")]
    bench.kind.broken.add(metric.checkpoint)
    request = bench.engine.submit("ana", [metric, Letters()], examples)
    assert isinstance(bench.outcomes(request)[(metric.spec, "pair")], Failure)
    bench.kind.broken.clear()
    bench.engine.pool.retry(metric.weights)
    bench.engine.pool.wait_for(metric.weights, {ModelStatus.READY}, PATIENCE_S)
    assert bench.engine.submit("ana", [metric, Letters()], examples) is request
    assert isinstance(bench.outcomes(request)[(metric.spec, "pair")], Result)


def test_a_failed_model_is_not_asked_again_without_a_retry(bench: Bench) -> None:
    metric = bench.asking()
    bench.kind.broken.add(metric.checkpoint)
    bench.ask(metric)
    bench.kind.broken.clear()
    assert failure(bench.ask(metric, summary="Snow fell.")[0]).kind is FailureKind.LOAD


def test_a_folder_that_is_not_there_fails_with_the_reason(bench: Bench) -> None:
    outcome = failure(bench.ask(Asking(str(bench.folder / "nowhere")))[0])
    assert outcome.kind is FailureKind.LOAD
    assert "There is no folder" in outcome.error


def test_weights_that_are_on_the_hub_need_a_download(bench: Bench) -> None:
    metric = Asking("touchstone-tests/not-on-this-machine")
    request = bench.engine.submit("ana", [metric], [pair("Rain fell.")])
    assert failure(bench.outcomes(request)[(metric.spec, "pair")]).kind is FailureKind.NEEDS_DOWNLOAD
    assert bench.engine.cells(request)[1][(metric.spec, "pair")].state is CellState.NEEDS_DOWNLOAD


def test_weights_whose_size_cannot_be_read_spoil_only_their_metric(bench: Bench) -> None:
    """The size is looked at while another model is busy, outside the load."""
    folder = weights(bench.folder / "odd", len(HEADER).to_bytes(8, "little") + HEADER)
    bench.load(bench.asking())
    bench.kind.gate.clear()
    bench.engine.submit("ben", [bench.asking()], [pair("Hail fell.")])
    bench.at_the_model()
    odd = Asking(str(folder))
    request = bench.engine.submit("ana", [odd], [pair("Rain fell.")])
    busy = bench.engine.submit("cem", [bench.asking()], [pair("Snow fell.")])
    bench.until_planned(3)
    bench.kind.gate.set()
    assert isinstance(bench.outcomes(busy)[(bench.asking().spec, "pair")], Result)
    assert failure(bench.outcomes(request)[(odd.spec, "pair")]).kind is FailureKind.LOAD


def test_a_device_that_is_not_here_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    absent = "cuda" if sys.platform == "darwin" else "mps"
    with pytest.raises(BadSettingError, match=f"run on {absent}, and torch finds none"):
        Engine.open(Settings(device=absent, cache_dir=tmp_path))
