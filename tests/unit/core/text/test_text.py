"""Sentences and words are spans that know their place."""

from __future__ import annotations

import random
from math import fsum, log

import pytest
from hypothesis import given
from nltk.tokenize import sent_tokenize

from core.text.text import (
    NO_BLANK,
    closest_sentence,
    padded_words,
    sentences,
    splitter_name,
    spreadsheet_safe,
    spreadsheet_text,
    with_even_blanks,
    with_visible_controls,
    words,
)
from tests.doubles.process import finish, start
from tests.doubles.texts import RANDOM, random_text


def split(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


def test_sentences_lose_the_blanks_between_them() -> None:
    assert split("One came.  Two left.\n\nThree stayed. ") == ["One came.", "Two left.", "Three stayed."]


def test_leading_blanks_belong_to_the_first_sentence() -> None:
    assert split("  \n One came. Two left.") == ["  \n One came.", "Two left."]


def test_a_newline_alone_ends_no_sentence() -> None:
    assert split("The harbour\nwas closed\n\non Tuesday") == ["The harbour\nwas closed\n\non Tuesday"]


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0\u3000"])
def test_a_blank_text_has_no_sentence(text: str) -> None:
    assert sentences(text) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Brekke paid 3.4 million to the U.S. insurer on Jan. 5.",
        "He lives in St. Ives, e.g. near the harbour, i.e. by the sea.",
        "Rain fell at 5 p.m. and at 6 a.m. in the morning.",
        "He fled from the I.S.P. net at no. 12 in the street.",
    ],
)
def test_an_abbreviation_ends_no_sentence(sentence: str) -> None:
    assert split(f"{sentence} Nobody was hurt.") == [sentence, "Nobody was hurt."]


def test_a_closing_quotation_mark_stays_with_its_sentence() -> None:
    assert split('"We lose a day." She left.') == ['"We lose a day."', "She left."]


@given(RANDOM)
def test_sentences_stand_in_order_and_leave_out_only_blanks(rng: random.Random) -> None:
    text = random_text(rng, 60)
    spans = sentences(text)
    left_out = "".join(
        text[before:after]
        for before, after in zip(
            [0, *(span.end for span in spans)], [*(span.start for span in spans), len(text)], strict=True
        )
    )
    assert all(span.start < span.end for span in spans)
    assert left_out.strip() == ""
    assert sum(span.end - span.start for span in spans) + len(left_out) == len(text)


@pytest.mark.skipif(splitter_name() != "punkt-tab", reason="NLTK's trained Punkt parameters are not on this machine")
@given(RANDOM)
def test_with_the_trained_parameters_sentences_are_those_of_nltk(rng: random.Random) -> None:
    text = random_text(rng, 60)
    assert split(text) == [sentence for sentence in sent_tokenize(text) if sentence.strip()]


def test_words_are_lower_case_runs_of_letters_and_digits() -> None:
    assert words("Dr. Brekke's 3.4 ÉCLAIRS 東京!") == ("dr", "brekke", "s", "3", "4", "éclairs", "東京")


@given(RANDOM)
def test_the_closest_sentence_has_the_largest_weighted_share_of_words_in_common(rng: random.Random) -> None:
    # of few words, so that sentences share many of them, and some have the same ones
    known = "boat crew dawn fish harbour ice jetty".split()
    stated = [" ".join(rng.choices(known, k=rng.randint(1, 4))).capitalize() for _ in range(rng.randint(1, 12))]
    document, claim = (
        f"{'. '.join(stated)}.",
        " ".join(rng.choices([*known, "kelp", "lamp", "mast"], k=rng.randint(1, 6))),
    )
    vocabularies = [set(words(span.of(document))) for span in sentences(document)]

    def weight(some: set[str]) -> float:
        having = {word: sum(word in found for found in vocabularies) or 1 for word in some}
        return fsum(log(1 + len(vocabularies) / count) for count in having.values())

    wanted = set(words(claim))
    shares = [weight(wanted & found) / weight(wanted | found) if wanted & found else 0.0 for found in vocabularies]
    closest = closest_sentence(document, claim)
    if closest is None:
        assert max(shares, default=0.0) == 0.0
    else:
        place = sentences(document).index(closest)
        assert shares[place] == pytest.approx(max(shares))
        assert vocabularies.index(vocabularies[place]) == place  # the first of those with the same words


