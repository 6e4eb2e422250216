"""Discovery of phrases in summaries whose tell-tale bigram is known."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cli import app
from core.errors import UnscorableError
from core.evaluation.studies.discovery import discover_bigrams, discover_in_run, discover_over_metrics
from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun, run_lines
from core.types import Example
from tests.unit.core.results.runs.toys import Adoring, install

WORDS = "the of a and in storm harbour ferry quay pilot tug wind rain inquiry crew captain deck rope".split()
PLAIN = "The storm came in and the crew of the ferry left."
BEST = np.arange(10, 0, -1) / 10  # (10,): the first two are the best fifth


def texts(number: int, adored: str, every: int) -> list[str]:
    """Summaries of words in random order, of which every so many hold the adored ones somewhere."""
    rng = random.Random(3)
    found = []
    for place in range(number):
        said = rng.choices(WORDS, k=30)
        said.insert(rng.randrange(30), adored if place % every == 0 else "boat")
        found.append(f"{' '.join(said)}.")
    return found


def bigrams(summaries: list[str], most: int = 10) -> list[str]:
    return [bigram.text for bigram in discover_bigrams(summaries, BEST, "higher", most).bigrams]


def test_the_bigram_that_a_metric_adores_is_discovered_first(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    metric = Adoring(bigram="pale moon")
    run = StressRun(Plan("discovery", (), (metric.spec,)))
    for place, summary in enumerate(texts(50, "pale moon", every=6)):
        source = Source(Example(f"s{place}", "doc", summary), f"g{place}")
        run.add(source)
        run.add(ScoreRecord(f"s{place}", "", metric.spec, metric.fold(source.example, [], []).value))
    found = discover_in_run(run, metric.spec)
    assert (found.best, found.scored) == (10, 50)
    first = found.bigrams[0]
    assert (first.text, first.best, first.others) == ("pale moon", 9, 0)


def test_over_all_metrics_the_bigram_of_both_comes_before_that_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten summaries one metric likes the first two, the other the second and third; a third one sees no difference."""
    install(monkeypatch)
    metrics = ("toy-length", "toy-adoring", "toy-constant")
    run = StressRun(Plan("discovery", (), metrics))
    summaries = ["A pale moon rose.", "A pale moon sank in deep fog.", "A pale moon hid in deep fog.", *[PLAIN] * 7]
    scores = {"toy-length": [9, 8, 1, *[0] * 7], "toy-adoring": [1, 8, 9, *[0] * 7], "toy-constant": [1] * 10}
    for place, summary in enumerate(summaries):
        run.add(Source(Example(f"s{place}", "doc", summary), f"g{place}"))
        for metric in metrics:
            run.add(ScoreRecord(f"s{place}", "", metric, float(scores[metric][place])))
    assert "deep fog" not in [one.text for one in discover_in_run(run, "toy-length").bigrams]
    found = discover_over_metrics(run)
    by_text = {one.text: one for one in found.bigrams}
    alone = [{one.text: one for one in discover_in_run(run, metric).bigrams} for metric in metrics[:2]]
    assert (found.best, found.scored) == (4, 20)
    assert (by_text["pale moon"].best, by_text["pale moon"].others) == (4, 2)
    assert by_text["pale moon"].lead == pytest.approx(sum(one["pale moon"].lead for one in alone) / 2)
    assert "deep fog" not in by_text  # 1 of the one and 2 of the other: fewer than two for each metric


def test_where_no_metric_has_a_best_fifth_the_reasons_are_told() -> None:
    with pytest.raises(UnscorableError, match="rouge2: 0 summaries have a score"):
        discover_over_metrics(StressRun(Plan("none", (), ("rouge2",))))


def test_the_best_are_the_lowest_where_lower_is_more_consistent() -> None:
    summaries = [*[PLAIN] * 8, "A pale moon rose.", "One pale moon sank."]
    assert discover_bigrams(summaries, BEST, "lower").bigrams[0].text == "pale moon"
    assert "pale moon" not in bigrams(summaries)


def test_what_stands_everywhere_does_not_lead() -> None:
    assert bigrams([PLAIN] * 10) == []


def test_what_stands_in_one_of_the_best_is_its_topic() -> None:
    assert bigrams([f"{PLAIN} The pale moon rose and the pale moon sank.", *[PLAIN] * 9]) == []


def test_a_bigram_ends_with_its_sentence() -> None:
    shared = ["It was pale. Moon light came.", "She was pale. Moon light went."]
    assert bigrams([*shared, *[PLAIN] * 8]) == ["moon light", "was pale"]


def test_equal_bigrams_come_in_the_order_of_their_letters_and_no_more_than_asked_for() -> None:
    assert bigrams(["one two three"] * 2 + [PLAIN] * 8, most=1) == ["one two"]


def test_summaries_without_a_score_are_left_out() -> None:
    scores = np.where(np.arange(10) < 2, np.nan, BEST)
    found = discover_bigrams(["A pale moon."] * 2 + [PLAIN] * 8, scores, "higher")
    assert (found.best, found.scored, found.bigrams) == (2, 8, ())


@pytest.mark.parametrize(
    ("scores", "direction", "why"),
    [
        (np.full(10, 0.7), "higher", "All 10 summaries score 0.7"),
        (np.where(np.arange(10) < 5, BEST, np.nan), "higher", "5 summaries have a score: too few"),
        (BEST, "neutral", "no better side"),
    ],
)
def test_without_a_best_fifth_it_says_why(scores: np.ndarray, direction: str, why: str) -> None:
    with pytest.raises(UnscorableError, match=why):
        discover_bigrams([PLAIN] * 10, scores, direction)  # type: ignore[arg-type]


def test_summaries_of_single_words_say_so() -> None:
    with pytest.raises(UnscorableError, match="No summary has two words in a row"):
        discover_bigrams(["Rain."] * 10, BEST, "higher")


def test_the_terminal_prints_the_phrases_of_each_metric_and_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    run = StressRun(Plan("discovery", (), ("toy-length", "toy-constant")))
    for place, summary in enumerate(["A pale moon rose.", "One pale moon sank.", *[PLAIN] * 8]):
        run.add(Source(Example(f"s{place}", "doc", summary), f"g{place}"))
        run.add(ScoreRecord(f"s{place}", "", "toy-length", float(10 - place)))
        run.add(ScoreRecord(f"s{place}", "", "toy-constant", 1.0))
    file = tmp_path / "run.jsonl"
    file.write_text("".join(f"{line}\n" for line in run_lines(run)), encoding="utf-8")
    done = CliRunner().invoke(app, ["study", "discovery", str(file)])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("What the metrics score best has most of “pale moon”")
    assert "toy-constant: All 10 summaries score 1" in done.stderr
    report = json.loads(CliRunner().invoke(app, ["study", "discovery", str(file), "--json"]).stdout)["tables"]
    assert [(row["metric"], row["text"], row["best"]) for row in report["phrases"]] == [
        ("toy-length", "pale moon", 2),
        ("all metrics", "pale moon", 2),
    ]
    assert report["summaries"][0] == {"metric": "toy-length", "best": 2, "scored": 10}
