"""A likely other word in place of one that the document has: what a masked language model proposes, and what is refused of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS, Perturbation, refusal
from core.errors import BadSettingError, MissingWeightsError, UnscorableError
from core.text import edits as executable
from core.types import Answer, Edit, Example, Question
from tests.conftest import Weights
from tests.drive import drive
from tests.tiny_masked import masked_roberta

DOCUMENT = "The council closed the old harbour after a storm. Large repairs take a month, and boats wait elsewhere."
PLAIN = PERTURBATIONS.parse("masked-word")


def variants(summary: str, *proposed: tuple[str, float], document: str = DOCUMENT, seeds: int = 8) -> set[str]:
    """The variants over several seeds of a model that proposes the same words in every place."""
    return {said(summary, proposed, document, seed) for seed in range(seeds)}


def said(summary: str, proposed: Sequence[tuple[str, float]], document: str, seed: int) -> str:
    rounds = PLAIN.rounds(Example("x", document, summary), seed)
    questions: Sequence[Question] = next(rounds)
    words, shares = (tuple(part) for part in zip(*proposed, strict=True))
    with pytest.raises(StopIteration) as end:
        rounds.send([Answer(shares, texts=words)] * len(questions))
    edits: list[Edit] = end.value.value
    assert all(edit.by == PLAIN.spec and "finds likely here" in edit.explanation for edit in edits)
    return executable.apply(summary, edits)


@pytest.mark.parametrize(
    ("summary", "word", "variant"),
    [
        ("A storm came.", "ferry", "A ferry came."),
        ("They closed it.", "painted", "They painted it."),
        ("Repairs take a month.", "year", "Repairs take a year."),
        ("The old one.", "new", "The new one."),
        ("It is a storm.", "accident", "It is an accident."),
    ],
)
def test_a_word_takes_the_place_of_one_of_its_form(summary: str, word: str, variant: str) -> None:
    assert variant in variants(summary, (word, 0.5))


@pytest.mark.parametrize("least", ["-0.1", "2"])
def test_a_probability_that_is_none_is_refused(least: str) -> None:
    with pytest.raises(BadSettingError, match="least is a probability, 0 to 1; got"):
        PERTURBATIONS.parse(f"masked-word[least={least}]")


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("harbours", "the lemma of the word itself"),
        ("boat", "what the document has in another form"),
        ("ferries", "another number"),
        ("quickly", "another part of speech"),
        ("the", "no content word"),
        ("Lisbon", "a name"),
        ("port2", "no word"),
    ],
)
def test_what_would_be_no_plain_error_is_refused(word: str, why: str) -> None:
    with pytest.raises(UnscorableError, match=r"For none of 1 masked words \(harbour\)"):
        said("It has a harbour.", [(word, 0.9)], DOCUMENT, 0)
    assert why


def test_a_synonym_of_the_lists_is_refused_in_either_direction() -> None:
    document = "The physician spoke to a doctor."
    for old, new in (("physician", "doctor"), ("doctor", "physician")):
        with pytest.raises(UnscorableError, match="no known synonym"):
            said(f"It was the {old}.", [(new, 0.9)], document.replace(new, "man"), 0)


def test_the_most_likely_fitting_word_is_taken_and_none_that_is_unlikely() -> None:
    assert (
        said("It has a harbour.", [("harbours", 0.5), ("castle", 0.2), ("ferry", 0.1)], DOCUMENT, 0)
        == "It has a castle."
    )
    with pytest.raises(UnscorableError, match=r"a probability of 0\.01 or more"):
        said("It has a harbour.", [("castle", 0.009)], DOCUMENT, 0)


def test_a_word_that_the_document_lacks_is_not_masked() -> None:
    with pytest.raises(UnscorableError, match="no noun, verb or adjective in small letters that the document has"):
        next(PLAIN.rounds(Example("x", DOCUMENT, "Gardens bloomed in Lisbon."), 0))


def test_at_most_five_places_are_asked_about_each_with_its_own_sentence() -> None:
    summary = "A storm closed the old harbour. Large repairs take a month, and boats wait."
    questions = next(PLAIN.rounds(Example("x", DOCUMENT, summary), 3))
    assert len(questions) == 5
    assert all(len(" ".join(question.inputs)) < 50 for question in questions)


def own(weights: Weights) -> Perturbation:
    return PERTURBATIONS.build("masked-word", {"checkpoint": str(weights(masked_roberta)), "least": 0.0})


def test_a_real_architecture_is_asked_and_signed_without_its_folder(weights: Weights) -> None:
    kind, example = own(weights), Example("x", DOCUMENT, "A storm closed the harbour.")
    edits = drive(kind.rounds(example, 1))
    variant = executable.apply(example.summary, edits)
    assert variant != example.summary
    assert drive(kind.rounds(example, 1)) == edits
    assert str(weights(masked_roberta)) not in kind.signature
    assert "|weights:" in kind.signature


def test_without_weights_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("core.models.weights.locations.try_to_load_from_cache", lambda *_, **__: None)
    with pytest.raises(MissingWeightsError, match=r"FacebookAI/roberta-base .* is not on this machine"):
        _ = PLAIN.signature
    assert "is not on this machine" in refusal(PLAIN, Example("x", DOCUMENT, "A storm came."))
    lost = PERTURBATIONS.build("masked-word", {"checkpoint": str(tmp_path / "none")})
    assert "There is no folder" in refusal(lost, Example("x", DOCUMENT, "A storm came."))


def test_there_are_no_edits_before_the_model_is_asked() -> None:
    with pytest.raises(UnscorableError, match="asks a model, which takes a while"):
        PLAIN.edits(Example("x", DOCUMENT, "A storm came."), random.Random(0))
