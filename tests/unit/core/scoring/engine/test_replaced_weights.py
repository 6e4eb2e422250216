"""A score is of the weights that its signature names, whenever files are replaced: between scores, while a model is loaded, while it is asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.models.networks.model import Row
from core.models.weights.locations import ModelStatus
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Answer, Question, Result
from tests.conftest import Weights
from tests.doubles.bench import Bench, open_bench, pair
from tests.doubles.metrics import Asking
from tests.doubles.models import NO_HEADER, PATIENCE_S, ScriptedKind, ScriptedModel, weights

A, B = NO_HEADER + b"\x40", NO_HEADER + b"\x80"


class ReadingKind(ScriptedKind):
    """Its models answer with the first byte of the weights that they were loaded from."""

    def __init__(self) -> None:
        super().__init__()
        self.read = threading.Event()  # a load has read the weights

    def load(self, path: Path, checkpoint: Checkpoint, device: str) -> ScriptedModel:
        content = (path / "model.safetensors").read_bytes()
        self.read.set()
        super().load(path, checkpoint, device)
        return ReadingModel(self, content)


class ReadingModel(ScriptedModel):
    def __init__(self, kind: ScriptedKind, content: bytes) -> None:
        super().__init__(kind, len(content))
        self._last = content[-1] / 256

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [Answer((self._last,), tokens=answer.tokens) for answer in super().forward(rows)]


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> ReadingKind:
    made = ReadingKind()
    made.install(monkeypatch)
    return made


@pytest.fixture
def reading(tmp_path: Path, kind: ReadingKind) -> Iterator[Bench]:
    opened = open_bench(tmp_path, kind)
    yield opened
    kind.gate.set()
    kind.loadable.set()
    opened.engine.close()


def signed(bench: Bench, content: bytes) -> str:
    """What the signature says of weights with this content."""
    folder = weights(bench.folder / f"as-{content[-1]}", content)
    return f"weights:{bench.engine.pool.fingerprint(Checkpoint(str(folder), 'scripted'))[:12]}"


def honest(bench: Bench, outcome: object) -> bytes:
    """The weights that gave a score, which are those of its signature."""
    assert isinstance(outcome, Result), outcome
    [content] = [one for one in (A, B) if outcome.score == one[-1] / 256]
    assert signed(bench, content) in outcome.signature
    shutil.rmtree(bench.folder / f"as-{content[-1]}")
    return content


def test_weights_replaced_under_a_running_process_are_loaded_again(weights: Weights, tmp_path: Path) -> None:
    tiny = import_module("tests.parity.tiny_entailment")
    folder = shutil.copytree(weights(tiny.albert_nli), tmp_path / "model")
    file = folder / "model.safetensors"
    first = file.read_bytes()
    other = _reversed_labels(first)
    metric = METRICS.parse(f"summac-zs[checkpoint={folder}]")

    def score(engine: Engine) -> Result:
        [(_, outcome)] = engine.run([metric], [pair("The harbour was closed.")])
        assert isinstance(outcome, Result), outcome
        return outcome

    def fresh(cache: Path) -> Engine:
        return Engine(ModelPool("cpu", None, cache), AnswerCache(cache))

    running = fresh(tmp_path / "cache")
    before = score(running)
    dates = file.stat()
    file.write_bytes(other)  # in place, which also changes what is mapped into memory
    os.utime(file, ns=(dates.st_atime_ns, dates.st_mtime_ns))
    after = score(running)
    running.close()
    truth, restarted = fresh(tmp_path / "elsewhere"), fresh(tmp_path / "cache")
    assert after.score == score(truth).score == score(restarted).score
    assert after.signature == score(truth).signature != before.signature
    assert abs(after.score - before.score) > 0.01
    file.write_bytes(first)
    assert score(restarted).score == before.score
    assert score(restarted).signature == before.signature
    truth.close()
    restarted.close()


def _reversed_labels(content: bytes) -> bytes:
    from safetensors.torch import load, save  # imports torch

    tensors = load(content)
    tensors["classifier.bias"] = tensors["classifier.bias"].flip(0)
    tensors["classifier.weight"] = tensors["classifier.weight"].flip(0)
    other = save(tensors, metadata={"format": "pt"})
    assert len(other) == len(content)
    return other


@pytest.mark.slow
def test_a_file_cut_off_under_a_loaded_model_does_not_end_the_process(tiny_roberta: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_roberta, tmp_path / "model")
    source = f"""
