"""Questions that wait: merged, ordered, and dropped when nobody waits for them any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from core.data.datasets.bump import Bump
from core.errors import Problem
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.scoring.engine.batch_size import BATCH_TOKENS
from core.scoring.engine.conversation import Priority, Request, RunningConversation
from core.scoring.engine.device_worker import _FRONT_QUESTIONS
from core.scoring.engine.question_queue import PendingQuestion, QuestionQueue, next_checkpoint, row_length, similar_rows
from core.text.segmentation import sentences
from core.types import Answer, FailureKind, Item, Question
from tests.doubles.bench import asking
from tests.doubles.released import BUMP, needs

MODEL, OTHER = Checkpoint("model", "scripted"), Checkpoint("other", "scripted")


def task(priority: Priority = Priority.INTERACTIVE, place: int = 0) -> RunningConversation:
    return asking(Request((), (), priority), place)


def put(queue: QuestionQueue, text: str, asker: RunningConversation) -> bool:
    """As the planner does: the task waits for all that was enqueued for it."""
    asker.ask([*(asker.keys or ()), text.encode()], asker.answers)
    return queue.put(text.encode(), Question(MODEL, (text,)), asker)


def texts(pending_questions: list[PendingQuestion]) -> list[str]:
    return [pending.question.inputs[0] for pending in pending_questions]


def cancel(*tasks: RunningConversation) -> None:
    for one in tasks:
        for request in one.watchers:
            request.cancelled.set()


def batch(lengths: dict[str, int], budget: int, most: int) -> list[str]:
    """The first batch of questions of one task, by their text and number of tokens."""
    queue, asker = QuestionQueue(), task()
    for text in lengths:
        put(queue, text, asker)
    encode(queue.fill_front(len(lengths)), lengths)
    return texts(queue.take_batch(budget, most))


def encode(pending_questions: list[PendingQuestion], lengths: dict[str, int]) -> None:
    for pending in pending_questions:
        pending.row = Row(pending.question, lengths[pending.question.inputs[0]], ())


def test_an_equal_question_is_merged_and_both_tasks_are_answered() -> None:
    queue, first, second = QuestionQueue(), task(), task()
    assert put(queue, "a", first)
    assert not put(queue, "a", second)
    [pending] = queue.take(10)
    assert queue.answer([(pending, Answer((0.5,), tokens=3))]) == [first, second]
    assert first.answers == second.answers == {b"a": Answer((0.5,), tokens=3)}
    assert queue.next_turn() is None


def test_a_task_is_done_when_its_last_question_is_answered() -> None:
    queue, asker = QuestionQueue(), task()
    put(queue, "a", asker)
    put(queue, "b", asker)
    a, b = queue.take(10)
    assert queue.answer([(a, Answer())]) == []
    assert queue.answer([(b, Answer())]) == [asker]


def test_an_equal_question_joins_one_that_is_under_way() -> None:
    queue, first, second = QuestionQueue(), task(), task()
    put(queue, "a", first)
    [pending] = queue.take(10)
    assert not put(queue, "a", second)
    assert queue.take(10) == []
    assert queue.answer([(pending, Answer())]) == [first, second]


def test_what_was_taken_and_not_answered_waits_again() -> None:
    queue, gone, here = QuestionQueue(), task(), task()
    put(queue, "here", here)
    put(queue, "gone", gone)
    taken = queue.take(10)
    cancel(gone)
    queue.put_back(taken)
    assert texts(queue.take(10)) == ["here"]


def test_a_question_that_is_refused_fails_every_task_that_waits_for_it() -> None:
    queue, first, second = QuestionQueue(), task(), task()
    put(queue, "a", first)
    put(queue, "a", second)
    [pending] = queue.take(10)
    queue.refuse(pending, Problem(FailureKind.ERROR, "It is too long."))
    assert first.failed(FailureKind.ERROR)
    assert second.failed(FailureKind.ERROR)
    assert queue.clear() == []


def test_the_one_who_typed_last_goes_first() -> None:
    queue, earlier, later = QuestionQueue(), task(), task()
    put(queue, "earlier", earlier)
    put(queue, "later", later)
    assert texts(queue.take(10)) == ["later", "earlier"]


def test_bulk_work_goes_in_its_own_order() -> None:
    queue = QuestionQueue()
    first, second = task(Priority.BULK), task(Priority.BULK)
    put(queue, "second", second)
    put(queue, "first", first)
    assert texts(queue.take(10)) == ["first", "second"]


def test_questions_of_one_task_go_as_they_came() -> None:
    queue, asker = QuestionQueue(), task()
    for text in "cab":
        put(queue, text, asker)
    assert texts(queue.take(2)) == ["c", "a"]


def test_a_batch_for_a_person_holds_no_bulk_work() -> None:
    queue = QuestionQueue()
    put(queue, "bulk", task(Priority.BULK))
    put(queue, "person", task())
    assert texts(queue.take(10)) == ["person"]


def test_a_bulk_question_that_a_person_asks_too_becomes_urgent() -> None:
    queue = QuestionQueue()
    put(queue, "other", task(Priority.BULK))
    put(queue, "shared", task(Priority.BULK))
    put(queue, "shared", task())
    assert texts(queue.take(10)) == ["shared"]


def test_a_question_is_no_longer_urgent_when_the_person_has_left() -> None:
    queue, person = QuestionQueue(), task()
    put(queue, "other", task(Priority.BULK))
    put(queue, "shared", task(Priority.BULK))
    put(queue, "shared", person)
    cancel(person)
    assert texts(queue.take(10)) == ["other", "shared"]


def test_the_questions_of_a_task_that_a_newer_request_adopts_go_first() -> None:
    queue, adopted, other = QuestionQueue(), task(), task()
    put(queue, "adopted", adopted)
    put(queue, "other", other)
    adopted.join(Request((), (), Priority.INTERACTIVE), 0)
    queue.reorder(adopted)
    assert texts(queue.take(10)) == ["adopted", "other"]


def test_within_a_request_what_is_first_goes_first() -> None:
    queue, request = QuestionQueue(), Request((), (), Priority.INTERACTIVE)
    for place in (2, 0, 1):
        put(queue, str(place), asking(request, place))
    assert texts(queue.take(2)) == ["0", "1"]


def test_questions_of_cancelled_requests_are_dropped() -> None:
    queue, gone, here = QuestionQueue(), task(), task()
    put(queue, "here", here)
    put(queue, "gone", gone)
    cancel(gone)
    assert queue.next_turn() == (Priority.INTERACTIVE, 0, *here.order[1:])
    assert texts(queue.take(10)) == ["here"]


def test_a_merged_question_stays_while_a_task_waits_for_it() -> None:
    queue, gone, here = QuestionQueue(), task(), task()
    put(queue, "shared", gone)
    put(queue, "shared", here)
    cancel(gone)
    [pending] = queue.take(10)
    assert pending.tasks == [here]


def test_a_question_that_only_cancelled_tasks_waited_for_counts_as_new() -> None:
    queue, gone, here = QuestionQueue(), task(), task()
    put(queue, "a", gone)
    cancel(gone)
    assert put(queue, "a", here)
    assert texts(queue.take(10)) == ["a"]


def test_questions_of_a_task_that_failed_are_dropped() -> None:
    queue, failed = QuestionQueue(), task()
    put(queue, "other", failed)
    failed.fail(Problem(FailureKind.ERROR, "another question could not be answered"))
    assert queue.next_turn() is None


def test_a_queue_is_cleared_once_for_every_task() -> None:
    queue, asker = QuestionQueue(), task()
    put(queue, "a", asker)
    put(queue, "b", asker)
    queue.take(1)
    assert queue.clear() == [asker]
    assert queue.clear() == []
    assert queue.take(10) == []


def test_the_urgency_of_a_queue_is_that_of_its_most_urgent_question() -> None:
    queue, bulk, person = QuestionQueue(), task(Priority.BULK), task()
    put(queue, "a", bulk)
    put(queue, "b", person)
    assert queue.next_turn() == (Priority.INTERACTIVE, 0, *person.order[1:])


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
    assert batch({"short": 10, "long": 100, "middle": 50}, 250, 10) == ["long", "middle"]


def test_a_batch_holds_one_question_however_long_it_is() -> None:
    assert batch({"endless": 10_000}, 100, 10) == ["endless"]


def test_a_batch_of_rows_without_tokens_is_bounded_by_number() -> None:
    assert len(batch({str(number): 0 for number in range(20)}, 100, 7)) == 7


def test_questions_of_one_length_go_as_they_came() -> None:
    assert batch(dict.fromkeys("cab", 5), 10, 10) == ["c", "a"]


def test_answers_that_are_generated_have_a_budget_of_their_own() -> None:
    for writes, size in ((False, 2), (True, 6)):
        queue, asker = QuestionQueue(), task()
        for number in range(8):
            put(queue, f"{number}", asker)
        for pending in queue.fill_front(8):
            pending.row = Row(pending.question, 10, (), writes)
        assert len(queue.take_batch(20, 64, 60)) == size


def test_batches_go_from_owner_to_owner() -> None:
    queue, long, short = QuestionQueue(), task(), task()
    for number in range(6):
        put(queue, f"long {number}", long)
    put(queue, "short", short)
    lengths = {"short": 1} | {f"long {number}": 1 for number in range(6)}
    batches = []
    while len(queue):
        encode(queue.fill_front(4), lengths)
        taken = queue.take_batch(2, 10)
        batches.append(len(taken))
        for pending in taken:
            queue.answer([(pending, Answer())])
    assert batches == [1, 2, 2, 2]


def test_a_bulk_question_in_the_front_goes_first_when_a_person_asks_it_too() -> None:
    queue, run = QuestionQueue(), task(Priority.BULK)
    for text in "ab":
        put(queue, text, run)
    encode(queue.fill_front(10), {"a": 9, "b": 1})
    put(queue, "b", task())
    encode(queue.fill_front(10), {"b": 1})
    assert texts(queue.take_batch(10, 10)) == ["b"]
    assert texts(queue.take_batch(10, 10)) == ["a"]


def test_what_is_cancelled_in_the_front_is_dropped() -> None:
    queue, gone, here = QuestionQueue(), task(), task(Priority.BULK)
    put(queue, "gone", gone)
    encode(queue.fill_front(10), {"gone": 1})
    put(queue, "here", here)
    cancel(gone)
    encode(queue.fill_front(10), {"here": 1})
    assert texts(queue.take_batch(10, 10)) == ["here"]
    assert len(queue) == 1


def test_a_queue_touches_each_question_a_few_times_however_many_there_are() -> None:
    """Put in, brought to the front, sorted there at most twice and taken: no question is looked at for another's sake."""
    for size in (200, 3200):
        queue, asker = QuestionQueue(), task(Priority.BULK)
        for number in range(size):
            queue.put(f"{number}".encode(), Question(MODEL, (f"{number}",)), asker)
        asker.ask([f"{number}".encode() for number in range(size)], {})
        while len(queue):
            for pending in queue.fill_front(64):
                pending.row = Row(pending.question, 1 + pending.key[-1] % 9, ())
            for pending in queue.take_batch(20, 64):
                queue.answer([(pending, Answer())])
        assert queue.operations <= 6 * size


