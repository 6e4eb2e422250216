"""A run is a plan and lines that are only added: what is read back is what was written."""

from __future__ import annotations

import errno
import io
from pathlib import Path
from typing import Any

import pytest

from core.errors import TouchstoneError
from core.results.runs.stress_run import (
    Check,
    Meaning,
    Opinion,
    Plan,
    ScoreRecord,
    Source,
    StressRun,
    Variant,
    append_records,
    from_json_line,
    open_run_file,
    run_from_lines,
    run_lines,
    to_json_line,
)
from core.types import Example, FailureKind
from tests.unit.core.results.runs.stressed import METRIC, run_of, source


def some_run() -> StressRun:
    run = run_of({"shuffled": [0.1, None], "negation": [-0.2, 0.0]})
    run.add(Opinion("s0", "shuffled", Meaning.KEPT, "local"))
    return run


def test_a_run_reads_back_from_its_lines() -> None:
    run = some_run()
    again = run_from_lines(run_lines(run))
    assert (again.plan, again.sources, again.variants) == (run.plan, run.sources, run.variants)
    assert (again.readings, again.opinions) == (run.readings, run.opinions)


def test_text_of_any_kind_survives_a_line() -> None:
    odd = Source(Example("a\u2028b", 'quotes " and \\ \x85 \n', "😀 \u2029 </script>"), "g")
    assert from_json_line(to_json_line(odd)) == odd
    assert "\n" not in to_json_line(odd)


@pytest.mark.parametrize(
    "record", [Variant("a", "k", error="One word.", failure=FailureKind.INPUT), Check("a", "k", None)]
)
def test_lines_keep_the_keys_of_the_first_runs(record: Variant | Check) -> None:
    line = to_json_line(record)
    assert '"trouble": ' in line
    assert ('"refusal": "One word."' in line) == isinstance(record, Variant)
    assert from_json_line(line) == record


def test_a_later_record_of_the_same_thing_counts_and_a_repeated_one_is_nothing_new() -> None:
    run = some_run()
    assert not run.add(run.readings["s0", "shuffled", METRIC])
    assert run.add(ScoreRecord("s1", "shuffled", METRIC, 0.4))
    assert run.has_score("s1", "shuffled", METRIC)


@pytest.mark.parametrize("line", ["", "{}", '{"record": "reading", "source": 3}', "[1]", '{"record": "poem"}'])
def test_a_line_that_is_no_record_says_so(line: str) -> None:
    with pytest.raises(TouchstoneError, match="no record of a stress run"):
        from_json_line(line)


def test_a_file_without_a_plan_is_no_run() -> None:
    with pytest.raises(TouchstoneError, match="first line is no plan"):
        run_from_lines([to_json_line(source("a"))])


def test_a_run_that_was_broken_off_in_the_middle_of_a_line_goes_on(tmp_path: Path) -> None:
    path, run = tmp_path / "run.jsonl", StressRun(Plan("p", ("shuffled",), (METRIC,)))
    run.add(source("a"))
    open_run_file(path, run)
    list(append_records(path, [ScoreRecord("a", "", METRIC, 0.5)]))
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole + '{"record": "rea', encoding="utf-8")
    again = open_run_file(path, run)
    assert again.has_score("a", "", METRIC)
    list(append_records(path, [ScoreRecord("a", "shuffled", METRIC, 0.6)]))
    assert open_run_file(path, run).has_score("a", "shuffled", METRIC)


def test_a_file_with_another_run_is_not_written_over(tmp_path: Path) -> None:
    path, run = tmp_path / "run.jsonl", StressRun(Plan("p", ("shuffled",), (METRIC,)))
    open_run_file(path, run)
    before = path.read_bytes()
    with pytest.raises(TouchstoneError, match="Name another file"):
        open_run_file(path, StressRun(Plan("p", ("shuffled",), (METRIC,), seed=1)))
    assert path.read_bytes() == before


def test_a_refused_variant_leaves_fewer_scores_to_be_had_and_is_none_itself() -> None:
    run = some_run()
    assert (run.done, run.total) == (6, 2 * 3)
    run.add(source("s2"))
    assert (run.done, run.total) == (6, 3 * 3)
    assert (run.settled, run.planned) == (6, 3 * 3)
    run.add(Variant("s2", "shuffled", error="One sentence only."))
    assert (run.done, run.total) == (6, 3 * 3 - 1)
    assert (run.settled, run.planned) == (6 + 1, 3 * 3), "what is planned never falls"


def test_a_refused_variant_is_not_to_be_checked_either() -> None:
    run = StressRun(Plan("guarded", ("shuffled", "negation"), (METRIC,), guard="entailment"))
    run.add(source("s0"))
    assert run.total == 3 + 1
    run.add(Variant("s0", "shuffled", error="One sentence only."))
    assert run.total == 2


def test_a_line_that_cannot_be_written_leaves_no_part_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, records = tmp_path / "run.jsonl", [ScoreRecord(name, "", METRIC, 0.5) for name in "ab"]
    list(append_records(path, records[:1]))
    before = path.read_bytes()

    class FullDisk(io.FileIO):
        def write(self, content: Any, /) -> int:
            super().write(content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda path, *_, **__: FullDisk(path, "a"))
        with pytest.raises(OSError, match="No space left"):
            list(append_records(path, records[1:]))
    assert path.read_bytes() == before
    list(append_records(path, records[1:]))
    assert len(path.read_text().splitlines()) == 2
