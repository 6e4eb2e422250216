"""What the meaning-preserving perturbations make of sentences of ours, and what they refuse."""

from __future__ import annotations

import random

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.errors import UnscorableError
from core.text import edits as executable
from core.text.english.inflection import is_dictionary_word
from core.types import Example


def variant(name: str, summary: str, document: str = "") -> str:
    """The variant of one seed, the summary itself where the perturbation refuses."""
    example = Example("x", document or summary, summary)
    try:
        return executable.apply(summary, PERTURBATIONS.parse(name).edits(example, random.Random(5)))
    except UnscorableError:
        return summary


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("negated", "Today the road was legal.", "Today the road was not illegal."),
        ("negated", "Our plan is probably unlawful.", "Our plan is probably not lawful."),
        ("negated", "Now they refused to pay.", "Now they did not agree to pay."),
        ("negated", "And it was rejected by them.", "And it was not accepted by them."),
        ("negated", "The firm will use the mill.", "It is not the case that the firm will not use the mill."),
        ("negated", "Orla Voss sold the clock.", "It is not the case that Orla Voss did not sell the clock."),
        ("negated", "The guests liked it there.", "It is not the case that the guests did not like it there."),
        ("synonyms[lexicon=bundled]", "Nobody came.", "No one came."),
        ("synonyms[lexicon=bundled]", "The doctor left early.", "The physician left early."),
        ("synonyms[lexicon=bundled]", "He tried to run.", "He attempted to run."),
        ("synonyms[lexicon=bundled]", "It is a massive ship.", "It is a huge ship."),
        ("summarized", "It rained. The mill burned. Nobody came.", "It rained. The mill burned."),
        ("synonyms[lexicon=bundled]", "He bought the boat.", "He purchased the boat."),
        ("synonyms[lexicon=bundled]", "It left because of the wind.", "It left owing to the wind."),
        ("synonyms[lexicon=bundled]", "They saw a huge ship.", "They saw an enormous ship."),
        ("summarized", "The mill (built in 1908) has closed.", "The mill has closed."),
        ("summarized", "The mill, which had burned, was sold.", "The mill was sold."),
        ("summarized", "It hit a quay, which was closed.", "It hit a quay."),
        ("summarized", "They met men, one of whom was armed.", "They met men."),
        ("summarized", "Orla Voss, the owner, has left.", "Orla Voss has left."),
        ("summarized", "The mill – an old one – has closed.", "The mill has closed."),
        ("summarized", "It must pay, a demand that angered them.", "It must pay."),
    ],
)  # fmt: skip
def test_the_same_is_said_otherwise(name: str, before: str, after: str) -> None:
    assert variant(name, before) == after


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("negated", "Some of the roads are open, and all may be used."),
        ("negated", "He must use the mill."),
        ("negated", "Some roads will be closed."),
        ("negated", "It may reject the plan."),
        ("negated", "If it is open, they will come."),
        ("synonyms[lexicon=bundled]", "They came about the fire."),
        ("synonyms[lexicon=bundled]", "He bought into it."),
        ("synonyms[lexicon=bundled]", "It was quite probably the rain."),
        ("negated", "The older they are, the weaker they get."),
        ("synonyms[lexicon=bundled]", "It is a mill house."),
        ("synonyms[lexicon=bundled]", "They do not have to go."),
        ("synonyms[lexicon=bundled]", "She owns a movie theatre."),
        ("synonyms[lexicon=bundled]", "It has a remote control."),
        ("negated", "The licence you grant is for the mill."),
        ("negated", "The latter, as told, arrived and began to work."),
        ("summarized", "The mill burned. Nobody came."),
        ("summarized", "The men who had left were paid."),
        ("summarized", "They met Orla, the owner, and the pilot."),
        ("summarized", "The mill, which had burned, and the weir were sold."),
        ("summarized", "Before the storm, the mill, they say, was sold."),
    ],
)  # fmt: skip
def test_what_might_change_the_meaning_is_left_alone(name: str, summary: str) -> None:
    assert variant(name, summary) == summary


def test_the_sentence_that_is_least_like_the_summary_is_added() -> None:
    document = (
        "The mill of the old town has closed for ever. The council of the old town has sold the mill. "
        "Herons were nesting on the upper island in spring."
    )
    made = variant("added", "The council has sold the mill.", document)
    assert made == "The council has sold the mill. Herons were nesting on the upper island in spring."


@pytest.mark.parametrize(
    "leaning",
    [
        "They were nesting on the upper island in spring.",
        "But herons were nesting on the upper island in spring.",
        "Samira: Herons were nesting on the upper island in spring.",
        "“Herons were nesting on the upper island in spring,” one said.",
        "Were herons nesting on the upper island in spring?",
        "Herons on the upper island in the early spring.",
        "HERONS WERE NESTING ON THE UPPER ISLAND IN SPRING.",
        "Yeah, herons were nesting on the upper island in spring.",
        "Herons were were nesting on the upper island in spring.",
        "After all, herons were nesting on the upper island in spring.",
        "herons were nesting on the upper Island in spring.",
    ],
)
def test_a_sentence_that_leans_on_its_neighbours_is_not_added(leaning: str) -> None:
    with pytest.raises(UnscorableError, match="leans on its neighbours"):
        PERTURBATIONS.parse("added").edits(Example("x", leaning, "It rained."), random.Random(0))


