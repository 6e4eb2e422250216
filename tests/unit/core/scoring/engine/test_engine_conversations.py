"""Conversations that score nothing: merged, kept, batched, cancelled and refused as those of metrics are."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import pytest

from core.errors import MissingEndpointError, TouchstoneError, UnscorableError
from core.scoring.engine.conversation import Conversation
from core.types import Counts, Example, Failure, FailureKind, Question, Rounds, Score
from tests.doubles.bench import Bench, pair
from tests.doubles.metrics import Letters
from tests.doubles.models import vowels

WINDOW = 512
PATIENCE_S = 30


def conversation(bench: Bench, example: Example, *texts: str) -> Conversation[list[float]]:
    """Asks a scripted model for one text after the other; comes to its answers."""
    weights = bench.asking().weights

    def rounds() -> Rounds[list[float]]:
        found: list[float] = []
        for text in texts:
            [answer] = yield [Question(weights, (text,))]
            found += answer.values
        return found

    return Conversation("told", example, rounds, (weights,))


def breaking(error: Exception, example: Example) -> Conversation[None]:
    def rounds() -> Rounds[None]:
        yield []
        raise error

    return Conversation("breaking", example, rounds)


def test_a_conversation_comes_to_its_own_value_after_its_rounds(bench: Bench) -> None:
    asked = conversation(bench, pair("Rain fell."), "One came.", "Two left.")
    assert list(bench.engine.converse([asked])) == [(asked, [vowels("One came."), vowels("Two left.")])]
    assert bench.kind.asked == ["One came.", "Two left."]


def test_outcomes_come_in_the_order_of_the_conversations(bench: Bench) -> None:
    conversations = [
        conversation(bench, pair("Rain fell.", str(number)), *["Hail fell."] * (number % 3)) for number in range(600)
    ]
    outcomes = list(bench.engine.converse(conversations))
    assert [asked.example.id for asked, _ in outcomes] == [str(number) for number in range(600)]
    assert [found for _, found in outcomes] == [[vowels("Hail fell.")] * (number % 3) for number in range(600)]


def test_what_a_metric_asked_before_is_not_asked_again(bench: Bench) -> None:
    bench.ask(bench.asking(), summary="Rain fell.")
    list(bench.engine.converse([conversation(bench, pair("Snow fell."), "Rain fell.")]))
    assert bench.engine.counts() == Counts(planned=2, cached=1, asked=1, passes=1, tokens=1)


def test_an_empty_value_is_an_outcome_too(bench: Bench) -> None:
    [(_, found)] = bench.engine.converse([conversation(bench, pair("Rain fell."))])
    assert found == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (UnscorableError("The summary rhymes."), FailureKind.INPUT),
        (MissingEndpointError("No language model is named."), FailureKind.NEEDS_ENDPOINT),
        (TouchstoneError("There is no layer 99."), FailureKind.ERROR),
    ],
)
def test_what_raises_is_a_failure_with_its_kind_and_sentence(bench: Bench, error: Exception, kind: FailureKind) -> None:
    conversations = [breaking(error, pair("Rain fell.", "a")), breaking(error, pair("Snow fell.", "b"))]
    assert [found for _, found in bench.engine.converse(conversations)] == [
        Failure(name, "breaking", kind, str(error)) for name in "ab"
    ]


def test_one_that_cannot_even_begin_spoils_only_itself(bench: Bench) -> None:
    def refuse() -> Rounds[Score]:
        raise UnscorableError("There is nothing to begin with.")

    example = pair("Rain fell.")
    conversations = [
        Conversation("refused", example, refuse),
        Conversation("letters", example, partial(Letters().rounds, example)),
    ]
    refused, fine = (found for _, found in bench.engine.converse(conversations))
    assert refused == Failure("pair", "refused", FailureKind.INPUT, "There is nothing to begin with.")
    assert fine == Score(len("Rain fell."))


def test_a_run_computes_what_asks_no_model_in_its_own_thread_and_at_its_turn(bench: Bench) -> None:
    threads: list[int] = []

    def compute() -> Rounds[int]:
        threads.append(threading.get_ident())
        yield from ()
        return len(threads)

    conversations = [Conversation(f"computed {place}", pair("Rain fell."), compute) for place in range(3)]
    with closing(bench.engine.converse(conversations)) as outcomes:
        assert next(outcomes)[1] == 1
        assert threads == [threading.get_ident()]
        assert [found for _, found in outcomes] == [2, 3]
    assert set(threads) == {threading.get_ident()}


def test_an_empty_summary_is_refused_before_anything_is_asked(bench: Bench) -> None:
    [(_, found)] = bench.engine.converse([conversation(bench, pair(" "), "Rain fell.")])
    assert found == Failure("pair", "told", FailureKind.INPUT, "The summary is empty. Paste, load or type one.")
    assert bench.kind.asked == []


def test_a_million_conversations_are_begun_a_window_ahead(bench: Bench) -> None:
    read = itertools.count(1)
    conversations = (conversation(bench, pair("Rain fell.", str(next(read)))) for _ in range(1_000_000))
    with closing(bench.engine.converse(conversations)) as outcomes:
        taken = list(itertools.islice(outcomes, 10))
    assert len(taken) == 10
    assert next(read) <= WINDOW + 11


def test_closing_a_conversation_cancels_the_rest(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    texts = [(), *((f"Rain fell {number} times.",) for number in range(WINDOW))]
    outcomes = bench.engine.converse(conversation(bench, pair("Rain fell."), *some) for some in texts)
    next(outcomes)
    bench.at_the_model()
    outcomes.close()
    bench.kind.gate.set()
    bench.ask(bench.asking(), summary="Snow fell.")
    assert bench.kind.asked[1:] == ["Snow fell."]


def test_one_who_waits_is_let_go_from_another_thread_and_nothing_more_is_asked(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    cancelled = threading.Event()
    conversations = [conversation(bench, pair("Rain fell."), f"Rain fell {number} times.") for number in range(5)]
    waiting = ThreadPoolExecutor(1).submit(lambda: list(bench.engine.converse(conversations, cancelled)))
    bench.at_the_model()
    cancelled.set()
    assert waiting.result(PATIENCE_S) == []  # though the model is still held
    bench.kind.gate.set()
    bench.ask(bench.asking(), summary="Snow fell.")
    assert bench.kind.asked == ["Rain fell 0 times.", "Snow fell."]
