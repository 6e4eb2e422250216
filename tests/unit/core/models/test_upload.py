"""Pushing a trained metric to a hub: the files that are sent, and what is said where it does not take them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # it ships no types
from huggingface_hub import constants

from core.errors import TouchstoneError
from core.models.upload import push
from core.models.weights.locations import locate
from core.models.words.head import CARD_FILE, CONFIG_FILE, DOCUMENTS_FILE, FIGURES_FILE, WEIGHTS_FILE
from core.scoring.metrics.mine import EmbeddedWordSupport
from tests.doubles.upload_hub import TOKEN, UploadHub
from tests.unit.command_line import run

# of huggingface_hub's own upload
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
TRAINED = {WEIGHTS_FILE, CONFIG_FILE, CARD_FILE, FIGURES_FILE, DOCUMENTS_FILE}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a trained metric, beside files that must stay here."""
    place = tmp_path / "metric"
    place.mkdir()
    shipped = locate(EmbeddedWordSupport().weights)
    for name in TRAINED:
        (place / name).write_bytes((shipped / name).read_bytes())
    (place / "train.jsonl").write_text('{"document": "of a training"}', encoding="utf-8")
    (place / "unfinished").mkdir()
    (place / "unfinished" / "words.npz").write_bytes(b"states of training texts")
    return place


def test_the_folder_is_pushed_without_texts_and_private(upload_hub: UploadHub, folder: Path) -> None:
    assert push(folder, "owner/metric", "cc-by-4.0") == f"{upload_hub.address}/owner/metric"
    sent = upload_hub.repositories["owner/metric"]
    assert set(sent) == TRAINED
    assert all(sent[name] == (folder / name).read_bytes() for name in TRAINED)
    assert upload_hub.private["owner/metric"]


def test_a_taken_name_is_refused_and_gets_a_new_version_on_request(upload_hub: UploadHub, folder: Path) -> None:
    push(folder, "owner/metric", "cc-by-4.0", public=True)
    assert not upload_hub.private["owner/metric"]
    (folder / CARD_FILE).write_text("# Another card", encoding="utf-8")
    with pytest.raises(TouchstoneError, match=r"exists on .* already"):
        push(folder, "owner/metric", "cc-by-4.0")
    push(folder, "owner/metric", "Our terms", existing=True)
    [_, head, card] = upload_hub.repositories["owner/metric"][CARD_FILE].decode().split("---\n")
    assert yaml.safe_load(head)["license_name"] == "Our terms"
    assert card == "\n# Another card"


def test_without_a_licence_nothing_is_pushed(upload_hub: UploadHub, folder: Path) -> None:
    with pytest.raises(TouchstoneError, match="State the licence of the metric"):
        push(folder, "owner/metric", " ")
    assert not upload_hub.repositories


def test_a_token_that_is_wrong_or_missing_or_of_another_is_a_sentence(
    upload_hub: UploadHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TouchstoneError, match="may not write to someone/metric"):
        push(folder, "someone/metric", "cc-by-4.0")
    with pytest.raises(TouchstoneError, match="has no repository 'owner/other'"):
        push(folder, "owner/other", "cc-by-4.0", existing=True)
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(TouchstoneError, match="does not know the token"):
        push(folder, "owner/metric", "cc-by-4.0")
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(folder / "no-token"))
    with pytest.raises(TouchstoneError, match="Set HF_TOKEN"):
        push(folder, "owner/metric", "cc-by-4.0")
    assert not upload_hub.repositories


def test_a_hub_that_is_not_there_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with pytest.raises(TouchstoneError, match="cannot be reached"):
        push(folder, "owner/metric", "cc-by-4.0")


@pytest.mark.parametrize("name", ["metric", "a/b/c", "owner/..", "owner/a name"])
@pytest.mark.usefixtures("upload_hub")
def test_a_name_that_is_none_is_a_sentence(folder: Path, name: str) -> None:
    with pytest.raises(TouchstoneError, match="is no name of a repository"):
        push(folder, name, "cc-by-4.0")


def test_a_folder_without_a_trained_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="no trained metric"):
        push(tmp_path, "owner/metric", "cc-by-4.0")


def test_the_command_prints_where_it_is(upload_hub: UploadHub, folder: Path) -> None:
    done = run("push", folder, "owner/metric", "--licence", "cc-by-4.0")
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == f"{upload_hub.address}/owner/metric"
