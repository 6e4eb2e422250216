"""Scores are the same without any optimisation: no cache, no batch, nothing remembered of an earlier question, and the networks as transformers has them."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path

import pytest

from core.errors import UnscorableError
from core.model_reference import EndpointModel
from core.models import configured_endpoint
from core.models.weights.locations import locate
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.settings import Settings
from core.types import Answer, Example, Failure, FailureKind, Question, Result
from tests.unit.core.scoring.metrics.test_metric_contract import FIRST, PAIRS, endpoint, metric

__all__ = ["endpoint", "metric"]

TOLERANCE = 1e-5
"""Of float32. Computed in double precision, the plain networks of these tests give values up to 3.0e-6 from their own and the
optimised ones up to 2.6e-6: each sums in another order, so that they differ by 4.4e-6 and neither is nearer."""
EXAMPLES = [
    PAIRS[0],
    Example(
        "pair", PAIRS[0].document, f"{PAIRS[0].summary} Nobody was hurt in Rome."
    ),  # read from the first changed token on
    Example("pair", FIRST.document, FIRST.document[:200]),
    Example(
        "pair", f"{FIRST.document}\n\n{FIRST.document}", FIRST.summary
    ),  # another length, and passages that are equal
]
QUICK = "bartscore"  # a decoder whose prefixes are remembered


@pytest.fixture
def no_optimisation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks as transformers loads and computes them."""
    for module, name in (
        ("core.models.networks.linear", "prepare_linear"),
        ("core.models.networks.attention", "prepare_attention"),
        ("core.models.networks.network", "share_weights"),
        ("core.models.words.cross_encoder", "read_first_token"),
        *(
            (f"core.models.adapters.{adapter}", "read_first_token")
            for adapter in ("alignscore", "bleurt", "sequence_classifier", "sequence_regressor")
        ),
        ("core.models.adapters.seq2seq_choice", "write_one_token"),
    ):
        monkeypatch.setattr(import_module(module), name, lambda network: network)
    monkeypatch.setattr("core.models.networks.network.read_bert", lambda *_: None)
    monkeypatch.setattr("core.models.networks.linear._IS_HERE", False)


def plain_answer(question: Question) -> Answer:
    """The answer of a model that was loaded for this question."""
    checkpoint = question.checkpoint
    if isinstance(checkpoint, EndpointModel):
        asked: Answer = import_module(f"core.models.adapters.{checkpoint.kind}").ask(
            configured_endpoint(checkpoint.endpoint), question
        )
        return asked
    model = import_module(f"core.models.adapters.{checkpoint.kind}").load(locate(checkpoint), checkpoint, "cpu")
    [answer] = model.forward(model.encode([question]))
    assert isinstance(answer, Answer)
    return answer


def plain_score(metric: Metric, example: Example) -> list[float]:
    """The score of a pair and of its parts, one question after the other; nothing for a pair that is refused."""
    rounds = metric.rounds(example)
    try:
        questions = next(rounds)
        while True:
            questions = rounds.send([plain_answer(question) for question in questions])
    except StopIteration as end:
        return [end.value.value, *(part.score for part in end.value.parts)]
    except UnscorableError:
        return []


def optimised_scores(metric: Metric, folder: Path, *runs: list[Example]) -> list[list[float]]:
    """The same of these runs of one engine, with oneDNN for products of every size."""
    scores = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.models.networks.linear._LEAST_PRODUCTS", 1)
        engine = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=folder))
        for _, outcome in (pair for run in runs for pair in engine.run([metric], run)):
            if isinstance(outcome, Failure) and outcome.kind is FailureKind.INPUT:
                scores.append([])
                continue
            assert isinstance(outcome, Result), outcome
            scores.append([outcome.score, *(part.score for part in outcome.parts)])
        engine.close()
    return scores


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == QUICK else pytest.mark.slow) for name in METRICS.names()]
)
def test_scores_are_the_same_without_any_optimisation(
    metric: Metric, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    one_by_one = optimised_scores(metric, tmp_path / "one", *([example] for example in EXAMPLES))
    at_once = optimised_scores(metric, tmp_path / "all", EXAMPLES)
    request.getfixturevalue("no_optimisation")
    assert any(one_by_one)
    for example, alone, together in zip(EXAMPLES, one_by_one, at_once, strict=True):
        plain = plain_score(metric, example)
        assert all(map(math.isfinite, plain))
        assert alone == pytest.approx(plain, rel=TOLERANCE, abs=TOLERANCE)
        assert together == pytest.approx(plain, rel=TOLERANCE, abs=TOLERANCE)
