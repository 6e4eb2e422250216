"""`combine` fits a metric to labels and saves it; `score` and `threshold` take it like any other."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import touchstone
from core.scoring.metric import METRICS
from core.scoring.plugins.checkpoints.checkpoint_file import checkpoint_class, entry_of
from core.scoring.plugins.combination_file import combination_classes
from core.scoring.plugins.metrics_folder import save_entry
from tests.unit.command_line import done, run


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Thirty documents with a copied and a mixed summary each: overlap tells most of them apart."""
    rng, path = random.Random(0), tmp_path / "labelled.jsonl"
    vocabulary = [f"word{number}" for number in range(400)]
    lines = []
    for number in range(30):
        words = rng.sample(vocabulary, 40)
        kept = rng.randint(3, 9)
        for kind, summary in ((1, words[:10]), (0, [*words[:kept], *rng.sample(vocabulary, 10 - kept)])):
            record = {
                "id": f"{number}-{kind}",
                "document": " ".join(words),
                "summary": " ".join(summary),
                "label": kind,
            }
            lines.append(record | {"group": str(number)})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def metrics_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path / "metrics"))
    yield tmp_path / "metrics"
    METRICS.remove("my-mix")
    METRICS.remove("own-nli")


def test_a_combination_is_fitted_saved_and_scored_with(
    labelled: Path, tmp_path: Path, database: str, metrics_dir: Path
) -> None:
    assert database
    printed = done("combine", "rouge2", "coverage", "--data", labelled, "--name", "my-mix", "--costs", "coverage=3")
    assert "The combination has an area under the ROC curve of" in printed
    [made] = combination_classes(str(metrics_dir / "my-mix.toml"))
    assert made.specs == ("rouge2", "coverage")
    scores = tmp_path / "scores.jsonl"
    done("score", labelled, "--metric", "my-mix", "-o", scores)
    records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    assert all("Its labels were of this document too" in one["seen"]["notes"][1] for one in records)
    assert all(f"|fitted:{made.table}|" in one["signature"] for one in records)
    good, bad = ([one["score"] for one in records if one["id"].endswith(kind)] for kind in ("-1", "-0"))
    assert sum(good) / len(good) > sum(bad) / len(bad) + 0.3
    assert "My mix: consistent from a score of at least" in done(
        "threshold", "my-mix", "--data", labelled, "--name", "own"
    )


@pytest.mark.slow
@pytest.mark.slow
def test_kept_scores_of_sentences_are_fitted_in_the_terminal_and_in_python(
    labelled: Path, tmp_path: Path, database: str, metrics_dir: Path
) -> None:
    assert database
    done("import", "pairs", labelled, "--name", "own")
    done("score-dataset", "own", "--metric", "rouge2", "--metric", "coverage")
    printed = done("study", "combine", "--dataset", "own", "--level", "sentence", "--resamples", "50")
    assert "Fitted to 60 sentences it has an area of" in printed
    in_python = touchstone.study("combine", dataset="own", level="sentence", resamples=50)
    assert in_python.sentences[-1] in printed
    done("combine", "rouge2", "coverage", "--data", "own", "--level", "sentence", "--name", "my-mix")
    [made] = combination_classes(str(metrics_dir / "my-mix.toml"))
    scores = tmp_path / "scores.jsonl"
    done("score", labelled, "--metric", "my-mix", "-o", scores)
    for record in map(json.loads, scores.read_text(encoding="utf-8").splitlines()):
        assert record["score"] == pytest.approx(math.prod(one["score"] for one in record["sentences"]))
        assert f"|fitted:{made.table}|" in record["signature"]


def test_a_value_that_an_option_has_not_is_refused_in_our_words(labelled: Path) -> None:
    refused = run("combine", "rouge2", "bleu", "--data", labelled, "--name", "my-mix", "--level", "word")
    assert refused.exit_code == 2
    assert "Invalid value for '--level': 'word' is not one of" in refused.output


def test_without_costs_the_seconds_of_a_score_are_measured(labelled: Path, database: str) -> None:
    assert database
    ended = run("combine", "rouge2", "coverage", "--data", labelled)
    assert re.search(
        r"Costs are seconds for a score, measured on 8 summaries: rouge2=0\.\d+,coverage=0\.\d+\n", ended.stderr
    )
    assert ended.exit_code == 0


@pytest.mark.slow
def test_words_and_an_nli_classifier_of_ones_own_become_one_metric(
    labelled: Path, tmp_path: Path, database: str, metrics_dir: Path, tiny_deberta: Path
) -> None:
    assert database
    table = {
        "form": "classifier",
        "checkpoint": str(tiny_deberta),
        "labels": "LABEL_0, LABEL_1",
        "label": "LABEL_1",
        "over_sentences": "min",
    }
    entry = entry_of(table, "own-nli")
    save_entry(entry, checkpoint_class(entry), metrics_dir)
    done("combine", "word-support", "own-nli", "--data", labelled, "--name", "my-mix")
    [made] = combination_classes(str(metrics_dir / "my-mix.toml"))
    assert made.specs == ("word-support", "own-nli")
    scores = tmp_path / "scores.jsonl"
    done("score", labelled, "--metric", "my-mix", "-o", scores)
    values = [json.loads(line)["score"] for line in scores.read_text(encoding="utf-8").splitlines()]
    assert len(values) == 60
    assert all(0 < value < 1 for value in values)


def test_a_cascade_goes_into_a_file_for_colleagues(
    labelled: Path, tmp_path: Path, database: str, metrics_dir: Path
) -> None:
    assert database
    file = tmp_path / "mix.toml"
    done(
        "combine",
        "rouge2",
        "coverage",
        "--data",
        labelled,
        "--name",
        "my-mix",
        "--cascade",
        "--budget",
        "1.5",
        "-o",
        file,
    )
    [made] = combination_classes(str(file))
    assert len(made.unsure) == 2
    assert not metrics_dir.exists()
    assert "my-mix" not in METRICS.names()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["rouge2", "coverage", "--name", "rouge2"], "There is a metric 'rouge2' already"),
        (["rouge2", "--name", "My Mix"], "is no name of a metric"),
        (["rouge2", "--cascade"], "takes two members or more"),
        (["rouge2", "-o", "mix.json"], "ends in .toml"),
        (["rouge2", "conciseness"], "conciseness: a metric without a better side"),
        (["rouge2", "coverage", "--costs", "bleu=1"], "in costs"),
    ],
)
def test_what_cannot_be_saved_is_refused(
    labelled: Path, database: str, metrics_dir: Path, options: list[str], words: str
) -> None:
    assert database
    assert not metrics_dir.exists()
    assert words in str(run("combine", *options, "--data", labelled).exception)
