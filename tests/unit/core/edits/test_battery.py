"""The battery: what is measured with is named, and a perturbation that lies there unnamed moves no figure."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from core.assessment.audit.audit_report import AuditReport, audit_metrics, build_report
from core.assessment.audit.data import AuditData, items_data, with_battery
from core.assessment.audit.evidence_work import EvidenceWork
from core.data.datasets.bundled import bundled_items
from core.edits.battery import Battery, battery_names, named_kinds, read_battery, standard_battery
from core.edits.perturbation import PERTURBATIONS
from core.errors import BadSettingError, TouchstoneError, UnknownNameError
from core.evaluation.training.training_data import generated_rows, labelled_rows
from core.results.runs.bundled_run import bundled_run_battery, plan_bundled_run
from core.results.runs.null_bands import harmless_variants
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from tests.doubles.contributing import found_in_folder
from tests.doubles.process import ROOT

PUBLISHED = {
    "layout-1": "7a0d6c263dad24c78d54aa2c1eb89b74a5e0533b24e3ddca244229dfee59f9b2",
    "surface-1": "11cd3d8b0587dde4900bcd00e2171a1ff610f41e732513a2e0ef687a9a51d07c",
    "touchstone-1": "1cfe863dfa1eea95a859de65e677051d3b3ba69ea431944a0fa6436b1f92aaff",
}
"""Figures rest on these: a list of other kinds is a file with another name, and a line here."""

OWN = """
title = "Mine"
date = 2026-01-02
kinds = ["number[most=2]", "shuffled", "shuffled"]
"""


def own_file(folder: Path, text: str = OWN) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_battery_that_was_published_never_changes() -> None:
    assert {name: read_battery(name).sha256 for name in battery_names()} == PUBLISHED
    assert standard_battery().signature == "touchstone-1:1cfe863d"


def test_a_battery_has_rules_of_every_intent() -> None:
    for name in battery_names():
        battery = read_battery(name)
        kinds = [kind for intent in ("preserving", "breaking", "gaming") for kind in battery.of_intent(intent)]  # type: ignore[arg-type]  # mypy takes these for plain texts
        assert sorted(kind.spec for kind in kinds) == sorted(battery.kinds)


def test_a_file_of_ones_own_is_a_battery_called_as_the_file(tmp_path: Path) -> None:
    battery = read_battery(own_file(tmp_path))
    assert (battery.name, battery.title, battery.date) == ("mine", "Mine", date(2026, 1, 2))
    assert battery.kinds == ("number[most=2]", "shuffled")
    assert [kind.spec for kind in battery.perturbations()] == ["number[most=2]", "shuffled"]


def test_the_hash_is_of_the_kinds_whatever_the_battery_is_called(tmp_path: Path) -> None:
    same = ", ".join(f'"{kind}"' for kind in standard_battery().kinds)
    other = read_battery(own_file(tmp_path, f'title = "Another"\ndate = 2020-01-01\nkinds = [{same}]\n'))
    assert (other.name, other.sha256) == ("mine", standard_battery().sha256)
    assert read_battery(own_file(tmp_path)).sha256 != other.sha256


def test_further_kinds_join_by_name() -> None:
    longer = read_battery("touchstone-1+number[most=2]+date")
    assert longer.kinds == (*standard_battery().kinds, "number[most=2]")
    assert longer.name == "touchstone-1+number[most=2]"
    assert longer.sha256 != standard_battery().sha256
    phrase = read_battery('touchstone-1+phrase[phrase="a + b"]')
    assert phrase.kinds[-1] == "phrase[phrase=a + b]"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("touchston-1", "Did you mean 'touchstone-1'"),
        ("", "No battery is named"),
        ("touchstone-1+hedgehog", "No perturbation is named 'hedgehog'"),
        ("touchstone-1+negated-llm", "A battery is of rules"),
        ("nowhere/mine.toml", "cannot be read"),
    ],
)
def test_what_is_no_battery_is_refused_in_a_sentence(spec: str, says: str) -> None:
    with pytest.raises(TouchstoneError, match=says.replace("(", r"\(")):
        read_battery(spec)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title =", "is no TOML"),
        ('title = "Mine"\ndate = 2026-01-02\n', "kinds: Field required"),
        ('title = "Mine"\ndate = 2026-01-02\nkinds = []\n', "has no kinds"),
        (f'{OWN}harmless = ["date"]\n', "harmless: Extra inputs are not permitted"),
    ],
)
def test_a_file_that_is_no_battery_is_refused_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(TouchstoneError, match=says):
        read_battery(own_file(tmp_path, text))


def test_kinds_are_those_that_are_named_or_a_battery() -> None:
    kinds, signature = named_kinds([], "")
    assert ([kind.spec for kind in kinds], signature) == (list(standard_battery().kinds), "touchstone-1:1cfe863d")
    assert named_kinds(["date"], "") == ([PERTURBATIONS.parse("date")], "")
    assert named_kinds([], "touchstone-1+number[most=2]")[1].startswith("touchstone-1+number[most=2]:")
    with pytest.raises(BadSettingError, match=r"touchstone-1\+date"):
        named_kinds(["date"], "touchstone-1")


# what lies in the folder and is not named


@pytest.fixture
def with_examples(tmp_path: Path) -> Iterator[None]:
    """The perturbation and metric of docs/develop/plugins.md lie in their folders for the test."""
    with pytest.raises(UnknownNameError):
        PERTURBATIONS.parse("hedge")
    with pytest.MonkeyPatch.context() as patch:
        for path, registry in (
            ("core/edits/perturbations/hedge.py", PERTURBATIONS),
            ("core/scoring/metrics/quotes.py", METRICS),
        ):
            folder = tmp_path / Path(path).stem
            folder.mkdir()
            found_in_folder(path, folder, registry, patch)  # type: ignore[arg-type]
        assert "hedge" in PERTURBATIONS.names()
        assert "quotes" in METRICS.names()
        yield


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> AuditData:
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:4]
    items = [item for item in bundled_items() if item.group in groups]
    return items_data(tmp_path_factory.mktemp("data") / "pairs.jsonl", items, 4, 0)


def figures(report: AuditReport) -> list[float]:
    """Every figure and bound of a report, and the scores of the pairs that it shows."""
    shown = [
        one for audit in report.metrics for finding in audit.findings for one in (finding.figure, *finding.details)
    ]
    estimates = [one.estimate for one in shown if one]
    pairs = [pair for audit in report.metrics for finding in audit.findings for pair in finding.pairs]
    numbers = [number for one in estimates for number in (one.value, one.low, one.high, one.n)]
    return [-1.0 if number is None else number for number in [*numbers, *(pair.score_after for pair in pairs)]]


def audited(data: AuditData, folder: Path) -> AuditReport:
    """The audit of a metric without a model, whose time does not count."""
    with closing(Engine.open(Settings(device="cpu", cache_dir=folder))) as engine:
        measured = EvidenceWork(engine, Settings(device="cpu", cache_dir=folder), data, [METRICS.parse("rouge2")])
        for _ in measured.work():
            pass
        report = build_report(measured.evidence(), list(audit_metrics(measured.evidence(), ["rouge2"])), "")
    timeless = [replace(one, findings=tuple(f for f in one.findings if f.question != "cost")) for one in report.metrics]
    return replace(report, metrics=tuple(timeless))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all audits, whose texts are the same."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(scope="module")
def before(data: AuditData, answers: Path) -> AuditReport:
    return audited(data, answers)


@pytest.fixture(scope="module")
def harmless_before() -> list[object]:
    return [harmless_variants(item.example) for item in bundled_items()[:6]]


ROWS = labelled_rows(bundled_items()[:12])[0]


@pytest.fixture(scope="module")
def corruptions_before() -> list[object]:
    return list(generated_rows(ROWS, 0, standard_battery()))


@pytest.mark.slow
@pytest.mark.usefixtures("before", "with_examples")
def test_a_new_perturbation_and_metric_move_no_figure_of_an_audit(
    data: AuditData, before: AuditReport, answers: Path
) -> None:
    after = audited(data, answers)
    assert (after.battery, after.variants_sha256) == (before.battery, before.variants_sha256)
    [ours], [theirs] = after.metrics, before.metrics
    assert [(one.question, one.level, one.sentence) for one in ours.findings] == [
        (one.question, one.level, one.sentence) for one in theirs.findings
    ]
    assert figures(after) == pytest.approx(figures(before), abs=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("before", "with_examples")
def test_a_perturbation_that_is_named_joins_the_audit_and_its_report_says_so(
    data: AuditData, before: AuditReport, answers: Path
) -> None:
    report = audited(with_battery(data, "touchstone-1+hedge"), answers)
    assert report.battery_label.startswith("touchstone-1+hedge:")
    assert report.variants_sha256 != before.variants_sha256
    assert report.metrics[0].finding("change-detector") != before.metrics[0].finding("change-detector")


@pytest.mark.usefixtures("with_examples")
def test_a_new_perturbation_moves_no_noise(harmless_before: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    hedge = PERTURBATIONS.get("hedge")
    monkeypatch.setattr(hedge, "card", replace(hedge.card, intent="preserving", error_type=None))
    pairs = [item.example for item in bundled_items()[:6]]
    assert [harmless_variants(pair) for pair in pairs] == harmless_before
    named = read_battery("touchstone-1+hedge")
    assert [harmless_variants(pair, named) for pair in pairs] != harmless_before


@pytest.mark.usefixtures("with_examples")
def test_a_new_perturbation_changes_no_corruption(corruptions_before: list[object]) -> None:
    assert list(generated_rows(ROWS, 0, standard_battery())) == corruptions_before
    named = generated_rows(ROWS, 0, read_battery("touchstone-1+hedge"))
    assert "hedge" in {row.kind for row in named}


@pytest.mark.usefixtures("with_examples")
def test_a_new_perturbation_is_not_in_the_bundled_run() -> None:
    plan = plan_bundled_run().plan
    assert (plan.kinds, plan.battery) == (bundled_run_battery().kinds, bundled_run_battery().signature)
    assert "hedge" not in plan.kinds


def test_a_variant_does_not_depend_on_the_kinds_beside_it() -> None:
    example = bundled_items()[0].example
    alone = PERTURBATIONS.parse("number").edits(example, random.Random("0"))
    longer: Battery = read_battery("touchstone-1+number[most=2]")
    among = next(kind for kind in longer.perturbations() if kind.spec == "number")
    assert among.edits(example, random.Random("0")) == alone


def test_the_battery_that_contributing_shows_can_be_read(tmp_path: Path) -> None:
    shown = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "develop" / "plugins.md").read_text("utf-8"), re.DOTALL)
    assert shown
    assert read_battery(own_file(tmp_path, shown[1])).kinds == ("number[most=2]", "negation", "shuffled")
