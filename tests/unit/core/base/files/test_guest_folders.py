"""On a server that people share, what they type names no folder, file or package but those that its operator allows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.files.guest_folders import limit_folders
from core.edits.battery import read_battery
from core.errors import MissingWeightsError, TouchstoneError
from core.model_reference import local_checkpoints
from core.models.weights.locations import ModelStatus, is_local_source, locate, state_on_disk
from core.scoring.metric import METRICS
from core.settings import Settings

BATTERY = 'title = "Mine"\ndate = 2026-01-01\nkinds = ["negation"]\n'


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """A shared server whose models are in `models`, whose operator allows `open`, and whose battery is `noise.toml`."""
    monkeypatch.chdir(tmp_path)
    for name in ("models", "open", "private"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.toml").write_text(BATTERY)
    (tmp_path / "noise.toml").write_text(BATTERY)
    settings = Settings(
        shared=True, models_dir=tmp_path / "models", allowed_folders="open", noise_battery="noise.toml+number"
    )
    limit_folders(settings.guest_folders)
    yield settings
    limit_folders(None)


NAMED = [
    "mine[model={private}]",
    "mine[model=~]",
    "mine[model=open/../private]",
    "mine[model=open/link]",
    "shallow[model={private}/model.json]",
    "minicheck-roberta[checkpoint={private}]",
    "minicheck-roberta[checkpoint=..]",
    "minicheck-roberta[checkpoint=package:this.anything]",
    "direct-assessment[model=local:{private}]",
    "direct-assessment[model=local:/nowhere/at/all]",
    "fenice[parser={private}]",
    "fenice[parser=private]",
]


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("spec", NAMED)
def test_a_model_outside_of_the_folders_is_refused_whether_it_exists_or_not(tmp_path: Path, spec: str) -> None:
    (tmp_path / "open" / "link").symlink_to(tmp_path / "private")
    metric = METRICS.parse(spec.format(private=tmp_path / "private"))
    reasons = [state_on_disk(one) for one in local_checkpoints(metric.checkpoints())]
    [refused] = [one for one in reasons if "may not be named here" in one.message]
    assert refused.status is ModelStatus.FAILED
    assert "TOUCHSTONE_ALLOWED_FOLDERS" in refused.message


@pytest.mark.usefixtures("shared")
def test_a_relative_name_says_nothing_of_what_lies_on_the_disk() -> None:
    assert not is_local_source("private")
    assert not is_local_source("open/../private")


@pytest.mark.parametrize("folder", ["models/my-metric", "open/deep/model"])
def test_a_model_in_the_folders_is_looked_for(shared: Settings, tmp_path: Path, folder: str) -> None:
    assert shared.guest_folders
    [checkpoint] = local_checkpoints(METRICS.parse(f"mine[model={tmp_path / folder}]").checkpoints())
    with pytest.raises(MissingWeightsError, match="There is no trained metric in"):
        locate(checkpoint)


@pytest.mark.usefixtures("shared")
def test_the_metrics_that_come_with_touchstone_are_found() -> None:
    [checkpoint] = local_checkpoints(METRICS.parse("word-support").checkpoints())
    assert state_on_disk(checkpoint).status is ModelStatus.COLD


@pytest.mark.usefixtures("shared")
def test_a_battery_is_read_from_the_folders_and_from_nowhere_else(tmp_path: Path) -> None:
    assert read_battery("open/mine.toml").title == "Mine"
    assert read_battery("noise.toml+number").title == "Mine"
    for named in (f"{tmp_path}/private/mine.toml", "private/nothing.toml", "open/../private/mine.toml"):
        with pytest.raises(TouchstoneError, match="may not be named here"):
            read_battery(named)


def test_whoever_runs_touchstone_alone_names_any_folder(tmp_path: Path) -> None:
    limit_folders(Settings(shared=False, demo=False).guest_folders)
    (tmp_path / "mine.toml").write_text(BATTERY)
    assert read_battery(str(tmp_path / "mine.toml")).title == "Mine"
