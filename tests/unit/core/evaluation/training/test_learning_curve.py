"""Figures by part of the labelled documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.evaluation.training.learning_curve import CurvePoint, learning_curve
from core.evaluation.training.training_plan import Recipe, TrainingPlan, TrainingSource
from core.scoring.engine.engine import Engine
from core.settings import Settings
from tests.unit.core.evaluation.training.hashed_words import encoder
from tests.unit.core.evaluation.training.training_process import items


@pytest.fixture
def engine() -> Iterator[Engine]:
    with closing(Engine.open(Settings.read())) as opened:
        yield opened


def curve(recipe: Recipe, folder: Path, engine: Engine, documents: int = 24) -> list[CurvePoint]:
    plan = TrainingPlan([TrainingSource("mine", items(documents))], 0, recipe=recipe)
    run = learning_curve(plan, plan.data(), folder, engine)
    while True:
        try:
            next(run)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # typeshed has Any for it


@pytest.mark.slow
def test_a_part_holds_whole_documents_and_all_labels_judge_it(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.evaluation.training.learning_curve.load_encoder", lambda _: encoder())
    monkeypatch.setattr("core.evaluation.training.learning_curve._TREES", 25)
    points = curve("words", tmp_path, engine)
    assert [(point.documents, point.summaries) for point in points] == [
        (6, 14),
        (11, 26),
        (22, 48),
    ]  # two pairs are near-duplicates
    assert {point.area.n for point in points} == {48}
    assert points[-1].area.value is not None
    assert points[-1].area.value > 0.8
    assert points[0].gain is None
    assert "22 documents with 48 labels: AUC " in points[-1].text
    assert "points more than with the part before" in points[-1].text


@pytest.mark.slow
def test_the_surface_has_a_curve(tmp_path: Path, engine: Engine) -> None:
    assert [point.documents for point in curve("shallow", tmp_path, engine)] == [6, 11, 22]


def test_a_cross_encoder_has_none(tmp_path: Path, engine: Engine) -> None:
    with pytest.raises(TouchstoneError, match="a whole training each"):
        curve("cross-encoder", tmp_path, engine)
