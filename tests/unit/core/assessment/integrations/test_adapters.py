"""Our metrics inside other frameworks of evaluation: each with the real package, where it is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import touchstone as ts

DOCUMENTS = ["The pilot asked for the tug. It came at dawn.", "It rained in York all night."]
SUMMARIES = ["The pilot asked for the tug.", "It rained in Leeds."]
FAILING = "summac-zs[checkpoint=/nowhere]"
_NO_EVALUATE = (
    "brings datasets, which sentence-transformers then imports in every process; to run it: pip install evaluate==0.4.6"
)
_NO_INSPECT = "brings thirty packages and an older fsspec; to run it: pip install inspect_ai==0.3.285"

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other packages about one another


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("TOUCHSTONE_CACHE_DIR", "HF_METRICS_CACHE", "HF_HOME", "INSPECT_LOG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    yield
    ts.close()


def expected(metric: str) -> list[float]:
    pairs = [{"document": document, "summary": summary} for document, summary in zip(DOCUMENTS, SUMMARIES, strict=True)]
    return [record["score"] for record in ts.score(pairs, metric)]


def test_torchmetrics_gathers_batches() -> None:
    torchmetrics = pytest.importorskip("torchmetrics", reason="the group dev of pyproject.toml has torchmetrics")
    metric, scores = ts.torchmetric("rouge2"), expected("rouge2")
    assert isinstance(metric, torchmetrics.Metric)
    assert metric.higher_is_better is True
    batches = [metric([summary], [document]).item() for summary, document in zip(SUMMARIES, DOCUMENTS, strict=True)]
    assert batches == scores  # forward gives the batch
    assert metric.compute().item() == pytest.approx(sum(scores) / 2, abs=1e-5)
    metric.reset()
    metric.update(SUMMARIES, DOCUMENTS)
    other = ts.torchmetric("rouge2")
    other.update(SUMMARIES[:1], DOCUMENTS[:1])
    metric.merge_state(other)  # as of another process
    assert metric.compute().item() == pytest.approx((2 * scores[0] + scores[1]) / 3, abs=1e-5)


def test_a_collection_of_torchmetrics_counts_what_failed() -> None:
    torchmetrics = pytest.importorskip("torchmetrics", reason="the group dev of pyproject.toml has torchmetrics")
    both = torchmetrics.MetricCollection({"novelty": ts.torchmetric("word-novelty"), "summac": ts.torchmetric(FAILING)})
    both.update(SUMMARIES, DOCUMENTS)
    found = both.compute()
    assert found["novelty"].item() == pytest.approx(sum(expected("word-novelty")) / 2, abs=1e-5)
    assert found["summac"].isnan()
    assert (both["summac"].failed.item(), both["novelty"].higher_is_better) == (2, False)


def test_evaluate_computes_and_combines() -> None:
    evaluate = pytest.importorskip("evaluate", reason=_NO_EVALUATE)
    metric, scores = ts.evaluate_metric("rouge2"), expected("rouge2")
    assert isinstance(metric, evaluate.Metric)
    found = metric.compute(predictions=SUMMARIES, references=DOCUMENTS)
    assert (found["scores"], found["failed"]) == (scores, 0)
    assert found["score"] == pytest.approx(sum(scores) / 2)
    assert found["signatures"][0].startswith("rouge2|")
    metric.add(prediction=SUMMARIES[1], reference=DOCUMENTS[1])
    assert metric.compute()["scores"] == scores[1:]
    failed = ts.evaluate_metric(FAILING).compute(predictions=SUMMARIES, references=DOCUMENTS)
    assert (failed["score"], failed["failed"]) == (None, 2)
    together = evaluate.combine([ts.evaluate_metric("rouge2"), ts.evaluate_metric("coverage")])
    assert len(together.compute(predictions=SUMMARIES, references=DOCUMENTS)) == 8


def written_summaries() -> Any:
    """A solver that has the outputs of a model; asking one would fetch its tokenizer from the network."""
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def written() -> Any:
        async def solve(state: Any, generate: object) -> Any:
            del generate
            state.output = ModelOutput.from_content(
                "model", dict(zip(DOCUMENTS, SUMMARIES, strict=True))[state.input_text]
            )
            return state

        return solve

    return written()


def test_inspect_scores_what_a_model_writes() -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=_NO_INSPECT)
    from inspect_ai.dataset import Sample

    samples = [Sample(input=text, metadata={"document": text}) for text in DOCUMENTS]
    scorers = [ts.inspect_scorer("rouge2"), ts.inspect_scorer(FAILING)]
    task = inspect_ai.Task(dataset=samples, solver=written_summaries(), scorer=scorers)
    [log] = inspect_ai.eval(task, model="mockllm/model", display="none")
    assert log.status == "success", log.error
    good, failed = log.results.scores
    assert good.metrics["mean"].value == pytest.approx(sum(expected("rouge2")) / 2)
    assert (failed.scored_samples, failed.unscored_samples) == (0, 2)
    first = next(iter(log.samples[0].scores.values()))
    assert first.answer == SUMMARIES[0]
    assert first.metadata["signature"].startswith("rouge2|")
    assert first.metadata["sentences"][0]["evidence"]["text"] in DOCUMENTS[0]


def test_inspect_names_the_key_of_a_document_that_is_not_there() -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=_NO_INSPECT)
    from inspect_ai.dataset import Sample

    task = inspect_ai.Task(
        dataset=[Sample(input=DOCUMENTS[0], metadata={"article": "y"})],
        solver=written_summaries(),
        scorer=ts.inspect_scorer("rouge2"),
    )
    [log] = inspect_ai.eval(task, model="mockllm/model", display="none")
    assert log.status == "error"
    assert "as 'document'" in log.error.message
    assert "Known: article" in log.error.message


def test_deepeval_measures_and_evaluates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    monkeypatch.chdir(tmp_path)  # it leaves a folder of its own
    deepeval = pytest.importorskip("deepeval", reason="brings sixty packages; to run it: pip install deepeval==4.3.1")
    from deepeval.test_case import LLMTestCase

    cases = [
        LLMTestCase(input="?", actual_output=summary, context=[document])
        for document, summary in zip(DOCUMENTS, SUMMARIES, strict=True)
    ]
    metric = ts.deepeval_metric("rouge2", threshold=0.9)
    assert [metric.measure(case) for case in cases] == expected("rouge2")
    assert (metric.is_successful(), metric.evaluation_model.partition("|")[0]) == (False, "rouge2")
    assert asyncio.run(metric.a_measure(cases[0])) == expected("rouge2")[0]
    assert metric.is_successful()
    found = deepeval.evaluate(cases, [ts.deepeval_metric("word-novelty")])
    scores = sorted(one.metrics_data[0].score for one in found.test_results)
    assert scores == pytest.approx(sorted(expected("word-novelty")))
    assert {one.success for one in found.test_results} == {True}  # lower is better
    with pytest.raises(ts.TouchstoneError, match="/nowhere"):
        ts.deepeval_metric(FAILING).measure(cases[0])
    with pytest.raises(ts.TouchstoneError, match="Put the document into its context"):
        metric.measure(LLMTestCase(input="?", actual_output="x"))


def test_ragas_scores_one_by_one_and_in_batches() -> None:
    pytest.importorskip(
        "ragas", reason="brings langchain; to run it: pip install ragas==0.4.3 'langchain-community<0.4'"
    )
    rows = [
        {"user_input": "?", "response": summary, "retrieved_contexts": [document]}
        for document, summary in zip(DOCUMENTS, SUMMARIES, strict=True)
    ]
    metric = ts.ragas_metric("rouge2")
    assert [one.value for one in metric.batch_score(rows)] == expected("rouge2")
    assert metric.score(**rows[0]).reason.splitlines()[-1].startswith("rouge2|")
    failed = ts.ragas_metric(FAILING).score(**rows[0])
    assert failed.value != failed.value  # nan
    assert "/nowhere" in failed.reason


def test_autoevals_scores_and_skips_what_failed() -> None:
    pytest.importorskip("autoevals", reason="to run it: pip install autoevals==0.4.1 openai")
    scorer = ts.autoevals_scorer("rouge2")
    found = [scorer.eval(output=one, expected=text) for one, text in zip(SUMMARIES, DOCUMENTS, strict=True)]
    assert [one.score for one in found] == expected("rouge2")
    assert asyncio.run(scorer.eval_async(output=SUMMARIES[1], input=DOCUMENTS[1])).score == expected("rouge2")[1]
    failed = ts.autoevals_scorer("alignscore-base[checkpoint=/nowhere]").eval(
        output=SUMMARIES[0], expected=DOCUMENTS[0]
    )
    assert failed.score is None
    assert "/nowhere" in failed.metadata["error"]
    with pytest.raises(ts.TouchstoneError, match="between 0 and 1"):
        ts.autoevals_scorer("bartscore")


def test_mlflow_gives_feedback() -> None:
    pytest.importorskip("mlflow", reason="to run it: pip install mlflow-skinny==3.17.2")
    scorer = ts.mlflow_scorer("rouge2")
    pairs = zip(DOCUMENTS, SUMMARIES, strict=True)
    found = [scorer(inputs={"document": document}, outputs=summary) for document, summary in pairs]
    assert [one.value for one in found] == expected("rouge2")
    assert found[0].metadata["signature"].startswith("rouge2|")
    failed = ts.mlflow_scorer(FAILING)(inputs={"document": DOCUMENTS[0]}, outputs=SUMMARIES[0])
    assert "/nowhere" in failed.error.error_message
    with pytest.raises(ts.TouchstoneError, match="Known: article"):
        scorer(inputs={"article": "x"}, outputs="y")


ADAPTERS = {
    ts.torchmetric: "torchmetrics",
    ts.evaluate_metric: "evaluate",
    ts.inspect_scorer: "inspect_ai",
    ts.deepeval_metric: "deepeval",
    ts.ragas_metric: "ragas",
    ts.autoevals_scorer: "autoevals",
    ts.mlflow_scorer: "mlflow",
}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_metric_that_does_not_exist_is_refused_at_once(adapter: Any) -> None:
    pytest.importorskip(ADAPTERS[adapter], reason=f"pip install {ADAPTERS[adapter]}")
    with pytest.raises(ts.TouchstoneError, match="Did you mean 'rouge2'"):
        adapter("rouge")