def test_cancelled_questions_are_met_once() -> None:
    queue, gone, here = QuestionQueue(), task(), task(Priority.BULK)
    for number in range(500):
        put(queue, f"gone {number}", gone)
    put(queue, "here", here)
    cancel(gone)
    for _ in range(10):
        assert queue.next_turn() == (Priority.BULK, 0, *here.order[1:])
    assert (len(queue), queue.operations) == (1, 501 + 500)


def test_a_batch_ends_where_padding_would_waste_more_than_a_twentieth() -> None:
    assert similar_rows([100] * 64 + [50] * 10) == 70
    assert similar_rows([100] + [40] * 99) == 16
    assert similar_rows([100, 10, 1]) == 3
    assert similar_rows([0] * 40) == 40


def padding(asked: Sequence[Mapping[bytes, int]], budget: int, most: int) -> float:
    """Padded tokens for each that is read, where tasks of one run wait, each for questions of so many tokens by their keys."""
    queue, request = QuestionQueue(), Request((), (), Priority.BULK)
    lengths = {key: length for one in asked for key, length in one.items()}
    for place, keys in enumerate(asked):
        asker = asking(request, place)
        asker.ask(list(keys), {})
        queue.put_all({key: Question(MODEL, (key.decode(),)) for key in keys}, asker)
    padded = 0
    while len(queue):
        for pending in queue.fill_front(_FRONT_QUESTIONS):
            pending.row = Row(pending.question, lengths[pending.key], ())
        batch = queue.take_batch(budget, most)
        padded += len(batch) * max(map(row_length, batch))
        for pending in batch:
            queue.answer([(pending, Answer())])
    return padded / sum(lengths.values())


