"""The paper pack from the command line: what it holds, and that its own commands give it again, byte for byte."""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.data.datasets.formats.column_map import load_column_map
from tests.unit.core.data.datasets.releases import DOCUMENT, SUMMARY, WRONG, bump, explained
from tests.unit.core.data.datasets.writing import listed, table


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    use(tmp_path / "first.db", monkeypatch)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def use(path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{path}")


def run(*arguments: object) -> None:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (arguments, result.output, result.exception)


def write_several_files(work: Path) -> list[list[str]]:
    """Minimal pairs in a folder of two files, with released scores on scales of their own."""
    kinds = ["Coreference Error", "Intrinsic Entity Error"]
    records = [bump(n, article=f"{DOCUMENT} {n}", article_id=n, corrected_error_type=kinds[n % 2]) for n in range(12)]
    listed("bumps/task1_dataset.json")(work, records[:6])
    listed("bumps/task2_dataset.json")(work, records[6:])
    return [["import", "bump", "bumps"], ["pack", "--dataset", "bump", "--by", "error_type", "--resamples", "200"]]


def write_corrected_mapping(work: Path) -> list[list[str]]:
    """A table whose mapping was corrected, with ratings, a metric of the authors and one of ours."""
    rows = [
        {"text": f"{DOCUMENT} {n}", "out": text, "good": word, "fluent": n % 5 + 1, "m": n / 30}
        for n in range(15)
        for text, word in ((SUMMARY, "ja"), (WRONG, "nein"))
    ]
    table("own.csv")(work, rows)
    run("import", "generic", work / "own.csv", "--infer-mapping", "-o", work / "guess.json")
    guessed = load_column_map(work / "guess.json")
    corrected = guessed.model_copy(
        update={"label": "good", "consistent": ("ja",), "inconsistent": ("nein",), "unlabelled": ()}
    )
    (work / "guess.json").write_text(corrected.to_json(), encoding="utf-8")
    return [
        ["import", "generic[mapping=guess.json]", "own.csv", "--name", "own"],
        ["score-dataset", "own", "--metric", "rouge2"],
        ["pack", "--dataset", "own", "--resamples", "200"],
    ]


def write_explanations(work: Path) -> list[list[str]]:
    """Explanations that were graded, beside a metric of ours."""
    listed("factcc_explanation_annotation.json")(work, [explained(str(n), "correct", "unrelated") for n in range(4)])
    return [
        ["import", "factualnlg", "factcc_explanation_annotation.json"],
        ["score-dataset", "factualnlg", "--metric", "rouge2"],
        ["pack", "--dataset", "factualnlg", "--resamples", "200"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "holds"),
    [
        pytest.param(
            write_several_files,
            {
                "README.md": "# bumps: a folder with task1_dataset.json, task2_dataset.json",
                "citations.bib": "@misc{bump,",
                "data-card.md": "# Data card: bump",
                "tables/measures-consistency.tex": r"\label{tab:measures-consistency}",
                "figures/measures-heat-map-auc.pdf": "%PDF",
                "figures/roc.svg": "<svg",
                "figures/roc.pdf": "%PDF",
            },
            marks=pytest.mark.slow,
        ),
        pytest.param(
            write_corrected_mapping,
            {
                "mappings/1.json": "nein",
                "tables/rating-correlation.csv": "rouge2",
                "tables/rating-correlation.tex": r"\label{tab:rating-correlation}",
            },
            marks=pytest.mark.slow,
        ),
        (write_explanations, {"tables/explanation-scores.csv": "explainer,"}),
    ],
)
def test_the_commands_of_a_pack_give_it_again_byte_for_byte(
    write: Callable[[Path], list[list[str]]], holds: dict[str, str], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = database
    for arguments in write(work):
        run(*arguments)
    first = (work / "touchstone-paper-pack.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(first)) as pack:
        assert {"data-card.md", "citations.bib", "metrics.md"} <= {*pack.namelist()}
        for name, part in holds.items():
            assert part.encode() in pack.read(name), name
        readme = pack.read("README.md").decode()
        (work / "guess.json").unlink(missing_ok=True)
        pack.extractall(work)
    (work / "touchstone-paper-pack.zip").unlink()
    use(work / "again.db", monkeypatch)
    for line in readme.split("```")[1].strip().splitlines():
        if not line.startswith("#"):
            python, script, *arguments = shlex.split(line)
            assert (python, script) == ("python", "cli.py")
            run(*arguments)
    assert (work / "touchstone-paper-pack.zip").read_bytes() == first


@pytest.mark.slow
def test_a_pack_that_cannot_be_written_says_where(database: Path) -> None:
    *before, pack = write_several_files(database)
    for arguments in before:
        run(*arguments)
    one_metric = ["--metric", "ROUGE-2", "--resamples", "8", "-o", str(database / "absent" / "p.zip")]
    result = CliRunner().invoke(app, [*pack, *one_metric])
    assert "cannot be written" in str(result.exception)
