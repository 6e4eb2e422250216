"""Datasets come from the hub where they live there; otherwise a sentence says how to get them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.data.datasets.bump import Bump
from core.data.datasets.llm_aggrefact import LlmAggreFact
from core.data.datasets.summedits import SummEdits
from core.errors import TouchstoneError
from core.models.weights.download import fetch_released_dataset
from tests.unit.core.models.hub import Hub, serving


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the hub holds; nothing is cached."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "hub"
    folder.mkdir()
    record = {"id": "s_og", "doc": "D d.", "summary": "S s.", "label": 1, "seed_summary": "S s.", "domain": "law"}
    (folder / "summedits.json").write_text(json.dumps([record]))
    (folder / "model.py").write_text("print('never fetched')")
    return folder


def use(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", address)
    template = address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def test_a_dataset_is_fetched_and_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Hub(folder)) as hub:
        use(hub.address, monkeypatch)
        found = list(SummEdits().read(fetch_released_dataset(SummEdits())))
    assert len(found) == 1
    assert hub.asked == {"summedits.json"}


def test_a_dataset_that_is_not_on_the_hub_names_its_address() -> None:
    with pytest.raises(
        TouchstoneError, match=r"BUMP is not on the hub. Get it from https://github.com/dataminr-ai/BUMP"
    ):
        fetch_released_dataset(Bump())


def test_a_gated_dataset_says_where_its_terms_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Hub(folder, 403, "GatedRepo")) as hub:
        use(hub.address, monkeypatch)
        with pytest.raises(
            TouchstoneError, match=r"is gated. Accept its terms at .*lytang/LLM-AggreFact.*hf auth login"
        ):
            fetch_released_dataset(LlmAggreFact())


def test_a_hub_without_the_dataset_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Hub(folder, 404, "RepoNotFound")) as hub:
        use(hub.address, monkeypatch)
        with pytest.raises(TouchstoneError, match="has no dataset 'Salesforce/summedits', or it is private"):
            fetch_released_dataset(SummEdits())


@pytest.mark.usefixtures("folder")
def test_without_a_network_the_files_are_to_be_got_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    use("http://127.0.0.1:9", monkeypatch)
    with pytest.raises(TouchstoneError, match=r"cannot be reached.*download it by hand and name the file or folder"):
        fetch_released_dataset(SummEdits())


@pytest.mark.usefixtures("folder")
def test_offline_by_setting_is_said_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(TouchstoneError, match=r"cannot be reached.*OfflineModeIsEnabled"):
        fetch_released_dataset(SummEdits())
