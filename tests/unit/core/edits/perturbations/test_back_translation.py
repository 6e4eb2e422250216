"""There and back again: what two translations make of a summary, and which of it is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS, Perturbation, refusal
from core.errors import BadSettingError, MissingWeightsError, UnscorableError
from core.text import edits as executable
from core.types import Answer, Edit, Example, Question

SUMMARY = "A storm closed the port of Lindvale for 3 days. It did not rain."
EXAMPLE = Example("x", SUMMARY, SUMMARY)
PAIR = PERTURBATIONS.build("back-translation", {"there": "en-de", "back": "de-en"})
MANY = PERTURBATIONS.build("back-translation", {"there": "m2m", "language": "de"})


def back(*sentences: str, kind: Perturbation = PAIR) -> str:
    """The variant that comes of these sentences at the end of the second translation."""
    rounds = kind.rounds(EXAMPLE, 0)
    first: Sequence[Question] = next(rounds)
    second: Sequence[Question] = rounds.send([Answer((1.0,), texts=(f"de {n}",)) for n, _ in enumerate(first)])
    assert [question.inputs for question in second] == [("de 0",), ("de 1",)]
    with pytest.raises(StopIteration) as end:
        rounds.send([Answer((1.0,), texts=(text,)) for text in sentences])
    edits: list[Edit] = end.value.value
    assert all(edit.by == kind.spec and edit.explanation for edit in edits)
    return executable.apply(SUMMARY, edits)


def test_each_sentence_goes_there_and_back() -> None:
    assert (
        back("A storm shut down the port of Lindvale for 3 days.", "It didn't rain.")
        == "A storm shut down the port of Lindvale for 3 days. It didn't rain."
    )


def test_a_model_of_many_languages_is_told_which_and_takes_both_ways() -> None:
    rounds = MANY.rounds(EXAMPLE, 0)
    [one, _] = next(rounds)
    assert one.options == (("from", "en"), ("to", "de"))
    [two, _] = rounds.send([Answer((1.0,), texts=("x",))] * 2)
    assert two.options == (("from", "de"), ("to", "en"))
    assert one.weights.source == two.weights.source == "m2m"


@pytest.mark.parametrize(
    ("sentences", "why"),
    [
        (
            ("A storm closed the port of Lindvale for 3 days.", "It did not rain."),
            "comes back from the other language as it was",
        ),
        (("A storm closed the port of Lindvale for 4 days.", "It did not rain."), "a name or number was changed: 3, 4"),
        (("A storm closed the port of Lindale for 3 days.", "It did not rain."), "was changed: Lindvale, Lindale"),
        (("The port of Lindvale shut for 3 days.", "It rained."), "a negation was lost, or came in"),
        (("The port of Lindvale shut for 3 days", "without rain"), "dropped sentences"),
    ],
)
def test_what_may_have_changed_the_meaning_is_refused(sentences: tuple[str, str], why: str) -> None:
    with pytest.raises(UnscorableError, match=why):
        back(*sentences)


@pytest.mark.parametrize(
    "answer", [Answer((1.0,), texts=("x",), cut=3), Answer((0.0,), texts=("x",)), Answer((1.0,), texts=("",))]
)
def test_what_was_cut_or_is_empty_is_refused(answer: Answer) -> None:
    rounds = PAIR.rounds(EXAMPLE, 0)
    next(rounds)
    with pytest.raises(UnscorableError, match="too long for the translation model"):
        rounds.send([answer] * 2)


def test_without_models_it_says_which_to_name(tmp_path: Path) -> None:
    plain = PERTURBATIONS.parse("back-translation")
    assert plain.checkpoints() == ()
    assert "No translation model is named" in refusal(plain, EXAMPLE)
    with pytest.raises(BadSettingError, match="Write back-translation"):
        next(plain.rounds(EXAMPLE, 0))
    lost = PERTURBATIONS.build("back-translation", {"there": str(tmp_path / "none"), "language": "de"})
    with pytest.raises(MissingWeightsError, match="Set there= to a folder"):
        _ = lost.signature


def test_there_are_no_edits_before_the_models_are_asked() -> None:
    with pytest.raises(UnscorableError, match="asks a model, which takes a while"):
        PAIR.edits(EXAMPLE, random.Random(0))