def test_a_summary_without_a_last_stop_gets_one_before_what_is_added() -> None:
    document = "Herons were nesting on the upper island in spring."
    assert variant("added", "It rained", document) == f"It rained. {document}"


def test_a_sentence_in_small_letters_is_added_where_the_document_has_no_capitals() -> None:
    document = "herons were nesting on the upper island in spring ."
    edits = PERTURBATIONS.parse("added").edits(Example("x", document, "it rained ."), random.Random(0))
    assert edits[0].new == " herons were nesting on the upper island in spring ."


def test_words_are_repeated_by_a_sentence_of_about_that_length_or_the_beginning_of_the_longest() -> None:
    summary = "Ann came home. The council of the town will vote on the new bridge over the river in May."
    repeat = PERTURBATIONS.parse("repeated[words=3]")
    assert (
        executable.apply(summary, repeat.edits(Example("a", "d", summary), random.Random(0)))
        == f"{summary} Ann came home."
    )
    some = PERTURBATIONS.parse("repeated[words=8]").edits(Example("a", "d", summary), random.Random(0))
    assert executable.apply(summary, some) == f"{summary} The council of the town will vote on."
    with pytest.raises(UnscorableError, match="No sentence of the summary has 40 words"):
        PERTURBATIONS.parse("repeated[words=40]").edits(Example("a", "d", summary), random.Random(0))


@pytest.mark.parametrize(
    ("name", "summary", "variant_of_it"),
    [
        ("contractions", "The mill is not open.", "The mill isn't open."),
        ("contractions", "They will close it.", "They'll close it."),
        ("contractions", "The baker didn’t come.", "The baker did not come."),
        ("case", "It rained in Oslo.", "IT RAINED IN OSLO."),
        ("case[to=lower]", "It rained in Oslo.", "It rained in oslo."),
        ("case[to=lower]", "Mps of the US and the U.S. met Tom.", "Mps of the US and the U.S. met tom."),
        ("case[to=lower]", "TOM LEFT THE US.", "Tom left the us."),
        ("case[to=title]", "It isn't raining in Oslo.", "It Isn't Raining In Oslo."),
        ("punctuation[most=9]", "They sell bread, milk and eggs.", "They sell bread, milk, and eggs"),
        ("punctuation", "The mill's wheel", "The mill’s wheel"),
        ("homoglyphs[share=1]", "Rain fell", "Rаіn fеll"),
    ],
)
def test_the_surface_changes_and_the_words_stay(name: str, summary: str, variant_of_it: str) -> None:
    assert variant(name, summary) == variant_of_it


@pytest.mark.parametrize(
    ("name", "summary", "why"),
    [
        ("contractions", "It's raining, isn't it?", "neither a contraction that is sure"),
        ("case", "IT RAINED.", "no letter that would be written in another way"),
        ("homoglyphs[share=0]", "Rain fell.", "no share of the words"),
        ("invisible", "It is so.", "No word of the summary has four letters"),
        ("typing", "Tom Reid met Ana in May.", "five small letters"),
    ],
)
def test_where_the_surface_cannot_be_changed_the_reason_is_said(name: str, summary: str, why: str) -> None:
    with pytest.raises(UnscorableError, match=why):
        PERTURBATIONS.parse(name).edits(Example("x", summary, summary), random.Random(0))


@pytest.mark.parametrize("name", ["typing[most=20]", "ocr[most=20]"])
def test_a_slip_spells_no_other_word(name: str) -> None:
    summary = "The stern captain crossed the wide river before dark."
    for edit in PERTURBATIONS.parse(name).edits(Example("x", summary, summary), random.Random(0)):
        assert not is_dictionary_word(edit.new)
        assert edit.new[0] == edit.span.of(summary)[0]


def test_a_denial_is_framed_in_several_ways_where_that_is_asked_for() -> None:
    example = Example("x", "The firm will use the mill.", "The firm will use the mill.")
    several = PERTURBATIONS.parse("negated[frames=several]")
    made = {executable.apply(example.summary, several.edits(example, random.Random(seed))) for seed in range(40)}
    assert made == {
        f"{frame} that the firm will not use the mill."
        for frame in ("It is not the case", "It is not true", "It is false", "It would be wrong to say")
    }


def test_a_sentence_about_a_noun_that_was_introduced_stays_behind_or_is_not_added() -> None:
    document = (
        "A girl won the race. The girl was from a small town in the north. Herons were nesting on an island in spring."
    )
    assert variant("added", "It rained in Oslo.", document).endswith("The girl was from a small town in the north.")
    assert variant("added[nouns=introduced]", "It rained in Oslo.", document).endswith("an island in spring.")
    with pytest.raises(UnscorableError, match="that do not refer back"):
        PERTURBATIONS.parse("shuffled[nouns=introduced]").edits(
            Example("x", document, "A girl won a race. The girl was from a small town."), random.Random(0)
        )
