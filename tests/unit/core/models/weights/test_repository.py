"""The files of a folder or repository are listed and read; nothing of them is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.base.files.guest_folders import limit_folders
from core.errors import MissingWeightsError
from core.models.weights.repository import read_repository
from tests.doubles.model_hub import COMMIT, ModelHub
from tests.unit.core.models.hub import serving

CONFIG = '{"architectures": ["BertModel"]}'


def fill(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(CONFIG, encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"x" * 2_000_001)
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with serving(ModelHub(tmp_path / "published")) as running:
        monkeypatch.setattr(constants, "ENDPOINT", running.address)
        template = running.address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        yield running


def test_of_a_repository_the_small_files_alone_are_fetched_at_its_commit(hub: ModelHub) -> None:
    fill(hub.repository("owner/name"))
    found = read_repository("https://huggingface.co/owner/name")
    assert (found.source, found.revision, found.download_mb) == ("owner/name", COMMIT, 3)
    assert found.texts == {"config.json": CONFIG}
    assert hub.asked == {"owner/name/config.json"}


def test_offline_what_was_downloaded_is_read(hub: ModelHub, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(hub.repository("owner/name"))
    read_repository("owner/name", COMMIT)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    found = read_repository("owner/name", COMMIT)
    assert (found.source, found.revision, found.texts["config.json"]) == ("owner/name", COMMIT, CONFIG)
    with pytest.raises(MissingWeightsError, match="HF_HUB_OFFLINE forbids"):
        read_repository("owner/other")


def test_a_folder_is_known_by_its_whole_path_and_pointers_of_git_lfs_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fill(tmp_path / "mine")
    (folder / "model.safetensors").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    found = read_repository("./mine")
    assert (found.source, found.revision, found.download_mb) == (str(folder), "", 0)
    assert found.pointers == ("model.safetensors",)


def test_where_guests_are_another_folder_is_refused_whether_it_exists_or_not(tmp_path: Path) -> None:
    fill(tmp_path / "closed")
    limit_folders([tmp_path / "open"])
    try:
        for name in ("closed", "absent"):
            with pytest.raises(MissingWeightsError, match="may not be named here"):
                read_repository(str(tmp_path / name))
    finally:
        limit_folders(None)
