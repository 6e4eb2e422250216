"""The table of speeds beside the authors' code: both sides run in processes, and what cannot be timed is said."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from core.settings import VERSION
from tests.bench.energy import EnergyMeter, Gpu
from tests.bench.meters import resident_bytes
from tests.load.speed_record import EDIT, FIRST, SET, SET_OF_VERSIONS, Turn, app, format_turns
from tests.load.timed_side import Measurement, measure

_BART_SCORE = '''
"""A scorer with the interface of BARTScore: the mean log-likelihood of a summary's tokens, text by text, in a network of transformers."""
import torch
from transformers import BartForConditionalGeneration

BartTokenizer = None


class BARTScorer:
    def __init__(self, device, checkpoint):
        self._tokenizer = BartTokenizer.from_pretrained(checkpoint)
        self._network = BartForConditionalGeneration.from_pretrained(checkpoint).to(device).eval()
        self._device = device

    @torch.no_grad()
    def score(self, sources, targets):
        print("scoring")
        return [self._mean(*pair) for pair in zip(sources, targets, strict=True)]

    def _mean(self, source, target):
        source, target = (self._tokenizer(text, return_tensors="pt").input_ids.to(self._device) for text in (source, target))
        words = self._network(input_ids=source, labels=target).logits.log_softmax(-1)
        return words.gather(-1, target[..., None]).mean().item()
'''


def _measurement(seconds: float, *scores: float, joules: float = math.nan) -> Measurement:
    return Measurement(seconds, 500_000_000, joules, scores)


def test_a_row_has_medians_and_the_largest_difference() -> None:
    turns = [
        Turn(_measurement(4.0, 0.5, joules=30.0), _measurement(2.0, 0.5, joules=10.0)),
        Turn(_measurement(9.0, 0.5, joules=50.0), _measurement(3.0, 0.4, joules=20.0)),
        Turn(_measurement(5.0, 0.5, joules=40.0), _measurement(1.0, 0.5, joules=40.0)),
    ]
    assert format_turns("bartscore", "cpu", {FIRST: turns}) == [
        "| bartscore | cpu | first score | 3.00 | 5.00 / 2.00 | 500 / 500 | 40 / 20 | 1e-01 |"
    ]


def test_a_machine_without_counters_of_energy_has_a_dash() -> None:
    [row] = format_turns("bartscore", "cpu", {FIRST: [Turn(_measurement(4.0, 0.5), _measurement(2.0, 0.5))]})
    assert row.split(" | ")[-2] == "–"


def test_energy_is_that_of_all_processors_and_goes_past_the_end_of_a_counter(tmp_path: Path) -> None:
    for name, energy in {"intel-rapl:0": 999_000_000, "intel-rapl:1": 5_000_000, "intel-rapl:0:0": 0}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text(f"{energy}\n")
        (tmp_path / name / "max_energy_range_uj").write_text("1000000000\n")
    with EnergyMeter("cpu", tmp_path) as meter:
        (tmp_path / "intel-rapl:0" / "energy_uj").write_text("2000000\n")
        (tmp_path / "intel-rapl:1" / "energy_uj").write_text("9000000\n")
    assert meter.joules == pytest.approx(3.0 + 4.0)


def test_energy_is_no_number_where_the_system_has_no_counter(tmp_path: Path) -> None:
    with EnergyMeter("cpu", tmp_path / "powercap") as meter:
        pass
    assert math.isnan(meter.joules)


def test_energy_of_a_gpu_is_no_number_without_its_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # as nvidia-ml-py says it on a machine without the driver
    (tmp_path / "pynvml.py").write_text(
        "class NVMLError(Exception):\n    pass\n\n\ndef nvmlInit():\n    raise NVMLError('NVML Shared Library Not Found')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    assert math.isnan(Gpu().read())
    del sys.modules["pynvml"]


def test_a_measurement_has_the_seconds_of_the_work_and_what_it_held() -> None:
    def score(_: object) -> list[float]:
        return [float(np.ones(50_000_000).sum())]  # 400 MB

    before = resident_bytes()
    measured = measure(score, [], "cpu")
    assert 0 < measured.seconds < 60
    assert measured.nbytes - before > 300_000_000
    assert measured.scores == [5e7]


def test_a_device_that_is_not_here_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [str(tmp_path), "--device", "cuda:7"])
    assert done.exit_code == 2
    assert "Got cuda:7, and this machine has cpu" in done.output


def test_missing_checkouts_are_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [str(tmp_path), "--metric", "bartscore", "--metric", "summac-zs"])
    assert done.exit_code == 0
    assert f"## {VERSION}, " in done.output
    assert f"Not timed: bartscore: there is no {tmp_path}/BARTScore. Clone https://github.com/neulab/BARTScore.\n" in (
        done.output
    )
    assert "Not timed: summac-zs: there is no " in done.output


def test_a_metric_without_code_of_authors_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [str(tmp_path), "--metric", "rouge2"])
    assert done.exit_code == 2
    assert "Got 'rouge2'" in done.output


@pytest.mark.slow
def test_both_sides_are_timed_in_turns_and_give_the_same_scores(tmp_path: Path) -> None:
    checkout = tmp_path / "BARTScore"
    checkout.mkdir()
    (checkout / "bart_score.py").write_text(_BART_SCORE)
    options = ["--metric", "bartscore", "--size", "tiny", "--device", "cpu", "--repeats", "2", "--words", "300"]
    done = CliRunner().invoke(app, [str(tmp_path), *options])
    assert done.exit_code == 0, done.output
    rows = [
        line.split(" | ") for line in done.output.splitlines() if line.startswith("| bartscore (bart-tiny; BARTScore")
    ]
    assert [row[2] for row in rows] == [FIRST, EDIT, SET, SET_OF_VERSIONS]
    assert all(float(row[-1].strip(" |")) < 1e-5 for row in rows)
    assert all(float(row[3]) > 0 for row in rows)
    assert "Not timed" not in done.output


@pytest.mark.slow
def test_a_side_that_ends_says_why_and_the_others_go_on(tmp_path: Path) -> None:
    for name in ("BARTScore", "UniEval"):
        (tmp_path / name).mkdir()
    (tmp_path / "BARTScore" / "bart_score.py").write_text("raise RuntimeError('no weights here')\n")
    options = [
        "--metric",
        "bartscore",
        "--metric",
        "unieval-fact",
        "--size",
        "tiny",
        "--device",
        "cpu",
        "--words",
        "300",
    ]
    done = CliRunner().invoke(app, [str(tmp_path), *options])
    assert done.exit_code == 0, done.output
    assert "Not timed: bartscore on cpu: The code in " in done.output
    assert "RuntimeError: no weights here" in done.output
    assert "Not timed: unieval-fact on cpu: " in done.output
    assert "scorer.py. Name a folder with a checkout of the authors' repository." in done.output
