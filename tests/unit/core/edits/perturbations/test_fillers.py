"""Phrases without content: where they are put, and what they say."""

from __future__ import annotations

import random

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.edits.perturbations.fillers import Filler
from core.errors import UnknownNameError, UnscorableError
from core.text import edits as executable
from core.text.segmentation import words
from core.types import Edit, Example

SUMMARY = "The port was shut. Nobody was hurt."
FILLERS = [plugin() for plugin in PERTURBATIONS if issubclass(plugin, Filler)]


def edits(spec: str, summary: str = SUMMARY) -> list[Edit]:
    return PERTURBATIONS.parse(spec).edits(Example("a", "doc", summary), random.Random(0))


def variant(spec: str, summary: str = SUMMARY) -> str:
    return executable.apply(summary, edits(spec, summary))


@pytest.mark.parametrize("filler", FILLERS, ids=lambda filler: filler.name)
def test_a_phrase_stands_after_before_or_instead_of_the_summary(filler: Filler) -> None:
    assert variant(f"{filler.name}[place=suffix]") == f"{SUMMARY} {filler.text}"
    assert variant(f"{filler.name}[place=prefix]") == f"{filler.text} {SUMMARY}"
    assert variant(f"{filler.name}[place=alone]") == filler.text


def test_a_phrase_of_your_own_is_put_as_it_is_written() -> None:
    assert variant('phrase[phrase="wow, so [true]"]') == f"{SUMMARY} wow, so [true]"


def test_blanks_around_summary_and_phrase_are_not_doubled() -> None:
    assert variant('phrase[phrase=" wow "]', "The port was shut. \n") == "The port was shut. wow \n"
    assert variant('phrase[phrase=" wow ",place=alone]', "The port was shut. \n") == "wow \n"


def test_the_top_phrase_breaks_off_after_speaking_of_the_document() -> None:
    assert variant("phrase[place=alone]") == "The document discusses"


def test_an_assertion_speaks_the_terms_of_the_family_of_its_metric() -> None:
    assert variant("assertion[metric=summac-zs,place=alone]") == "The document entails the summary."
    assert "question" in variant("assertion[metric=questeval,place=alone]")
    assert variant("assertion[metric=rouge2,place=alone]") == variant("assertion[place=alone]")


@pytest.mark.parametrize("filler", FILLERS, ids=lambda filler: filler.name)
def test_every_kind_of_phrase_can_have_a_text_for_one_metric(filler: Filler) -> None:
    own = PERTURBATIONS.parse(f"{filler.name}[metric=summac-zs,phrase=So it is.]")
    assert isinstance(own, Filler)
    assert (own.text, own.targets("summac-zs"), own.targets("rouge2")) == ("So it is.", True, False)
    assert variant(own.spec) == f"{SUMMARY} So it is."


def test_an_assertion_targets_the_metric_that_it_names_and_without_one_at_all() -> None:
    named = PERTURBATIONS.parse("assertion[metric=summac-zs]")
    assert isinstance(named, Filler)
    assert named.targets("summac-zs")
    assert not named.targets("rouge2")
    assert all(filler.targets("rouge2") for filler in FILLERS)


def test_an_assertion_of_a_metric_that_does_not_exist_says_so() -> None:
    with pytest.raises(UnknownNameError, match="No metric is named 'rouge3'"):
        edits("assertion[metric=rouge3]")


def test_the_two_fillers_differ_in_kind_and_not_in_length() -> None:
    baseline, qualifier = (variant(f"{name}-filler[place=alone]") for name in ("baseline", "qualifier"))
    assert len(words(baseline)) == len(words(qualifier))
    assert not {"document", "summary"} & {*words(baseline)}
    assert "summary" in words(qualifier)


def test_a_summary_that_is_the_phrase_already_is_refused() -> None:
    with pytest.raises(UnscorableError, match="is this phrase already"):
        edits("phrase[phrase=Quite so.,place=alone]", "Quite so. ")
