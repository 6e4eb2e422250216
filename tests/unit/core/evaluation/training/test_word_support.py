"""The trained metric that ships: a score for each sentence and word, and an edit that asks about its own sentence alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from math import exp
from pathlib import Path

import pytest

from core.data.datasets.bundled import bundled_items
from core.models.words.head import document_key
from core.results.cases.bundled_scores import bundled_samples
from core.results.cases.pooling import scores_out_of_fold, training_documents, training_overlaps
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.mine import EmbeddedWordSupport
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Answer, Example, Result, Span

DOCUMENT = "The harbour closed at noon. A ship waited outside for the pilot, who came at two. Nobody was hurt."
FAITHFUL, EDITED = "A ship waited outside. The pilot came at two.", "A ship waited outside. The pilot came at seven."


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("cache")
    with closing(Engine.open(Settings(cache_dir=folder, device="cpu"))) as opened:
        yield opened


def scored(engine: Engine, summary: str) -> Result:
    [(_, outcome)] = engine.run([METRICS.parse("word-support")], [Example("pair", DOCUMENT, summary)])
    assert isinstance(outcome, Result), outcome
    return outcome


def test_an_edited_sentence_alone_is_asked_again(engine: Engine) -> None:
    before, after = scored(engine, FAITHFUL), scored(engine, EDITED)
    assert before.counts.planned == 2
    assert (after.counts.asked, after.counts.cached) == (1, 1)
    assert before.parts[0] == after.parts[0]
    assert after.score < before.score


def test_a_score_has_two_reasons_to_doubt() -> None:
    metric, example = EmbeddedWordSupport(), Example("pair", DOCUMENT, FAITHFUL)
    places = [Span(0, 1), Span(2, 6), Span(7, 10)]
    answers = [
        Answer((2.0, 3.0, 2.0, 0.0, 0.9, 0.9, 0.9), (*places, Span(0, 9))),
        Answer((0.5, 1.0, 2.0, 0.0, 0.9, 0.9, 0.9), (*places, Span(0, 9))),
    ]
    score = metric.fold(example, metric.plan(example), answers)

    def both(worst: float, share: float) -> float:
        return 1 / (1 + exp(-worst)) / (1 + exp(-share))

    assert score.value == pytest.approx(both(0.5, 4 / 4))
    assert [part.score for part in score.parts] == pytest.approx([both(2.0, 1.5), both(0.5, 0.5)])
    of_cross_encoder = [Answer((0.8,), (Span(0, 9),)), Answer((0.9,), (Span(0, 9),))]
    assert metric.fold(example, metric.plan(example), of_cross_encoder).value == pytest.approx(0.72)


@pytest.mark.parametrize(
    "copy",
    [
        DOCUMENT,
        DOCUMENT.upper(),
        DOCUMENT[:27],
        "Nobody was hurt.",
        "A ship waited outside for the pilot, who came at two.",
    ],
)
def test_a_copy_of_any_length_is_supported(engine: Engine, copy: str) -> None:
    assert scored(engine, copy).score >= 0.95


@pytest.mark.parametrize(
    "text",
    [
        *(
            "no",
            "No.",
            "I cannot summarise this.",
            "b c d f g",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        ),
        "It is what it was, and they are there.",
    ],
)
def test_a_text_without_content_is_below_what_is_said_in_other_words(engine: Engine, text: str) -> None:
    assert scored(engine, text).score < 0.1 < scored(engine, "A vessel waited outside. Its pilot came at two.").score


@pytest.mark.parametrize(
    "twin",
    [
        "- A ship waited outside\n- The pilot came at two",
        "1. A ship waited outside.\n2. The pilot came at two.",
        "## Summary\n\nA ship waited outside.\n\nThe pilot came at two.",
        "**A ship** waited outside. The *pilot* came at two.",
        "A ship waited\noutside. The pilot\ncame at two.",
        "A\u00a0ship waited out\u00adside. The pilot came at two.",
        "a ship waited outside. the pilot came at two.",
        "A SHIP WAITED OUTSIDE. THE PILOT CAME AT TWO.",
        "“A ship waited outside.” The pilot came — at two.",
    ],
)
def test_layout_case_and_encoding_move_little(engine: Engine, twin: str) -> None:
    score = scored(
        engine, twin.replace("“", '"').replace("”", '"').replace("—", "-") if "“" in twin else FAITHFUL
    ).score
    assert scored(engine, twin).score == pytest.approx(score, abs=0.05)
    assert len(scored(engine, twin).parts) == 2


@pytest.mark.slow
def test_one_false_word_in_ten_sentences_is_beyond_harmless_edits(engine: Engine) -> None:
    item = bundled_items()[0].example
    ten = " ".join(span.of(item.document).strip() for span in sentences(item.document)[:10])
    # a harmless one: the sentences in another order
    order = " ".join(span.of(item.document).strip() for span in sentences(item.document)[9::-1])
    wrong = ten.replace(" the ", " no ", 1)
    pairs = [Example(str(place), item.document, text) for place, text in enumerate([ten, order, wrong])]
    before, harmless, broken = (
        outcome.score
        for _, outcome in engine.run([METRICS.parse("word-support")], pairs)
        if isinstance(outcome, Result)
    )
    assert harmless == pytest.approx(before, abs=0.01)
    assert broken < before - 0.1


@pytest.mark.parametrize("change", [" {}", "{} ", "{}\n"])
def test_a_blank_at_the_end_of_a_bundled_document_changes_nothing(engine: Engine, change: str) -> None:
    item = bundled_items()[-1].example
    documents = [item.document, change.format(item.document)]
    pairs = [Example(str(place), text, item.summary) for place, text in enumerate(documents)]
    found = [outcome for _, outcome in engine.run([METRICS.parse("word-support")], pairs)]
    one, other = (outcome.score for outcome in found if isinstance(outcome, Result))
    assert other == pytest.approx(one, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("there", "here", "wrong"), [("U.K.", "UK", "U.S."), ("UK", "U.K.", "US"), ("U.K.", "U.K.", "U.S.")]
)
def test_initials_say_the_same_without_points_and_others_are_wrong(
    engine: Engine, there: str, here: str, wrong: str
) -> None:
    document = (
        f"Ministers of the {there} met the union in Harwick on Monday. They agreed on the fishing quota of next year."
    )
    pairs = [
        Example(str(place), document, f"Ministers of the {name} met the union in Harwick.")
        for place, name in enumerate([there, here, wrong])
    ]
    found = [outcome for _, outcome in engine.run([METRICS.parse("word-support")], pairs)]
    same, other, foreign = (outcome.score for outcome in found if isinstance(outcome, Result))
    assert other == pytest.approx(same, abs=0.1)
    assert foreign < other - 0.3


@pytest.mark.slow
@pytest.mark.parametrize("write", [str.lower, str.upper])
def test_a_bundled_summary_says_the_same_in_other_letters(engine: Engine, write: Callable[[str], str]) -> None:
    item = bundled_items()[0].example
    pairs = [Example(str(place), item.document, text) for place, text in enumerate([item.summary, write(item.summary)])]
    found = [outcome for _, outcome in engine.run([METRICS.parse("word-support")], pairs)]
    one, other = (outcome.score for outcome in found if isinstance(outcome, Result))
    assert other == pytest.approx(one, abs=0.02)


def test_the_wrong_number_is_the_least_supported_word(engine: Engine) -> None:
    words = scored(engine, EDITED).parts[1].words
    assert min(words, key=lambda word: word.score).span.of(EDITED) == "seven"
    assert [word.span.of(EDITED) for word in words] == ["The", "pilot", "came", "at", "seven"]


def test_what_ships_learned_from_the_bundled_documents_of_today() -> None:
    bundled = {document_key(item.example.document) for item in bundled_items()}
    assert bundled <= training_documents("word-support"), "Run: make train-embedded"
    assert scores_out_of_fold("word-support")


@pytest.mark.slow
def test_evaluation_says_that_known_documents_are_scored_out_of_fold() -> None:
    [said] = training_overlaps({bundled_samples()[0].document}, {"word-support"})
    assert said.startswith(
        "★ Word support learned from 1 of these 1 documents. Each is scored by the part of it that did not"
    )
