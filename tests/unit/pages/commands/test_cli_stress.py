"""Perturbing and stressing from the command line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from core.edits.battery import read_battery, standard_battery
from core.errors import TouchstoneError
from core.evaluation import GamingStudy, Report
from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.results.runs.matrix import kind_coverage
from core.results.runs.stress_run import run_from_lines
from core.text.edits import apply, parse
from tests.unit.command_line import done, run
from tests.unit.core.models.llm.scripted import refusal, serving, text

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away. Nobody was hurt."
SUMMARIES = ("The harbour was closed on Tuesday. Two ferries were torn away.", "The harbour was closed.")


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.db'}")
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    lines = [{"id": f"p{n}", "document": DOCUMENT, "summary": text} for n, text in enumerate(SUMMARIES)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_every_pair_gets_a_variant_of_each_kind_or_the_reason_why_not(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "variants.jsonl"
    done = run("perturb", pairs, "--kind", "shuffled", "--kind", "phrase", "-o", output, "--seed", 3)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert [(row["source"], row["kind"].partition("[")[0], row["status"]) for row in rows] == [
        ("p0", "shuffled", "ok"),
        ("p0", "phrase", "ok"),
        ("p1", "shuffled", "refused"),
        ("p1", "phrase", "ok"),
    ]
    for row in rows:
        if row["status"] == "ok":
            assert apply(row["summary"], parse(json.dumps(row["edits"]), row["summary"])) == row["edited"]
    assert "needs two different" in rows[2]["error"]
    assert "not applied to 1 of 2" in done.output


def test_what_was_perturbed_can_be_scored(pairs: Path, tmp_path: Path) -> None:
    variants, scores = tmp_path / "variants.jsonl", tmp_path / "scores.jsonl"
    run("perturb", pairs, "--kind", "phrase", "-o", variants)
    assert run("score", variants, "--metric", "rouge2", "-o", scores).exit_code == 0
    assert len(scores.read_text(encoding="utf-8").splitlines()) == 4


def test_a_stress_run_ends_in_a_table_and_is_not_run_twice(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.jsonl"
    command = ["stress", pairs, "--metric", "rouge2", "--kind", "shuffled", "--kind", "phrase", "-o", output]
    first = run(*command)
    assert first.exit_code == 0, first.output
    assert "Shifts by metric and perturbation" in first.stdout
    assert "noise not known yet." in first.stdout
    assert "applied to" in first.stdout
    assert "Gain of each metric by phrases without content" in first.stdout
    written = output.read_bytes()
    again = run(*command, "--json")
    cells = json.loads(again.stdout)["tables"]["matrix"]
    assert [(cell["kind"], cell["shift"]["n"]) for cell in cells] == [("shuffled", 1), ("phrase", 2)]
    assert output.read_bytes() == written
    stored = run_from_lines(output.read_text(encoding="utf-8").splitlines())
    assert stored.done == stored.total
    assert [kind.made for kind in kind_coverage(stored)] == [1, 2]


def test_a_table_that_memory_does_not_suffice_for_is_no_table_that_is_left_out(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Report:
        raise MemoryError

    monkeypatch.setattr(GamingStudy, "run", fail)
    ended = run("stress", pairs, "--kind", "number", "--metric", "rouge2", "-o", tmp_path / "run.jsonl")
    assert isinstance(ended.exception, MemoryError)  # of which the command line makes a sentence
    assert "against originals" not in ended.stdout


def test_work_that_failed_is_in_the_exit_status(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_RETRIES", "0")
    output = tmp_path / "out.jsonl"
    with serving(lambda _path, _body: refusal(500, "It broke.")) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
        perturbed = run("perturb", pairs, "--kind", "paraphrased-llm", "-o", output)
        scored = run("stress", pairs, "--metric", "direct-assessment", "--kind", "phrase", "-o", tmp_path / "run.jsonl")
    assert (perturbed.exit_code, scored.exit_code) == (1, 1), (perturbed.output, scored.output)
    assert [json.loads(line)["status"] for line in output.read_text(encoding="utf-8").splitlines()] == ["refused"] * 2


def test_a_dataset_of_the_store_is_perturbed_without_what_is_labelled_inconsistent(tmp_path: Path) -> None:
    file, output = tmp_path / "labelled.jsonl", tmp_path / "out.jsonl"
    lines = [
        {"id": f"p{n}", "document": DOCUMENT, "summary": f"{SUMMARIES[0]} {n}.", "label": "inconsistent" if n else None}
        for n in range(2)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert run("import", "pairs", file, "--name", "mine").exit_code == 0
    done = run("perturb", "--dataset", "mine", "--kind", "phrase", "-o", output)
    assert done.exit_code == 0, done.output
    [row] = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert (row["source"], row["document"]) == ("p0", DOCUMENT)


@pytest.mark.parametrize("both", [True, False])
def test_a_file_or_a_dataset_must_be_named_and_not_both(pairs: Path, tmp_path: Path, both: bool) -> None:
    named = [pairs, "--dataset", "mine"] if both else []
    refused = run("stress", *named, "--metric", "rouge2", "-o", tmp_path / "run.jsonl")
    assert "one of the two" in str(refused.exception)


def test_another_run_is_not_written_over(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.jsonl"
    run("stress", pairs, "--metric", "rouge2", "--kind", "phrase", "-o", output)
    refused = run("stress", pairs, "--metric", "bleu", "--kind", "phrase", "-o", output)
    assert isinstance(refused.exception, TouchstoneError)
    assert "Name another file" in str(refused.exception)


def test_a_run_is_of_the_battery_where_no_kind_is_named(pairs: Path, tmp_path: Path) -> None:
    output, mine = tmp_path / "run.jsonl", tmp_path / "mine.toml"
    mine.write_text('title = "Mine"\ndate = 2026-01-02\nkinds = ["shuffled", "phrase"]\n', encoding="utf-8")
    standard = run("stress", pairs, "--metric", "rouge2", "-o", tmp_path / "standard.jsonl")
    assert f"Battery: {standard_battery().signature}." in standard.stderr
    made = run("stress", pairs, "--metric", "rouge2", "--battery", mine, "-o", output)
    plan = run_from_lines(output.read_text(encoding="utf-8").splitlines()).plan
    assert (plan.kinds, plan.battery) == (("shuffled", "phrase"), read_battery(str(mine)).signature)
    assert f"Battery: {plan.battery}." in made.stderr
    compared = run("compare", tmp_path / "standard.jsonl", output)
    assert f"different batteries: {standard_battery().signature} and {plan.battery}." in compared.stderr
    both = run(
        "stress", pairs, "--metric", "rouge2", "--battery", mine, "--kind", "date", "-o", tmp_path / "both.jsonl"
    )
    assert f"{mine}+date" in str(both.exception)


def test_a_run_of_before_batteries_had_names_goes_on(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.jsonl"
    done("stress", pairs, "--metric", "rouge2", "-o", output)
    plan, *records = output.read_text(encoding="utf-8").splitlines()
    older = {name: value for name, value in json.loads(plan).items() if name != "battery"}
    output.write_text("\n".join([json.dumps(older), *records[: len(records) // 2]]) + "\n", encoding="utf-8")
    done("stress", pairs, "--metric", "rouge2", "-o", output)
    finished = run_from_lines(output.read_text(encoding="utf-8").splitlines())
    assert finished.done == finished.total
    assert finished.plan.battery_label == "none named"


def test_an_unknown_kind_names_those_that_exist(pairs: Path, tmp_path: Path) -> None:
    refused = run("perturb", pairs, "--kind", "shufled", "-o", tmp_path / "out.jsonl")
    assert "shuffled" in str(refused.exception)
    assert not (tmp_path / "out.jsonl").exists()


def test_the_model_of_a_kind_is_downloaded(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[Checkpoint] = []
    monkeypatch.setattr(ModelPool, "fetch", lambda _pool, checkpoint: fetched.append(checkpoint))
    kind = "masked-word[checkpoint=nobody/nothing]"
    run("perturb", pairs, "--kind", kind, "-o", tmp_path / "out.jsonl")
    run("stress", pairs, "--kind", kind, "--metric", "rouge2", "-o", tmp_path / "run.jsonl")
    assert [model.source for model in fetched] == ["nobody/nothing", "nobody/nothing"]


def test_a_broken_line_is_named_and_the_others_are_perturbed(pairs: Path, tmp_path: Path) -> None:
    pairs.write_text(pairs.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    done = run("perturb", pairs, "--kind", "phrase", "-o", tmp_path / "out.jsonl")
    assert done.exit_code == 2
    assert "line 3" in done.output
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_an_nli_check_of_harmless_variants_is_stored_and_what_contradicts_can_be_left_out(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "run.jsonl"
    kinds = ["--kind", "shuffled", "--kind", "phrase"]
    command = ["stress", pairs, "--metric", "rouge2", *kinds, "-o", output, "--nli-check", "language-model[model=tiny]"]
    with serving(lambda _path, _body: text('{"contradicts": true, "because": "The order."}')) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        done = run(*command)
    assert "Estimate: 2 questions to endpoints" in done.stderr  # at most: one summary cannot be shuffled
    assert "1 of 1 variants contradict their original" in done.stderr
    assert len(run_from_lines(output.read_text(encoding="utf-8").splitlines()).checks) == 1
    left = json.loads(run(*command, "--leave-out", "contradicting", "--json").stdout)["tables"]["matrix"]
    assert [cell["kind"] for cell in left] == [cell["kind"] for cell in left if cell["intent"] == "gaming"]


@pytest.mark.parametrize("wrong", [("--nli-check", "entailmnt"), ("--guard", "entailmnt"), ("--leave-out", "trivia")])
def test_a_wrong_name_fails_before_anything_is_written(pairs: Path, tmp_path: Path, wrong: tuple[str, str]) -> None:
    output = tmp_path / "run.jsonl"
    refused = run("stress", pairs, "--metric", "rouge2", "--kind", "phrase", "-o", output, *wrong)
    assert "Did you mean" in str(refused.exception)
    assert not output.exists()


def test_a_paper_gives_the_kinds_and_the_check_that_are_not_named(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.jsonl"
    done = run("stress", pairs, "--metric", "bleu", "--paper", "longdoc", "-o", output)
    assert done.exit_code == 1, (done.output, done.exception)  # there is no endpoint
    plan = run_from_lines(output.read_text(encoding="utf-8").splitlines()).plan
    assert len(plan.kinds) == 7
    assert all(kind.endswith("-llm@longdoc") for kind in plan.kinds)
    assert plan.guard == "entailment-label@longdoc"
    assert "endpoint" in done.stderr


def test_a_variant_is_labelled_as_it_is_meant(pairs: Path, tmp_path: Path) -> None:
    output = tmp_path / "variants.jsonl"
    run("perturb", pairs, "--kind", "shuffled", "--kind", "antonym", "-o", output)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert {(row["kind"], row["status"], row["label"]) for row in rows} == {
        ("shuffled", "ok", "consistent"),
        ("shuffled", "refused", None),
        ("antonym", "ok", "inconsistent"),
    }


def test_the_coverage_of_each_kind_is_told(pairs: Path, tmp_path: Path) -> None:
    done = run("perturb", pairs, "--kind", "shuffled", "--kind", "phrase", "-o", tmp_path / "variants.jsonl")
    lines = [line.split() for line in done.output.splitlines()]
    assert [line[-4:] for line in lines if line[:1] in (["shuffled"], ["phrase"])] == [
        ["1", "2", "50", "%"],
        ["2", "2", "100", "%"],
    ]


def test_balanced_errors_are_as_many_of_each_type(pairs: Path, tmp_path: Path) -> None:
    kinds = [one for name in ("number", "date", "negation", "shuffled") for one in ("--kind", name)]
    output = tmp_path / "variants.jsonl"
    assert run("perturb", pairs, *kinds, "--balance", "-o", output).exit_code == 0
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    errors = Counter(row["error_type"] for row in rows if row["intent"] == "breaking")
    assert set(errors.values()) == {1}
    assert len(errors) == 3
    assert [row["kind"] for row in rows if row["intent"] == "preserving"] == ["shuffled"]


VARIANTS = f"""document,original,variant,kind,intent
"{DOCUMENT}",The harbour was closed.,The harbour was open.,"open, not closed",breaking
"{DOCUMENT}",The harbour was closed.,The harbour had been closed.,tense,harmless
"{DOCUMENT}",Nobody was hurt.,No one was hurt.,tense,preserving
"{DOCUMENT}",Nobody was hurt.,Nobody was hurt.,tense,preserving
"{DOCUMENT}",Nobody was hurt.,Everybody was hurt.,all,wrong
"""


def test_a_table_of_variants_becomes_a_run(tmp_path: Path) -> None:
    table, output = tmp_path / "table.csv", tmp_path / "run.jsonl"
    table.write_text(VARIANTS, encoding="utf-8")
    done = run("stress", "--variants", table, "--metric", "rouge2", "-o", output)
    assert done.exit_code == 2
    assert "line 5: The variant is the original itself." in done.output
    assert "line 6: The intent 'wrong' is not known." in done.output
    found = run_from_lines(output.read_text(encoding="utf-8").splitlines())
    assert found.plan.kinds == (
        'imported-breaking[kind="open, not closed"]',
        "imported-preserving[kind=tense]",
    )
    assert [(kind.made, sum(kind.refused.values())) for kind in kind_coverage(found)] == [(1, 1), (2, 0)]
    assert sum(reading.value is not None for reading in found.readings.values()) == 5
    edits = {variant.summary: variant.edits for variant in found.variants.values() if variant.summary}
    assert apply("Nobody was hurt.", list(edits["No one was hurt."])) == "No one was hurt."


def test_a_table_of_variants_brings_its_own_pairs(pairs: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(VARIANTS, encoding="utf-8")
    done = run("stress", pairs, "--variants", table, "--metric", "rouge2", "-o", tmp_path / "run.jsonl")
    assert done.exit_code != 0
    assert "brings its own pairs" in str(done.exception or done.output)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document,original,variant,kind\na,b,c,d\n", "There is no intent"),
        ("document,original,variant,kind,intent\n", "holds no variant"),
    ],
)
def test_a_table_without_variants_is_refused(text: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(text, encoding="utf-8")
    done = run("stress", "--variants", table, "--metric", "rouge2", "-o", tmp_path / "run.jsonl")
    assert done.exit_code != 0
    assert message in str(done.exception or done.output)
