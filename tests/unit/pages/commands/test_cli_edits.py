"""Edits from the command line: one pair each, which other commands read, and a reason for all that is not used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli import app
from core.data.datasets.pairs import Pairs
from core.errors import MissingEndpointError
from core.types import Item, Verdict
from tests.unit.core.edits.editing.test_editor import DOCUMENT, SIX, SUMMARY, edit
from tests.unit.core.models.llm.scripted import Reply, serving, text

DATED = edit("until June", "until May")
ANSWER = [*SIX[:3], DATED, edit("the mayor", "the captain")]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    record = {"id": "p0", "document": DOCUMENT, "summary": SUMMARY, "domain": "news"}
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def edited(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """Run `edits` on the pairs against a server that knows the three prompts."""
    with serving(lambda _path, body: _reply(body["messages"][1]["content"])) as endpoint:

        def run(*arguments: str) -> Result:
            monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
            command = ["edits", str(pairs), "--model", "tiny", "-o", str(tmp_path / "out.jsonl"), *arguments]
            return CliRunner().invoke(app, command)

        yield run


def _reply(user: str) -> Reply:
    if "Of what kind is the change?" in user:
        kind = "name swap" if "divers" in user.rpartition("Their replacement:")[2] else "other"
        return text(json.dumps({"kind": kind, "because": "So it is."}))
    if "Propose six edits" in user:
        return text(json.dumps({"edits": ANSWER}))
    summaries = [SUMMARY.replace(one["original_text"], one["replace_text"]) for one in SIX]
    return text(json.dumps({"summaries": [{"edited_summary": one, "explanation": "No."} for one in summaries]}))


def rows(tmp_path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_each_edit_that_can_be_used_is_a_pair_and_the_others_are_counted_with_their_reasons(
    edited: Callable[..., Result], tmp_path: Path
) -> None:
    done = edited()
    assert done.exit_code == 0, done.output
    assert [row["id"] for row in rows(tmp_path)] == ["p0/1", "p0/2", "p0/3"]
    assert rows(tmp_path)[0]["edits"] == [SIX[0]]
    assert str(rows(tmp_path)[0]["signature"]).startswith("edits-executable|model:tiny|")
    assert "p0/4 is trivial: By rule it is a change of date." in done.stderr
    assert "p0/5 cannot be executed: 'the mayor' is not a substring" in done.stderr
    assert "Edits written: 3." in done.stderr
    assert "Not used: 1 cannot be executed, 1 is trivial." in done.stderr
    assert "Estimate: 1 question to endpoints" in done.stderr
    assert "Spent: default: 1 question, 7 tokens read, 3 written" in done.stderr


def test_the_importer_of_pairs_reads_them_back_as_inconsistent_edits(
    edited: Callable[..., Result], tmp_path: Path
) -> None:
    edited("--form", "rewritten")
    items = [item for item in Pairs().read(tmp_path / "out.jsonl") if isinstance(item, Item) and item.parent]
    assert [item.example.summary for item in items] == [row["edited"] for row in rows(tmp_path)]
    assert {item.intended for item in items} == {Verdict.INCONSISTENT}
    assert {(item.group, item.domain) for item in items} == {(rows(tmp_path)[0]["group"], "news")}


def test_edited_pairs_can_be_scored(edited: Callable[..., Result], tmp_path: Path) -> None:
    edited()
    scores = tmp_path / "scores.jsonl"
    done = CliRunner().invoke(app, ["score", str(tmp_path / "out.jsonl"), "--metric", "rouge2", "-o", str(scores)])
    assert done.exit_code == 0, done.output
    assert len(scores.read_text(encoding="utf-8").splitlines()) == 2 * 3


@pytest.mark.parametrize(
    ("trivial", "kept"),
    [
        ("none", ["p0/1", "p0/2", "p0/3", "p0/4"]),
        ("rule", ["p0/1", "p0/2", "p0/3"]),
        ("model", ["p0/1", "p0/3", "p0/4"]),
        ("both", ["p0/1", "p0/3"]),
    ],
)
def test_trivial_edits_are_left_out_by_whom_it_is_told(
    edited: Callable[..., Result], tmp_path: Path, trivial: str, kept: list[str]
) -> None:
    edited("--trivial", trivial)
    assert [row["id"] for row in rows(tmp_path)] == kept
    models = {"none": None, "rule": None, "model": "other", "both": "other"}
    assert {row["trivial"]["model"] for row in rows(tmp_path)} == {models[trivial]}  # type: ignore[index]  # a record


def test_a_pair_without_an_answer_is_named_and_counted(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(lambda _path, _body: text(None, refused="I do not lie.")) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        done = CliRunner().invoke(app, ["edits", str(pairs), "--model", "tiny", "-o", str(tmp_path / "out.jsonl")])
    assert "p0 was not answered: The model refused. The model said: “I do not lie.”" in done.stderr
    assert "Not used: 1 was not answered." in done.stderr
    assert rows(tmp_path) == []


def test_without_an_endpoint_nothing_is_overwritten(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("precious", encoding="utf-8")
    done = CliRunner().invoke(app, ["edits", str(pairs), "--model", "tiny", "-o", str(tmp_path / "out.jsonl")])
    assert isinstance(done.exception, MissingEndpointError)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "precious"
