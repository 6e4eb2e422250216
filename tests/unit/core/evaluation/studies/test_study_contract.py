"""The promises of every study: described settings, one report in every form, and each outlet or the reason why not."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import replace
from typing import get_args

import pytest

from core.assessment.audit.question import QUESTIONS
from core.errors import UNEXPECTED, Problem, attempt
from core.evaluation.report import Report
from core.evaluation.reports.files import FORMS
from core.evaluation.reports.record import report_record
from core.evaluation.reports.text import report_text
from core.evaluation.study import STUDIES, Group, Input, Study, StudyData
from core.registry import settings_of
from core.results.cases.cases import Cases, build_cases
from core.results.runs.bundled_run import bundled_run_lines
from core.results.runs.run import Run, run_from_lines
from core.types import ErrorType, GradedExplanation, Rating, Verdict
from pages.commands.study import study_command
from tests.unit.command_line import done
from tests.unit.core.evaluation.studies.bench_samples import pair, sample

EACH = [pytest.param(study, id=study.name) for study in STUDIES]
FIT_MODELS = set("combine drift edit-discrimination gaming measures percentiles sensitivity shifts".split())
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
    run: Run = run_from_lines(bundled_run_lines())
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


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(study, id=study.name, marks=pytest.mark.slow if study.name in FIT_MODELS else ())
        for study in STUDIES
    ],
)
def test_a_report_has_every_form_or_says_what_the_data_lack(study: type[Study], data: StudyData) -> None:
    if study.asks:
        pytest.skip("It scores texts: its own tests run it with an engine.")
    outcome = attempt(lambda: study().run(data))
    if isinstance(outcome, Problem):
        assert outcome.message != UNEXPECTED
        return
    assert_whole(outcome)


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
