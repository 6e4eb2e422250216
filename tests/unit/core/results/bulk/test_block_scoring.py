"""Blocks are scored once, whoever scores them and whatever dies."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadSettingError, TouchstoneError
from core.results.bulk.block_writer import Refusals, write_blocks
from core.results.bulk.blocks import Shard, block_names, read_block, row_of_item, write_block, write_manifest
from core.results.bulk.bulk_run import Crew, InProcess, RunProgress, refuse_divided_budget, run_blocks
from core.results.bulk.folder import Folder
from core.results.bulk.processes import Processes
from core.results.bulk.results import finished_blocks, open_results, open_stored_results, read_results, write_results
from core.results.bulk.scorer import BlockReport, BrokenWorkerError, ScoringJob, _refuse_unexpected
from core.scoring import metric
from core.scoring.metric import METRICS
from core.scoring.plugins.processes.loading import load_plugin
from core.scoring.plugins.service_metric import service_classes
from core.settings import Settings
from core.types import Counts, Failure, FailureKind, Outcome, Part, Result, Seen, Span
from tests.unit.core.models.llm.scripted import Reply, serving
from tests.unit.core.results.bulk.test_blocks import pairs_of, written
from tests.unit.pages.commands.test_cli import own_settings, run

__all__ = ["own_settings"]
METRICS_OF_TEST = ("rouge2", "word-novelty")


@pytest.fixture
def blocks(tmp_path: Path) -> Folder:
    """40 pairs of 10 documents, and one that no metric can score, in 9 blocks."""
    write_blocks(
        str(written(tmp_path / "in.jsonl", [*pairs_of(40, 10), UNSCORABLE])),
        whole := folder(tmp_path, "whole"),
        Refusals(),
    )
    items = [item for name in block_names(whole) for item in read_block(whole, name)]
    out, parts = folder(tmp_path, "blocks"), [items[start : start + 5] for start in range(0, len(items), 5)]
    written_blocks = [
        write_block(out, number, [row_of_item(item) for item in part]) for number, part in enumerate(parts)
    ]
    write_manifest(out, written_blocks, 0, "test")
    return out


UNSCORABLE = {"id": "mute", "document": "A document.", "summary": "…"}


def folder(tmp_path: Path, name: str) -> Folder:
    return Folder.at(str(tmp_path / name))


def score(blocks: Folder, to: Path, *more: str, metrics: Iterable[str] = METRICS_OF_TEST) -> dict[str, object]:
    named = [part for spec in metrics for part in ("--metric", spec)]
    done = run("score", blocks.path, "--to", to, *named, "--stats", *more)
    if done.exit_code:
        raise done.exception or AssertionError(done.stderr)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split("\n")[:-1]


def table(to: Path) -> list[tuple[object, ...]]:
    return sorted(
        (
            item.example.id,
            one.metric,
            str(one.error if isinstance(one, Failure) else (one.score, one.signature, one.parts)),
        )
        for item, outcomes in open_stored_results(str(to))
        for one in outcomes
    )


def test_every_pair_has_one_row_of_each_metric_as_the_file_form_writes_it(blocks: Folder, tmp_path: Path) -> None:
    assert score(blocks, tmp_path / "to")["failures"] == {"input": 2}  # both metrics read no word of "…"
    named = [part for spec in METRICS_OF_TEST for part in ("--metric", spec)]
    run("score", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", *named)
    single = [json.loads(line) for line in lines(tmp_path / "out.jsonl")]
    expected = {(one["id"], one["metric"]): (one["score"], one["signature"], one["error"]) for one in single}
    rows = [one for _, outcomes in open_stored_results(str(tmp_path / "to")) for one in outcomes]
    found = {
        (one.example_id, one.metric): (None, None, one.error)
        if isinstance(one, Failure)
        else (one.score, one.signature, None)
        for one in rows
    }
    assert len(rows) == len(found) == 82
    assert found == expected


def test_what_is_done_is_passed_over_and_scores_of_other_code_are_written_beside(
    blocks: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(blocks, tmp_path / "to", metrics=["rouge2"])
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "to").rglob("*.parquet")}
    assert score(blocks, tmp_path / "to")["rows"] == 41  # the other metric alone
    metric._signature.cache_clear()
    monkeypatch.setattr(metric, "metric_code_hash", lambda _: "9" * 12)
    assert score(blocks, tmp_path / "to", metrics=["rouge2"])["rows"] == 41
    assert {file: file.stat().st_mtime_ns for file in before} == before
    signatures = {
        one.signature
        for _, found in open_stored_results(str(tmp_path / "to"))
        for one in found
        if isinstance(one, Result)
    }
    assert len(signatures) == 3
    metric._signature.cache_clear()


def test_shards_make_the_same_table_as_one_run(blocks: Folder, tmp_path: Path) -> None:
    score(blocks, tmp_path / "one")
    done = [score(blocks, tmp_path / "four", "--shard", f"{number}/4")["blocks"] for number in range(4)]
    assert done == [3, 2, 2, 2]
    assert table(tmp_path / "four") == table(tmp_path / "one")


def test_results_of_a_relative_path_are_read_from_elsewhere(
    blocks: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("score", Path(blocks.path).name, "--to", "to", "--metric", "rouge2")
    monkeypatch.chdir(tmp_path.parent)
    assert open_stored_results(str(tmp_path / "to")).manifest.pairs == 41


@pytest.mark.slow
def test_questions_of_a_tiny_model_are_asked_once(blocks: Folder, tmp_path: Path) -> None:
    from tests.parity.tiny_entailment import albert_nli

    spec = f"summac-zs[checkpoint={albert_nli(tmp_path / 'albert')}]"
    found = score(blocks, tmp_path / "to", metrics=[spec])
    run("score", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--metric", spec)
    single = {(one["id"]): one for one in map(json.loads, lines(tmp_path / "out.jsonl"))}
    for _, [one] in open_stored_results(str(tmp_path / "to")):
        assert isinstance(one, Result)
        assert one.score == pytest.approx(single[one.example_id]["score"], abs=1e-5)
        assert one.signature == single[one.example_id]["signature"]
    assert found["asked"] == sum(one["questions"]["asked"] for one in single.values())


class ScriptedCrew:
    """Reports what `outcome` says of each try of a block."""

    size = 2

    def __init__(self, outcome: Callable[[str, int], str]) -> None:
        self.outcome, self.tries, self.given = outcome, Counter[str](), list[str]()

    def submit(self, block: str) -> None:
        self.given.append(block)
        assert len(self.given) <= self.size

    def wait(self) -> list[BlockReport]:
        block = self.given.pop(0)
        self.tries[block] += 1
        return [BlockReport(block, fault=self.outcome(block, self.tries[block]))]

    def close(self) -> None: ...


def test_a_block_with_a_fault_is_tried_again_but_not_for_ever() -> None:
    crew = ScriptedCrew(lambda block, tries: "died" if block == "b" or (block == "c" and tries < 3) else "")
    progress = RunProgress(9)
    for report in run_blocks("abcdefghi", crew):
        progress.add(report)
    assert crew.tries == {**dict.fromkeys("adefghi", 1), "b": 5, "c": 3}
    assert (progress.done, progress.faults) == (set("acdefghi"), {"b": "died"})
    with pytest.raises(TouchstoneError, match="10 blocks in a row were not scored"):
        list(run_blocks("abcdefghi", ScriptedCrew(lambda *_: "disk full")))


def test_progress_says_rate_time_left_and_failures_by_kind() -> None:
    progress = RunProgress(4, started=0.0)
    progress.add(BlockReport("a", 2000, {"input": 3}, Counts(asked=5)))
    progress.add(BlockReport("b", fault="The worker died."))
    assert progress.line(100.0) == "1 of 4 blocks, 2,000 scores, 20 a second, 5 min left; failed: input 3; faults: 1"


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_no_row_and_doubles_none(blocks: Folder, tmp_path: Path) -> None:
    job, names = ScoringJob(blocks.path, str(tmp_path / "to"), METRICS_OF_TEST, "cpu"), block_names(blocks)
    open_results(folder(tmp_path, "to"), blocks)
    with closing(Processes(job, 1)) as crew:
        crew.submit(names[0])
        os.kill(crew.process_ids()[0], signal.SIGKILL)
        [killed] = crew.wait()
        reports = list(run_blocks(names, crew))
    assert (killed.block, killed.fault) == (names[0], "The worker process died with status -9.")
    assert [(report.block, report.fault) for report in reports] == [(name, "") for name in names]
    rows = [(item.example.id, one.metric) for item, found in open_stored_results(job.results) for one in found]
    assert len(rows) == len(set(rows)) == 82


FUNCTION = """
import touchstone as ts

