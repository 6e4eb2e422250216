"""Logs of tools that evaluate systems: the output is the summary, what it was given the document, a scorer's value a score."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.data.dataset import Refusal
from core.data.datasets.generic import Generic
from core.types import Item
from tests.unit.core.data.datasets.tool_exports.form_files import (
    DOCUMENT,
    FALSE,
    GOLD,
    TRUE,
    items_of,
    lines,
    looks_like,
    scores,
    texts,
    whole,
)

QUESTION = "When did the ferry leave?"
Write = Callable[[Path], Path]
ANSWERS = ((TRUE, 1.0), (FALSE, 0.25))


def deepeval(folder: Path) -> Path:
    cases = [
        {
            "name": f"case_{n}",
            "input": QUESTION,
            "actualOutput": answer,
            "expectedOutput": GOLD,
            "retrievalContext": [DOCUMENT],
            "success": score > 0.5,
            "metricsData": [{"name": "Faithfulness", "threshold": 0.5, "success": score > 0.5, "score": score}],
        }
        for n, (answer, score) in enumerate(ANSWERS)
    ]
    return whole(folder, {"testCases": cases, "metricsScores": [{"metric": "Faithfulness"}], "testPassed": 1})


def promptfoo(folder: Path) -> Path:
    results = [
        {
            "prompt": {"raw": f"Summarize: {DOCUMENT}", "label": "Summarize: {{article}}"},
            "vars": {"article": DOCUMENT, "question": QUESTION},
            "provider": {"id": "openai:m1"},
            "response": {"output": answer, "tokenUsage": {"total": 9}},
            "success": score > 0.5,
            "score": 0.9,
            "latencyMs": 40,
            "namedScores": {},
            "gradingResult": {
                "componentResults": [{"score": score, "assertion": {"type": "llm-rubric", "metric": "Faithfulness"}}]
            },
        }
        for answer, score in ANSWERS
    ]
    return whole(
        folder,
        {"evalId": "eval-1", "results": {"version": 3, "prompts": [{"raw": "x"}], "results": results}, "config": {}},
    )


def promptfoo_lines(folder: Path) -> Path:
    return lines(folder, json.loads(promptfoo(folder).read_text(encoding="utf-8"))["results"]["results"])


def promptfoo_table(folder: Path) -> Path:
    """As its own command writes it: no column says what an output is, and a name of a column has a line break."""
    path = folder / "results.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        output = "[m1] Document: {{document}}\nQuestion: {{question}}"
        names = ["Status", "Score", "Named Scores", "Metric: Faithfulness", "Grader Reason", "Comment"]
        rows.writerow(["document", "question", "gold", output, *names])
        for answer, score in ANSWERS:
            graded = [
                "PASS" if score > 0.5 else "FAIL",
                "0.90",
                json.dumps({"Faithfulness": score}),
                score,
                "It is so.",
                "",
            ]
            rows.writerow([DOCUMENT, QUESTION, GOLD, answer, *graded])
    return path


def promptfoo_of_outputs(folder: Path, *outputs: str) -> Path:
    """A row whose answers stand side by side, the columns after each with the same names."""
    path = folder / "outputs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        names = ["Status", "Score", "Named Scores", "Grader Reason", "Comment"]
        rows.writerow(["document", *(name for output in outputs for name in (output, *names))])
        cells: list[object] = [DOCUMENT]
        for answer, score in ANSWERS:
            cells += [answer, "PASS", "0.90", json.dumps({"Faithfulness": score}), "It is so.", ""]
        rows.writerow(cells)
    return path


def langfuse(folder: Path) -> Path:
    traces = [
        {
            "id": f"trace-{n}",
            "timestamp": "2026-01-01T00:00:00Z",
            "name": "answer",
            "sessionId": None,
            "userId": "u1",
            "bookmarked": False,
            "environment": "default",
            "input": {"question": QUESTION, "context": DOCUMENT},
            "output": {"role": "assistant", "content": answer},
            "metadata": {"document": "another text"},
            "latency": 1.5,
            "totalCost": 0.01,
            "scores": [{"name": "Faithfulness", "value": score, "source": "EVAL"}, {"name": "tone", "value": "calm"}],
        }
        for n, (answer, score) in enumerate(ANSWERS)
    ]
    return whole(folder, traces)


def langfuse_answer(folder: Path) -> Path:
    """A page of the API."""
    return whole(folder, {"data": json.loads(langfuse(folder).read_text(encoding="utf-8")), "meta": {"page": 1}})


def phoenix(folder: Path) -> Path:
    spans = [
        {
            "context.span_id": f"s{n}",
            "context.trace_id": f"t{n}",
            "name": "answer",
            "span_kind": "CHAIN",
            "attributes.input.value": QUESTION,
            "attributes.output.value": answer,
            "attributes.retrieval.documents": [{"document.content": DOCUMENT, "document.score": 0.7}],
            "Faithfulness.label": "factual",
            "Faithfulness.score": score,
            "start_time": "2026-01-01",
        }
        for n, (answer, score) in enumerate(ANSWERS)
    ]
    return lines(folder, spans)


def mlflow_table(folder: Path) -> Path:
    rows = [[QUESTION, DOCUMENT, answer, score] for answer, score in ANSWERS]
    return whole(folder, {"columns": ["inputs", "context", "outputs", "Faithfulness/v1/score"], "data": rows})


def mlflow_traces(folder: Path) -> Path:
    source = {"source_type": "LLM_JUDGE", "source_id": "judge"}
    traces = [
        {
            "trace_id": f"tr-{n}",
            "state": "OK",
            "execution_duration": 40,
            "request": {"question": QUESTION, "context": DOCUMENT},
            "response": answer,
            "assessments": [{"assessment_name": "Faithfulness", "source": source, "feedback": {"value": score}}],
        }
        for n, (answer, score) in enumerate(ANSWERS)
    ]
    return lines(folder, traces)


def trulens(folder: Path) -> Path:
    records = [
        {
            "app_name": "ferries",
            "app_version": "m1",
            "record_id": f"record_{n}",
            "input": QUESTION,
            "output": answer,
            "ts": "2026-01-01",
            "Faithfulness": score,
            "Faithfulness_calls": [{"args": {"source": DOCUMENT, "statement": answer}, "ret": score}],
            "Faithfulness feedback cost in USD": 0.0,
            "latency": 1.5,
            "total_tokens": 9,
        }
        for n, (answer, score) in enumerate(ANSWERS)
    ]
    return lines(folder, records)


def test_spans_that_the_client_of_phoenix_lists_are_objects_and_steps_without_an_output_are_refused(
    tmp_path: Path,
) -> None:
    def span(number: int, kind: str, **attributes: str) -> dict[str, object]:
        context = {"trace_id": "t", "span_id": f"s{number}"}
        return {"id": f"U{number}", "context": context, "span_kind": kind, "attributes": attributes, "events": []}

    documents = {f"retrieval.documents.{place}.document.content": text for place, text in enumerate(("One.", "Two."))}
    answer = span(0, "CHAIN", **{"input.value": QUESTION, "output.value": TRUE}, **documents)
    path = whole(tmp_path, [answer, span(1, "RETRIEVER", **{"input.value": QUESTION}, **documents)])
    assert looks_like(path) == "spans of Phoenix"
    item, refusal = Generic().read(path)
    assert isinstance(item, Item)
    assert (item.example.summary, item.example.question) == (TRUE, QUESTION)
    assert [context.span.of(item.example.document) for context in item.example.contexts] == ["One.", "Two."]
    assert isinstance(refusal, Refusal)
    assert "has no output" in refusal.error


@pytest.mark.parametrize(
    ("write", "title"),
    [
        (deepeval, "a test run of DeepEval"),
        (promptfoo, "results of promptfoo"),
        (promptfoo_lines, "results of promptfoo"),
        (promptfoo_table, "results of promptfoo"),
        (langfuse, "an export of Langfuse"),
        (langfuse_answer, "an export of Langfuse"),
        (phoenix, "spans of Phoenix"),
        (mlflow_table, "an evaluation of MLflow"),
        (mlflow_traces, "an evaluation of MLflow"),
        (trulens, "records of TruLens"),
    ],
)
def test_a_log_gives_outputs_documents_and_scores_and_nothing_else(write: Write, title: str, tmp_path: Path) -> None:
    path = write(tmp_path)
    items = items_of(path)
    assert looks_like(path) == title
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert [scores(item) for item in items] == [{"Faithfulness": 1.0}, {"Faithfulness": 0.25}]
    assert {(item.intended, item.ratings, item.judgements) for item in items} == {(None, (), ())}
    assert GOLD not in str(items)


@pytest.mark.parametrize(
    ("outputs", "systems"),
    [
        (("[m1] Shorten {{document}}", "[m2] Shorten {{document}}"), ["m1", "m2"]),
        (("[m1] Shorten it", "[m1] Say it"), ["[m1] Shorten it", "[m1] Say it"]),
    ],
)
def test_outputs_of_promptfoo_side_by_side_are_systems(
    outputs: tuple[str, str], systems: list[str], tmp_path: Path
) -> None:
    path = promptfoo_of_outputs(tmp_path, *outputs)
    items = items_of(path)
    assert looks_like(path) == "results of promptfoo"
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert [item.system for item in items] == systems
    assert [scores(item) for item in items] == [{"Faithfulness": 1.0}, {"Faithfulness": 0.25}]


@pytest.mark.parametrize(
    ("successes", "expected"),
    [((True, False), {"Hallucination (negated)": -0.25}), ((False, True), {"Hallucination": 0.25})],
)
def test_the_direction_of_a_metric_of_deepeval_is_that_of_success(
    successes: tuple[bool, bool], expected: dict[str, float], tmp_path: Path
) -> None:
    """It was turned round between versions, and no file says by which one it was written."""
    run = json.loads(deepeval(tmp_path).read_text(encoding="utf-8"))
    for case, success, score in zip(run["testCases"], successes, (0.25, 0.75), strict=True):
        case["metricsData"] = [{"name": "Hallucination", "threshold": 0.5, "success": success, "score": score}]
    assert scores(items_of(whole(tmp_path, run))[0]) == expected


def test_what_people_said_of_a_trace_of_mlflow_are_their_judgements(tmp_path: Path) -> None:
    people = [
        {
            "assessment_name": "faithful",
            "source": {"source_type": "HUMAN", "source_id": who},
            "feedback": {"value": "no"},
        }
        for who in ("kim", "ben")
    ]
    traces = [json.loads(line) for line in mlflow_traces(tmp_path).read_text(encoding="utf-8").splitlines()]
    first, _ = items_of(
        lines(tmp_path, [{**trace, "assessments": [*trace["assessments"], *people]} for trace in traces])
    )
    assert [vote.judge for vote in first.judgements] == ["kim", "ben"]
    assert scores(first) == {"Faithfulness": 1.0}
