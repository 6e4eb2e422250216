"""Scores of every metric on a GPU beside those of a processor, on the same random weights; skipped where no GPU is.

TOUCHSTONE_TEST_GPU_SIZE chooses the shapes: tiny by default, or small, base, large.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import torch

from core.errors import MissingWeightsError
from core.models import read_hardware
from core.scoring.metric import Metric
from tests.bench.comparison import MetricComparison
from tests.bench.network_shapes import parse_sizes
from tests.bench.recipes import RECIPES, prepare_metric
from tests.bench.workloads import make_pair, make_pairs_sharing_documents, sentence_pool

_SIZE = os.environ.get("TOUCHSTONE_TEST_GPU_SIZE", "tiny")
_EXAMPLES = [make_pair(1, 300, 4), *make_pairs_sharing_documents(2, 2, 6, 120, 3)]
_GENERATING = ("fenice", "q2", "qafacteval", "questeval")  # random logits tie: what is written may differ

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


@pytest.mark.parametrize("name", sorted(set(RECIPES) - {*_GENERATING, "bespoke-minicheck-7b", "claims", "retrieve"}))
def test_scores_on_a_gpu_are_those_of_a_processor(name: str, tmp_path: Path) -> None:
    metric = _metric(name, tmp_path)
    there, here = _scores(metric, "cuda", tmp_path / "cuda"), _scores(metric, "cpu", tmp_path / "cpu")
    assert there == pytest.approx(here, abs=2e-4, rel=1e-3)


@pytest.mark.parametrize("name", _GENERATING)
def test_a_metric_that_writes_scores_on_a_gpu(name: str, tmp_path: Path) -> None:
    metric = _metric(name, tmp_path)
    scores = _scores(metric, "cuda", tmp_path / "cuda")
    assert scores == _scores(metric, "cuda", tmp_path / "again"), "the same on a second run"


def _metric(name: str, folder: Path) -> Metric:
    try:
        return prepare_metric(name, parse_sizes([_SIZE]), sentence_pool(), folder / "models")[0]
    except MissingWeightsError as error:  # the parser that some read
        pytest.skip(str(error))


def _scores(metric: Metric, device: str, cache: Path) -> Sequence[float]:
    with closing(MetricComparison(metric, device, 0.9, cache)) as comparison:
        return [result.score for result in comparison.engine(_EXAMPLES).results]


def test_a_gpu_is_named_with_its_memory_and_driver() -> None:
    hardware = read_hardware(["cuda"])
    assert torch.cuda.get_device_name(0) in hardware.summary
    assert "driver" in hardware.summary
    assert hardware.warning == ""
