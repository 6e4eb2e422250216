"""All papers into one static site: the needs before it, the pages, a model that answers, and going on after an interruption."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.assessment.papers import longdoc_scores
from core.assessment.papers.all_papers import ReproductionJob, run_job
from core.assessment.papers.longdoc_scores import contradiction_rates, perturbed_means, window_means
from core.assessment.papers.paper import PAPERS, MissingDataError, ReleasedData
from core.assessment.papers.published import Waiting
from core.assessment.papers.site import site_pages
from core.assessment.papers.summexecedit_scores import model_scores
from core.data.datasets.summexecedit import SummExecEdit
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.settings import Settings
from core.types import Example, Item
from tests.unit.command_line import done
from tests.unit.core.models.llm.scripted import Body, Reply, serving, text

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm. Nobody was hurt. Repairs take until June."
SUMMARY = "A storm closed the harbour on Tuesday. Nobody was hurt."


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))


@pytest.fixture
def engine() -> Iterator[Engine]:
    with closing(Engine.open(Settings.read())) as opened:
        yield opened


def pair(n: int) -> dict[str, object]:
    """A pair in BUMP's form with scores of one released metric."""
    return {
        "id": n,
        "article_id": n,
        "article": f"{DOCUMENT} Number {n}.",
        "reference_summary": f"{SUMMARY} {n}",
        "edited_summary": f"A storm opened the harbour on Tuesday. {n}",
        "error_type": "Intrinsic Predicate Error",
        "corrected_error_type": "Intrinsic Predicate Error",
        "scores": {"DAE_reference": 0.5, "DAE_edited": 0.1},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "data" / "bump"
    place.mkdir(parents=True)
    (place / "task1_dataset.json").write_text(json.dumps([pair(n) for n in range(12)]), encoding="utf-8")
    return tmp_path / "data"


def job(folder: Path, engine: Engine, output: Path) -> ReproductionJob:
    papers = [PAPERS.get(name)() for name in ("bump", "frank", "unieval")]
    return ReproductionJob(
        papers, ReleasedData(folder, engine), [METRICS.parse("bleu"), METRICS.parse("rouge2")], 20, output
    )


def files(site: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in site.iterdir()}


@pytest.mark.slow
def test_a_job_that_was_interrupted_goes_on_and_makes_the_same_site(
    folder: Path, engine: Engine, tmp_path: Path
) -> None:
    whole = [name for name, _ in run_job(job(folder, engine, tmp_path / "whole"))]
    broken = run_job(job(folder, engine, tmp_path / "broken"))
    assert next(broken)[0] == "bump"
    broken.close()
    assert not (tmp_path / "broken" / "site").exists()

    stages = list(run_job(job(folder, engine, tmp_path / "broken")))
    assert [name for name, _ in stages] == whole == ["bump", "frank", "unieval", "benchmarks"]
    assert [again for _, again in stages] == [True, False, False, False]
    assert files(tmp_path / "broken" / "site") == files(tmp_path / "whole" / "site")


@pytest.mark.slow
def test_what_changed_is_done_again(folder: Path, engine: Engine, tmp_path: Path) -> None:
    list(run_job(job(folder, engine, tmp_path / "out")))
    file = folder / "bump" / "task1_dataset.json"
    file.write_text(json.dumps([pair(n) for n in range(11)]), encoding="utf-8")
    again = dict(run_job(job(folder, engine, tmp_path / "out")))
    assert again == {"bump": False, "frank": True, "unieval": True, "benchmarks": False}
    file.with_name("log_probabilities.jsonl").write_text('{"id": "task1-1", "edited": -1, "generated": 0}\n', "utf-8")
    again = dict(run_job(job(folder, engine, tmp_path / "out")))
    assert again == {"bump": False, "frank": True, "unieval": True, "benchmarks": True}


@pytest.mark.slow
def test_the_site_has_both_figures_what_waits_and_the_ranks(folder: Path, tmp_path: Path) -> None:
    done(
        "reproduce",
        "all",
        "--data",
        folder,
        "-o",
        tmp_path,
        "--resamples",
        20,
        "--metric",
        "bleu",
        "--metric",
        "rouge2",
    )
    page = (tmp_path / "site" / "bump.html").read_text(encoding="utf-8")
    assert re.search(r'class="figure beyond"[^>]*>87\.9\s*→ 100<small>✗ \+12\.1</small>', page)
    assert "Waits for data, bump/task2_dataset.json in the folder of --data: copy" in page
    assert "Known deviation: arcs of another parser: no DAE." in page
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in index for name in [*PAPERS.names(), "benchmarks-ranks"])
    ranks = (tmp_path / "site" / "benchmarks-ranks.html").read_text(encoding="utf-8")
    assert "Ranks of the metrics by dataset" in ranks
    assert "ROUGE-2" in ranks


def test_the_plan_says_what_is_needed_and_does_nothing(folder: Path, tmp_path: Path) -> None:
    printed = done("reproduce", "all", "--plan", "--data", folder, "-o", tmp_path)
    assert "bump: 1 of 3 files of data are here." in printed
    assert "missing: squality/dev.jsonl: --fetch downloads it; or copy data/v1-3/txt/dev.jsonl" in printed
    assert re.search(r"factcc@bump +waits for manueldeprada/FactCC +440 MB +< 0\.1 +Code BSD-3-Clause", printed)
    assert "words: Paper mode longdoc uses words of Touchstone for 14 of 14 printed texts" in printed
    assert re.search(r"endpoint, with --ask: [\d,]+ questions: no endpoint is set", printed)
    assert not (tmp_path / "site").exists()
    assert not (tmp_path / "results").exists()


