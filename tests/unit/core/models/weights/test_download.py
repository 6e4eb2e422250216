"""What is needed comes from the hub, with progress; a hub that does not answer says so within seconds."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.models.weights.download import needed_files
from core.models.weights.locations import ModelState, ModelStatus, locate
from tests.unit.core.models.hub import Hub, serving

REPOSITORY = Checkpoint("owner/name", "sequence_classifier")
OVER = {ModelStatus.READY, ModelStatus.FAILED}


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelPool]:
    """A pool whose hub cache is empty."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    pool = ModelPool("cpu", None, tmp_path / "cache")
    yield pool
    pool.close()


@pytest.fixture
def repository(tiny_roberta: Path, tmp_path: Path) -> Path:
    """A folder with everything that a repository of the hub may hold."""
    folder = shutil.copytree(tiny_roberta, tmp_path / "repository")
    (folder / "README.md").write_text("Read me.")
    (folder / "pytorch_model.bin").write_bytes(b"the same weights as a pickle")
    return folder


def use(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What HF_ENDPOINT does when it is set before the start."""
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")


def fetch(pool: ModelPool, monkeypatch: pytest.MonkeyPatch, address: str) -> ModelState:
    use(address, monkeypatch)
    pool.fetch(REPOSITORY)
    return pool.wait_for(REPOSITORY, OVER, 60)


def test_a_fetched_model_is_downloaded_and_loaded(
    pool: ModelPool, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[ModelState] = []
    pool.watch(lambda: seen.append(pool.state(REPOSITORY)))
    with serving(Hub(repository)) as hub:
        assert fetch(pool, monkeypatch, hub.address).status is ModelStatus.READY
        assert hub.asked == {"config.json", "tokenizer.json", "model.safetensors"}
    shares = [
        state.progress for state in seen if state.status is ModelStatus.DOWNLOADING and state.progress is not None
    ]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_what_was_fetched_once_needs_no_hub(pool: ModelPool, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Hub(repository)) as hub:
        fetch(pool, monkeypatch, hub.address)
    pool.unload(REPOSITORY)
    assert pool.state(REPOSITORY).status is ModelStatus.COLD
    pool.request(REPOSITORY)
    assert pool.wait_for(REPOSITORY, OVER, 60).status is ModelStatus.READY


@pytest.mark.slow
def test_a_hub_that_never_answers_is_given_up_within_seconds(pool: ModelPool, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.monotonic()
        state = fetch(pool, monkeypatch, f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert time.monotonic() - started < 10
    assert state.status is ModelStatus.FAILED
    assert "cannot be reached" in state.message


def test_a_hub_that_refuses_the_connection_is_given_up_within_seconds(
    pool: ModelPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        address = f"http://127.0.0.1:{closing.getsockname()[1]}"
    started = time.monotonic()
    state = fetch(pool, monkeypatch, address)
    assert time.monotonic() - started < 10
    assert f"{address} cannot be reached" in state.message


def test_fetching_again_after_a_failure_tries_again(
    pool: ModelPool, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fetch(pool, monkeypatch, "http://127.0.0.1:1").status is ModelStatus.FAILED
    with serving(Hub(repository)) as hub:
        assert fetch(pool, monkeypatch, hub.address).status is ModelStatus.READY


@pytest.mark.parametrize(
    ("status", "code", "advice"),
    [
        (403, "GatedRepo", "is gated. Accept its terms at"),
        (401, "RepoNotFound", "has no repository 'owner/name', or it is private"),
        (404, "RevisionNotFound", "has no revision 'main'"),
        (500, "", "with status 500"),
    ],
)
def test_a_refusal_says_what_to_do(
    pool: ModelPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, code: str, advice: str
) -> None:
    with serving(Hub(tmp_path, status, code)) as hub:
        state = fetch(pool, monkeypatch, hub.address)
    assert state.status is ModelStatus.FAILED
    assert advice in state.message


@pytest.mark.parametrize(
    ("lacking", "said"),
    [("tokenizer.json", "lists no tokenizer"), ("model.safetensors", "lists no model.safetensors or")],
)
def test_what_a_listing_lacks_is_said_before_anything_is_downloaded(
    pool: ModelPool, repository: Path, monkeypatch: pytest.MonkeyPatch, lacking: str, said: str
) -> None:
    for name in (lacking, "pytorch_model.bin"):
        (repository / name).unlink()
    with serving(Hub(repository)) as hub:
        state = fetch(pool, monkeypatch, hub.address)
    assert said in state.message
    assert not hub.asked


@pytest.mark.slow
def test_a_slow_download_does_not_hold_up_a_model_on_disk(
    pool: ModelPool, tiny_roberta: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_disk = Checkpoint(str(tiny_roberta), "sequence_classifier")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use(f"http://127.0.0.1:{silent.getsockname()[1]}", monkeypatch)
        pool.fetch(REPOSITORY)
        pool.request(on_disk)
        assert pool.wait_for(on_disk, OVER, 60).status is ModelStatus.READY
        assert pool.state(REPOSITORY).status is ModelStatus.DOWNLOADING
        assert pool.wait_for(REPOSITORY, OVER, 60).status is ModelStatus.FAILED


def test_sharded_safe_tensors_are_preferred_to_a_pickle() -> None:
    names = ["a.md", "config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    names += [
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "tokenizer.json",
        "1_Pooling/config.json",
        "onnx/model.onnx",
    ]
    assert needed_files(names) == [
        name for name in names if name not in {"a.md", "pytorch_model.bin", "onnx/model.onnx"}
    ]


def test_a_pickle_is_taken_where_there_is_nothing_else() -> None:
    assert needed_files(["pytorch_model.bin", "flax_model.msgpack"]) == ["pytorch_model.bin"]


@pytest.mark.slow
def test_a_download_that_breaks_off_is_never_taken_for_complete(
    pool: ModelPool, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tokenizer's settings are missing, without which a model loads and gives other numbers."""
    (repository / "tokenizer_config.json").write_text("{}")
    with serving(Hub(repository, broken="tokenizer_config.json")) as hub:
        assert fetch(pool, monkeypatch, hub.address).status is ModelStatus.FAILED
    later = ModelPool("cpu", None, tmp_path / "cache")
    state = later.state(REPOSITORY)
    later.close()
    assert state.status is ModelStatus.NEEDS_DOWNLOAD
    with serving(Hub(repository)) as hub:
        assert fetch(pool, monkeypatch, hub.address).status is ModelStatus.READY
    assert (locate(REPOSITORY) / "tokenizer_config.json").is_file()


def test_a_network_that_answers_with_its_log_in_page_is_told(
    pool: ModelPool, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(repository)
    monkeypatch.setattr(hub, "content", lambda _: b"<!DOCTYPE html><html>Log in to the network</html>")
    with serving(hub):
        state = fetch(pool, monkeypatch, hub.address)
    assert state.status is ModelStatus.FAILED
    assert "a log-in page of the network" in state.message


@pytest.mark.slow
def test_two_processes_that_download_one_repository_do_not_corrupt_it(
    pool: ModelPool, repository: Path, tmp_path: Path
) -> None:
    source = (
        "from core.models.weights.download import download\nfrom core.types import Checkpoint\n"
        "download(Checkpoint('owner/name', 'sequence_classifier'), lambda share: None)"
    )
    with serving(Hub(repository)) as hub:
        outside = {
            **os.environ,
            "HF_ENDPOINT": hub.address,
            "HF_HUB_CACHE": str(tmp_path / "hub"),
            "HF_HUB_OFFLINE": "0",
        }
        both = [subprocess.Popen([sys.executable, "-c", source], env=outside, stderr=subprocess.PIPE) for _ in "ab"]
        errors = [process.communicate(timeout=120)[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    found = locate(REPOSITORY)
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        assert (found / name).read_bytes() == (repository / name).read_bytes()
    pool.request(REPOSITORY)
    assert pool.wait_for(REPOSITORY, OVER, 60).status is ModelStatus.READY
