"""Logs of lm-evaluation-harness: the model's answer is scored, never the gold one."""

from __future__ import annotations

from pathlib import Path

from tests.unit.core.data.datasets.tool_exports.form_files import (
    DOCUMENT,
    FALSE,
    GOLD,
    TRUE,
    items_of,
    lines,
    looks_like,
    refusals_of,
    scores,
    texts,
)


def sample(n: int, answer: object, **doc: str) -> dict[str, object]:
    return {
        "doc_id": n,
        "doc": {"article": DOCUMENT, "highlights": GOLD, **doc},
        "target": GOLD,
        "arguments": {"gen_args_0": {"arg_0": f"Summarize: {DOCUMENT}", "arg_1": {"until": ["\n"]}}},
        "resps": [[answer]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": ["rouge1", "perplexity"],
        "doc_hash": "a",
        "rouge1": 0.25,
        "perplexity": 7.5,
    }


def test_the_answer_of_the_model_is_the_summary_and_the_metrics_are_scores(tmp_path: Path) -> None:
    path = lines(tmp_path, [sample(0, TRUE), sample(1, FALSE)])
    items = items_of(path)
    assert looks_like(path) == "a log of lm-evaluation-harness"
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE)]
    assert scores(items[0]) == {"rouge1": 0.25, "perplexity (negated)": -7.5}
    assert GOLD not in str(items)


def test_a_task_whose_text_has_a_name_of_its_own_has_the_prompt_as_document(tmp_path: Path) -> None:
    record = {**sample(0, TRUE), "doc": {"lede": DOCUMENT}}
    [item] = items_of(lines(tmp_path, [record]))
    assert item.example.document == f"Summarize: {DOCUMENT}"


def test_a_sample_of_several_answers_is_a_pair_for_each(tmp_path: Path) -> None:
    record = {**sample(0, TRUE), "resps": [[TRUE, FALSE]], "filtered_resps": [[TRUE, FALSE]]}
    assert [item.example.summary for item in items_of(lines(tmp_path, [record]))] == [TRUE, FALSE]


def test_choices_by_log_likelihood_are_refused_with_the_way_out(tmp_path: Path) -> None:
    choices = {
        **sample(1, TRUE),
        "resps": [[["-3.2", "False"]], [["-1.5", "True"]]],
        "filtered_resps": [["-3.2", "False"]],
    }
    [reason] = refusals_of(lines(tmp_path, [sample(0, TRUE), choices]))
    assert "generate_until" in reason
