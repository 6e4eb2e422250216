"""The command line keeps the contract of design section 7."""

from __future__ import annotations

import csv
import inspect
import json
import re
from collections.abc import Iterable
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import Result

from annotations.store.records import PairRecord
from annotations.store.store import Store
from cli import GROUPS
from core.errors import BadSettingError, TouchstoneError, UnknownNameError
from core.scoring.metric import METRICS
from core.settings import VERSION
from core.types import Edit, Span
from tests.doubles.process import finish, start
from tests.sources import ROOT
from tests.unit.command_line import run

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away. Nobody was hurt."
SENTENCES = ["The harbour was closed.", "A storm tore ferries away.", "Nobody was hurt."]
CONTRACT = {"id", "metric", "signature", "status", "score", "error", "sentences", "seen"}


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line of this test keeps its cache and database in the folder of the test, on the processor."""
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.db'}")
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")


def pairs_file(path: Path, *summaries: str) -> Path:
    lines = [{"id": f"p{number}", "document": DOCUMENT, "summary": text} for number, text in enumerate(summaries)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def score(pairs: Path, output: Path, metrics: Iterable[str], *more: str) -> Result:
    return run("score", pairs, *[part for spec in metrics for part in ("--metric", spec)], "-o", output, *more)


def records(output: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]


def test_every_pair_is_scored_by_every_metric_in_order(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    done = score(
        pairs_file(tmp_path / "in.jsonl", "Rain fell.", "Snow fell."), output, ["rouge2[measured=f1]", "word-novelty"]
    )
    assert done.exit_code == 0
    rows = records(output)
    names = [(row["id"], row["metric"]) for row in rows]
    assert names == [(pair, metric) for pair in ("p0", "p1") for metric in ("rouge2[measured=f1]", "word-novelty")]
    assert all(set(row) >= CONTRACT for row in rows)
    assert all((row["status"], row["error"]) == ("ok", None) for row in rows)


def test_a_sentence_is_written_with_its_evidence(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    score(pairs_file(tmp_path / "in.jsonl", "Nobody was hurt."), output, ["rouge2"])
    [row] = records(output)
    place = DOCUMENT.index("Nobody")
    evidence = {"text": "Nobody was hurt.", "start": place, "end": len(DOCUMENT)}
    assert row["sentences"] == [{"text": "Nobody was hurt.", "score": 1.0, "evidence": evidence}]


def test_a_changed_sentence_alone_is_asked_the_second_time(tmp_path: Path, tiny_roberta: Path) -> None:
    metric = f"minicheck-roberta[checkpoint={tiny_roberta}]"
    output = tmp_path / "out.jsonl"
    bills = []
    for number, sentence in enumerate([SENTENCES[1], "A storm sank the ferries."]):
        pairs = pairs_file(tmp_path / f"in{number}.jsonl", " ".join([SENTENCES[0], sentence, SENTENCES[2]]))
        done = score(pairs, output, ["rouge2", metric], "--stats")
        assert done.exit_code == 0, done.stderr
        bills.append(json.loads(done.stdout))
    assert (bills[0]["planned"], bills[0]["asked"]) == (4, 4)
    assert (bills[1]["planned"], bills[1]["cached"], bills[1]["asked"], bills[1]["passes"]) == (4, 3, 1, 1)
    assert bills[1]["seconds"] > 0
    assert [row["status"] for row in records(output)] == ["ok", "ok"]


def test_a_checkpoint_that_is_not_there_fails_its_rows_with_the_reason(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    missing = f"minicheck-roberta[checkpoint={tmp_path / 'nowhere'}]"
    done = score(pairs_file(tmp_path / "in.jsonl", "Rain fell."), output, ["rouge2", missing])
    assert done.exit_code == 1
    first, second = records(output)
    assert first["status"] == "ok"
    assert (second["status"], second["score"], second["metric"]) == ("failed", None, missing)
    assert "There is no folder" in str(second["error"])
    assert "Scores that failed: 1." in done.stderr


def test_a_broken_line_is_named_and_the_rest_is_scored(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl", "Rain.", "Snow.")
    lines = pairs.read_text().splitlines()
    pairs.write_text("\n".join([lines[0], '{"id": "broken"', lines[1], '{"document": "a"}']))
    done = score(pairs, tmp_path / "out.jsonl", ["rouge2"])
    assert done.exit_code == 2
    assert f"{pairs}, line 2: This is not JSON" in done.stderr
    assert f"{pairs}, line 4: There is no summary." in done.stderr
    assert [row["id"] for row in records(tmp_path / "out.jsonl")] == ["p0", "p1"]


def test_of_many_lines_that_cannot_be_read_twenty_are_named_and_the_others_counted(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl", "Rain.")
    pairs.write_text(pairs.read_text(encoding="utf-8") + "no JSON\n" * 1_030, encoding="utf-8")
    done = score(pairs, tmp_path / "out.jsonl", ["rouge2"])
    assert done.exit_code == 2
    assert done.stderr.count("This is not JSON") == 20
    assert f"{pairs}: further lines that cannot be read: 1,010." in done.stderr
    assert len(records(tmp_path / "out.jsonl")) == 1


def test_an_unknown_metric_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    done = score(pairs_file(tmp_path / "in.jsonl", "Rain."), tmp_path / "out.jsonl", ["rogue2"])
    assert isinstance(done.exception, UnknownNameError)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_file_that_cannot_be_read_leaves_the_earlier_output_alone(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("earlier work\n")
    done = score(tmp_path / "nowhere.jsonl", tmp_path / "out.jsonl", ["rouge2"])
    assert isinstance(done.exception, TouchstoneError)
    assert (tmp_path / "out.jsonl").read_text() == "earlier work\n"


def test_the_pairs_are_not_overwritten_by_their_scores(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl", "Rain.")
    before = pairs.read_text()
    done = score(pairs, pairs, ["rouge2"])
    assert "is the file of pairs itself" in str(done.exception)
    assert pairs.read_text() == before


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    done = score(pairs_file(tmp_path / "in.jsonl", "Rain."), tmp_path / "nowhere" / "out.jsonl", ["rouge2"])
    assert isinstance(done.exception, TouchstoneError)
    assert "out.jsonl cannot be written: No such file or directory." in str(done.exception)


def test_a_setting_that_cannot_be_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_MEMORY", "much")
    done = run("metrics")
    assert isinstance(done.exception, BadSettingError)
    assert str(done.exception).startswith("TOUCHSTONE_MEMORY: ")


def test_the_help_shows_how_a_setting_is_written() -> None:
    assert "name[setting=value,…]" in run("score", "--help").stdout


def test_the_metrics_are_listed_one_a_line() -> None:
    done = run("metrics")
    lines = done.stdout.splitlines()
    assert sorted(line.split()[0] for line in lines) == METRICS.names()
    [rouge] = [line for line in lines if line.startswith("rouge2 ")]
    assert rouge.split() == ["rouge2", "Overlap", "[0,", "1]", "higher", "=", "more", "consistent", "ready"]


def test_the_metrics_are_listed_as_json() -> None:
    listed = json.loads(run("metrics", "--json").stdout)
    assert sorted(line["name"] for line in listed) == METRICS.names()
    assert all(
        {"name", "family", "low", "high", "direction", "state", "message", "checkpoints"} <= set(line)
        for line in listed
    )


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A database that holds one pair."""
    file = tmp_path / "kept.db"
    edit = Edit(Span(0, 4), "Snow", "It rained.", "ana")
    with closing(Store.open(f"sqlite:///{file}")) as store:
        store.save_pair(
            PairRecord(document=DOCUMENT, original="Rain fell.", edited="Snow fell.", edits=(edit,), by="ana")
        )
    return file


