"""Code that comes with weights runs only where the setting of the machine names it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.weights.integrity import require_trust, untrusted_reason

COMMIT, LATER = "a" * 40, "b" * 40
REPOSITORY = Checkpoint("owner/name", "local_logprobs_trusted")


def trust(monkeypatch: pytest.MonkeyPatch, *places: object) -> None:
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", ", ".join(map(str, places)))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's cache with owner/name at a commit, which is its branch main."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--owner--name"
    for commit in (COMMIT, LATER):
        folder = repository / "snapshots" / commit
        folder.mkdir(parents=True)
        for name in ("config.json", "model.safetensors"):
            (folder / name).write_text("{}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    return repository


def test_nothing_is_trusted_until_somebody_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_TRUSTED_REPOS", raising=False)
    with pytest.raises(LoadError, match="nobody allowed that here"):
        require_trust(Checkpoint(str(tmp_path), "local_logprobs_trusted"), tmp_path)


def test_one_folder_is_trusted_and_not_the_one_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch, tmp_path / "read")
    assert untrusted_reason(Checkpoint(str(tmp_path / "read"), "local_logprobs_trusted")) == ""
    assert str(tmp_path / "other") in untrusted_reason(Checkpoint(str(tmp_path / "other"), "local_logprobs_trusted"))


def test_a_folder_is_known_by_where_it_is_and_not_by_how_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "evil")
    trust(monkeypatch, tmp_path / "read")
    assert untrusted_reason(Checkpoint(f"{tmp_path}/other/../read", "local_logprobs_trusted")) == ""
    assert untrusted_reason(Checkpoint(f"{tmp_path}/read/../link", "local_logprobs_trusted")) != ""


def test_a_repository_is_trusted_at_the_commit_that_was_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch, f"owner/name@{COMMIT}")
    assert untrusted_reason(REPOSITORY) == ""
    (cache / "refs" / "main").write_text(LATER)
    assert f"TOUCHSTONE_TRUSTED_REPOS=owner/name@{LATER}" in untrusted_reason(REPOSITORY)


def test_the_folder_that_is_loaded_decides_and_not_where_the_branch_points_by_then(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(monkeypatch, f"owner/name@{COMMIT}")
    with pytest.raises(LoadError, match=LATER):
        require_trust(REPOSITORY, cache / "snapshots" / LATER)


@pytest.mark.usefixtures("cache")
def test_a_branch_that_is_not_here_is_not_trusted_and_a_commit_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch, f"owner/absent@{COMMIT}")
    assert "owner/absent@COMMIT" in untrusted_reason(Checkpoint("owner/absent", "local_logprobs_trusted"))
    assert untrusted_reason(Checkpoint("owner/absent", "local_logprobs_trusted", revision=COMMIT)) == ""


@pytest.mark.parametrize(
    ("file", "content"),
    [("config.json", {"auto_map": {"AutoModelForCausalLM": "evil/code--own.Model"}}), ("adapter_config.json", {})],
)
def test_code_of_another_repository_is_not_trusted_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, content: object
) -> None:
    trust(monkeypatch, tmp_path)
    (tmp_path / file).write_text(json.dumps(content))
    with pytest.raises(LoadError, match="another repository"):
        require_trust(Checkpoint(str(tmp_path), "local_logprobs_trusted"), tmp_path)