@ts.metric
def local_share(document, summary):
    return sum(word in document for word in summary.split()) / len(summary.split())
"""


def share(_path: str, body: dict[str, Any]) -> Reply:
    words = body["summary"].split()
    return Reply({"score": sum(word in body["document"] for word in words) / len(words)})


@pytest.mark.slow
def test_a_function_and_a_service_have_equal_scores_in_blocks(
    blocks: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, service = tmp_path / "function.py", tmp_path / "service.toml"
    function.write_text(FUNCTION, encoding="utf-8")
    with serving(share) as running:
        service.write_text(f'[remote-share]\nurl = "{running.url}"\n', encoding="utf-8")
        monkeypatch.setenv("TOUCHSTONE_PLUGINS", f"{function},{service}")
        for metric in (*load_plugin(str(function), Settings.read()).metrics, *service_classes(str(service))):
            monkeypatch.setitem(METRICS._classes, metric.name, metric)
        to, specs = tmp_path / "to", ("local-share", "remote-share")
        open_results(Folder.at(str(to)), blocks)
        with closing(InProcess(ScoringJob(blocks.path, str(to), specs, "cpu"))) as crew:
            assert not [report.fault for report in run_blocks(block_names(blocks), crew) if report.fault]
        pairs = [[one.score for one in found if isinstance(one, Result)] for _, found in open_stored_results(str(to))]
    assert len(pairs) == 41
    assert all(one == other for one, other in pairs)


def test_a_cluster_without_ray_says_what_to_install(
    blocks: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(TouchstoneError, match="pip install 'ray>="):
        score(blocks, tmp_path / "to", "--cluster", "auto")


def test_workers_of_several_machines_do_not_share_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://localhost:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "small")
    paid = METRICS.parse("direct-assessment").checkpoints()
    refuse_divided_budget(paid, divided=True)
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "5")
    refuse_divided_budget(paid, divided=False)
    refuse_divided_budget(METRICS.parse("rouge2").checkpoints(), divided=True)
    with pytest.raises(TouchstoneError, match="cannot count one budget together"):
        refuse_divided_budget(paid, divided=True)


def test_weights_that_are_missing_are_a_fault_and_no_rows(blocks: Folder, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="absent"):
        score(blocks, tmp_path / "to", metrics=[f"summac-zs[checkpoint={tmp_path / 'absent'}]"])
    assert not list((tmp_path / "to").rglob("*.parquet"))


BREAKING = """
import pathlib
import touchstone as ts

