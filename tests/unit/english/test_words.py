"""Inflection, articles, names, dates and numbers."""

from __future__ import annotations

import pytest

from core.english.articles import article
from core.english.names import Sort, names
from core.english.numbers import numbers, others
from core.english.stems import stems
from core.english.times import dates
from core.english.tokens import tokenised
from core.english.verbs import Form, inflected, readings


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("stop", ["stop", "stops", "stopped", "stopped", "stopping"]),
        ("deny", ["deny", "denies", "denied", "denied", "denying"]),
        ("die", ["die", "dies", "died", "died", "dying"]),
        ("agree", ["agree", "agrees", "agreed", "agreed", "agreeing"]),
        ("refuse", ["refuse", "refuses", "refused", "refused", "refusing"]),
        ("begin", ["begin", "begins", "began", "begun", "beginning"]),
        ("pass", ["pass", "passes", "passed", "passed", "passing"]),
        ("play", ["play", "plays", "played", "played", "playing"]),
        ("withhold", ["withhold", "withholds", "withheld", "withheld", "withholding"]),
        ("offer", ["offer", "offers", "offered", "offered", "offering"]),
    ],
)
def test_a_verb_has_five_forms(base: str, forms: list[str]) -> None:
    assert [inflected(base, form) for form in Form] == forms


def test_a_form_is_read_back_as_its_verbs() -> None:
    assert set(readings("sold")) == {("sell", Form.PAST), ("sell", Form.PARTICIPLE)}
    assert set(readings("cut")) == {("cut", Form.BASE), ("cut", Form.PAST), ("cut", Form.PARTICIPLE)}
    assert readings("harbour") == ()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *((word, "an") for word in ["apple", "hour", "honest", "80", "81-year-old", "11", "18", "8,200", "11,000", "MP", "FBI", "uninjured", "umbrella", "Oslo"]),
        *((word, "a") for word in ["boat", "unit", "university", "European", "one", "use", "house", "110", "12", "1,100", "UK", "BBC", "US"]),
    ],
)  # fmt: skip
def test_the_article_follows_the_sound(word: str, expected: str) -> None:
    assert article(word) == expected


@pytest.mark.parametrize(
    ("text", "sorts"),
    [
        ("Mr Adeyemi met Ana Costa in Oslo.", {"Mr Adeyemi": Sort.MAN, "Ana Costa": Sort.WOMAN, "Oslo": Sort.CITY}),
        ("Ana Costa left. Then Costa returned.", {"Ana Costa": Sort.WOMAN, "Costa": Sort.WOMAN}),
        ("He drove to Boston, Lincolnshire.", {}),
        ("They fished near Kolvik, and left Kolvik at once.", {"Kolvik": Sort.PLACE}),
        ("The Rose Street School and Mark Lane Station closed.", {}),
        ("He read the Paris-Match.", {}),
        ("The Merrow Council met.", {"Merrow Council": Sort.ORGANISATION}),
    ],
)
def test_names_have_a_sort_only_where_signs_are_plain(text: str, sorts: dict[str, Sort]) -> None:
    assert {name.text: name.sort for name in names(text, text)} == sorts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was on Monday, 3 May 2014, in the evening.", ["Monday", "3 May", "2014"]),
        ("Since 1908 it has rained every evening.", ["1908", "evening"]),
        ("He may march 2000 miles; 1908 people came.", []),
        ("The Saturday Evening Post came on Good Friday in June.", ["June"]),
    ],
)
def test_dates_are_found_where_they_are_announced(text: str, found: list[str]) -> None:
    assert [date.text for date in dates(text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Some 8,200 scooters and twelve bikes cost 3.5 million.", ["8,200", "twelve", "3.5"]),
        ("It ended 2-1 in 2014, at 10:45, with one of the two.", []),
        ("A three-year-old boy ate seven in ten.", ["three"]),
        ("Code F28, World War 2, 1st, 5th, 20 to 30.", []),
    ],
)
def test_numbers_are_found_where_they_stand_alone(text: str, found: list[str]) -> None:
    assert [number.text for number in numbers(text)] == found


@pytest.mark.parametrize("number", ["two", "twelve", "twenty", "3.5", "8,200", "27"])
def test_other_numbers_are_clearly_other(number: str) -> None:
    assert others(number)
    assert number not in others(number)


def test_words_have_stems_in_common_where_one_is_a_form_of_the_other() -> None:
    assert stems("sold") & stems("sells")
    assert stems("cities") & stems("city")
    assert not stems("boat") & stems("boast")


def test_tokens_keep_their_places() -> None:
    text = "The ship's owner – aged 8,200 – left. Good."
    found = [[token.text for token in sentence] for sentence in tokenised(text)]
    assert found == [["The", "ship's", "owner", "–", "aged", "8,200", "–", "left", "."], ["Good", "."]]
    assert all(token.span.of(text) == token.text for sentence in tokenised(text) for token in sentence)
