"""Datasets and label sets pushed to a hub by the command line, and read back from it."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from huggingface_hub import constants

from annotations.store.store import Store
from core.errors import TouchstoneError
from tests.doubles.upload_hub import TOKEN, UploadHub
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.command_line import done, run

# of huggingface_hub's own upload
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def tugs(tmp_path: Path, database: str) -> Path:  # noqa: ARG001  # which `done` imports into
    """Two pairs of one's own, imported as `tugs`; where to write the export."""
    pairs = [{"id": f"t{n}", "document": f"Tug {n} was sold.", "summary": f"Tug {n} sank."} for n in range(2)]
    (tmp_path / "tugs.jsonl").write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
    done("import", "pairs", tmp_path / "tugs.jsonl", "--name", "tugs")
    return tmp_path / "tugs.zip"


def problem(*arguments: object) -> str:
    error = run("export", *arguments).exception
    assert isinstance(error, TouchstoneError), error
    return str(error)


def test_a_dataset_is_written_and_pushed_private_and_read_back(upload_hub: UploadHub, tugs: Path) -> None:
    more = ("--licence", "cc0-1.0", "--push", "owner/tugs")
    assert done("export", "-o", tugs, "--dataset", "tugs", *more).strip() == f"{upload_hub.address}/datasets/owner/tugs"
    sent = upload_hub.repositories["owner/tugs"]
    assert (upload_hub.kinds["owner/tugs"], upload_hub.private["owner/tugs"]) == ("dataset", True)
    rows = pq.read_table(io.BytesIO(sent["items.parquet"])).to_pylist()
    assert [(row["id"], row["summary"]) for row in rows] == [("t0", "Tug 0 sank."), ("t1", "Tug 1 sank.")]
    assert b"license: cc0-1.0" in sent["README.md"]
    with zipfile.ZipFile(tugs) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == sent


def test_a_taken_name_is_refused_and_gets_a_new_version_on_request(upload_hub: UploadHub, tugs: Path) -> None:
    pushed = ("-o", tugs, "--dataset", "tugs", "--push", "owner/tugs")
    done("export", *pushed, "--licence", "cc0-1.0", "--public")
    assert not upload_hub.private["owner/tugs"]
    assert "exists on" in problem(*pushed, "--licence", "cc-by-4.0")
    done("export", *pushed, "--licence", "cc-by-4.0", "--existing")
    assert b"license: cc-by-4.0" in upload_hub.repositories["owner/tugs"]["README.md"]


@pytest.mark.slow
def test_a_bad_token_and_a_hub_that_is_not_there_are_sentences(
    upload_hub: UploadHub, tugs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed = ("-o", tugs, "--dataset", "tugs", "--licence", "cc0-1.0", "--push")
    assert "may not write to someone/tugs" in problem(*pushed, "someone/tugs")
    assert "is no name of a repository" in problem(*pushed, "tugs")
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    assert "does not know the token" in problem(*pushed, "owner/tugs")
    assert not upload_hub.repositories
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert "cannot be reached" in problem(*pushed, "owner/tugs")


def test_what_is_not_stated_or_does_not_go_together_pushes_and_writes_nothing(
    upload_hub: UploadHub, tugs: Path
) -> None:
    push = ("-o", tugs, "--push", "owner/tugs")
    assert "Nobody has stated a licence" in problem(*push, "--dataset", "tugs")
    assert "Name what to push" in problem(*push)
    assert "or a dataset" in problem(*push, "--dataset", "tugs", "--campaign", "Boats")
    assert "The hub takes the format hf-dataset" in problem(*push, "--campaign", "Boats", "--format", "csv")
    assert "is one of campaigns" in problem("-o", tugs, "--dataset", "tugs", "--format", "bump")
    assert not upload_hub.repositories
    assert not tugs.exists()


def test_the_labels_of_a_campaign_are_pushed_by_pseudonyms(
    upload_hub: UploadHub, database: str, tmp_path: Path
) -> None:
    with closing(Store.open(database)) as store:
        opened = make_campaign(store, items=2)
        opened.label(opened.annotator("Benedict"), 2)
    push = ("-o", tmp_path / "boats.zip", "--campaign", "Boats", "--push", "owner/boats", "--licence", "cc-by-4.0")
    assert problem(*push).startswith("State what people consented to before a push")
    assert not upload_hub.repositories
    done("export", *push, "--consent", "Signed.")
    sent = upload_hub.repositories["owner/boats"]
    labels = pq.read_table(io.BytesIO(sent["labels.parquet"])).to_pylist()
    assert [row["answer.verdict"] for row in labels] == ["consistent", "consistent"]
    assert b"Consent: Signed." in sent["README.md"]
    assert not [content for content in sent.values() if b"Benedict" in content]
