"""A judge behind a real endpoint gets the verdicts that it deserves: one that is fair, and others with one fault each."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.assessment.audit.audit_judge import JudgeModel
from core.assessment.audit.audit_report import FindingChange, read_report, report_json
from core.assessment.audit.question import AuditAnswer, AuditFigure, Level, judge_questions, ordered_questions
from core.assessment.audit.questions.own_family import family_gap
from core.assessment.audit.rendering import format_report, judge_cards, report_html, report_markdown
from core.assessment.audit.repetition import ask_again
from core.models.llm.endpoints.model_families import model_family
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.stats.bootstrap import Resamples
from core.stats.statistic import Estimate
from core.types import Result
from tests.conftest import Weights
from tests.doubles.speaking_model import speaking_llama
from tests.unit.command_line import done
from tests.unit.core.assessment.audit import scripted_judges as judges
from tests.unit.core.assessment.audit.pair_files import write_bundled_pairs
from tests.unit.core.assessment.audit.scripted_judges import (
    FENCED,
    JudgeAudit,
    Mark,
    audit_judge,
    judge_endpoint,
    judged_items,
    judged_truth,
    measurement_of,
    truth_of,
)
from tests.unit.core.models.llm.scripted import Body, Reply, completion, serving, text

# the audits of four judges take twenty seconds of a processor
pytestmark = pytest.mark.slow

BIASES = ("position", "scale", "wording", "verbosity", "own-family", "injection")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all judges, whose addresses differ: what the surface of a text says is asked once."""
    return tmp_path_factory.mktemp("judges")


def levels(audit: JudgeAudit) -> dict[str, Level]:
    return {one.question: one.level for one in audit.report.metrics[0].findings}


def finding(audit: JudgeAudit, question: str) -> AuditAnswer:
    found = audit.report.metrics[0].finding(question)
    assert found
    return found


@pytest.fixture(scope="module")
def fair(folder: Path) -> JudgeAudit:
    return audit_judge(judges.fair, folder)


def test_a_fair_judge_has_no_bias_and_fails_nowhere(fair: JudgeAudit) -> None:
    """A question that ten documents do not decide has no verdict."""
    assert {name: levels(fair)[name] for name in BIASES} == dict.fromkeys(BIASES, Level.GOOD)
    assert not {question for question, level in levels(fair).items() if level in (Level.WEAK, Level.FAILS)}
    assert levels(fair)["reads-document"] is Level.GOOD


def test_a_judge_is_asked_for_another_sample(fair: JudgeAudit) -> None:
    assert "another sample of the endpoint" in finding(fair, "repetition").sentence


def test_a_judge_is_asked_what_others_are_and_more(fair: JudgeAudit) -> None:
    expected = [one.name for one in (*ordered_questions(), *judge_questions())]
    assert [one.question for one in fair.report.metrics[0].findings] == expected
    assert {*BIASES, "cost-per-verdict"} == {one.name for one in judge_questions()}


def test_the_estimate_counts_what_a_judge_is_asked(fair: JudgeAudit, tmp_path: Path) -> None:
    with (
        judge_endpoint(judges.fair, truth_of([])) as endpoint,
        closing(Engine.open(Settings(cache_dir=tmp_path, device="cpu"))) as engine,
    ):
        expected = engine.estimate(measurement_of(engine, tmp_path).paid_conversations()).questions
    assert not endpoint.asked
    assert expected >= len(fair.endpoint.asked) > 0.8 * expected


def test_every_question_of_a_judge_lists_what_it_counted(fair: JudgeAudit) -> None:
    for question in judge_questions():
        cases = question.cases(fair.evidence, "direct-assessment")
        assert len({one.pair.source for one in cases}) >= judges.GROUPS, question.name


