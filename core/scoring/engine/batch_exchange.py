"""Questions submitted to one endpoint as batches, and their answers collected: cached, counted, and handed back."""

from __future__ import annotations

import importlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from types import ModuleType

from core.errors import Problem, TouchstoneError, attempt
from core.models import (
    BatchStore,
    Endpoint,
    StoredBatch,
    StoredQuestion,
    actual_usage,
    adapters,
    client_for,
    counted_usage,
    is_usable,
    most_usage,
)
from core.models.llm.client import batches as api
from core.scoring.engine.endpoint_worker import EndpointStores
from core.scoring.engine.question_queue import PendingQuestion
from core.stats import format_count
from core.types import Answer, FailureKind, Question

_CREATING_S = 60.0  # after which who uploaded a file and made no batch of it was stopped
_AGAIN = "Start again with --batch to submit what is left."
_UNANSWERED = {
    "expired": f"The batch expired before this was answered. {_AGAIN}",
    "cancelled": f"The batch was cancelled before this was answered. {_AGAIN}",
    "canceled": f"The batch was cancelled before this was answered. {_AGAIN}",
    "completed": f"The batch is completed and its files hold no whole line for this question. {_AGAIN}",
    api.UNKNOWN: f"The endpoint does not know this batch any more. {_AGAIN}",
}
_UNCERTAIN = (
    "The endpoint did not say whether it took the batch. Start again with --batch in a minute: it is looked for "
    "before anything is submitted."
)

Outcomes = dict[bytes, Answer | Problem]
"""Outcomes of questions, by key."""


