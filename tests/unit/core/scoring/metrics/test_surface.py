"""Surface metrics against values computed by hand and against the definition of Grusky et al., written down naively."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from core.errors import UnscorableError
from core.scoring.metric import METRICS
from core.text.segmentation import words
from core.types import Answer, Example, Score, Span
from tests.doubles.texts import RANDOM, random_text

DOCUMENT = "Ana Brekke owns the Skarv. The storm of 1961 tore two ferries away. Nobody was hurt in Lindvale."


def score(name: str, summary: str, document: str = DOCUMENT) -> Score:
    return METRICS.parse(name).fold(Example("pair", document, summary), [], [])


def value(name: str, summary: str, document: str = DOCUMENT) -> float:
    return score(name, summary, document).value


def fragments(document: list[str], summary: list[str]) -> list[list[str]]:
    """Figure 3 of Grusky et al. 2018, Newsroom, line by line."""
    found: list[list[str]] = []
    i = j = 0
    while i < len(summary):
        longest: list[str] = []
        while j < len(document):
            if summary[i] == document[j]:
                at, there = i, j
                while at < len(summary) and there < len(document) and summary[at] == document[there]:
                    at, there = at + 1, there + 1
                if len(longest) < at - i:
                    longest = summary[i:at]
                j = there
            else:
                j += 1
        i, j = i + max(len(longest), 1), 0
        if longest:
            found.append(longest)
    return found


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Nobody was hurt.", 0.0),
        ("Nobody was killed.", 1 / 3),
        ("nobody NOBODY, somebody: somebody!", 2 / 4),
        ("Everything else differs", 1.0),
    ],
)
def test_word_novelty_is_the_share_of_words_that_the_document_lacks(summary: str, expected: float) -> None:
    assert value("word-novelty", summary) == expected


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Nobody was hurt in Lindvale.", 0.0),
        ("nobody was hurt, in Lindvale! The Skarv the storm.", 0.0),  # case and punctuation do not count
        ("The Skarv. The storm of 1961.", 0.0),
        ("Nobody was killed. Nobody was hurt. Two ferries sank.", 2 / 3),
    ],
)
def test_sentence_novelty_is_the_share_of_sentences_that_are_not_copied(summary: str, expected: float) -> None:
    assert value("sentence-novelty", summary) == expected


def test_a_sentence_that_ends_in_half_a_word_of_the_document_is_not_copied() -> None:
    assert value("sentence-novelty", "Nobody was hur.") == 1.0


@pytest.mark.parametrize(("summary", "expected"), [("Nobody was hurt.", 3 / 18), (DOCUMENT, 1.0), (DOCUMENT * 2, 2.0)])
def test_conciseness_is_words_of_the_summary_per_word_of_the_document(summary: str, expected: float) -> None:
    assert value("conciseness", summary) == expected


def test_conciseness_as_the_paper_has_it_is_words_of_the_document_per_word_of_the_summary() -> None:
    assert value("conciseness[numerator=document]", "Nobody was hurt.") == 18 / 3


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Ana Brekke sailed in 1961.", 1.0),
        ("Ana Brekke sailed in 1962.", 1 / 2),
        ("In Lindvale, Ana Berg met Ana Brekke and Olaf.", 2 / 4),
        ("The year 1961, again 1961, and 1999.", 1 / 2),
        ("Skarv was hurt.", 1.0),
    ],
)
def test_entity_overlap_is_the_share_of_names_and_numbers_that_the_document_holds(
    summary: str, expected: float
) -> None:
    assert value("entity-overlap", summary) == expected


@pytest.mark.parametrize(
    ("summary", "coverage", "density"),
    [
        ("Nobody was hurt.", 1.0, 9 / 3),
        ("Nobody was killed.", 2 / 3, 4 / 3),
        ("The ferries tore two ferries away.", 1.0, (1 + 1 + 16) / 6),
        ("Everything else differs.", 0.0, 0.0),
    ],
)
def test_coverage_and_density_of_small_examples(summary: str, coverage: float, density: float) -> None:
    assert value("coverage", summary) == coverage
    assert value("density", summary) == density


@given(RANDOM)
def test_coverage_and_density_are_those_of_the_definition(rng: random.Random) -> None:
    few = "the cat sat on a mat and a dog sat on the cat".split()
    document = " ".join(rng.choices(few, k=rng.randint(1, 60))) + random_text(rng, 10)
    summary = " ".join(rng.choices(few, k=rng.randint(1, 25)))
    lengths = [len(fragment) for fragment in fragments(list(words(document)), list(words(summary)))]
    assert value("coverage", summary, document) == sum(lengths) / len(words(summary))
    assert value("density", summary, document) == sum(length**2 for length in lengths) / len(words(summary))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("word-novelty", "The summary holds no word"),
        ("sentence-novelty", "The summary holds no word"),
        ("conciseness", "The summary holds no word"),
        ("coverage", "The summary holds no word"),
        ("density", "The summary holds no word"),
        ("entity-overlap", "The summary names nothing"),
    ],
)
def test_a_summary_without_words_is_refused_with_the_reason(name: str, message: str) -> None:
    with pytest.raises(UnscorableError, match=message):
        score(name, "… !")


def test_a_document_without_words_has_no_length_to_compare_with() -> None:
    with pytest.raises(UnscorableError, match="The document holds no word"):
        score("conciseness", "Rain fell.", "… !")


def test_a_sentence_for_which_a_measure_is_undefined_has_no_part() -> None:
    found = score("entity-overlap", "Ana Brekke sailed. She was happy. It was 1961.")
    assert [part.span for part in found.parts] == [Span(0, 18), Span(34, 46)]


def test_the_evidence_of_a_sentence_is_the_closest_one_of_the_document() -> None:
    [part] = score("word-novelty", "Two ferries were torn away by the storm.").parts
    assert part.evidence is not None
    assert part.evidence.of(DOCUMENT) == "The storm of 1961 tore two ferries away."


def test_a_sentence_that_shares_no_word_has_no_evidence() -> None:
    [part] = score("word-novelty", "Everything else differs.").parts
    assert part.evidence is None


def test_length_and_position_of_a_summary_are_counted_in_words() -> None:
    assert value("summary-length", "Nobody was hurt in the town.") == 6
    document = "one two three four five six seven eight nine ten"
    assert value("source-position", "One two three.", document) == pytest.approx(0.1)
    assert value("source-position", "Nine ten, and more.", document) == pytest.approx(0.85)
    with pytest.raises(UnscorableError, match="it has no place there"):
        value("source-position", "Else.", document)


def test_entities_of_a_pipeline_count_once_by_their_words_and_without_their_article() -> None:
    summary = "The Bank of Japan met in Oslo. Oslo was cold. It rained."
    example = Example("bank", "In OSLO the Bank of England met.", summary)
    metric = METRICS.parse("entity-overlap[parser=package:en_core_web_sm]")
    conversation = metric.rounds(example)
    [question] = next(conversation)
    assert (question.inputs, dict(question.options)["of"]) == ((summary,), "entities")
    places = [(0, 17), (25, 29), (31, 35)]
    assert [summary[start:end] for start, end in places] == ["The Bank of Japan", "Oslo", "Oslo"]
    with pytest.raises(StopIteration) as ended:
        conversation.send([Answer(spans=tuple(Span(*place) for place in places))])
    assert ended.value.value.value == 0.5
    assert [part.score for part in ended.value.value.parts] == [0.5, 1.0]


def test_a_summary_in_which_the_pipeline_finds_no_entity_has_no_overlap() -> None:
    metric = METRICS.parse("entity-overlap[parser=package:en_core_web_sm]")
    conversation = metric.rounds(Example("rain", "It rained in Oslo.", "It rained."))
    next(conversation)
    with pytest.raises(UnscorableError, match="finds no entity"):
        conversation.send([Answer()])


def test_without_a_pipeline_the_entities_are_those_of_the_rules() -> None:
    assert METRICS.parse("entity-overlap").checkpoints() == ()
    assert METRICS.parse("entity-overlap").spec == "entity-overlap"
