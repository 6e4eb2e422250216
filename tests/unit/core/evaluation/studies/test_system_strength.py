"""What a phrase is worth in steps between systems, counted by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import UnknownNameError, UnscorableError
from core.evaluation.studies.system_strength import (
    PhraseStrength,
    SystemStrength,
    judged_systems,
    phrase_strengths,
    systems_of_summaries,
)
from core.evaluation.study import StudyData
from core.results.cases.cases import Cases, build_cases
from core.results.runs.shifts import score_shifts
from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun
from core.types import Example, Rating, Sample, Verdict
from tests.unit.core.evaluation.studies.bench_samples import sample
from tests.unit.core.results.runs.stressed import variant

GOOD, BAD = Verdict.CONSISTENT, Verdict.INCONSISTENT
# two documents, three systems: nobody, half and everybody is consistent
LABELS = {"old": (BAD, BAD), "middle": (GOOD, BAD), "new": (GOOD, GOOD)}
SCORES = {"old": (0.1, 0.2), "middle": (0.9, 0.3), "new": (0.5, 0.4)}


def judged() -> Cases:
    made = [sample(f"{name}-{n}", verdict, {}, f"d{n}") for name, of in LABELS.items() for n, verdict in enumerate(of)]
    return build_cases([_of_system(one) for one in made])


def _of_system(one: Sample) -> Sample:
    return replace(one, item=replace(one.item, system=one.item.example.id.partition("-")[0]))


def run_of(scores: dict[str, tuple[float, ...]], gain: float = 0.3, metric: str = "rouge2") -> StressRun:
    """Every summary scores so much more with the phrase after it."""
    run = StressRun(Plan("by hand", ("phrase",), (metric,)))
    for name, values in scores.items():
        for n, value in enumerate(values):
            id = f"{name}-{n}"
            run.add(Source(Example(id, f"Document {n}", "The port was shut. Nobody was hurt."), f"d{n}"))
            run.add(variant(id, "phrase"))
            run.add(ScoreRecord(id, "", metric, value, "signed"))
            run.add(ScoreRecord(id, "phrase", metric, value + gain, "signed"))
    return run


def strengths(run: StressRun) -> Sequence[PhraseStrength]:
    cases = judged()
    return list(phrase_strengths(run, score_shifts(run), judged_systems(cases), systems_of_summaries(cases), 200))


def test_a_gain_is_told_in_mean_steps_between_neighbouring_systems() -> None:
    """From .15 to .45 in two steps of .15: a gain of .3 is worth two generations, whatever lies between."""
    [found] = strengths(run_of(SCORES))
    assert [one.value for one in found.means] == pytest.approx([0.15, 0.6, 0.45])
    assert (found.step.value, found.gain.value) == (pytest.approx(0.15), pytest.approx(0.3))
    assert found.generations.value == pytest.approx(2.0)
    assert (found.generations.n, found.generations.documents) == (6, 2)


def test_the_report_has_the_order_of_systems_and_the_worth_of_each_phrase() -> None:
    data = StudyData(datasets=("ships",), cases=judged(), run=run_of(SCORES))
    report = SystemStrength().run(data)
    assert report.table("systems").cells("name") == ["old", "middle", "new"]
    assert report.table("means").figure("mean", system="middle").value == pytest.approx(0.6)
    assert report.table("phrases").figure("generations", phrase="phrase").value == pytest.approx(2.0)
    assert report.sentences[0] == "3 systems, from old (0.000) to new (1.000) by human consistency."
    assert "+2 [" in report.sentences[1] or "+2 generations" in report.sentences[1]
    assert report.command == "python cli.py study system-strength RUN.jsonl --dataset ships"
    with pytest.raises(UnknownNameError):
        SystemStrength("clarity").run(data)


def test_a_phrase_without_a_step_has_a_reason_and_no_point() -> None:
    flat = run_of({"old": (0.5, 0.5), "middle": (0.1, 0.1), "new": (0.5, 0.5)})
    report = SystemStrength().run(StudyData(datasets=("ships",), cases=judged(), run=flat))
    assert report.charts == ()
    assert report.sentences[1] == "No metric rises from the least to the most consistent system."


def test_a_metric_that_does_not_rise_with_the_systems_has_no_step() -> None:
    [found] = strengths(run_of({"old": (0.5, 0.5), "middle": (0.1, 0.1), "new": (0.5, 0.5)}))
    assert found.generations.value is None
    assert "does not rise" in found.generations.error


def test_systems_are_ordered_by_labels_or_by_an_aspect() -> None:
    cases = judged()
    assert [(one.name, one.human, one.n) for one in judged_systems(cases)] == [
        ("old", 0.0, 2),
        ("middle", 0.5, 2),
        ("new", 1.0, 2),
    ]
    rated = [
        replace(one, item=replace(one.item, ratings=(Rating("a", "factual", float(len(one.item.system))),)))
        for one in cases.samples
    ]
    assert [one.name for one in judged_systems(build_cases(rated), "factual")] == ["new", "old", "middle"]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(UnscorableError, match="names the system"):
        judged_systems(build_cases([sample("a", GOOD, {}), sample("b", BAD, {})]))
    with pytest.raises(UnscorableError, match=r"no summary of old.*--with-inconsistent"):
        strengths(run_of({"middle": (0.9,), "new": (0.5, 0.4)}))
    run = run_of(SCORES)
    bare = StressRun(replace(run.plan, kinds=()))
    bare.sources |= run.sources
    with pytest.raises(UnscorableError, match="appends no phrase"):
        strengths(bare)


def test_from_a_dataset_to_the_generations_in_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'own.db'}")
    lines = [
        {
            "id": f"{n}-{system}",
            "document": f"Ship {n} came home on day {n}. The sea was calm.",
            "summary": summary,
            **more,
        }
        for n in range(3)
        for system, summary, more in (
            ("old", f"Whales ate ship {n}.", {"system": "old", "label": 0}),
            ("new", f"Ship {n} came home.", {"system": "new", "label": 1}),
        )
    ]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    run("import", "generic", "rows.jsonl", "--name", "ships", "--label-of-1", "consistent")
    run(*"stress --dataset ships --with-inconsistent --metric rouge2 --kind phrase -o run.jsonl".split())
    found = json.loads(run("study", "system-strength", "run.jsonl", "--dataset", "ships", "--json"))["tables"]
    assert [one["name"] for one in found["systems"]] == ["old", "new"]
    [phrase] = found["phrases"]
    assert phrase["generations"]["value"] == pytest.approx(phrase["gain"]["value"] / phrase["step"]["value"])
