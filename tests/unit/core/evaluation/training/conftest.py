"""Trainings that generate their corruptions from few of the bundled examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.core.evaluation.training.training_process import few_corruptions


@pytest.fixture(autouse=True)
def quick_corruptions() -> Iterator[None]:
    with few_corruptions():
        yield
