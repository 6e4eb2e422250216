"""One switch for the precision of networks: exact is exact whatever the environment says, and signatures name the others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import torch

from core.errors import BadSettingError, LoadError
from core.model_reference import Checkpoint
from core.models.device import MatrixPrecision
from core.models.precision import Precision, loaded_as, require_precision
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Failure, Result
from tests.doubles.bench import DOCUMENT, pair
from tests.doubles.pretended_gpu import pretend_cards

SUMMARIES = ["Nobody was hurt.", "The harbour was open on Tuesday.", DOCUMENT]


@pytest.fixture
def _switches() -> Iterator[None]:
    yield
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


def results(spec: str, folder: Path, device: str = "cpu", precision: Precision = "exact") -> list[Result]:
    settings = Settings(device=device, memory="1GB", cache_dir=folder, precision=precision)
    with closing(Engine.open(settings)) as engine:
        return scored(engine, spec)


def scored(engine: Engine, spec: str) -> list[Result]:
    outcomes = [outcome for _, outcome in engine.run([METRICS.parse(spec)], map(pair, SUMMARIES, "abc"))]
    return [outcome for outcome in outcomes if isinstance(outcome, Result)]


def scores(spec: str, folder: Path, device: str = "cpu", precision: Precision = "exact") -> list[float]:
    return [result.score for result in results(spec, folder, device, precision)]


@pytest.mark.usefixtures("_switches")
def test_exact_scores_of_a_gpu_are_those_of_a_processor_where_the_environment_turns_tf32_on(
    tiny_roberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = f"minicheck-roberta[checkpoint={tiny_roberta}]"
    here = scores(spec, tmp_path / "cpu")
    pretend_cards(monkeypatch)
    torch.backends.cuda.matmul.allow_tf32 = True  # as TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 does
    assert len(here) == 3
    assert scores(spec, tmp_path / "exact", "cuda") == pytest.approx(here, abs=1e-6)
    in_tf32 = scores(spec, tmp_path / "tf32", "cuda", "tf32")
    assert in_tf32 != pytest.approx(here, abs=1e-6)
    assert in_tf32 == pytest.approx(here, abs=1e-2)


def test_tf32_that_a_variable_turns_off_is_refused(
    tiny_roberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_cards(monkeypatch)
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "0")
    settings = Settings(device="cuda", memory="1GB", cache_dir=tmp_path, precision="tf32")
    with closing(Engine.open(settings)) as engine:
        metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
        [(_, outcome)] = engine.run([metric], [pair(SUMMARIES[0])])
    assert isinstance(outcome, Failure)
    assert outcome.error == "NVIDIA_TF32_OVERRIDE=0 turns TF32 off. Unset it, or set dtype=float32."


def test_a_process_begins_exact_whatever_images_set() -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "import torch, core.models.networks.network; print(torch.backends.cuda.matmul.allow_tf32)",
        ],
        env={**os.environ, "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "False"


def test_a_switch_that_does_not_turn_is_an_error_and_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck:
        allow_tf32 = property(lambda _: True, lambda *_: None)

    precision = MatrixPrecision()
    with monkeypatch.context() as patched:
        patched.setattr(torch.backends.cuda, "matmul", Stuck())
        with pytest.raises(LoadError, match="does not turn TF32 off"), precision.set_to(False):
            raise AssertionError
    with precision.set_to(True):
        pass
    with precision.set_to(False):
        assert not torch.backends.cuda.matmul.allow_tf32


def test_the_switch_computes_and_signs_as_the_setting_of_a_metric(tiny_roberta: Path, tmp_path: Path) -> None:
    spec = f"minicheck-roberta[checkpoint={tiny_roberta}]"
    switched = results(spec, tmp_path / "switch", precision="bfloat16")
    named = results(spec.replace("]", ",dtype=bfloat16]"), tmp_path / "named")
    assert [(result.score, result.signature) for result in switched] == [
        (result.score, result.signature) for result in named
    ]
    assert all("|dtype:bfloat16|" in result.signature for result in switched)


def test_a_metric_without_a_number_type_says_the_precision(tiny_roberta: Path, tmp_path: Path) -> None:
    spec = f"claims[metric=minicheck-roberta[checkpoint={tiny_roberta}]]"
    assert all("|precision:bfloat16|" in result.signature for result in results(spec, tmp_path, precision="bfloat16"))
    assert not any("precision:" in result.signature for result in results(spec, tmp_path))


def test_another_precision_loads_the_model_again_and_takes_no_answer_of_the_first(
    tiny_roberta: Path, tmp_path: Path
) -> None:
    spec = f"minicheck-roberta[checkpoint={tiny_roberta}]"
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))) as engine:
        exact, asked = scored(engine, spec), engine.counts().asked
        engine.pool.compute_in("bfloat16")
        assert not any(state.nbytes for state in engine.pool.states().values())
        other = scored(engine, spec)
        assert engine.counts().asked == 2 * asked - 1, "all but the count of tokens"
        engine.pool.compute_in("exact")
        assert [result.score for result in scored(engine, spec)] == [result.score for result in exact]
        assert engine.counts().asked == 2 * asked - 1, "from the cache"
    assert [result.score for result in other] != [result.score for result in exact]


def test_what_names_a_number_type_or_writes_edits_is_left_as_it_is() -> None:
    half, words = Checkpoint("a", "alignscore", dtype="float16"), Checkpoint("a", "masked_word")
    assert loaded_as(half, "bfloat16") == half
    assert loaded_as(words, "bfloat16") == words
    assert loaded_as(Checkpoint("a", "alignscore"), "tf32").dtype == "tf32"


def test_tf32_is_refused_where_no_nvidia_gpu_is_used() -> None:
    require_precision("bfloat16", "cpu")
    for device in ("cpu", "auto"):
        with pytest.raises(BadSettingError, match="Set TOUCHSTONE_PRECISION to exact or bfloat16"):
            require_precision("tf32", device)