BROKEN = pathlib.Path({broken!r})


@ts.metric(low=0, high=1)
def breaking(document: str, summary: str) -> float:
    if BROKEN.exists():
        raise RuntimeError("CUDA error: device-side assert triggered")
    return 0.5
"""


@pytest.mark.parametrize("crew_of", [InProcess, lambda job: Processes(job, 1)], ids=["in process", "a process"])
def test_a_block_of_a_device_that_died_is_not_done_and_a_later_run_scores_it(
    blocks: Folder, tmp_path: Path, crew_of: Callable[[ScoringJob], Crew], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, plugin = tmp_path / "broken", tmp_path / "breaking.py"
    broken.touch()
    plugin.write_text(BREAKING.format(broken=str(broken)), encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", str(plugin))
    for loaded in load_plugin(str(plugin), Settings.read()).metrics:
        monkeypatch.setitem(METRICS._classes, loaded.name, loaded)
    job = ScoringJob(blocks.path, str(tmp_path / "results"), ("breaking",), "cpu")
    open_results(Folder.at(job.results), blocks)
    names = block_names(blocks)
    # the whole run ends: it is none of the blocks
    with closing(crew_of(job)) as crew, pytest.raises(TouchstoneError, match="pairs of the block have no score"):
        assert [report.fault for report in run_blocks(names, crew)]
    [results] = (tmp_path / "results").glob("breaking*")
    assert not finished_blocks(Folder.at(str(results)))
    broken.unlink()
    with closing(crew_of(job)) as crew:
        assert not [report.fault for report in run_blocks(names, crew) if report.fault]
    assert {*names} <= finished_blocks(Folder.at(str(results)))


def test_few_errors_are_those_of_texts_and_more_are_those_of_the_worker() -> None:
    score = Result("1", "m", "m", 0.5, (), Seen(), 0.1, "cpu")
    error = Failure("1", "m", FailureKind.ERROR, "CUDA error")
    full = Failure("1", "m", FailureKind.OUT_OF_MEMORY, "The device is full.")
    mute = Failure("1", "m", FailureKind.INPUT, "The summary has no word.")
    for outcomes in ([error, error, score], [error] * 10 + [score] * 90, [mute] * 100, []):
        _refuse_unexpected(outcomes)
    for outcomes in (
        [error],
        [error] * 3 + [score],
        [error] * 11 + [score] * 89,
        [error] * 6 + [full] * 5 + [mute] * 89,
    ):
        with pytest.raises(BrokenWorkerError, match="unexpected reason"):
            _refuse_unexpected(outcomes)


def test_results_of_other_blocks_and_bad_shards_are_refused(blocks: Folder, tmp_path: Path) -> None:
    score(blocks, tmp_path / "to")
    with pytest.raises(TouchstoneError, match="are other pairs"):
        open_results(folder(tmp_path, "to"), folder(tmp_path, "whole"))
    for text in ("4/4", "1", "a/b", "-1/2"):
        with pytest.raises(BadSettingError, match="Write K/N"):
            Shard.parse(text)
    with pytest.raises(TouchstoneError, match="-o, or a folder"):
        score(blocks, tmp_path / "to", "-o", str(tmp_path / "out.jsonl"))


def test_outcomes_come_back_as_they_were(tmp_path: Path) -> None:
    part = Part(Span(0, 4), 0.25, Span(2, 9))
    outcomes: list[Outcome] = [
        Result("a", "m", "m|x", 0.1 + 0.2, (part, replace(part, evidence=None)), Seen((), 7, 1, ("cut",)), 0.5, "cpu"),
        Failure("b", "m", FailureKind.INPUT, "It says “nothing”."),
    ]
    write_results(folder(tmp_path, "to"), "0", outcomes)
    assert read_results(folder(tmp_path, "to"), "0", "m") == outcomes
    assert finished_blocks(folder(tmp_path, "to")) == {"0"}
    (tmp_path / "to" / "0.parquet").write_bytes(b"PAR1 half")
    with pytest.raises(TouchstoneError, match="is broken"):
        read_results(folder(tmp_path, "to"), "0", "m")
