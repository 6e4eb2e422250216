"""A campaign goes out of one database and into another by the command line."""

from __future__ import annotations

import codecs
import csv
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotations.store.records import RecordError
from annotations.store.store import Store
from core.errors import TouchstoneError
from tests.unit.annotations.campaigns.actors import CampaignFixture, make_campaign
from tests.unit.command_line import done, run


@pytest.fixture
def boats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CampaignFixture]:
    """Three items, two of which ben has labelled; one summary ends its line with a separator of Unicode."""
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.db'}")
    with closing(Store.open(f"sqlite:///{tmp_path / 'kept.db'}")) as store:
        opened = make_campaign(store, items=3)
        annotator = opened.annotator("ben")
        opened.label(annotator, 1)
        answers = {"verdict": "inconsistent", "confidence": 1, "reason": "Two\u2028lines."}
        opened.send(annotator, opened.next_task(annotator), answers=answers)
        yield opened


def test_a_campaign_is_exported_and_imported(
    boats: CampaignFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("export", "--campaign", "Boats", "-o", tmp_path / "boats.jsonl").exit_code == 0
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    brought = run("import-campaign", tmp_path / "boats.jsonl", "--name", "Boats of last year")
    assert brought.exit_code == 0, brought.exception
    assert "Imported 'Boats of last year', version 1." in brought.output
    with closing(Store.open(f"sqlite:///{tmp_path / 'other.db'}", read_only=True)) as other:
        assert other.counts()["response"] == boats.store.counts()["response"] == 2


@pytest.mark.parametrize("command", [("import-campaign",), ("import", "generic")])
@pytest.mark.parametrize("mark", ["--byte-order-mark", "--no-byte-order-mark"])
def test_a_campaign_comes_back_from_its_table_with_either_command(
    boats: CampaignFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], mark: str
) -> None:
    done("export", "--campaign", "Boats", mark, "-o", tmp_path / "boats.csv")
    done("export", "--campaign", "Boats", "-o", tmp_path / "boats.jsonl")
    assert (tmp_path / "boats.csv").read_bytes().startswith(codecs.BOM_UTF8) == (mark == "--byte-order-mark")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    done(*command, tmp_path / "boats.csv")
    done("export", "--campaign", "Boats", "-o", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text("utf-8") == (tmp_path / "boats.jsonl").read_text("utf-8")
    assert boats.store.counts()["response"] == 2


def test_a_table_has_a_row_for_each_label(boats: CampaignFixture, tmp_path: Path) -> None:
    assert run("export", "--campaign", boats.campaign.name, "-o", tmp_path / "boats.csv").exit_code == 0
    with (tmp_path / "boats.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "label"]
    assert [row["answer.verdict"] for row in rows] == ["consistent", "inconsistent"]
    assert {row["provenance"] for row in rows} == {"single"}


@pytest.mark.slow
def test_an_unknown_campaign_overwrites_nothing(boats: CampaignFixture, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("mine")
    said = run("export", "--campaign", f"{boats.campaign.name} 2", "-o", tmp_path / "notes.jsonl")
    assert isinstance(said.exception, RecordError)
    assert (tmp_path / "notes.jsonl").read_text() == "mine"


def test_what_cannot_be_read_is_told(boats: CampaignFixture, tmp_path: Path) -> None:
    before = boats.store.counts()
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "other.jsonl").write_text(json.dumps({"kind": "pair"}))
    for file in ("none.jsonl", "bytes.jsonl", "other.jsonl"):
        assert isinstance(run("import-campaign", tmp_path / file).exception, TouchstoneError), file
    assert boats.store.counts() == before


@pytest.mark.slow
def test_a_campaign_is_exported_in_the_format_of_another_tool(boats: CampaignFixture, tmp_path: Path) -> None:
    stated = tmp_path / "statement.md"
    more = ("--pay", "15 € an hour", "--consent", "Signed.", "--licence", "cc-by-4.0")
    done("export", "--campaign", boats.campaign.name, "--format", "data-statement", *more, "-o", stated)
    assert "Pay: 15 € an hour\n\nConsent: Signed." in stated.read_text(encoding="utf-8")
    done("export", "--campaign", boats.campaign.name, "--format", "label-studio", "-o", tmp_path / "boats.zip")
    with zipfile.ZipFile(tmp_path / "boats.zip") as archive:
        assert archive.namelist() == ["config.xml", "tasks.json"]


@pytest.mark.slow
def test_a_format_that_cannot_be_written_overwrites_nothing(boats: CampaignFixture, tmp_path: Path) -> None:
    kept = tmp_path / "pairs.json"
    kept.write_text("mine")
    for arguments, why in (
        (("--campaign", boats.campaign.name, "--format", "bump"), "no minimal pair"),
        (("--campaign", boats.campaign.name, "--format", "bunp"), "Did you mean 'bump'"),
        (("--format", "bump"), "Name one with --campaign"),
    ):
        said = run("export", *arguments, "-o", kept)
        assert isinstance(said.exception, TouchstoneError)
        assert why in str(said.exception)
    assert kept.read_text() == "mine"


@pytest.mark.usefixtures("boats")
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_everything_comes_back_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    done("export", "-o", tmp_path / f"all.{ending}")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    said = done("import", tmp_path / f"all.{ending}")
    assert "Imported 6 summaries." in said
    assert "does not carry imported datasets, campaigns, names of people" in said
    done("export", "-o", tmp_path / f"again.{ending}")
    assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"all.{ending}").read_bytes()


@pytest.mark.usefixtures("boats")
@pytest.mark.parametrize("form", ["hf-dataset", "label-studio"])
def test_an_archive_for_another_tool_comes_back_as_a_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    done("export", "--campaign", "Boats", "--format", form, "--licence", "cc-by-4.0", "-o", tmp_path / "boats.zip")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    counts = json.loads(run("import", tmp_path / "boats.zip", "--json").stdout)
    assert (counts["dataset"], counts["samples"]) == ("boats", 2)
    assert counts["labels"] == {"consistent": 1, "inconsistent": 1}
    with closing(Store.open(f"sqlite:///{tmp_path / 'other.db'}", read_only=True)) as other:
        [file] = other.datasets()[0].files
    assert file.importer == "exported"
    assert file.licence == ("cc-by-4.0" if form == "hf-dataset" else "your own")
