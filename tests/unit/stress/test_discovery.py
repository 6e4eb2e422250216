"""Discovery of phrases in summaries whose tell-tale bigram is known."""

from __future__ import annotations

import random

import numpy as np
import pytest

from core.errors import UnscorableError
from core.stress.discovery import discover_bigrams, discover_in_run
from core.stress.run import Plan, Run, ScoreRecord, Source
from core.types import Example
from tests.unit.stress.toys import Adoring, install

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
    run = Run(Plan("discovery", (), (metric.spec,)))
    for place, summary in enumerate(texts(50, "pale moon", every=6)):
        source = Source(Example(f"s{place}", "doc", summary), f"g{place}")
        run.add(source)
        run.add(ScoreRecord(f"s{place}", "", metric.spec, metric.fold(source.example, [], []).value))
    found = discover_in_run(run, metric.spec)
    assert (found.best, found.scored) == (10, 50)
    first = found.bigrams[0]
    assert (first.text, first.best, first.others) == ("pale moon", 9, 0)


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
