"""Questions as columns: those of a grid are the same, one by one, as those of a list, and have the same keys."""

from __future__ import annotations

from core.model_reference import Checkpoint, ModelRef
from core.scoring.engine.cache import cache_keys
from core.scoring.metric_parts.question_grid import QuestionGrid, question_runs
from core.scoring.metrics.summac import SummaCZS
from core.types import Example, Question, Span

MODEL = Checkpoint("here", "sequence_classifier")
PASSAGES, CLAIMS = ["It rained é.", 'The "harbour" closed.'], ["It rained.", "Nobody came.", "It\nsnowed."]
OPTIONS = (("limit", 500),)


def grid() -> QuestionGrid:
    return QuestionGrid(
        MODEL,
        OPTIONS,
        tuple((passage, claim) for claim in CLAIMS for passage in PASSAGES),
        [Span(number, number + 1) for number in range(len(CLAIMS))],
        [Span(10 * number, 10 * number + 5) for number in range(len(PASSAGES))],
    )


def weights(_: ModelRef) -> tuple[str, str]:
    return "fingerprint", "cpu"


def test_a_grid_is_read_claim_by_claim() -> None:
    questions = list(grid())
    assert [question.inputs for question in questions] == [(passage, claim) for claim in CLAIMS for passage in PASSAGES]
    assert [(question.claim, question.evidence) for question in questions][:3] == [
        (Span(0, 1), Span(0, 5)),
        (Span(0, 1), Span(10, 15)),
        (Span(1, 2), Span(0, 5)),
    ]


def test_places_from_the_end_and_slices_are_those_of_a_list() -> None:
    columns, questions = grid(), list(grid())
    assert columns[-1] == questions[-1]
    assert columns[-1].evidence == questions[-1].evidence
    assert columns[1:4] == questions[1:4]


def test_a_grid_and_a_list_of_the_same_questions_have_the_same_keys() -> None:
    assert cache_keys(grid(), weights) == cache_keys(list(grid()), weights)


def test_questions_that_take_turns_between_models_keep_their_order() -> None:
    other = Checkpoint("there", "sequence_classifier")
    mixed = [Question((MODEL, other)[number % 2], (str(number),), OPTIONS) for number in range(4)]
    assert [run.inputs for run in question_runs(mixed)] == [[("0",)], [("1",)], [("2",)], [("3",)]]
    assert cache_keys(mixed, weights) == [cache_keys([question], weights)[0] for question in mixed]


def test_a_summary_without_a_unit_asks_nothing() -> None:
    assert question_runs(SummaCZS().plan(Example("one", "It rained on Monday.", "No."))) == []
