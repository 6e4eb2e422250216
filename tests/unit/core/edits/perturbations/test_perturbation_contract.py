"""Every perturbation: seeded, executable, never a silent nothing."""

from __future__ import annotations

import random
import re
import time
from dataclasses import replace
from itertools import pairwise, product

import pytest

from core.data.datasets.bundled import bundled_items
from core.edits.perturbation import PERTURBATIONS, Perturbation, RulePerturbation
from core.errors import UnscorableError
from core.registry import format_spec
from core.text import edits as executable
from core.types import Edit, ErrorType, Example

SEEDS = [item.example for item in bundled_items() if not item.parent]
LISBON = Example("lisbon", "It rained in Lisbon.", "It rained in Lisbon.")
LAYOUTS = [
    Example("list", "", "- the café of Ana Costa opens\n- Tom Reid left the **board**\n"),
    Example("headed", "", "## New in May\n\n- the café opens\n- Tom Reid left\n"),
    Example(
        "wrapped", "", "The cafe\u0301 of Ana Costa will be “closed” for the whole winter, and the\nbridge as well.\n"
    ),
]
"""Summaries of the layouts that no summary of ours has."""
ALL = [plugin() for plugin in PERTURBATIONS]
RULES = [perturbation for perturbation in ALL if perturbation.card.form == "rule"]
SHORT, LONG = 5_000, 20_000  # characters
HOSTILE = ["a, who was ", "he was, and it is not ", "Ana Costa met Tom Reid in Oslo. ", "12 men ( – ", "a-"]

over_rules = pytest.mark.parametrize("perturbation", RULES, ids=lambda perturbation: perturbation.name)


def attempt(perturbation: Perturbation, example: Example, seed: int = 1) -> list[Edit]:
    """Its edits; none where it says that it cannot apply."""
    try:
        return perturbation.edits(example, random.Random(seed))
    except UnscorableError:
        return []


@over_rules
def test_the_same_seed_gives_the_same_edits(perturbation: Perturbation) -> None:
    for example in SEEDS:
        again = replace(example, id="again")  # of another name, so that nothing is remembered
        assert attempt(perturbation, example, 7) == attempt(perturbation, again, 7)


@over_rules
def test_it_applies_to_an_example_of_ours_and_never_leaves_one_unchanged(perturbation: Perturbation) -> None:
    variants = [
        (example.summary, executable.apply(example.summary, edits))
        for example in [*SEEDS, LISBON, *LAYOUTS]
        if (edits := attempt(perturbation, example))
    ]
    assert variants
    assert all(variant != summary for summary, variant in variants)


@over_rules
def test_its_edits_stand_in_order_apart_and_signed(perturbation: Perturbation) -> None:
    for example in SEEDS:
        edits = attempt(perturbation, example)
        assert all(edit.by == perturbation.spec and edit.explanation for edit in edits)
        assert all(before.span.end <= after.span.start for before, after in pairwise(edits))


@over_rules
def test_it_leaves_no_broken_punctuation(perturbation: Perturbation) -> None:
    for example, seed in product(SEEDS, range(3)):
        variant = executable.apply(example.summary, attempt(perturbation, example, seed))
        assert not [mark for mark in ("  ", " ,", ",,", ",.", "..", ". .", " .") if mark in variant]
        assert variant.lstrip("-1. #*")[0].isupper()


@over_rules
def test_its_rounds_give_what_its_edits_give(perturbation: Perturbation) -> None:
    example = next(example for example in [*SEEDS, LISBON, *LAYOUTS] if attempt(perturbation, example))
    rounds = perturbation.rounds(example, seed=3)
    assert next(rounds) == []
    with pytest.raises(StopIteration) as stop:
        rounds.send([])
    assert stop.value.value == perturbation.edits(example, random.Random(f"3\0{example.id}"))


@pytest.mark.parametrize("perturbation", ALL, ids=lambda perturbation: perturbation.name)
def test_its_spelling_reads_back(perturbation: Perturbation) -> None:
    assert PERTURBATIONS.parse(format_spec(perturbation)) == perturbation


