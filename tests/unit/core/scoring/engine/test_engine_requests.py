"""What a person at a screen may rely on: quick answers first, never an old one, nothing asked twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from core.models.model_pool import ModelPool
from core.scoring.engine.cache import AnswerCache
from core.scoring.engine.conversation import CellState, Request
from core.scoring.engine.engine import Engine
from core.types import Answer, Counts, Result
from tests.doubles.bench import Bench, open_bench, pair
from tests.doubles.metrics import Letters, held
from tests.doubles.models import PATIENCE_S, vowels

LETTERS = ("letters", "pair")


def place(bench: Bench, name: str = "pair") -> tuple[str, str]:
    return bench.asking().spec, name


def test_a_quick_metric_does_not_wait_for_a_slow_one(bench: Bench) -> None:
    bench.kind.gate.clear()
    request = bench.engine.submit("ana", [bench.asking(), Letters()], [pair("Rain fell.")])
    cells = bench.until(request, lambda cells: cells[LETTERS].state is CellState.READY)
    assert cells[place(bench)].outcome is None


def test_a_quick_metric_does_not_wait_for_one_that_folds_slowly(bench: Bench) -> None:
    gate = threading.Event()
    request = bench.engine.submit("ana", [held(gate), Letters()], [pair("Rain fell.")])
    cells = bench.until(request, lambda cells: cells[LETTERS].state is CellState.READY)
    assert cells[("held", "pair")].outcome is None
    gate.set()
    assert bench.outcomes(request)


def test_a_result_says_how_it_was_obtained(bench: Bench) -> None:
    [result] = bench.ask(bench.asking(), summary="Rain fell. It rained.")
    assert isinstance(result, Result)
    assert result.score == pytest.approx((vowels("Rain fell.") + vowels("It rained.")) / 2)
    assert [part.span.of("Rain fell. It rained.") for part in result.parts] == ["Rain fell.", "It rained."]
    assert result.counts == Counts(planned=2, asked=2, passes=1, tokens=2)
    assert result.device == "cpu"
    assert result.seconds > 0
    assert f"weights:{bench.engine.pool.fingerprint(bench.asking().weights)[:12]}" in result.signature
    assert str(bench.folder) not in result.signature


def test_a_cell_tells_how_far_it_is(bench: Bench) -> None:
    bench.kind.gate.clear()
    metric = bench.asking()
    request = bench.engine.submit("ana", [metric], [pair("Rain fell.")])
    assert bench.until(request, lambda cells: cells[place(bench)].state is CellState.RUNNING)
    bench.kind.gate.set()
    assert bench.until(request, lambda cells: cells[place(bench)].state is CellState.READY)


def test_equal_questions_of_two_people_are_asked_once(bench: Bench) -> None:
    bench.kind.gate.clear()
    requests = [bench.engine.submit(owner, [bench.asking()], [pair("Rain fell.")]) for owner in ("ana", "ben")]
    bench.at_the_model()
    bench.kind.gate.set()
    first, second = (bench.outcomes(request)[place(bench)] for request in requests)
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    assert first.score == second.score
    assert bench.kind.asked == ["Rain fell."]


def test_equal_questions_of_two_metrics_are_asked_once(bench: Bench) -> None:
    twin = bench.folder / "twin"
    bench.ask(bench.asking())
    (bench.folder / "model").rename(twin)
    bench.ask(bench.asking("twin"))
    assert bench.kind.asked == ["Rain fell."]  # the same weights under another path


def test_a_newer_text_cancels_older_questions(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    bench.engine.submit("ana", [bench.asking()], [pair("One came. Two left. Three stayed.")])
    bench.at_the_model()
    newer = bench.engine.submit("ana", [bench.asking()], [pair("Four came.")])
    bench.kind.gate.set()
    bench.outcomes(newer)
    assert bench.kind.asked == ["One came.", "Four came."]


def test_an_older_request_never_shows_a_newer_answer(bench: Bench) -> None:
    bench.kind.gate.clear()
    older = bench.engine.submit("ana", [bench.asking()], [pair("Rain fell.")])
    newer = bench.engine.submit("ana", [bench.asking()], [pair("Snow fell.")])
    bench.kind.gate.set()
    bench.outcomes(newer)
    outcome = bench.engine.cells(older)[1][place(bench)].outcome
    assert older.cancelled.is_set()
    assert outcome is None or (isinstance(outcome, Result) and outcome.score == vowels("Rain fell."))


def test_the_same_question_again_is_the_same_request(bench: Bench) -> None:
    metrics, examples = [Letters()], [pair("Rain fell.")]
    request = bench.engine.submit("ana", metrics, examples)
    assert bench.engine.submit("ana", [Letters()], [pair("Rain fell.")]) is request
    assert bench.engine.submit("ben", metrics, examples) is not request


def test_what_did_not_change_is_adopted(bench: Bench) -> None:
    before, first, second = pair("Rain fell.", "before"), pair("Snow fell.", "after"), pair("Hail fell.", "after")
    old = bench.outcomes(bench.engine.submit("ana", [bench.asking()], [before, first]))
    new = bench.outcomes(bench.engine.submit("ana", [bench.asking()], [before, second]))
    assert new[place(bench, "before")] is old[place(bench, "before")]
    assert bench.engine.counts().planned == 3
    assert sorted(bench.kind.asked) == ["Hail fell.", "Rain fell.", "Snow fell."]


def test_what_is_under_way_is_adopted_and_not_cancelled(bench: Bench) -> None:
    bench.kind.gate.clear()
    before = pair("Rain fell.", "before")
    bench.engine.submit("ana", [bench.asking()], [before])
    bench.at_the_model()
    newer = bench.engine.submit("ana", [bench.asking(), Letters()], [before])
    bench.kind.gate.set()
    assert isinstance(bench.outcomes(newer)[place(bench, "before")], Result)
    assert bench.kind.asked == ["Rain fell."]


def test_of_two_people_the_one_who_typed_last_is_answered_first(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    requests = [bench.engine.submit("ana", [bench.asking()], [pair("One came.")])]
    bench.at_the_model()
    for owner, summary in (("ben", "Two left."), ("cem", "Three stayed.")):
        requests.append(bench.engine.submit(owner, [bench.asking()], [pair(summary)]))
        bench.until_planned(len(requests))
    bench.kind.gate.set()
    for request in requests:
        bench.outcomes(request)
    assert bench.kind.asked == ["One came.", "Three stayed.", "Two left."]


def test_the_work_of_a_task_is_counted_without_its_waiting(bench: Bench) -> None:
    metrics = [bench.asking(), bench.asking("other")]
    for metric in metrics:
        bench.load(metric)
    bench.kind.gate.clear()
    request = bench.engine.submit("ana", metrics, [pair("Rain fell.")])
    bench.at_the_model()
    time.sleep(0.5)
    bench.kind.gate.set()
    bench.outcomes(request)
    quick, slow = sorted(task.work_s for task in request.tasks.values())
    assert 0 < quick < 0.5 <= slow


def test_waiting_ends_when_something_new_is_there(bench: Bench) -> None:
    request = bench.engine.submit("ana", [Letters()], [pair("Rain fell.")])
    bench.outcomes(request)
    version, _ = bench.engine.cells(request)
    assert bench.engine.wait(request, version - 1, PATIENCE_S)
    assert not bench.engine.wait(request, version, 0)


def test_waiting_ends_when_the_request_is_cancelled(bench: Bench) -> None:
    bench.kind.gate.clear()
    request = bench.engine.submit("ana", [bench.asking()], [pair("Rain fell.")])
    cells = bench.until(request, lambda cells: cells[place(bench)].state is CellState.RUNNING)
    assert cells
    version, _ = bench.engine.cells(request)
    waited: list[bool] = []
    waiter = threading.Thread(target=lambda: waited.append(bench.engine.wait(request, version, PATIENCE_S)))
    waiter.start()
    bench.engine.release("ana")
    waiter.join()
    assert waited == [True]


def test_a_released_owner_starts_afresh(bench: Bench) -> None:
    first = bench.engine.submit("ana", [Letters()], [pair("Rain fell.")])
    bench.engine.release("ana")
    again = bench.engine.submit("ana", [Letters()], [pair("Rain fell.")])
    assert first.cancelled.is_set()
    assert again is not first
    assert bench.outcomes(again)


def test_releasing_a_stranger_changes_nothing(bench: Bench) -> None:
    request = bench.engine.submit("ana", [Letters()], [pair("Rain fell.")])
    bench.engine.release("ben")
    assert not request.cancelled.is_set()


def test_a_model_that_is_loading_shows_in_its_cells(bench: Bench) -> None:
    bench.kind.loadable.clear()
    request = bench.engine.submit("ana", [bench.asking()], [pair("Rain fell.")])
    assert bench.until(request, lambda cells: cells[place(bench)].state is CellState.LOADING)
    bench.kind.loadable.set()
    assert isinstance(bench.outcomes(request)[place(bench)], Result)


def test_a_second_run_asks_nothing(bench: Bench) -> None:
    first = bench.ask(bench.asking())
    second = bench.ask(bench.asking(), owner="ben")
    assert bench.engine.counts() == Counts(planned=2, cached=1, asked=1, passes=1, tokens=1)
    assert isinstance(first[0], Result)
    assert isinstance(second[0], Result)
    assert second[0].score == first[0].score
    assert second[0].counts == Counts(planned=1, cached=1)


def test_answers_outlive_the_engine(bench: Bench) -> None:
    bench.ask(bench.asking())
    later = open_bench(bench.folder, bench.kind)
    [result] = later.ask(later.asking())
    later.engine.close()
    assert isinstance(result, Result)
    assert result.counts == Counts(planned=1, cached=1)
    assert bench.kind.asked == ["Rain fell."]


def test_other_weights_are_asked_anew(bench: Bench) -> None:
    bench.ask(bench.asking("model"), bench.asking("other"))
    assert bench.kind.asked == ["Rain fell."] * 2


def test_a_question_that_stands_twice_in_a_summary_is_asked_once(bench: Bench) -> None:
    [result] = bench.ask(bench.asking(), summary="Rain fell. Snow fell. Rain fell.")
    assert isinstance(result, Result)
    assert len(result.parts) == 3
    assert result.counts == Counts(planned=3, merged=1, asked=2, passes=1, tokens=2)


class LateCache(AnswerCache):
    """Lets something happen between looking answers up and putting the unknown questions down."""

    meanwhile = staticmethod(lambda: None)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        found = super().get(keys)
        happen, self.meanwhile = self.meanwhile, lambda: None
        happen()
        return found


def test_a_question_answered_while_another_looks_it_up_is_not_asked_twice(bench: Bench) -> None:
    cache = LateCache(bench.folder / "late")
    other = Bench(Engine(ModelPool("cpu", 1_000_000, bench.folder), cache), bench.kind, bench.folder)
    bench.kind.gate.clear()
    first = other.engine.submit("ana", [other.asking()], [pair("Rain fell.")])
    other.at_the_model()

    def answer_the_first() -> None:
        bench.kind.gate.set()
        other.outcomes(first)

    cache.meanwhile = answer_the_first
    [second] = other.ask(other.asking(), owner="ben")
    other.engine.close()
    assert isinstance(second, Result)
    assert second.counts == Counts(planned=1, cached=1)
    assert bench.kind.asked == ["Rain fell."]


def test_closing_ends_all_threads(bench: Bench) -> None:
    before = set(threading.enumerate())
    other = open_bench(bench.folder, bench.kind)
    other.ask(other.asking(), Letters())
    assert set(threading.enumerate()) - before
    other.engine.close()
    assert not set(threading.enumerate()) - before


def test_closing_cancels_what_is_under_way(bench: Bench) -> None:
    bench.kind.length = 1024
    bench.kind.gate.clear()
    request: Request = bench.engine.submit("ana", [bench.asking()], [pair("One came. Two left.")])
    bench.at_the_model()
    closing = threading.Thread(target=bench.engine.close)
    closing.start()
    assert request.cancelled.wait(PATIENCE_S)
    bench.kind.gate.set()
    closing.join()
    assert bench.kind.asked == ["One came."]


def test_metrics_that_ask_no_model_are_planned_first_and_stand_where_they_were(bench: Bench) -> None:
    metrics = [bench.asking(), Letters()]
    request = bench.engine.submit("ana", metrics, [pair("Rain fell.")])
    assert [spec for spec, _ in request.tasks] == [metric.spec for metric in metrics]
    asking, letters = request.tasks.values()
    assert letters.order < asking.order
