"""The promises of every study: described settings, one report in every form, and each outlet or the reason why not."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import replace
from typing import get_args

import pytest

from core.assessment.audit.question import QUESTIONS
from core.errors import UNEXPECTED, BadSettingError, Problem, attempt
from core.evaluation.report import Report
from core.evaluation.reports.record import report_record
from core.evaluation.reports.report_files import FORMS
from core.evaluation.reports.text import report_text
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData, current_spec
from core.registry import settings_of
from core.results.cases.cases import Cases, build_cases
from core.results.runs.bundled_run import bundled_run_lines
from core.results.runs.stress_run import StressRun, run_from_lines
from core.types import ErrorType, GradedExplanation, Rating, Verdict
from pages.commands.evaluation.study import study_command
from tests.unit.command_line import done, run
from tests.unit.core.evaluation.studies.bench_samples import pair, sample

EACH = [pytest.param(study, id=study.name) for study in STUDIES]
FIT_MODELS = set(
    "combine drift gaming measures measures[view=percentiles] shifts shifts[view=discrimination] shifts[view=sensitivity]".split()
)
VIEWS = [
    STUDIES.build(study.name, {"view": view} if view else {})
    for study in STUDIES
    for view in (settings_of(study)["view"].metadata["choices"] if "view" in settings_of(study) else [""])
]
EACH_VIEW = [pytest.param(study, id=study.spec) for study in VIEWS]
FIRST_RUNS = [
    pytest.param(study, id=study.spec, marks=pytest.mark.slow if study.spec in FIT_MODELS else ()) for study in VIEWS
]
OF_DATASETS = {Input.SAMPLES, Input.SCORES, Input.POOL}
ON_PAGES = {Input.SAMPLES, Input.SCORES, Input.POOL, Input.ITEMS, Input.RUN}


def cases() -> Cases:
    """Twelve documents with a minimal pair, a rating, a harmless edit and a graded explanation each, scored by two metrics."""
    samples = []
    for n in range(12):
        good, bad = {"sharp": 0.9, "blunt": 0.5 + 0.01 * n}, {"sharp": 0.1 + 0.05 * n, "blunt": 0.5}
        first, edited = pair(f"p{n}", good, bad, list(ErrorType)[n % 3])
        ratings = tuple(Rating("clarity", judge, float(n % (3 + place))) for place, judge in enumerate(("ada", "ben")))
        graded = GradedExplanation("It names another ship.", "model-a", "partially" if n % 2 else "entirely", "ben")
        harmless = sample(f"p{n}/other", Verdict.CONSISTENT, good, f"p{n}", parent=f"p{n}")
        samples += [
            replace(first, item=replace(first.item, ratings=ratings, domain="sea" if n % 2 else "land")),
            replace(edited, item=replace(edited.item, explanations=(graded,), domain="sea" if n % 2 else "land")),
            harmless,
        ]
    return build_cases(samples)


@pytest.fixture(scope="module")
def data() -> StudyData:
    run: StressRun = run_from_lines(bundled_run_lines())
    return StudyData(datasets=("toy",), cases=cases(), by="domain", resamples=50, run=run)


@pytest.mark.parametrize("study", EACH)
def test_a_study_says_what_it_does_and_describes_every_setting(study: type[Study]) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", study.name)
    assert study.title
    assert study.does.endswith(".")
    assert study.group in get_args(Group)
    assert study.takes or study.may_take
    for name, field in settings_of(study).items():
        assert field.metadata["help"].endswith("."), name
        assert field.default is not dataclasses.MISSING, name
    assert STUDIES.parse(study().spec) == study()


@pytest.mark.parametrize("study", EACH)
def test_a_study_has_every_outlet_or_the_reason_why_not(study: type[Study]) -> None:
    for outlet, reason in study.without.items():
        assert len(reason.split()) > 4, (outlet, reason)
        assert reason.endswith("."), outlet
    inputs = {*study.takes, *study.may_take}
    assert study.audit in QUESTIONS.names() or "audit" in study.without
    assert inputs & ON_PAGES or "page" in study.without
    assert inputs & OF_DATASETS or "pack" in study.without
    assert "command" not in study.without
    assert "python" not in study.without


@pytest.mark.parametrize("study", EACH)
def test_the_help_of_the_command_names_every_setting(study: type[Study]) -> None:
    assert study_command(study).name == study.name
    printed = done("study", study.name, "--help")
    assert " ".join(study.does.split()[:6]) in " ".join(printed.split())
    assert all(f"--{name.replace('_', '-')}" in printed for name in settings_of(study))


@pytest.mark.parametrize("study", FIRST_RUNS)
def test_a_report_has_every_form_or_says_what_the_data_lack(study: Study, data: StudyData) -> None:
    if study.scores_texts:
        pytest.skip("It scores texts: its own tests run it with an engine.")
    outcome = attempt(lambda: study.run(data))
    if isinstance(outcome, Problem):
        assert outcome.error != UNEXPECTED
        return
    assert_whole(outcome)


@pytest.mark.parametrize("study", EACH_VIEW)
def test_a_view_has_a_title_and_only_its_own_settings(study: Study) -> None:
    assert study.view_title
    assert STUDIES.parse(study.spec) == study
    for name, field in settings_of(study).items():
        views = field.metadata["views"]
        assert (name in study.settings) == (not views or study.view_name in views)


def test_a_setting_of_another_view_is_refused() -> None:
    with pytest.raises(BadSettingError, match="measures takes full with view=table; got view=roc"):
        STUDIES.parse("measures[view=roc,full=true]")


@pytest.mark.parametrize(
    ("stored", "current"),
    [
        ("ranks", "measures[view=ranks]"),
        ("ranks[measure=consistency]", "measures[view=ranks,measure=consistency]"),
        ("roc[slice=bump]", "measures[view=roc,slice=bump]"),
        ("measures[full=true]", "measures[full=true]"),
        ("sensitivity", "shifts[view=sensitivity]"),
        ("windows", "readings[view=windows]"),
        ("density[cut=width,bins=4]", "readings[view=density,cut=width,bins=4]"),
        ("document-ablation[baseline=closed-book]", "readings[view=ablation,baseline=closed-book]"),
        ("readings[bins=2]", "readings[bins=2]"),
        ("surface", "surface"),
    ],
)
def test_a_stored_study_is_read_by_the_name_that_it_has_now(stored: str, current: str) -> None:
    assert current_spec(stored) == current
    assert STUDIES.parse(current)


def test_the_command_of_a_former_study_says_how_it_is_spelled_now() -> None:
    refused = run("study", "roc", "--dataset", "own")
    assert str(refused.exception) == "`study roc` is `study measures --view roc` now."


def assert_whole(report: Report) -> None:
    record = json.loads(json.dumps(report_record(report)))
    assert record["study"] == report.study
    assert report.command.startswith(f"python cli.py study {report.study}")
    assert report_text(report)
    for table in report.tables:
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names), table.name
        assert table.name in record["tables"]
    for ending in (".json", ".csv", ".html", ".tex", ".md", ".txt"):
        assert all(FORMS[ending](report).values()), ending
    assert all(
        content[:4] in (b"<?xm", b"%PDF") for kind in (".svg", ".pdf") for content in FORMS[kind](report).values()
    )