def test_every_type_of_error_has_a_generator() -> None:
    made = {perturbation.card.error_type for perturbation in RULES if perturbation.card.intent == "breaking"}
    assert None not in made
    assert made >= set(ErrorType) - {ErrorType.OTHER}


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_linear_time(piece: str) -> None:
    """Four times the text takes at most eight times as long, where a square of its length takes sixteen times."""
    for perturbation in RULES:
        seconds_of(perturbation, piece * 10)  # word lists are read once
        short, long = (seconds_of(perturbation, piece * (length // len(piece))) for length in (SHORT, LONG))
        assert long < 8 * short + 0.5, perturbation.name


def seconds_of(perturbation: Perturbation, text: str) -> float:
    """Processor time of one attempt."""
    started = time.process_time()
    attempt(perturbation, Example("long", text, text))
    return time.process_time() - started


@over_rules
@pytest.mark.parametrize("summary", ["Quite so!", ""])
def test_it_says_in_a_sentence_why_it_cannot_apply(perturbation: Perturbation, summary: str) -> None:
    """Some apply to anything, such as one that appends a phrase."""
    reason = ""
    try:
        edits = perturbation.edits(Example("nothing", "Quite so!", summary), random.Random(0))
    except UnscorableError as error:
        reason = str(error)
    assert re.match(r"^[A-Z].{30,}\.$", reason) or executable.apply(summary, edits) != summary
    assert reason or not isinstance(perturbation, RulePerturbation)


def test_as_many_edits_are_drawn_as_are_asked_for() -> None:
    summary = "Nobody came. It was about 20 miles, chiefly at once, and roughly 30 men left."
    example = Example("many", summary, summary)
    assert [
        len(PERTURBATIONS.parse(f"synonyms[most={most},lexicon=bundled]").edits(example, random.Random(0)))
        for most in (1, 2, 3)
    ] == [1, 2, 3]


@pytest.mark.parametrize(
    "perturbation", [rule for rule in RULES if isinstance(rule, RulePerturbation)], ids=lambda rule: rule.name
)
def test_no_edits_at_all_cannot_be_asked_for(perturbation: RulePerturbation) -> None:
    with pytest.raises(UnscorableError, match="most=0 allows no edit"):
        PERTURBATIONS.parse(f"{perturbation.name}[most=0]").edits(SEEDS[0], random.Random(0))


def test_shuffling_keeps_every_sentence() -> None:
    example = Example("a", "doc", "One came. Two left. Three stayed.")
    edits = PERTURBATIONS.parse("shuffled").edits(example, random.Random(0))
    shuffled = executable.apply(example.summary, edits)
    assert shuffled != example.summary
    assert sorted(shuffled.replace(".", "").split()) == sorted(example.summary.replace(".", "").split())


def test_a_sentence_that_refers_back_stays_behind_the_one_before() -> None:
    summary = "Ann Lee sells tugs. She built two. Also fixed one. The port paid Bo Grant."
    for seed in range(5):
        edits = PERTURBATIONS.parse("shuffled").edits(Example("a", "doc", summary), random.Random(seed))
        expected = "The port paid Bo Grant. Ann Lee sells tugs. She built two. Also fixed one."
        assert executable.apply(summary, edits) == expected
    with pytest.raises(UnscorableError, match="that do not refer back"):
        PERTURBATIONS.parse("shuffled").edits(Example("a", "doc", "Ann came. But she left."), random.Random(0))


def test_one_sentence_cannot_be_shuffled_and_says_so() -> None:
    with pytest.raises(UnscorableError, match="needs two different"):
        PERTURBATIONS.parse("shuffled").edits(Example("a", "doc", "Only one."), random.Random(0))


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(UnscorableError, match="change nothing"):
        PERTURBATIONS.parse('phrase[phrase=" "]').edits(SEEDS[0], random.Random(0))