def test_a_sentence_that_shares_more_is_closer_to_a_claim_full_of_other_words() -> None:
    document = "Ice. Boat crew dawn fish harbour jetty."
    assert closest_sentence(document, "Ice, boat, crew") == sentences(document)[0]
    assert closest_sentence(document, "Ice, boat, crew, kelp, lamp, mast, oar, pier") == sentences(document)[1]


def test_running_words_find_whole_words_only() -> None:
    assert " a day " in padded_words("We lose a day.")
    assert " a da " not in padded_words("We lose a day.")


ALL_AT_ONCE = """
import sys, threading
from core.text.english.wordnet import is_installed
from core.scoring.metrics.factcg import _tokenize
from core.scoring.metrics.rouge import _stemmer
from core.text.text import sentences, splitter_name
barrier, done = threading.Barrier(5), []
def first(use):
    barrier.wait()
    done.append(use())
uses = [is_installed, _tokenize, _stemmer, splitter_name, lambda: sentences("One came. Two left.")]
threads = [threading.Thread(target=first, args=(use,)) for use in uses]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(done), {"pandas", "scipy", "sklearn"} & set(sys.modules))
"""


@pytest.mark.slow
def test_threads_that_need_nltk_first_at_the_same_moment_all_get_it() -> None:
    """As metrics do at the first score of a process; NLTK is imported by one of them, the others wait, and nothing large comes along."""
    assert finish(start("-c", ALL_AT_ONCE)) == (0, "5 set()\n", "")


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1", "@x", "\t=1", " =1", "\u00a0=1", "\u3000=1", "\ufeff=1", "\u200b=1"),
        *("\uff1d1", "\uff0b1", "\uff0d1", "\uff20x", "\r", "\nx"),
    ],
)
def test_no_spreadsheet_takes_a_text_for_a_formula(cell: str) -> None:
    assert spreadsheet_safe(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "word", " a = b", "é", "(1)"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert spreadsheet_safe(cell) == cell


def test_characters_that_turn_the_direction_are_seen_and_places_stay() -> None:
    hidden = "It is \u202econsistent\u202c, \u2067no\u2069. \u200f\u05e9"
    shown = with_visible_controls(hidden)
    assert shown == "It is \u2426consistent\u2426, \u2426no\u2426. \u200f\u05e9"
    assert len(shown) == len(hidden)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("It fell in 1990 . He sang", "It fell in 1990. He sang"),
        ("  It  fell\u00a0\u2009in\t1990. ", "It fell in 1990."),
        ("One line. \r\n \n Another ( tall ) one", "One line.\nAnother (tall) one"),
        ("3.4 % of \u201c it \u201d", "3.4% of \u201cit\u201d"),
        (" \n ", ""),
    ],
)
def test_even_blanks_are_seen_and_places_stay(text: str, seen: str) -> None:
    shown = with_even_blanks(text)
    assert shown.replace(NO_BLANK, "") == seen
    assert len(shown) == len(text)
    assert [at for at, letter in enumerate(text) if not letter.isspace()] == [
        at for at, letter in enumerate(shown) if not letter.isspace() and letter != NO_BLANK
    ]


@pytest.mark.parametrize("text", ["=1+1", "'=1+1", "''=1+1", "'tis so", "'", "", " =1", "'\ufeff-3", "-3", "plain"])
def test_the_text_of_a_cell_comes_back(text: str) -> None:
    assert spreadsheet_text(spreadsheet_safe(text)) == text