from pathlib import Path
from core.models.adapters.sequence_classifier import load
from core.model_reference import Checkpoint
from core.types import Question
folder = Path({str(folder)!r})
checkpoint = Checkpoint(str(folder), "sequence_classifier")
model = load(folder, checkpoint, "cpu")
rows = model.encode([Question(checkpoint, ("Nobody was hurt.",))])
before = model.forward(rows)
(folder / "model.safetensors").write_bytes(b"")
assert model.forward(rows) == before
"""
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr


def test_a_new_commit_of_the_hub_is_loaded(reading: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    repository = tmp_path / "hub" / "models--owner--name"
    (repository / "refs").mkdir(parents=True)
    found = []
    for commit, content in (("aaa", A), ("bbb", B)):
        weights(repository / "snapshots" / commit, content)
        (repository / "refs" / "main").write_text(commit)
        [outcome] = reading.ask(Asking("owner/name"))
        found.append(honest(reading, outcome))
    assert found == [A, B]


def test_weights_replaced_while_they_are_loaded_are_read_again(reading: Bench, kind: ReadingKind) -> None:
    metric = _metric(reading, A)
    kind.loadable.clear()
    request = reading.engine.submit("ana", [metric], [pair("Rain fell.")])
    assert kind.read.wait(PATIENCE_S)
    _replace(reading, B)
    kind.loadable.set()
    [outcome] = reading.outcomes(request).values()
    assert honest(reading, outcome) == B


def test_weights_replaced_and_put_back_while_they_are_loaded_are_read_again(reading: Bench, kind: ReadingKind) -> None:
    metric = _metric(reading, B)
    fingerprint = reading.engine.pool.fingerprint(metric.weights)
    kind.loadable.clear()
    _replace(reading, A)
    request = reading.engine.submit("ana", [metric], [pair("Rain fell.")])
    assert kind.read.wait(PATIENCE_S)
    _replace(reading, B)
    kind.loadable.set()
    [outcome] = reading.outcomes(request).values()
    assert honest(reading, outcome) == B
    assert reading.engine.pool.fingerprint(metric.weights) == fingerprint


def test_weights_replaced_while_they_are_asked_do_not_take_the_answer(reading: Bench, kind: ReadingKind) -> None:
    metric = _metric(reading, A)
    kind.gate.clear()
    request = reading.engine.submit("ana", [metric], [pair("Rain fell. Snow fell.")])
    reading.at_the_model()
    _replace(reading, B)
    kind.gate.set()
    [outcome] = reading.outcomes(request).values()
    honest(reading, outcome)
    [later] = reading.ask(metric, summary="Rain fell. Snow fell. Hail fell.")
    assert honest(reading, later) == B


def test_questions_that_wait_are_asked_of_the_new_weights(reading: Bench, kind: ReadingKind) -> None:
    metric = _metric(reading, A)
    kind.length = 1024  # a batch of each
    kind.gate.clear()
    request = reading.engine.submit("ana", [metric], [pair("Rain fell. Snow fell. Hail fell.")])
    reading.at_the_model()
    _replace(reading, B)
    kind.gate.set()
    [outcome] = reading.outcomes(request).values()
    assert isinstance(outcome, Result)
    assert honest(reading, outcome) == B
    assert {part.score for part in outcome.parts} == {B[-1] / 256}


def test_the_same_request_again_is_answered_by_the_new_weights(reading: Bench) -> None:
    metric, example = _metric(reading, A), pair("Rain fell.")
    [before] = reading.outcomes(reading.engine.submit("ana", [metric], [example])).values()
    _replace(reading, B)
    [after] = reading.outcomes(reading.engine.submit("ana", [metric], [example])).values()
    assert [honest(reading, before), honest(reading, after)] == [A, B]


def test_a_replaced_model_that_is_leased_keeps_its_memory_until_the_lease_ends(reading: Bench) -> None:
    metric, pool = _metric(reading, A), reading.engine.pool
    with pool.lease(metric.weights) as old:
        _replace(reading, B)
        with pool.lease(metric.weights) as new:
            assert pool.state(metric.weights).status is ModelStatus.READY
            assert pool._loaded.used_bytes("cpu") == len(A) + len(B)
            rows = [model.encode([Question(metric.weights, ("Rain fell.",))]) for model in (old, new)]
            assert [model.forward(row)[0].values for model, row in zip((old, new), rows, strict=True)] == [
                (A[-1] / 256,),
                (B[-1] / 256,),
            ]
    assert pool._loaded.used_bytes("cpu") == len(B)


def _metric(bench: Bench, content: bytes) -> Asking:
    weights(bench.folder / "model", content)
    return bench.asking()


def _replace(bench: Bench, content: bytes) -> None:
    (bench.folder / "model" / "model.safetensors").write_bytes(content)


def test_another_adapter_is_asked_again_though_the_weights_are_the_same(
    reading: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = weights(reading.folder / "model", A)
    metrics, pairs = [Asking(str(folder))], [pair("h")]
    list(reading.engine.run(metrics, pairs))
    asked = reading.engine.counts().asked
    list(reading.engine.run(metrics, pairs))
    assert reading.engine.counts().asked == asked > 0
    monkeypatch.setattr("core.scoring.engine.planner.adapter_code", lambda kind: f"a changed {kind}")
    list(reading.engine.run(metrics, pairs))
    assert reading.engine.counts().asked == 2 * asked
