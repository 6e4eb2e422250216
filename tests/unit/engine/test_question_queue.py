"""Questions that wait: merged, ordered, and dropped when nobody waits for them any more."""

from __future__ import annotations

from core.engine.conversation import Priority, Request, Task
from core.engine.question_queue import PendingQuestion, QuestionQueue, fill_batch, next_checkpoint
from core.models.model import Row
from core.types import Checkpoint, FailureKind, Question
from tests.doubles.bench import asking

MODEL, OTHER = Checkpoint("model", "scripted"), Checkpoint("other", "scripted")


def task(priority: Priority = Priority.INTERACTIVE, place: int = 0) -> Task:
    return asking(Request((), (), priority), place)


def ask(queue: QuestionQueue, text: str, asker: Task, checkpoint: Checkpoint = MODEL) -> bool:
    return queue.put(f"{checkpoint.source}/{text}".encode(), Question(checkpoint, (text,)), asker)


def texts(pending_questions: list[PendingQuestion]) -> list[str]:
    return [pending.question.inputs[0] for pending in pending_questions]


def cancel(*tasks: Task) -> None:
    for one in tasks:
        for request in one.watchers:
            request.cancelled.set()


def sized(text: str, length: int) -> PendingQuestion:
    question = Question(MODEL, (text,))
    return PendingQuestion(text.encode(), question, [task()], Row(question, length, ()))


def test_an_equal_question_is_merged_and_both_tasks_are_told() -> None:
    queue, first, second = QuestionQueue(), task(), task()
    assert ask(queue, "a", first)
    assert not ask(queue, "a", second)
    [pending] = queue.front(MODEL, 10)
    assert queue.take(pending) == [first, second]
    assert queue.checkpoints() == {}


def test_the_one_who_typed_last_goes_first() -> None:
    queue, earlier, later = QuestionQueue(), task(), task()
    ask(queue, "earlier", earlier)
    ask(queue, "later", later)
    assert texts(queue.front(MODEL, 10)) == ["later", "earlier"]


def test_bulk_work_goes_in_its_own_order() -> None:
    queue = QuestionQueue()
    first, second = task(Priority.BULK), task(Priority.BULK)
    ask(queue, "second", second)
    ask(queue, "first", first)
    assert texts(queue.front(MODEL, 10)) == ["first", "second"]


def test_a_batch_for_a_person_holds_no_bulk_work() -> None:
    queue = QuestionQueue()
    ask(queue, "bulk", task(Priority.BULK))
    ask(queue, "person", task())
    assert texts(queue.front(MODEL, 10)) == ["person"]


def test_a_bulk_question_that_a_person_asks_too_becomes_urgent() -> None:
    queue = QuestionQueue()
    ask(queue, "other", task(Priority.BULK))
    ask(queue, "shared", task(Priority.BULK))
    ask(queue, "shared", task())
    assert texts(queue.front(MODEL, 10)) == ["shared"]


def test_within_a_request_what_stands_first_goes_first() -> None:
    queue, request = QuestionQueue(), Request((), (), Priority.INTERACTIVE)
    for place in (2, 0, 1):
        ask(queue, str(place), asking(request, place))
    assert texts(queue.front(MODEL, 2)) == ["0", "1"]


def test_questions_of_cancelled_requests_are_dropped() -> None:
    queue, gone, here = QuestionQueue(), task(), task()
    ask(queue, "gone", gone)
    ask(queue, "here", here)
    ask(queue, "away", gone, OTHER)
    cancel(gone)
    assert texts(queue.front(MODEL, 10)) == ["here"]
    assert list(queue.checkpoints()) == [MODEL]


def test_a_merged_question_stays_while_somebody_waits() -> None:
    queue, gone, here = QuestionQueue(), task(), task()
    ask(queue, "shared", gone)
    ask(queue, "shared", here)
    cancel(gone)
    [pending] = queue.front(MODEL, 10)
    assert pending.tasks == [here]


def test_questions_of_a_task_that_failed_are_dropped() -> None:
    queue, failed = QuestionQueue(), task()
    ask(queue, "other", failed)
    failed.finish(failed.failure(FailureKind.ERROR, "another question could not be answered"))
    assert queue.checkpoints() == {}


def test_a_model_that_will_not_answer_is_cleared_once_for_every_task() -> None:
    queue, asker = QuestionQueue(), task()
    ask(queue, "a", asker)
    ask(queue, "b", asker)
    ask(queue, "c", asker, OTHER)
    assert queue.clear(MODEL) == [asker]
    assert list(queue.checkpoints()) == [OTHER]
    assert queue.clear(MODEL) == []


def test_the_urgency_of_a_model_is_that_of_its_most_urgent_question() -> None:
    queue, bulk, person = QuestionQueue(), task(Priority.BULK), task()
    ask(queue, "a", bulk)
    ask(queue, "b", person)
    assert queue.checkpoints() == {MODEL: person.order}


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
    pending_questions = [sized("short", 10), sized("long", 100), sized("middle", 50)]
    assert texts(fill_batch(pending_questions, 250, 10)) == ["long", "middle"]


def test_a_batch_holds_one_question_however_long_it_is() -> None:
    assert texts(fill_batch([sized("endless", 10_000)], 100, 10)) == ["endless"]


def test_a_batch_of_rows_without_tokens_is_bounded_by_number() -> None:
    assert len(fill_batch([sized(str(number), 0) for number in range(20)], 100, 7)) == 7
