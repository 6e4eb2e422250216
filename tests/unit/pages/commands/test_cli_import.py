"""Importing from the command line: what is told, from where a dataset comes, and mappings of any table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from huggingface_hub import constants

from annotations.store.store import Store
from core.errors import TouchstoneError
from tests.unit.command_line import done, run
from tests.unit.core.data.datasets.releases import DOCUMENT, SUMMARY, WRONG, summedit
from tests.unit.core.data.datasets.writing import lines, listed, table
from tests.unit.core.models.hub import COMMIT, Hub, serving

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def hub_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An empty cache; the test says where the hub is."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return monkeypatch


def trouble(*arguments: object) -> str:
    error = run(*arguments).exception
    assert isinstance(error, TouchstoneError)
    return str(error)


def use(address: str, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(constants, "ENDPOINT", address)
    patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")


def files(database: str) -> list[tuple[str, str, str]]:
    """Of each imported file its name, importer and licence."""
    store = Store.open(database, read_only=True)
    found = [(file.file, file.importer, file.licence) for row in store.datasets() for file in row.files]
    store.close()
    return found


def test_without_a_file_a_dataset_comes_from_the_hub(tmp_path: Path, hub_at: pytest.MonkeyPatch, database: str) -> None:
    records = [summedit("s_og", SUMMARY, 1, domain="ships"), summedit("s_0", WRONG, 0, domain="ships")]
    listed("hub/summedits.json")(tmp_path, records)
    with serving(Hub(tmp_path / "hub")) as hub:
        use(hub.address, hub_at)
        counts = json.loads(done("import", "summedits", "--json"))
    assert (counts["samples"], counts["pairs"]) == (2, 1)
    assert files(database) == [
        (f"Salesforce/summedits@{COMMIT}", "summedits", "Apache-2.0 (copy on the hub: CC-BY-4.0)"),
    ]


def test_without_a_network_a_sentence_says_what_to_do(hub_at: pytest.MonkeyPatch) -> None:
    use("http://127.0.0.1:9", hub_at)
    assert "Check the network and try again, or download it by hand" in trouble("import", "summedits")


def test_a_dataset_that_is_not_on_the_hub_names_its_address() -> None:
    assert "Get it from https://github.com/dataminr-ai/BUMP and name the file or folder" in trouble("import", "bump")


def test_files_of_ones_own_have_to_be_named() -> None:
    assert "name the file or folder to read" in trouble("import", "generic")


def test_the_bundled_examples_are_a_dataset_that_needs_no_network(database: str) -> None:
    counts = json.loads(done("import", "bundled", "--json"))
    assert counts["labels"]["consistent"] >= 19
    assert counts["pairs"] > 50
    assert files(database) == [("examples", "bundled", "the licence of Touchstone")]


def test_a_folder_is_called_by_its_name_also_where_a_dot_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    listed("ships/summedits_ships.json")(tmp_path, [summedit("s_og", SUMMARY, 1)])
    monkeypatch.chdir(tmp_path / "ships")
    done("import", "summedits", ".")
    assert [name for name, _, _ in files(database)] == ["ships"]


def test_a_guessed_mapping_is_written_corrected_and_imported_by(tmp_path: Path) -> None:
    rows = [{"text": DOCUMENT, "out": text, "verdict": word} for text, word in ((SUMMARY, "yes"), (WRONG, "no"))]
    table("own.csv")(tmp_path, rows)
    mapping = tmp_path / "mapping.json"
    told = run("import", "generic", tmp_path / "own.csv", "--infer-mapping", "-o", mapping)
    assert "generic[mapping=" in told.stderr
    guessed = json.loads(mapping.read_text(encoding="utf-8"))
    assert (guessed["document"], guessed["summary"], guessed["label"]) == ("text", "out", "verdict")
    assert {"yes", "no"} <= {*guessed["unlabelled"]}
    guessed["consistent"], guessed["inconsistent"], guessed["unlabelled"] = ["no"], ["yes"], []
    mapping.write_text(json.dumps(guessed), encoding="utf-8")
    done("import", f"generic[mapping={mapping}]", tmp_path / "own.csv", "--name", "own")
    report = json.loads(done("import", f"generic[mapping={mapping}]", tmp_path / "own.csv", "--name", "own", "--json"))
    assert (report["labels"], report["new"]) == ({"consistent": 1, "inconsistent": 1}, 0)


def test_an_import_by_a_guess_prints_the_mapping_and_what_is_left_out_beside_the_counts(tmp_path: Path) -> None:
    row = {"text": DOCUMENT, "claim": SUMMARY, "edited_claim": WRONG, "remark": "fine words"}
    table("own.csv")(tmp_path, [row, row])
    result = run("import", "generic", tmp_path / "own.csv", "--json")
    assert "  document     text" in result.stderr
    assert "  label says   no label: edited summaries are inconsistent, the others consistent" in result.stderr
    assert "  left out     remark" in result.stderr
    counts = json.loads(result.stdout)
    assert (counts["labels"], counts["exact_duplicates"]) == ({"consistent": 2, "inconsistent": 2}, 2)


def test_a_guess_without_a_file_to_write_is_printed(tmp_path: Path) -> None:
    table("own.csv")(tmp_path, [{"doc": DOCUMENT, "summary": SUMMARY}])
    assert json.loads(done("import", "generic", tmp_path / "own.csv", "--infer-mapping")) == {
        "document": "doc",
        "summary": "summary",
    }


def test_a_label_of_unknown_direction_is_refused_with_two_of_its_rows_and_the_answer_is_remembered(
    tmp_path: Path,
) -> None:
    rows = [{"document": DOCUMENT, "summary": text, "target": label} for text, label in ((SUMMARY, 0), (WRONG, 1))]
    table("first.csv")(tmp_path, rows)
    table("second.csv")(tmp_path, rows[::-1])
    refused = trouble("import", "generic", tmp_path / "first.csv")
    assert f"target 1: “{WRONG}”" in refused
    assert f"target 0: “{SUMMARY}”" in refused
    assert "--label-of-1 inconsistent or --label-of-1 consistent" in refused
    answered = ("--name", "first", "--label-of-1", "inconsistent", "--json")
    report = json.loads(done("import", "generic", tmp_path / "first.csv", *answered))
    assert report["labels"] == {"consistent": 1, "inconsistent": 1}
    assert report["reading"]["labels"] == "target: 0 is consistent, 1 is inconsistent (stated: by a person)"
    again = run("import", "generic", tmp_path / "second.csv", "--name", "second", "--json")
    assert "As answered for first, a table of the same columns and labels: label_of_1=inconsistent" in again.stderr
    assert json.loads(again.stdout)["labels"] == {"inconsistent": 1, "consistent": 1}
    assert f"labels of first.csv: {report['reading']['labels']}" in done("datasets", "first")


def test_an_earlier_answer_takes_no_place_of_what_is_said_now(tmp_path: Path) -> None:
    rows = [{"document": DOCUMENT, "gpt": SUMMARY, "llama": WRONG, "target": label} for label in (0, 1)]
    for name in ("first", "second"):
        table(f"{name}.csv")(tmp_path, [{**row, "gpt": f"{row['gpt']} {name}"} for row in rows])
    done("import", "generic", tmp_path / "first.csv", "--summary", "gpt", "--label-of-1", "inconsistent")
    again = run("import", "generic", tmp_path / "second.csv", "--name", "second", "--summary", "llama", "--json")
    assert "As answered for generic, a table of the same columns and labels: label_of_1=inconsistent\n" in again.stderr
    assert json.loads(again.stdout)["reading"]["summary"] == "llama"


def test_a_table_may_be_imported_without_its_label_and_with_scores_of_either_direction(tmp_path: Path) -> None:
    rows = [
        {"document": DOCUMENT, "summary": text, "target": n, "fathom": n / 7} for n, text in enumerate((SUMMARY, WRONG))
    ]
    table("t.csv")(tmp_path, rows)
    options = ("--label", "none", "--lower-is-better", "fathom", "--json")
    report = json.loads(done("import", "generic", tmp_path / "t.csv", *options))
    assert (report["labels"], report["released_scores"]) == ({}, {"fathom (negated)": 2})
    assert "knows its labels" in trouble("import", "summedits", tmp_path / "t.csv", "--label-of-1", "consistent")


def test_a_guess_never_overwrites_its_table(tmp_path: Path) -> None:
    table("own.csv")(tmp_path, [{"doc": DOCUMENT, "summary": SUMMARY}])
    assert "would be lost" in trouble(
        "import", "generic", tmp_path / "own.csv", "--infer-mapping", "-o", tmp_path / "own.csv"
    )
    assert "cli.py import generic TABLE" in trouble("import", "bump", tmp_path / "own.csv", "--infer-mapping")


def test_what_is_skipped_is_told_by_its_reason(tmp_path: Path) -> None:
    lines("own.jsonl")(tmp_path, [{"document": DOCUMENT, "summary": SUMMARY}, {"document": DOCUMENT, "summary": ""}])
    assert "own.jsonl, 2: The field 'summary' is empty" in trouble("import", "generic", tmp_path / "own.jsonl")
    told = done("import", "generic", tmp_path / "own.jsonl", "--skip-broken")
    assert "skipped           1 × The field 'summary' is empty" in told


def write_answers(path: Path) -> Path:
    """Answers of a model on three summaries, in the form of `explain`, with the labels of these."""
    said = {"x1": ("inconsistent", "inconsistent"), "x2": ("consistent", "inconsistent"), "x3": ("consistent",) * 2}
    rows = [
        {"sample": key, "by": "m|1", "verdict": verdict, "label": label, "status": "ok"}
        | {"explanation": "It was closed." if verdict == "inconsistent" else ""}
        for key, (verdict, label) in said.items()
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_answers_under_another_name_have_the_labels_of_their_own_lines(tmp_path: Path) -> None:
    imported = run("import", "explained", write_answers(tmp_path / "a.jsonl"), "--name", "other")
    assert "3 answers read; 0 summaries of other have answers, and 3 answered ones are not in it" in imported.stderr
    [row] = json.loads(done("study", "explanation-scores", "--dataset", "other", "--json"))["tables"]["explainers"]
    assert (row["DA"]["value"], row["DS"]["value"]) == (pytest.approx(2 / 3), 0.5)


def test_answers_join_the_summaries_of_their_dataset_and_it_is_said(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    rows = "".join(f"x{n},The quay of Lindvale was shut.,It was shut {n} times.,1\n" for n in range(1, 4))
    pairs.write_text(f"id,document,summary,faithful\n{rows}", encoding="utf-8")
    done("import", "generic", pairs, "--name", "base")
    imported = run("import", "explained", write_answers(tmp_path / "a.jsonl"), "--name", "base")
    assert "3 answers read; 3 summaries of base have answers." in imported.stderr


def test_the_list_of_metrics_has_licence_revision_and_memory() -> None:
    rows = {row["name"]: row for row in json.loads(done("metrics", "--json"))}
    factcc = rows["factcc"]
    assert factcc["licence"].startswith("Code BSD-3-Clause.")
    assert factcc["revisions"] == ["c7b3148015d4ddc263f6e2acb2689e90ac061669"]
    assert factcc["memory_mb"] == 440
    assert rows["bleu"]["revisions"] == []


def test_without_an_importer_the_content_of_a_file_says_what_it_is(tmp_path: Path, database: str) -> None:
    listed("download.json")(tmp_path, [summedit("s_og", SUMMARY, 1), summedit("s_0", WRONG, 0)])
    told = run("import", tmp_path / "download.json", "--json")
    assert "This looks like SummEdits." in told.stderr
    counts = json.loads(told.stdout)
    assert (counts["dataset"], counts["samples"], counts["pairs"]) == ("download", 2, 1)
    assert [importer for _, importer, _ in files(database)] == ["summedits"]


def test_what_is_said_of_the_labels_of_a_benchmark_reads_it_as_a_table(tmp_path: Path, database: str) -> None:
    listed("ships.json")(tmp_path, [summedit("s_og", SUMMARY, 1), summedit("s_1", WRONG, 0)])
    told = run("import", "generic", tmp_path / "ships.json", "--label-of-1", "inconsistent")
    assert "This looks like SummEdits." in told.stderr
    assert told.exit_code == 0, told.stderr
    assert [importer for _, importer, _ in files(database)] == ["generic[label_of_1=inconsistent]"]


def test_a_known_form_is_named_and_read_as_that_also_where_generic_was_asked_for(tmp_path: Path) -> None:
    answers = [
        {
            "document": DOCUMENT,
            "summary": text,
            "label": "CONSISTENT",
            "answer": answer,
            "_input_hash": 1,
            "_task_hash": 2,
        }
        for text, answer in ((SUMMARY, "accept"), (WRONG, "reject"))
    ]
    lines("labels.jsonl")(tmp_path, answers)
    for arguments in (["generic", tmp_path / "labels.jsonl", "--name", "mine"], [tmp_path / "labels.jsonl"]):
        told = run("import", *arguments, "--json")
        assert "This looks like a Prodigy export." in told.stderr
        assert json.loads(told.stdout)["labels"] == {"consistent": 1, "inconsistent": 1}


def test_a_file_in_no_known_form_is_read_as_a_table_of_its_name(tmp_path: Path) -> None:
    table("mine.csv")(tmp_path, [{"document": DOCUMENT, "summary": SUMMARY, "label": "consistent"}])
    told = run("import", tmp_path / "mine.csv", "--json")
    assert "looks like" not in told.stderr
    assert json.loads(told.stdout)["dataset"] == "mine"


def test_a_file_that_is_not_there_is_no_importer(tmp_path: Path) -> None:
    assert "absent.csv" in trouble("import", tmp_path / "absent.csv")
