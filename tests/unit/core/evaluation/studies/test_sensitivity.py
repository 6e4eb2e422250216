"""Corrections against harmless edits, of a few pairs that can be counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import TouchstoneError
from core.evaluation.reports.text import report_text
from core.evaluation.studies.sensitivity import (
    ScoredEdit,
    edits_of_cases,
    edits_of_run,
    metric_sensitivities,
)
from core.evaluation.studies.shifts import Shifts
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.cases.measures import draw_resamples, metric_rows, slice_cases
from core.results.runs.shifts import score_shifts
from core.results.runs.stress_run import run_lines
from core.types import Sample, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample
from tests.unit.core.results.runs.stressed import run_of


def edited(name: str, domain: str, before: float, after: float, verdict: Verdict) -> list[Sample]:
    """A consistent summary and its edit, which is or is not consistent."""
    made = [
        sample(name, Verdict.CONSISTENT, {"m": before, "still": before}, name),
        sample(f"{name}/e", verdict, {"m": after, "still": before}, name, parent=name),
    ]
    return [replace(one, item=replace(one.item, domain=domain)) for one in made]


def cases() -> Cases:
    """Corrections gain .3 and .5 in news, .1 in law; harmless edits shift by −.1 and +.1 in news, −.4 in law."""
    broken = [("a", "news", 0.9, 0.6), ("b", "news", 0.9, 0.4), ("c", "law", 0.9, 0.8)]
    same = [("d", "news", 0.9, 0.8), ("e", "news", 0.8, 0.9), ("f", "law", 0.9, 0.5)]
    return build_cases(
        [
            *(one for pair in broken for one in edited(*pair, Verdict.INCONSISTENT)),
            *(one for pair in same for one in edited(*pair, Verdict.CONSISTENT)),
        ]
    )


def test_the_quotient_is_that_of_the_mean_gain_and_the_mean_size_by_domain_too() -> None:
    found = {(one.metric, one.slice): one for one in metric_sensitivities(edits_of_cases(cases()), resamples=200)}
    whole, news, law = (found["m", name] for name in ("Overall", "news", "law"))
    assert (whole.correction.value, whole.benign.value) == (pytest.approx(0.3), pytest.approx(0.2))
    assert [one.ratio.value for one in (whole, news, law)] == pytest.approx([1.5, 4.0, 0.25])
    assert (whole.ratio.n, whole.correction.n, whole.benign.n, law.benign.n) == (3, 3, 3, 1)
    assert whole.ratio.error == "6 documents are too few for an interval, which takes 8: 2 more."
    assert "Few documents (3)." in whole.remark


def test_a_metric_that_no_harmless_edit_moves_has_no_quotient_and_says_why() -> None:
    found = metric_sensitivities(edits_of_cases(cases()), resamples=50)
    still = next(one for one in found if one.metric == "still")
    assert (still.ratio.value, still.benign.value) == (None, 0.0)
    assert "nothing to divide by" in still.remark
    assert found[-1].metric == "still"  # below those that have one
    assert "inf" not in report_text(Shifts(view="sensitivity").run(StudyData(cases=cases(), resamples=50)))


def test_the_leaderboard_has_the_same_quotient_by_slice() -> None:
    found = cases()
    rows = list(metric_rows(found, slice_cases(found, "domain"), draw_resamples(found, 50), ("sensitivity",)))
    values = {(row.metric, row.slice): row.figures["sensitivity"].estimate for row in rows}
    assert values["m", "Overall"].value == pytest.approx(1.5)
    assert values["m", "news"].value == pytest.approx(4.0)
    assert "No harmless edit moves" in values["still", "Overall"].error


def scored(corrects: bool, faithful: float | None, other: float | None, direction: str = "lower") -> ScoredEdit:
    document = f"{corrects} {faithful} {other}"
    return ScoredEdit("m", "", direction, document, "", corrects, faithful, other)  # type: ignore[arg-type]


def test_where_lower_is_better_a_correction_gains_by_a_fall_and_what_failed_does_not_count() -> None:
    [found] = metric_sensitivities([scored(True, 0.1, 0.5), scored(True, None, 0.5), scored(False, 0.2, 0.4)])
    assert found.ratio.value == pytest.approx(2.0)
    assert (found.correction.n, found.ratio.n) == (1, 1)


def test_without_harmless_edits_or_a_better_side_nothing_is_divided() -> None:
    [alone] = metric_sensitivities([scored(True, 0.1, 0.5)])
    assert alone.remark.endswith("No harmless edit has both scores.")
    [neutral] = metric_sensitivities([scored(True, 0.1, 0.5, "neutral"), scored(False, 0.1, 0.5, "neutral")])
    assert (neutral.ratio.value, neutral.correction.value) == (None, None)


def test_a_run_reads_what_was_broken_backwards(tmp_path: Path) -> None:
    """Breaking lowers by .4 and .2; a synonym shifts by −.1 and +.05; a phrase has no part in it."""
    run = run_of({"number": [-0.4, -0.2], "synonyms": [-0.1, 0.05], "phrase": [0.3, 0.3]})
    [found] = metric_sensitivities(edits_of_run(run, score_shifts(run)), resamples=50)
    assert found.ratio.value == pytest.approx(0.3 / 0.075)
    file = tmp_path / "run.jsonl"
    file.write_text("".join(f"{line}\n" for line in run_lines(run)), encoding="utf-8")
    done = CliRunner().invoke(
        app, ["study", "shifts", str(file), "--view", "sensitivity", "--json"], catch_exceptions=False
    )
    [line] = json.loads(done.stdout)["tables"]["sensitivities"]
    assert (line["metric"], line["ratio"]["n"]) == ("rouge2", 2)
    assert line["ratio"]["value"] == pytest.approx(4.0)


def test_a_score_that_failed_in_a_run_makes_no_second_metric() -> None:
    run = run_of({"number": [-0.4, None], "synonyms": [-0.1, 0.1]})
    for key, one in run.readings.items():
        run.readings[key] = replace(one, signature="" if one.value is None else "signed")
    [found] = metric_sensitivities(edits_of_run(run, score_shifts(run)), resamples=50)
    assert (found.correction.n, found.ratio.value) == (1, pytest.approx(4.0))


def test_harmless_edits_of_a_run_stand_beside_the_corrections_of_a_dataset_by_signature() -> None:
    run = run_of({"synonyms": [-0.1, 0.1]})
    corrections = [replace(scored(True, 0.9, 0.6, "higher"), metric="rouge2", signature="signed")]
    [found] = metric_sensitivities([*corrections, *edits_of_run(run, score_shifts(run))], resamples=50)
    assert found.ratio.value == pytest.approx(3.0)


def test_a_command_without_data_says_what_to_name() -> None:
    with pytest.raises(TouchstoneError, match="--dataset"):
        CliRunner().invoke(app, ["study", "shifts", "--view", "sensitivity"], catch_exceptions=False)
