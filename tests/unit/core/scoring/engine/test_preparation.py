"""The next questions are tokenized while the model computes: in time, failing alone, and in nobody's way."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from core.models.networks.model import Row
from core.scoring.engine.engine import Engine
from core.types import Example, Failure, Question, Result
from tests.doubles.bench import DOCUMENT, Bench, pair
from tests.doubles.metrics import Asking
from tests.doubles.models import PATIENCE_S, ScriptedModel

FIRST, MANY = 256, 600
"""Questions that are tokenized before the first forward pass, and of all."""


def examples(number: int = MANY) -> list[Example]:
    return [Example(str(place), DOCUMENT, f"Item {place} came.") for place in range(number)]


def run_behind(engine: Engine, metric: Asking, asked: Sequence[Example]) -> tuple[threading.Thread, list[object]]:
    """A run in a thread of its own, and its outcomes as they come."""
    outcomes: list[object] = []
    thread = threading.Thread(target=lambda: outcomes.extend(one for _, one in engine.run([metric], asked)))
    thread.start()
    return thread, outcomes


def watch_encoding(bench: Bench, last: str) -> threading.Event:
    """Set when a text was tokenized while a forward pass was under way."""
    seen = threading.Event()
    kind = bench.kind

    class Watched(ScriptedModel):
        def encode(self, questions: Sequence[Question]) -> list[Row]:
            rows = super().encode(questions)
            if not kind.gate.is_set() and any(last in question.inputs[0] for question in questions):
                seen.set()
            return rows

    kind.load = lambda path, checkpoint, device: Watched(kind, 1)  # type: ignore[method-assign]  # noqa: ARG005  # as of every kind
    return seen


def test_the_next_questions_are_tokenized_while_the_model_computes(bench: Bench) -> None:
    metric = bench.asking()
    prepared = watch_encoding(bench, f"Item {MANY - 1} ")
    bench.kind.gate.clear()
    [conversation_text] = [" ".join(example.summary for example in examples())]
    thread, outcomes = run_behind(bench.engine, metric, [pair(conversation_text)])
    bench.at_the_model()
    assert prepared.wait(PATIENCE_S)
    assert len(bench.kind.batches) == 1
    bench.kind.gate.set()
    thread.join(PATIENCE_S)
    assert [type(one) for one in outcomes] == [Result]
    assert sorted(bench.kind.encoded) == sorted(bench.kind.asked)
    assert len(bench.kind.asked) == MANY


def test_a_question_that_cannot_be_tokenized_ahead_fails_alone(bench: Bench) -> None:
    bench.kind.unreadable = f"Item {MANY - 10} "
    outcomes = [one for _, one in bench.engine.run([bench.asking()], examples())]
    failed = [place for place, one in enumerate(outcomes) if isinstance(one, Failure)]
    assert failed == [MANY - 10]
    assert outcomes[failed[0]].error == "This cannot be encoded."  # type: ignore[union-attr]


def test_a_person_waits_for_one_batch_and_not_for_what_was_prepared(bench: Bench) -> None:
    metric = bench.asking()
    text = " ".join(example.summary for example in examples())
    prepared = watch_encoding(bench, f"Item {MANY - 1} ")
    bench.kind.gate.clear()
    thread, _ = run_behind(bench.engine, metric, [pair(text)])
    bench.at_the_model()
    assert prepared.wait(PATIENCE_S)
    request = bench.engine.submit("ana", [metric], [pair("A person asks.", "other")])
    bench.until_planned(MANY + 1)
    bench.kind.gate.set()
    bench.outcomes(request)
    thread.join(PATIENCE_S)
    assert ["A person asks." in batch for batch in bench.kind.batches[:3]] == [False, True, False]


def test_what_was_prepared_and_is_cancelled_is_not_asked(bench: Bench) -> None:
    text = " ".join(example.summary for example in examples())
    prepared = watch_encoding(bench, f"Item {MANY - 1} ")
    bench.kind.gate.clear()
    bench.engine.submit("ana", [bench.asking()], [pair(text)])
    bench.at_the_model()
    assert prepared.wait(PATIENCE_S)
    bench.engine.release("ana")
    bench.kind.gate.set()
    bench.ask(bench.asking(), summary="Rain fell.", owner="ben")
    assert [len(batch) for batch in bench.kind.batches] == [FIRST, 1]