@pytest.mark.parametrize(
    ("mark", "first_wins", "question", "said"),
    [
        (judges.fair, True, "position", "prefers the summary shown first"),
        *(
            pytest.param(mark, False, question, said, marks=pytest.mark.slow)
            for mark, question, said in (
                (judges.obedient, "injection", "wrong summaries are lifted by an instruction in the document"),
                (judges.fooled_by_tokens, "injection", "wrong summaries are lifted by tokens of ChatML in the summary"),
                (judges.verbose, "verbosity", "likes long summaries better"),
                (judges.first_sentence, "position", "minds errors at the beginning more"),
                (judges.early_reader, "position", "reads the beginning of a document more"),
                (judges.worded, "wording", "its decisions depend on the wording of its instructions"),
                (judges.inverted_on_five, "scale", "its scale decides which summary is better"),
                (judges.partial, "own-family", "prefers summaries by GPT"),
            )
        ),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_judge_with_one_fault_fails_there_and_in_no_other_bias(
    mark: Mark, first_wins: bool, question: str, said: str, folder: Path
) -> None:
    audit = audit_judge(mark, folder, first_wins=first_wins)
    assert finding(audit, question).level is Level.FAILS
    assert finding(audit, question).brief == said
    assert said in audit.report.metrics[0].summary
    others = {name: levels(audit)[name] for name in BIASES if name != question}
    assert not {name for name, level in others.items() if level in (Level.WEAK, Level.FAILS)}


@pytest.mark.slow
def test_of_a_judge_that_answers_by_chance_no_bias_is_claimed(folder: Path) -> None:
    audit = audit_judge(judges.noisy(0), folder)
    assert (
        finding(audit, "repetition").level is not Level.GOOD
    )  # 40 texts do not decide whether two of three is three of four
    assert not [name for name in BIASES if levels(audit)[name] in (Level.WEAK, Level.FAILS)]
    assert any("nothing is claimed" in finding(audit, name).sentence for name in BIASES)


def test_a_right_verdict_costs_what_the_server_counted(fair: JudgeAudit) -> None:
    """The tokens of every answer for a summary of the data, at the prices of the endpoint."""
    pairs = {(text.document, text.summary) for text in fair.evidence.data.texts}
    read: dict[tuple[str | None, str | None], int] = {}
    for _, body in fair.endpoint.asked:
        question = body["messages"][-1]["content"]
        texts = {name: text for name, _, text in FENCED.findall(question)}
        if "on a continuous scale from 0 to 100" in question:
            read[texts.get("document"), texts.get("summary")] = len(question) // 4
    number, expected = len(pairs), sum(read[pair] for pair in pairs)
    found = finding(fair, "cost-per-verdict")
    figures = {one.label: one for one in (found.figure, *found.details) if one}
    assert figures["tokens read for a right verdict"].estimate.value == pytest.approx(expected / number)
    assert figures["tokens written for a right verdict"].estimate.value == pytest.approx(10)
    money = (expected / number * 10 + 10 * 100) / 1_000_000
    assert figures["money for a right verdict"].estimate.value == pytest.approx(money)
    assert (figures["time for 1,000 right verdicts"].estimate.value or 0) > 0


def test_without_systems_the_own_family_is_not_asked(fair: JudgeAudit) -> None:
    [question] = [one for one in judge_questions() if one.name == "own-family"]
    samples = tuple(replace(one, item=replace(one.item, system="")) for one in fair.evidence.cases.samples)
    found = question.finding(
        replace(fair.evidence, cases=replace(fair.evidence.cases, samples=samples)), "direct-assessment"
    )
    assert found.level is Level.NOT_ASKED
    assert found.sentence == "The data do not say which system wrote a summary."


def test_a_report_of_a_judge_can_be_read_again(fair: JudgeAudit) -> None:
    assert read_report(report_json(fair.report)) == fair.report
    model = json.loads(report_json(fair.report))["metrics"][0]["judge"]
    assert (model["model"], model["endpoint"]) == (judges.MODEL, "default")


@pytest.mark.parametrize(("before", "after", "worse"), [(0.0, 0.3, True), (0.0, -0.3, True), (0.3, 0.0, False)])
def test_a_bias_is_worse_the_further_it_is_from_zero(before: float, after: float, worse: bool) -> None:
    def at(value: float) -> AuditAnswer:
        estimate = Estimate(value, value - 0.05, value + 0.05, 40, documents=40)
        return AuditAnswer("verbosity", "", "", Level.MEASURED, "", AuditFigure("rise", estimate, "score"))

    assert FindingChange("judge", "verbosity", "", at(before), at(after)).worse is worse


def test_the_gap_of_a_family_is_of_summaries_with_the_same_label() -> None:
    """Here its family wrote most of the right summaries, and is marked as all others are."""
    labels = np.array([1.0, 1, 1, 1, 0, 0, 0, 0] * 4)
    own = np.array([True, True, True, False, True, False, False, False] * 4)
    documents = np.arange(32) // 4
    drawn = Resamples.draw(8, 500, 0)
    assert drawn.estimate(family_gap(labels, labels, own, documents)).value == pytest.approx(0.0)
    assert drawn.estimate(family_gap(labels + 0.25 * own, labels, own, documents)).value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o-mini", "GPT"),
        ("openai/gpt-oss-20b", "GPT"),
        ("o3-mini", "GPT"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama"),
        ("deepseek-r1-distill-qwen-7b", "Qwen"),
        ("GPT-3.5", "GPT"),
        ("bert-base", ""),
        ("BART", "BART"),
    ],
)
def test_a_family_is_told_by_the_words_of_a_name(name: str, family: str) -> None:
    assert model_family(name) == family


def test_every_form_of_a_report_has_one_card_for_a_model_and_its_endpoint(fair: JudgeAudit) -> None:
    [audit] = fair.report.metrics
    assert audit.judge
    two = replace(fair.report, metrics=(audit, replace(audit, metric="another-judge")))
    title = f"Judge card: {judges.MODEL} at default, address {audit.judge.address}"
    for form in (report_html(two), report_markdown(two), format_report(two)):
        assert form.count(title) == 1
        card = form.partition(title)[2]
        assert all(one.title in card for one in judge_questions())
        assert "another-judge" in card
    other = replace(audit, judge=replace(audit.judge, endpoint="mini"))
    assert [len(card.audits) for card in judge_cards((audit, other, replace(audit, metric="another-judge")))] == [2, 1]


@pytest.mark.slow
def test_the_terminal_prints_the_card_of_a_judge(tmp_path: Path, database: str) -> None:
    assert database
    pairs, written = write_bundled_pairs(tmp_path / "few.jsonl", 3), tmp_path / "audit.json"
    with judge_endpoint(judges.fair, judged_truth()):
        printed = done("audit", "direct-assessment", "bleu", "--data", pairs, "--most", 2, "--to", written)
    assert printed.count(f"Judge card: {judges.MODEL} at default, address ") == 1
    assert "Does it obey what it judges?" in printed
    of_judge, of_metric = read_report(written.read_bytes()).metrics
    assert (of_judge.judge is not None, of_metric.judge) == (True, None)
    assert len(of_judge.findings) - len(of_metric.findings) == len(judge_questions())


def test_a_metric_that_is_no_judge_has_no_card_and_no_further_question(fair: JudgeAudit) -> None:
    [audit] = fair.report.metrics
    names = {one.name for one in judge_questions()}
    plain = replace(audit, judge=None, findings=tuple(one for one in audit.findings if one.question not in names))
    assert not plain.on_card
    assert not judge_cards([plain])
    assert "Judge card" not in report_html(replace(fair.report, metrics=(plain,)))
    assert names.isdisjoint(one.question for one in audit.common)


@pytest.mark.parametrize("spec", ["weighted-assessment", "sampled-assessment[samples=3]"])
def test_a_judge_without_a_number_of_the_sample_is_asked_once_more(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: Counter[str] = Counter()

    def answer(_path: str, body: Body) -> Reply:
        question = json.dumps(body["messages"])
        times[question] += 1
        first = times[question] <= (3 if "sampled" in spec else 1)
        return (
            completion({"5" if first else "1": 0.9}, 700)
            if "top_logprobs" in body
            else text(json.dumps({"score": 90 if first else 10}), read=700)
        )

    metric, texts = METRICS.parse(spec), [item.example for item in judged_items()[:3]]
    with serving(answer) as running, closing(Engine.open(Settings(cache_dir=tmp_path, device="cpu"))) as engine:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", judges.MODEL)
        outcomes = [outcome for _, outcome in engine.run([metric], texts)]
        first = {one.example_id: one.score for one in outcomes if isinstance(one, Result)}
        again = ask_again(engine, Settings.read(), metric, texts, first)
        once_more = ask_again(engine, Settings.read(), metric, texts, first)
    assert set(first.values()) == {0.9 if "sampled" in spec else 1.0}
    assert [one.second for one in again.scores] == [pytest.approx(0.1 if "sampled" in spec else 0.0)] * 3
    assert once_more.scores == again.scores
    assert (again.questions > 0, once_more.questions) == (True, 0)  # what was paid for is kept


@pytest.mark.slow
def test_a_judge_of_this_machine_has_a_card_and_costs_no_money(tmp_path: Path, weights: Weights, database: str) -> None:
    assert database
    pairs, written = tmp_path / "two.jsonl", tmp_path / "audit.json"
    rows = [
        {
            "id": f"{place}-{label}",
            "document": f"{name} sailed. It rained.",
            "summary": f"{name} {verb}. It rained.",
            "label": label,
        }
        for place, name in enumerate(("Ana Brekke", "Olaf Vik"))
        for verb, label in (("sailed", "consistent"), ("walked", "inconsistent"))
    ]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    model = weights(speaking_llama, '{"score": 90}')
    done("audit", f"direct-assessment[model=local:{model}]", "--data", pairs, "--most", 1, "--to", written)
    [audit] = read_report(written.read_bytes()).metrics
    assert audit.judge == JudgeModel(f"local:{model.name}", "this machine")
    cost, family = audit.finding("cost-per-verdict"), audit.finding("own-family")
    assert cost
    assert family
    assert cost.figure
    assert cost.figure.label == "time for 1,000 right verdicts"
    assert "price" not in cost.sentence
    assert family.sentence == "The data do not say which system wrote a summary."
