"""Broken summaries against originals and harmless edits: areas that are known by how the scores were chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import TouchstoneError
from core.evaluation.reports.text import report_text
from core.evaluation.studies.edit_discrimination import edit_discrimination
from core.evaluation.studies.shifts import Shifts
from core.evaluation.study import StudyData
from core.results.runs.shifts import score_shifts
from core.scoring.metric import metric_title
from tests.unit.core.results.runs.stressed import METRIC, run_of

PAIRS = 12


@pytest.mark.parametrize(("broken", "harmless", "area"), [(-0.4, -0.4, 0.5), (-0.4, -0.1, 1.0), (-0.1, -0.4, 0.0)])
def test_a_detector_of_changes_separates_originals_only(broken: float, harmless: float, area: float) -> None:
    run = run_of({"negation": [broken] * PAIRS, "shuffled": [harmless] * PAIRS})
    [result] = edit_discrimination(run, score_shifts(run), 50)
    assert (result.against_originals.value, result.against_harmless.value) == (1.0, area)
    assert result.kinds["negation"] == (result.against_originals, result.against_harmless)


def test_the_report_names_a_detector_of_changes() -> None:
    run = run_of({"negation": [-0.4] * PAIRS, "shuffled": [-0.4] * PAIRS})
    report = Shifts(view="discrimination").run(StudyData(run=run, run_name="run.jsonl"))
    assert report.table().figure("against_harmless", metric=METRIC, kind="negation").value == 0.5
    assert f"No better than a detector of changes, as the interval reaches 0.5: {metric_title(METRIC)}." in report_text(
        report
    )
    assert report.command == "python cli.py study shifts run.jsonl --view discrimination"


def test_a_run_without_broken_summaries_says_how_to_make_one() -> None:
    run = run_of({"shuffled": [0.1, 0.2]})
    with pytest.raises(TouchstoneError, match="--kind negation"):
        Shifts(view="discrimination").run(StudyData(run=run))


def test_edits_are_compared_with_harmless_ones_that_change_the_length_alike() -> None:
    run = run_of({"negation": [-0.4] * PAIRS, "shuffled": [-0.4] * PAIRS, "added": [0.5] * PAIRS})
    for (source, kind), variant in list(run.variants.items()):
        longer = f"{run.sources[source].example.summary} And so on." if kind == "added" else variant.summary
        run.variants[source, kind] = replace(variant, summary=longer)
    [result] = edit_discrimination(run, score_shifts(run), 50)
    assert result.against_harmless.value == 0.75  # those that are longer score better
    assert result.against_matched.value == 0.5
