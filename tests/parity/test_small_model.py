"""The small language model that `make small-model` gets: what asks one, on real weights."""

from __future__ import annotations

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.errors import UnscorableError
from core.evaluation.explanations.detect import explain_given_detection
from core.model_reference import Checkpoint
from core.models.llm.chat import Sampling, chat_question
from core.scoring.metric import METRICS
from core.text import edits as executable
from core.types import Example, Question
from tests.drive import answer, drive
from tests.sources import ROOT

pytestmark = pytest.mark.parity
FOLDER = ROOT / "var" / "models" / "smollm2"
MODEL = f"local:{FOLDER}"
PAIR = Example(
    "harbour",
    "The harbour of Lindvale was closed on Tuesday after a storm. Nobody was hurt. Repairs take until June.",
    "A storm closed the harbour of Lindvale on Tuesday. Nobody was hurt.",
)


@pytest.fixture(autouse=True)
def present() -> None:
    if not FOLDER.is_dir():
        pytest.skip("needs make small-model")


def test_it_answers_a_question() -> None:
    question = chat_question(("", "What is the capital of France?"), Sampling(MODEL, max_tokens=20))
    assert "Paris" in answer(question).texts[0]


def test_a_judge_reads_how_likely_its_first_words_are() -> None:
    checkpoint = Checkpoint(str(FOLDER), "local_logprobs", dtype="bfloat16")
    reply = answer(Question(checkpoint, ("", "Is Paris in France? Answer Yes or No."), (("top_tokens", 20),)))
    assert {"Yes", "No"} <= {*map(str.strip, reply.texts)}
    assert 0.5 < sum(reply.values) <= 1.001


def test_a_judge_that_it_cannot_be_fails_with_what_it_began_to_say() -> None:
    with pytest.raises(UnscorableError, match="but begins its answer with"):
        drive(METRICS.parse(f"weighted-assessment[model={MODEL}]").rounds(PAIR))


def test_a_perturbation_takes_what_it_writes() -> None:
    made = drive(PERTURBATIONS.parse(f"negated-llm[model={MODEL},max_tokens=60]").rounds(PAIR, 0))
    assert executable.apply(PAIR.summary, made) != PAIR.summary
    assert "|weights:" in made[0].by


def test_an_explanation_that_is_no_object_is_refused_with_what_it_said() -> None:
    sampling = Sampling(MODEL, max_tokens=60)
    with pytest.raises(UnscorableError, match="The model said: “"):
        drive(explain_given_detection(PAIR, sampling))