@pytest.mark.slow
@needs("bump")
def test_pairs_of_sentences_of_real_documents_are_padded_little() -> None:
    """As SummaC asks them of 500 pairs, by their number of words: edited summaries ask again what the original asked."""
    examples = [item.example for item in Bump().read(BUMP) if isinstance(item, Item)][:500]
    asked = [
        {
            f"{claim.of(one.summary)} | {sentence.of(one.document)}".encode(): len(claim.of(one.summary).split())
            + len(sentence.of(one.document).split())
            + 4
            for claim in sentences(one.summary)
            for sentence in sentences(one.document)
        }
        for one in examples
    ]
    assert padding(asked, BATCH_TOKENS["cpu"], 256) <= 1.03
    assert padding(asked, BATCH_TOKENS["cuda"], 256) <= 1.05


def test_a_question_waits_once_however_many_tasks_of_a_run_want_it() -> None:
    queue, request = QuestionQueue(), Request((), (), Priority.BULK)
    for place in range(50):
        put(queue, "shared", asking(request, place))
    assert (len(queue), queue.operations) == (1, 1)
    assert texts(queue.take(10)) == ["shared"]


def test_a_shared_question_stays_where_the_task_that_asked_first_has_failed() -> None:
    queue, request = QuestionQueue(), Request((), (), Priority.BULK)
    first, second = asking(request, 0), asking(request, 1)
    put(queue, "shared", first)
    put(queue, "shared", second)
    first.fail(Problem(FailureKind.ERROR, "another question could not be answered"))
    [pending] = queue.take(10)
    assert pending.tasks == [second]


def test_a_question_that_was_dropped_from_a_lane_waits_in_it_again() -> None:
    """A person leaves a question that a run wants too, and asks it again before the run's turn."""
    queue, run, gone = QuestionQueue(), task(Priority.BULK), task()
    put(queue, "shared", run)
    put(queue, "shared", gone)
    cancel(gone)
    assert queue.next_turn() == (Priority.BULK, 0, *run.order[1:])
    put(queue, "other", run)
    again = task()
    put(queue, "shared", again)
    assert queue.next_turn() == (Priority.INTERACTIVE, 0, *again.order[1:])


def test_the_front_holds_fewer_questions_where_they_are_long() -> None:
    queue, asker = QuestionQueue(), task(Priority.BULK)
    for number in range(3000):
        put(queue, f"{number}", asker)
    encode(queue.fill_front(1000), {f"{number}": 1024 for number in range(3000)})
    queue.take_batch(1, 1)
    assert queue.fill_front(4096) == []
