"""Sentences and words are spans that know their place."""

from __future__ import annotations

import random
from math import fsum, log

import pytest
from hypothesis import given
from nltk.tokenize import sent_tokenize

from core.text.segmentation import (
    closest_sentence,
    padded_words,
    sentences,
    splitter_name,
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
from core.text.segmentation import sentences, splitter_name
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