def test_the_money_follows_from_the_price(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "m")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "1")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "10")
    printed = done("reproduce", "summexecedit", "--plan", "--data", folder, "-o", tmp_path)
    assert "10,391,500 tokens read, 636,240 written: about 16.75 of the money of its price" in printed


def test_every_text_of_a_page_is_escaped() -> None:
    cell = {
        "row": "<b>",
        "column": "c",
        "published": 1.0,
        "ours": None,
        "tolerance": 0.1,
        "origin": "printed",
        "waits": "<script>x</script>",
        "need": "data",
        "deviation": "",
        "difference": None,
        "state": "waits",
    }
    table = {"table": "<i>", "caption": "c", "unit": "u", "source": "s", "origin": "printed", "cells": [cell]}
    coverage = {"printed": 1, "compared": 0, "waiting": {"data": 1}, "unreadable": 0}
    record: dict[str, Any] = {"title": "<u>", "citation": "", "url": "https://x", "missing": [], "coverage": coverage}
    pages = site_pages({"p": {**record, "tables": [table]}}, {}, {}, "0")
    assert not re.search(r"<(b|i|u|script)>", "".join(pages.values()))
    assert "&lt;script&gt;" in pages["p.html"]


def items(number: int) -> list[Item]:
    return [Item(Example(f"x{n}", f"{DOCUMENT} Number {n}.", SUMMARY), group=f"d{n}") for n in range(number)]


def rewriting(_path: str, _body: Body) -> Reply:
    """A model that rewords the summary, whatever is asked."""
    return text("On Tuesday the harbour was closed by a storm. No one was hurt.")


def bleu(*_: object) -> Metric:
    return METRICS.parse("bleu")


def test_perturbed_summaries_are_scored_in_the_cells_of_their_kind(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(longdoc_scores, "table_metric", bleu)
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "m")
    with serving(rewriting) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        silent = perturbed_means("SQuALITY", lambda _: items(2), ReleasedData(folder, engine))
        assert not endpoint.asked
        found = perturbed_means("SQuALITY", lambda _: items(2), ReleasedData(folder, engine, asks=True))
    assert "--ask asks the one that is set" in silent["UniEval", "Paraphrased"].error  # type: ignore[union-attr]  # waits
    assert isinstance(silent["UniEval", "Original"], float)
    assert found["UniEval", "Paraphrased"] < found["UniEval", "Original"]  # type: ignore[operator]  # both are figures
    added = found["UniEval", "Added Source Text"]
    assert isinstance(added, Waiting)
    assert "the model" in added.error.lower()


def test_windows_of_a_dataset_that_is_not_here_wait_alone(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: ReleasedData) -> list[Item]:
        raise MissingDataError("Waits for data: nothing")

    monkeypatch.setattr(longdoc_scores, "framed", bleu)
    found = window_means({"SQuALITY": lambda _: items(2), "LexAbSumm": absent}, ReleasedData(folder, engine))
    assert isinstance(found["UniEval", "SQuALITY, w = 2"], float)
    assert found["UniEval", "LexAbSumm, w = 0"] == Waiting("Waits for data: nothing")
    rates = contradiction_rates({"LexAbSumm": absent}, ReleasedData(folder, engine))
    assert rates["LexAbSumm", "Negated"].need == "weights"  # type: ignore[union-attr]  # it waits


def released(tmp_path: Path) -> list[Item]:
    """Two summaries with an error and one without, in the form of the release."""
    rows = [
        {
            "sample_id": f"s{n}",
            "doc_id": f"d{n}",
            "domain": "news",
            "doc": DOCUMENT,
            "original_summary": SUMMARY,
            "edited_summary": SUMMARY if n == 2 else SUMMARY.replace("closed", "opened"),
            "original_text": "" if n == 2 else "closed",
            "replace_text": "" if n == 2 else "opened",
            "explanation": "The document says that it was closed.",
            "edit_type": "summedits" if n == 2 else "summexecedit",
            "model": "m",
        }
        for n in range(3)
    ]
    file = tmp_path / "summexecedit.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return [one for one in SummExecEdit().read(file) if isinstance(one, Item)]


def test_the_row_of_the_model_that_is_set_is_filled(
    engine: Engine, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(_path: str, body: Body) -> Reply:
        asked = json.dumps(body["messages"])
        if "grade" in asked:
            return text('{"because": "It names half.", "grade": "partially"}')
        if '\\"consistent\\"' in asked:
            return text('{"consistent": "no", "explanation": "It was closed."}')
        return text('{"explanation": "It was closed."}')

    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "openai/gpt-4o")
    with serving(answer) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        rows = ["gpt-4o", "llama3-8b"]
        found = model_scores(rows, released(tmp_path), ReleasedData(folder, engine, asks=True))
        waits = model_scores(rows, released(tmp_path), ReleasedData(folder, engine))
    figures = {column: value for (row, column), value in found.items() if row == "gpt-4o" and column}
    assert figures == {"DA": pytest.approx(2 / 3), "DS": 1.0, "ES, D&E": 0.5, "JS": 0.5, "ES, E|D": 0.5}
    assert "serves llama3-8b" in found["llama3-8b", ""].error  # type: ignore[union-attr]  # it waits
    assert "--ask" in waits["gpt-4o", ""].error  # type: ignore[union-attr]  # it waits