class BatchExchange:
    """The batches of one endpoint. `report` is given a line for people whenever one is further than before."""

    def __init__(self, endpoint: Endpoint, stores: EndpointStores, report: Callable[[str], None]) -> None:
        self._endpoint = endpoint
        self._client = client_for(endpoint)
        self._answers, self._spend, self._costs = stores.answers, stores.spend, stores.costs
        self._report = report
        self._store = BatchStore(stores.answers.folder)
        self._reported: dict[str, str] = {}
        self._max_lines = api.MAX_LINES
        self._one_at_a_time = False

    def submit(self, questions: Mapping[bytes, PendingQuestion]) -> Outcomes:
        """Submit the questions that are in no batch yet, as many as the budgets allow; those that cannot be, with the reason."""
        if self._one_at_a_time and self._store.batches(self._endpoint.address):
            return {}
        under_way = self._store.find(list(questions))
        by_model: dict[str, dict[bytes, PendingQuestion]] = defaultdict(dict)  # a batch asks one model
        for key, pending in questions.items():
            if key not in under_way:
                by_model[_model(pending)][key] = pending
        outcomes: Outcomes = {}
        for model, some in by_model.items():
            outcomes |= self._submit_all(model, some)
        return outcomes

    def collect(self, pending_questions: Mapping[bytes, PendingQuestion]) -> Outcomes:
        """Outcomes of these questions so far; every batch that ended is collected, whoever submitted it."""
        outcomes: Outcomes = {}
        for batch in self._store.batches(self._endpoint.address):
            batch_outcomes = attempt(partial(self._collect_ended, batch, pending_questions))
            if isinstance(batch_outcomes, Problem):  # its questions fail, and it can be collected by the next start
                batch_outcomes = dict.fromkeys(self._store.questions(batch.file), batch_outcomes)
            outcomes |= batch_outcomes
        under_way = self._store.find(list(pending_questions))
        # another process may have collected what this one waits for
        return self._answers.get([key for key in pending_questions if key not in under_way]) | outcomes

    def _submit_all(self, model: str, questions: Mapping[bytes, PendingQuestion]) -> Outcomes:
        left_out = self._client.left_out(model)
        lines = {
            key: attempt(partial(self._line, key, pending.question, left_out)) for key, pending in questions.items()
        }
        outcomes: Outcomes = {key: line for key, line in lines.items() if isinstance(line, Problem)}
        unsent = {key: line for key, line in lines.items() if not isinstance(line, Problem)}
        while unsent:
            taken = attempt(partial(self._submit_some, unsent, questions, left_out))
            if isinstance(taken, Problem):
                return outcomes | dict.fromkeys(unsent, taken)
            unsent = {key: line for key, line in unsent.items() if key not in taken}
            if not taken or self._one_at_a_time:
                break
        return outcomes

    def _line(self, key: bytes, question: Question, left_out: frozenset[str]) -> bytes:
        body = _adapter(question.checkpoint.kind).request_body(self._endpoint, question, left_out)
        return api.request_line(key.hex(), body)

    def _submit_some(
        self, lines: Mapping[bytes, bytes], questions: Mapping[bytes, PendingQuestion], left_out: frozenset[str]
    ) -> list[bytes]:
        """Submit one batch; the keys of its questions, none where money or another process holds them."""
        most = [most_usage(questions[key].question, self._endpoint.reasoning_tokens) for key in lines]
        fitting = api.count_that_fit(list(lines.values()), self._max_lines)
        reservation, count, money = self._spend.reserve_batch(self._endpoint.for_batches(), most[:fitting])
        keys = list(lines)[:count]
        if not keys:
            return []
        try:
            file = api.upload(self._client, self._endpoint, (lines[key] for key in keys))
            batch = StoredBatch(file, self._endpoint.address, left_out, reservation, money)
            key_questions = [(key, questions[key]) for key in keys]
            stored = {
                key: StoredQuestion(pending.question.checkpoint.kind, _model(pending), pending.prompt)
                for key, pending in key_questions
            }
            added = self._store.add(batch, stored)
        except TouchstoneError:
            self._spend.release(reservation)
            raise
        if not added:
            self._spend.release(reservation)
            return []
        self._create(batch, count)
        return keys

    def _create(self, batch: StoredBatch, count: int) -> None:
        self._spend.keep_for_batch(batch.reservation, self._endpoint, batch.money)
        try:
            id = api.create(self._client, self._endpoint, batch.file)
        except TouchstoneError:  # it was refused for good
            self._forget(batch)
            raise
        if not id:
            raise TouchstoneError(_UNCERTAIN)
        self._store.name(batch.file, id)
        self._report(f"Batch {id}: {format_count(count, 'question')} submitted. Ctrl+C leaves it under way.")

    def _collect_ended(self, batch: StoredBatch, pending_questions: Mapping[bytes, PendingQuestion]) -> Outcomes:
        if not batch.id and not (batch := self._adopt(batch)).id:
            return {}
        state = api.read_state(self._client, self._endpoint, batch.id)
        if state is None:
            self._report_once(batch.id, f"{self._endpoint.base_url} does not answer; it is asked again.")
            return {}
        self._report_once(batch.id, f"{state.status}, {state.done} of {state.total} done.")
        results = api.download(self._client, self._endpoint, state.files) if state.ended else None
        if results is None:
            return {}
        questions = self._store.questions(batch.file)
        if state.code == api.TOO_MANY_TOKENS and self._submit_less(len(questions)):
            self._forget(batch)
            return {}
        outcomes = self._read_all(results, questions)
        asked_again = self._adapted(results, pending_questions, batch.left_out)
        reason = _UNANSWERED.get(state.status) or f"The endpoint refused the batch: {state.error or state.status}."
        unanswered = dict.fromkeys(questions.keys() - outcomes.keys(), Problem(FailureKind.ERROR, reason))
        self._keep(batch, questions, outcomes, pending_questions)
        return {key: outcome for key, outcome in (outcomes | unanswered).items() if key not in asked_again}

    def _adopt(self, batch: StoredBatch) -> StoredBatch:
        """The batch of a file that was uploaded by a process that was stopped, made now where there is none."""
        if time.time() - batch.submitted < _CREATING_S:
            return batch
        id = api.find(self._client, self._endpoint, batch.file)
        if id:
            self._store.name(batch.file, id)
        else:
            self._create(batch, len(self._store.questions(batch.file)))
        return next(stored for stored in self._store.batches(self._endpoint.address) if stored.file == batch.file)

    def _read_all(self, results: Iterable[api.BatchResult], questions: Mapping[bytes, StoredQuestion]) -> Outcomes:
        """Outcomes of the questions of a batch; an answer counts before a problem under the same id."""
        outcomes: Outcomes = {}
        for result in results:
            key = _key(result.custom_id)
            if key in questions and not isinstance(outcomes.get(key), Answer):
                outcomes[key] = self._read(result, questions[key].kind)
        return outcomes

    def _read(self, result: api.BatchResult, kind: str) -> Answer | Problem:
        if result.completion is None:
            return Problem(FailureKind.ERROR, f"The endpoint refused the question in the batch: {result.error}.")
        return attempt(partial(_adapter(kind).read, self._endpoint, result.completion))

    def _adapted(
        self,
        results: Iterable[api.BatchResult],
        pending_questions: Mapping[bytes, PendingQuestion],
        left_out: frozenset[str],
    ) -> set[bytes]:
        """The questions that are asked again without a part that the server refused."""
        refused = {_key(result.custom_id): result.refused_words for result in results if result.refused_words}
        adapted = set()
        for key in refused.keys() & pending_questions.keys():
            question = pending_questions[key].question
            body = _adapter(question.checkpoint.kind).request_body(self._endpoint, question, left_out)
            if self._client.adapt(body, refused[key], left_out):
                adapted.add(key)
        return adapted

    def _submit_less(self, count: int) -> bool:
        """Submit one batch at a time, of half as many questions; False where that cannot be less than it was."""
        alone = len(self._store.batches(self._endpoint.address)) == 1
        if count == 1 and alone:
            return False
        self._max_lines = max(1, min(self._max_lines, count) // 2)
        self._one_at_a_time = True
        return True

    def _forget(self, batch: StoredBatch) -> None:
        self._spend.release(batch.reservation)
        self._store.remove(batch.file)

    def _keep(
        self,
        batch: StoredBatch,
        questions: Mapping[bytes, StoredQuestion],
        outcomes: Outcomes,
        pending_questions: Mapping[bytes, PendingQuestion],
    ) -> None:
        """Cache the answers of a batch, count what they cost, and forget it: in this order, as each may be the last."""
        answers = {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, Answer)}
        usable = {key: answer for key, answer in answers.items() if is_usable(questions[key].kind, answer)}
        self._answers.put(usable, paid=True)
        usage = {}
        for key, answer in answers.items():
            if pending := pending_questions.get(key):
                usage[key] = actual_usage(pending.question, answer)
            else:  # another start asked for it: by what the endpoint counted alone
                usage[key] = counted_usage(questions[key].kind, answer)
        endpoint = self._endpoint.for_batches()
        if self._spend.settle(batch.reservation, endpoint, usage.values()):
            for key, tokens in usage.items():
                self._costs.record(questions[key].prompt, endpoint, questions[key].model, tokens)
        self._store.remove(batch.file)
        collected = format_count(len(answers), "answer")
        self._report(f"Batch {batch.id}: {collected} collected of {format_count(len(questions), 'question')}.")

    def _report_once(self, id: str, text: str) -> None:
        if self._reported.get(id) != text:
            self._reported[id] = text
            self._report(f"Batch {id}: {text}")


def _model(pending: PendingQuestion) -> str:
    return str(dict(pending.question.options)["model"])


def _key(custom_id: str) -> bytes:
    try:
        return bytes.fromhex(custom_id)
    except ValueError:  # a line that is none of ours
        return b""


@cache
def _adapter(kind: str) -> ModuleType:
    """Adapter that makes requests of questions of a kind and reads their answers: `request_body` and `read`."""
    return importlib.import_module(f"{adapters.__name__}.{kind}")
