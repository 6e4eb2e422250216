"""The pages of papers: every command that needs no weights is run in its order; every other one names commands and plugins that exist."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.edits.perturbation import PERTURBATIONS
from core.scoring.metric import METRICS
from core.scoring.nli_check import NLI_CHECKS
from tests.doubles.process import ROOT

PAGES = (
    "bump",
    "ramprasad",
    "longdoc",
    "summexecedit",
    "frank",
    "unieval",
    "index",
)  # a command may need files of those before it
TEXT = "\n".join((ROOT / "docs" / "papers" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)
ROWS = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| ") and "python cli.py" in line]
NAMES = ["Ana Brekke", "Olaf Vik", "Marit Moen", "Per Dahl"]


def command_of(row: list[str]) -> list[str]:
    found = re.search(r"`python cli\.py ([^`]+)`", row[1])
    assert found
    return shlex.split(found[1])


OFFLINE = [command_of(row) for row in ROWS if row[3].strip() == "offline"]
COMMANDS = [command_of(row) for row in ROWS]


def write_pairs(path: Path) -> None:
    """Twenty documents, each with a summary of two sentences and one that is wrong."""
    lines = []
    for number in range(20):
        name = NAMES[number % len(NAMES)]
        document = f"On day {number} {name} sailed north with {number + 3} crates. The sea was calm. {name} came home."
        for label, summary in ((1, f"{name} sailed with {number + 3} crates. The sea was calm."), (0, f"{name} sank.")):
            lines.append({"id": f"{number}-{label}", "document": document, "summary": summary, "label": label})
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_every_page_of_a_paper_is_read() -> None:
    assert {page.stem for page in (ROOT / "docs" / "papers").glob("*.md")} == {*PAGES}


@pytest.mark.slow
def test_every_command_that_needs_no_weights_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'own.db'}")
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    write_pairs(tmp_path / "pairs.jsonl")
    assert len(OFFLINE) >= 12
    for arguments in OFFLINE:
        # the figures of the released files are computed once, by test_reproduce.py
        elsewhere = ["--data", str(tmp_path)] if arguments[0] == "reproduce" else []
        done = CliRunner().invoke(app, [*arguments, *elsewhere])
        assert done.exit_code == 0, (arguments, done.output, done.exception)
        assert done.output.strip() or Path(arguments[-1]).stat().st_size, arguments


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_every_command_of_the_table_exists_with_its_options(arguments: list[str]) -> None:
    name = arguments[:2] if arguments[0] == "study" else arguments[:1]
    helped = CliRunner().invoke(app, [*name, "--help"], terminal_width=200)
    assert helped.exit_code == 0
    assert all(option in helped.output for option in arguments if option.startswith("--"))
    values = dict(pairwise(arguments))
    if metric := values.get("--metric"):
        METRICS.parse(metric)
    if kind := values.get("--kind"):
        PERTURBATIONS.parse(kind)
    if check := values.get("--nli-check"):
        NLI_CHECKS.parse(check)
