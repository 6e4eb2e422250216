"""`--batch` of the commands that ask language models: one batch for each round, nothing asked live, and what Ctrl+C leaves."""

from __future__ import annotations

import _thread
import json
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli import app
from core.settings import Settings
from tests.unit.core.edits.editing.test_editor import DOCUMENT, SIX, SUMMARY
from tests.unit.core.models.llm.batch_server import BatchServer, Ending, Line, answered, jsonl
from tests.unit.core.models.llm.scripted import Reply, serving

CASE = {"id": "a", "document": DOCUMENT, "summary": SUMMARY, "seed": SUMMARY, "explanation": "No.", "reference": "No."}


def end(lines: list[Line]) -> Ending:
    return Ending(output=jsonl(answered(line, said(line["body"]["messages"][-1]["content"])) for line in lines))


def said(question: str) -> str:
    """An answer in every form at once: what is not asked for is passed over."""
    if "Of what kind is the change?" in question:
        return json.dumps({"kind": "other", "because": "So it is."})
    grades = {"because": "So.", "grade": "entirely", "consistent": "no", "explanation": "A ferry."}
    return json.dumps({"score": 80, **grades, "edits": SIX})


class Server(BatchServer):
    """Interrupts whoever looks at a batch, as Ctrl+C does."""

    interrupts = False

    def __call__(self, path: str, body: Mapping[str, Any]) -> Reply:
        if self.interrupts and path.startswith("/v1/batches/"):
            self.interrupts = False
            _thread.interrupt_main()
        return super().__call__(path, body)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    (tmp_path / "pairs.jsonl").write_text(
        "\n".join(json.dumps({**CASE, "id": id, "document": f"{DOCUMENT} {id}", "reference": id}) for id in "abc")
    )
    settings = {"CACHE_DIR": str(tmp_path / "cache"), "DEVICE": "cpu", "PROMPTS_DIR": "", "LLM_MODEL": "tiny"}
    scripted = Server(end)
    with serving(scripted) as running:
        for name, value in {**settings, "LLM_BASE_URL": running.url}.items():
            monkeypatch.setenv(f"TOUCHSTONE_{name}", value)
        yield scripted


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "-o", "out.jsonl"])


@pytest.mark.parametrize(
    ("command", "batches"),
    [
        ("explain pairs.jsonl", [3]),
        ("judge pairs.jsonl --setup V3", [3]),
        ("edits pairs.jsonl --trivial model", [3, 6]),
        ("score pairs.jsonl --metric direct-assessment --metric rouge2", [3]),
    ],
)
def test_each_round_is_one_batch_and_a_live_run_asks_nothing_again(
    server: Server, command: str, batches: list[int]
) -> None:
    first = run(*command.split(), "--batch")
    assert first.exit_code == 0, first.output
    written = Path("out.jsonl").read_text()
    assert written
    assert f"Batch batch_0: {batches[0]} questions submitted." in first.stderr
    assert run(*command.split()).exit_code == 0
    if not command.startswith("score"):  # which says how long it took
        assert Path("out.jsonl").read_text() == written
    assert (server.submitted, server.live) == (batches, 0)


@pytest.mark.parametrize("command", ["judge pairs.jsonl --setup V3", "edits pairs.jsonl", "explain pairs.jsonl"])
def test_most_asks_about_a_draw_that_the_seed_repeats(server: Server, command: str) -> None:
    for _ in range(2):
        told = run(*command.split(), "--batch", "--most", "2", "--seed", "5")
        assert told.exit_code == 0, told.output
    assert server.submitted == [2]


@pytest.fixture
def heard_interrupt() -> Iterator[None]:
    """Ctrl+C as on a terminal: a process that was started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("heard_interrupt")
def test_ctrl_c_leaves_the_batch_under_way_and_says_how_to_go_on(server: Server) -> None:
    server.polls, server.interrupts = 1_000_000, True
    stopped = run("explain", "pairs.jsonl", "--batch")
    assert stopped.exit_code
    assert "The same command collects it and submits nothing twice." in stopped.stderr
    server.polls = 1
    assert run("explain", "pairs.jsonl", "--batch").exit_code == 0
    assert len(Path("out.jsonl").read_text().splitlines()) == 3
    assert server.submitted == [3]
