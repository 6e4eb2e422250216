"""Questions that wait: merged, ordered, and dropped when nobody waits for them any more."""

from __future__ import annotations

from core.engine.conversation import Priority, Request, Task
from core.engine.question_queue import PendingQuestion, QuestionQueue, fill_batch, next_checkpoint
from core.models.model import Row
from core.types import Checkpoint, FailureKind, Question
from tests.doubles.bench import asking

MODEL, OTHER = Checkpoint("model", "scripted"), Checkpoint("other", "scripted")


def job(priority: Priority = Priority.INTERACTIVE, place: int = 0) -> Task:
    return asking(Request((), (), priority), place)


def ask(desk: QuestionQueue, text: str, asker: Task, checkpoint: Checkpoint = MODEL) -> bool:
    return desk.ask(f"{checkpoint.source}/{text}".encode(), Question(checkpoint, (text,)), asker)


def texts(waitings: list[PendingQuestion]) -> list[str]:
    return [waiting.question.inputs[0] for waiting in waitings]


def cancel(*jobs: Task) -> None:
    for one in jobs:
        for request in one.watchers:
            request.cancelled.set()


def sized(text: str, length: int) -> PendingQuestion:
    question = Question(MODEL, (text,))
    return PendingQuestion(text.encode(), question, [job()], Row(question, length, ()))


def test_an_equal_question_is_merged_and_both_jobs_are_told() -> None:
    desk, first, second = QuestionQueue(), job(), job()
    assert ask(desk, "a", first)
    assert not ask(desk, "a", second)
    [waiting] = desk.front(MODEL, 10)
    assert desk.take(waiting) == [first, second]
    assert desk.checkpoints() == {}


def test_the_one_who_typed_last_goes_first() -> None:
    desk, earlier, later = QuestionQueue(), job(), job()
    ask(desk, "earlier", earlier)
    ask(desk, "later", later)
    assert texts(desk.front(MODEL, 10)) == ["later", "earlier"]


def test_bulk_work_goes_in_its_own_order() -> None:
    desk = QuestionQueue()
    first, second = job(Priority.BULK), job(Priority.BULK)
    ask(desk, "second", second)
    ask(desk, "first", first)
    assert texts(desk.front(MODEL, 10)) == ["first", "second"]


def test_a_batch_for_a_person_holds_no_bulk_work() -> None:
    desk = QuestionQueue()
    ask(desk, "bulk", job(Priority.BULK))
    ask(desk, "person", job())
    assert texts(desk.front(MODEL, 10)) == ["person"]


def test_a_bulk_question_that_a_person_asks_too_becomes_urgent() -> None:
    desk = QuestionQueue()
    ask(desk, "other", job(Priority.BULK))
    ask(desk, "shared", job(Priority.BULK))
    ask(desk, "shared", job())
    assert texts(desk.front(MODEL, 10)) == ["shared"]


def test_within_a_request_what_stands_first_goes_first() -> None:
    desk, request = QuestionQueue(), Request((), (), Priority.INTERACTIVE)
    for place in (2, 0, 1):
        ask(desk, str(place), asking(request, place))
    assert texts(desk.front(MODEL, 2)) == ["0", "1"]


def test_questions_of_cancelled_requests_are_dropped() -> None:
    desk, gone, here = QuestionQueue(), job(), job()
    ask(desk, "gone", gone)
    ask(desk, "here", here)
    ask(desk, "away", gone, OTHER)
    cancel(gone)
    assert texts(desk.front(MODEL, 10)) == ["here"]
    assert list(desk.checkpoints()) == [MODEL]


def test_a_merged_question_stays_while_somebody_waits() -> None:
    desk, gone, here = QuestionQueue(), job(), job()
    ask(desk, "shared", gone)
    ask(desk, "shared", here)
    cancel(gone)
    [waiting] = desk.front(MODEL, 10)
    assert waiting.jobs == [here]


def test_questions_of_a_job_that_failed_are_dropped() -> None:
    desk, failed = QuestionQueue(), job()
    ask(desk, "other", failed)
    failed.finish(failed.failure(FailureKind.ERROR, "another question could not be answered"))
    assert desk.checkpoints() == {}


def test_a_model_that_will_not_answer_is_cleared_once_for_every_job() -> None:
    desk, asker = QuestionQueue(), job()
    ask(desk, "a", asker)
    ask(desk, "b", asker)
    ask(desk, "c", asker, OTHER)
    assert desk.clear(MODEL) == [asker]
    assert list(desk.checkpoints()) == [OTHER]
    assert desk.clear(MODEL) == []


def test_the_urgency_of_a_model_is_that_of_its_most_urgent_question() -> None:
    desk, bulk, person = QuestionQueue(), job(Priority.BULK), job()
    ask(desk, "a", bulk)
    ask(desk, "b", person)
    assert desk.checkpoints() == {MODEL: person.order}


def test_the_most_urgent_model_that_is_ready_is_next() -> None:
    orders = {MODEL: (0, -2, 0), OTHER: (0, -3, 0)}
    assert next_checkpoint(orders, [MODEL, OTHER], None) == OTHER
    assert next_checkpoint(orders, [MODEL], None) == MODEL
    assert next_checkpoint(orders, [], OTHER) is None


def test_bulk_work_stays_with_the_model_that_answered_last() -> None:
    orders = {MODEL: (1, 5, 0), OTHER: (1, 5, 1)}
    assert next_checkpoint(orders, [MODEL, OTHER], OTHER) == OTHER


def test_a_model_that_answered_last_does_not_keep_a_more_urgent_person_waiting() -> None:
    orders = {MODEL: (0, -3, 0), OTHER: (0, -2, 0)}
    assert next_checkpoint(orders, [MODEL, OTHER], OTHER) == MODEL


def test_a_person_takes_the_turn_from_bulk_work() -> None:
    orders = {MODEL: (0, -9, 0), OTHER: (1, 5, 1)}
    assert next_checkpoint(orders, [MODEL, OTHER], OTHER) == MODEL


def test_a_batch_takes_the_longest_first_within_its_budget() -> None:
    waitings = [sized("short", 10), sized("long", 100), sized("middle", 50)]
    assert texts(fill_batch(waitings, 250, 10)) == ["long", "middle"]


def test_a_batch_holds_one_question_however_long_it_is() -> None:
    assert texts(fill_batch([sized("endless", 10_000)], 100, 10)) == ["endless"]


def test_a_batch_of_rows_without_tokens_is_bounded_by_number() -> None:
    assert len(fill_batch([sized(str(number), 0) for number in range(20)], 100, 7)) == 7