def test_what_was_kept_is_exported_as_lines(kept: Path, tmp_path: Path) -> None:
    assert kept.exists()
    assert run("export", "-o", tmp_path / "out.jsonl").exit_code == 0
    [pair] = [row for row in records(tmp_path / "out.jsonl") if row["kind"] == "pair"]
    assert (pair["document"], pair["original"], pair["summary"]) == (DOCUMENT, "Rain fell.", "Snow fell.")


def test_what_was_kept_is_exported_as_a_table(kept: Path, tmp_path: Path) -> None:
    assert kept.exists()
    assert run("export", "-o", tmp_path / "out.csv").exit_code == 0
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    [pair] = [row for row in rows if row["kind"] == "pair"]
    assert (pair["document"], pair["original"], pair["summary"]) == (DOCUMENT, "Rain fell.", "Snow fell.")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_of_everything_is_imported_again(kept: Path, tmp_path: Path, form: str) -> None:
    assert kept.exists()
    assert run("export", "-o", tmp_path / f"out.{form}").exit_code == 0
    imported = run("import", "generic", tmp_path / f"out.{form}")
    assert (imported.exception, imported.exit_code) == (None, 0)


@pytest.mark.slow
def test_an_error_is_a_sentence_and_status_2_in_a_process_of_its_own(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl", "Rain.")
    status, output, errors = finish(
        start("cli.py", "score", str(pairs), "--metric", "rogue2", "-o", str(tmp_path / "out.jsonl"))
    )
    assert (status, output) == (2, "")
    assert errors.startswith("No metric is named 'rogue2'. Did you mean 'rouge2'? Known: ")
    assert "Traceback" not in errors


def test_a_process_of_its_own_scores_and_tells_its_bill_on_standard_output(tmp_path: Path) -> None:
    pairs = pairs_file(tmp_path / "in.jsonl", "Rain.")
    pairs.write_text(pairs.read_text() + "not JSON\n")
    status, output, errors = finish(
        start("cli.py", "score", str(pairs), "--metric", "rouge2", "-o", str(tmp_path / "out.jsonl"), "--stats")
    )
    assert status == 2
    assert json.loads(output)["planned"] == 0
    assert errors.startswith(f"{pairs}, line 2: This is not JSON")
    assert [row["id"] for row in records(tmp_path / "out.jsonl")] == ["p0"]


def test_listing_metrics_in_a_process_of_its_own_loads_no_torch() -> None:
    code = "import sys, cli; sys.argv = ['cli.py', 'metrics']\ntry: cli.main()\nexcept SystemExit: print(*sys.modules)"
    status, output, errors = finish(start("-c", code))
    assert (status, errors) == (0, "")
    assert "rouge2" in output
    assert not {"torch", "transformers", "streamlit", "nltk", "pandas", "sklearn", "scipy"} & set(
        output.splitlines()[-1].split()
    )


def test_scoring_blocks_imports_no_database_and_no_torch(tmp_path: Path) -> None:
    pairs, blocks, results = pairs_file(tmp_path / "in.jsonl", "Rain."), tmp_path / "blocks", tmp_path / "results"
    assert run("blocks", pairs, blocks).exit_code == 0
    given = ["cli.py", "score", str(blocks), "--metric", "rouge2", "--to", str(results)]
    code = f"import sys, cli; sys.argv = {given}\ntry: cli.main()\nexcept SystemExit: print(*sys.modules)"
    status, output, _ = finish(start("-c", code))
    assert status == 0
    assert list(results.rglob("*.parquet"))
    unused = {"torch", "transformers", "streamlit", "sqlalchemy", "alembic", "sklearn", "scipy"}
    assert not unused & set(output.splitlines()[-1].split())


def test_the_list_of_commands_imports_none_of_them_and_no_heavy_library() -> None:
    code = "import sys, touchstone, core.text.segmentation, cli; sys.argv = ['cli.py', '--help']\ntry: cli.main()\nexcept SystemExit: print(*sys.modules)"
    status, output, errors = finish(start("-c", code))
    assert (status, errors) == (0, "")
    loaded = set(output.splitlines()[-1].split())
    assert not {"torch", "transformers", "streamlit", "nltk", "pandas", "sklearn", "scipy", "numpy"} & loaded
    assert not [name for name in loaded if re.match(r"pages\.commands\.(?!shared)", name)]


def test_every_command_is_listed_with_what_it_says_of_itself() -> None:
    listed = dict(
        re.findall(r"^  ([a-z-]+) +(\S.*)$", run("--help").stdout.partition("Show this message")[2], re.MULTILINE)
    )
    files = [file for group in GROUPS for file in (ROOT / "pages" / "commands" / group).glob("[!_]*.py")]
    assert sorted(listed) == sorted(file.stem.removesuffix("_").replace("_", "-") for file in files)
    for file in files:
        command = import_module(f"pages.commands.{file.parent.name}.{file.stem}").command
        full_help = (inspect.getdoc(command) if inspect.isfunction(command) else command.help) or ""
        assert full_help.startswith(
            listed[file.stem.removesuffix("_").replace("_", "-")].removesuffix("...").removesuffix(".")
        )


def test_the_version_is_printed_by_its_option() -> None:
    assert run("--version").stdout == f"touchstone {VERSION}\n"


def test_without_a_file_scores_are_printed_as_a_table(tmp_path: Path) -> None:
    printed = run(
        "score",
        pairs_file(tmp_path / "in.jsonl", "Rain fell at dawn."),
        "--metric",
        "rouge2",
        "--metric",
        "conciseness",
    )
    assert printed.exit_code == 0
    head, first, second = (line.split() for line in printed.stdout.splitlines())
    assert (head, first[:2], second[:2]) == (["id", "metric", "score"], ["p0", "rouge2"], ["p0", "conciseness"])


def test_a_folder_of_pairs_needs_a_folder_for_their_results(tmp_path: Path) -> None:
    refused = run("score", tmp_path, "--metric", "rouge2")
    assert "name that one with --to" in str(refused.exception)


def test_a_plugin_that_does_not_load_is_a_line_of_every_command_that_reads_plugins(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import nothing_of_this_name\n")
    pairs = pairs_file(tmp_path / "in.jsonl", "Rain.")
    for command in (["score", str(pairs), "--metric", "rouge2"], ["metrics"]):
        _, _, errors = finish(start("cli.py", *command, "--plugin", str(tmp_path / "bad.py")))
        named = [line for line in errors.splitlines() if "nothing_of_this_name" in line]
        assert len(named) == 1, (command, errors)
        assert named[0].startswith("bad.py does not load.")
