"""config.json says which class is which, and a checkpoint of another architecture or task is refused in words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.types import Failure, Outcome, Result
from tests.conftest import Weights
from tests.doubles.bench import pair

RAW = ("Error", "weights_only", "report above", "ignore_mismatched", "Traceback", "object has no")


@pytest.fixture
def score(tmp_path: Path) -> Iterator[Callable[[str], Outcome]]:
    engine = Engine(ModelPool("cpu", None, tmp_path / "cache"), AnswerCache(tmp_path / "cache"))

    def scored(spec: str) -> Outcome:
        [(_, outcome)] = engine.run([METRICS.parse(spec)], [pair("The harbour was closed.")])
        return outcome

    yield scored
    engine.close()


@pytest.fixture
def albert(weights: Weights, tmp_path: Path) -> Path:
    return shutil.copytree(weights(import_module("tests.parity.tiny_entailment").albert_nli), tmp_path / "albert")


@pytest.fixture
def factcc(weights: Weights, tmp_path: Path) -> Path:
    return shutil.copytree(weights(import_module("tests.parity.tiny_entailment").factcc), tmp_path / "factcc")


def state(folder: Path, **entries: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **entries}))


def named(*labels: str) -> dict[str, object]:
    return {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}


def reason(outcome: Outcome) -> str:
    assert isinstance(outcome, Failure), outcome
    assert not any(raw in outcome.error for raw in RAW), outcome.error
    return outcome.error


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Result), outcome
    return outcome.score


def test_labels_are_read_where_config_json_names_them(score: Callable[[str], Outcome], albert: Path) -> None:
    from safetensors.torch import load_file, save_file

    spec = f"summac-zs[checkpoint={albert}]"
    unnamed = value(score(spec))
    state(albert, **named("ENTAILMENT", "CONTRADICTION", "NEUTRAL"))
    assert value(score(spec)) == unnamed
    # the same head with entailment last, and a config that says so
    tensors = load_file(albert / "model.safetensors")
    for name in ("classifier.weight", "classifier.bias"):
        tensors[name] = tensors[name][[2, 1, 0]].contiguous()
    save_file(tensors, albert / "model.safetensors", {"format": "pt"})
    state(albert, **named("neutral", "contradiction", "entailment"))
    assert value(score(spec)) == pytest.approx(unnamed, abs=1e-5)
    assert abs(value(score(f"summac-zs[checkpoint={albert},config_check=off]")) - unnamed) > 0.01


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (named("negative", "neutral", "positive"), "0 = negative"),
        (
            {**named("entailment", "contradiction", "neutral"), "label2id": {"entailment": 2}},
            "another order in label2id",
        ),
        (named("contradiction", "entailment"), "has 2 labels, and the metric reads 3"),
    ],
)
def test_labels_that_do_not_tell_are_refused(
    score: Callable[[str], Outcome], albert: Path, labels: dict[str, object], says: str
) -> None:
    state(albert, **labels)
    message = reason(score(f"summac-zs[checkpoint={albert}]"))
    assert says in message
    assert "config_check=off" in message


def test_another_architecture_is_refused_unless_its_owner_vouches_for_it(
    score: Callable[[str], Outcome], tiny_roberta: Path
) -> None:
    message = reason(score(f"factcc[checkpoint={tiny_roberta}]"))
    assert "type roberta" in message
    assert "type bert" in message
    outcome = score(f"factcc[checkpoint={tiny_roberta},config_check=off]")
    assert isinstance(outcome, Result)
    assert "config_check:off" in outcome.signature


def test_another_task_is_refused(score: Callable[[str], Outcome], factcc: Path, weights: Weights) -> None:
    state(factcc, architectures=["BertForSequenceClassification"], **named("INCORRECT", "CORRECT"))
    value(score(f"factcc[checkpoint={factcc}]"))
    minicheck = reason(score(f"minicheck-roberta[checkpoint={factcc}]"))
    assert "the metric reads unsupported, supported" in minicheck
    state(factcc, architectures=["BertForTokenClassification"])
    assert "needs a model ForSequenceClassification" in reason(score(f"factcc[checkpoint={factcc}]"))
    bart = weights(import_module("tests.parity.tiny_likelihood").bart)
    for name in ("lettucedetect", "bleurt-20", "unieval-fact", "semantic-similarity", "bertscore"):
        reason(score(f"{name}[checkpoint={bart}]"))


@pytest.mark.parametrize(
    "entries",
    [
        {"hidden_size": "wide"},
        {"hidden_size": 48},
        {"num_attention_heads": 5},
        {"model_type": "unheard-of"},
        {"vocab_size": 7},
        {"num_hidden_layers": None},
    ],
    ids=str,
)
def test_a_config_that_does_not_fit_is_a_sentence(
    score: Callable[[str], Outcome], factcc: Path, entries: dict[str, object]
) -> None:
    state(factcc, **entries)
    assert "Get all files again" in reason(score(f"factcc[checkpoint={factcc},config_check=off]"))


def test_a_tokenizer_of_another_model_is_a_sentence(score: Callable[[str], Outcome], factcc: Path) -> None:
    words = (factcc / "vocab.txt").read_text().split()
    filler = [f"word{number}" for number in range(len(words))]
    (factcc / "vocab.txt").write_text("\n".join([*words[:5], *filler, *words[5:]]) + "\n")
    assert "are of two models" in reason(score(f"factcc[checkpoint={factcc}]"))


def test_a_pickle_with_code_is_refused_without_advice_to_run_it(
    score: Callable[[str], Outcome], factcc: Path, tmp_path: Path
) -> None:
    import os
    import pickle

    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "run"),)

    (factcc / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(), protocol=2))
    assert "would run as code" in reason(score(f"factcc[checkpoint={factcc}]"))
    assert not (tmp_path / "run").exists()
