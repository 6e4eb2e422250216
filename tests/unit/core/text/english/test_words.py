"""Inflection, articles, names, dates and numbers."""

from __future__ import annotations

import pytest

from core.text.english.dates import find_dates
from core.text.english.inflection import VerbForm, base_forms, indefinite_article, inflect, verb_readings
from core.text.english.names import NameKind, find_names
from core.text.english.numbers import find_numbers, other_numbers
from core.text.english.syntax import tokenize


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
        ("control", ["control", "controls", "controlled", "controlled", "controlling"]),
        ("split", ["split", "splits", "split", "split", "splitting"]),
        ("uphold", ["uphold", "upholds", "upheld", "upheld", "upholding"]),
        ("show", ["show", "shows", "showed", "shown", "showing"]),
        ("get", ["get", "gets", "got", "got", "getting"]),
        ("offer", ["offer", "offers", "offered", "offered", "offering"]),
    ],
)
def test_a_verb_has_five_forms(base: str, forms: list[str]) -> None:
    assert [inflect(base, form) for form in VerbForm] == forms


def test_a_form_is_read_back_as_its_verbs() -> None:
    assert set(verb_readings("sold")) == {("sell", VerbForm.PAST), ("sell", VerbForm.PARTICIPLE)}
    assert set(verb_readings("cut")) == {("cut", VerbForm.BASE), ("cut", VerbForm.PAST), ("cut", VerbForm.PARTICIPLE)}
    assert verb_readings("harbour") == ()


def test_both_spellings_of_a_form_are_read_back() -> None:
    assert set(verb_readings("cancelled")) == set(verb_readings("canceled")) != set()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *((word, "an") for word in ["apple", "hour", "honest", "80", "81-year-old", "11", "18", "8,200", "11,000", "MP", "FBI", "uninjured", "umbrella", "Oslo"]),
        *((word, "a") for word in ["boat", "unit", "university", "European", "one", "use", "house", "110", "12", "1,100", "UK", "BBC", "US"]),
    ],
)  # fmt: skip
def test_the_article_follows_the_sound(word: str, expected: str) -> None:
    assert indefinite_article(word) == expected


@pytest.mark.parametrize(
    ("text", "sorts"),
    [
        (
            "Mr Adeyemi met Ana Costa in Oslo.",
            {"Mr Adeyemi": NameKind.MAN, "Ana Costa": NameKind.WOMAN, "Oslo": NameKind.CITY},
        ),
        ("Ana Costa left. Then Costa returned.", {"Ana Costa": NameKind.WOMAN, "Costa": NameKind.WOMAN}),
        ("He drove to Boston, Lincolnshire.", {}),
        ("They fished near Kolvik, and left Kolvik at once.", {"Kolvik": NameKind.PLACE}),
        ("Crops in Victoria are late.", {"Victoria": NameKind.PLACE}),
        ("Victoria Hale farms in Victoria.", {"Victoria Hale": NameKind.WOMAN, "Victoria": NameKind.PLACE}),
        ("The Rose Street School and Mark Lane Station closed.", {}),
        ("He read the Paris-Match.", {}),
        ("The Merrow Council met.", {"Merrow Council": NameKind.ORGANISATION}),
    ],
)
def test_names_have_a_sort_only_where_signs_are_plain(text: str, sorts: dict[str, NameKind]) -> None:
    assert {name.text: name.kind for name in find_names(text, text)} == sorts


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
    assert [date.text for date in find_dates(text)] == found


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
    assert [number.text for number in find_numbers(text)] == found


@pytest.mark.parametrize("number", ["two", "twelve", "twenty", "3.5", "8,200", "27"])
def test_other_numbers_are_clearly_other(number: str) -> None:
    assert other_numbers(number)
    assert number not in other_numbers(number)


def test_words_have_stems_in_common_where_one_is_a_form_of_the_other() -> None:
    assert base_forms("sold") & base_forms("sells")
    assert base_forms("cities") & base_forms("city")
    assert base_forms("women") & base_forms("woman")
    assert not base_forms("boat") & base_forms("boast")


@pytest.mark.parametrize(("word", "other"), [("ines", "in"), ("mrs", "mr"), ("70s", "70"), ("news", "new")])
def test_an_ending_that_is_no_inflection_is_not_taken_off(word: str, other: str) -> None:
    assert not base_forms(word) & base_forms(other)


def test_tokens_keep_their_places() -> None:
    text = "The ship's owner – aged 8,200 – left. Good."
    found = [[token.text for token in sentence] for sentence in tokenize(text)]
    assert found == [["The", "ship's", "owner", "–", "aged", "8,200", "–", "left", "."], ["Good", "."]]
    assert all(token.span.of(text) == token.text for sentence in tokenize(text) for token in sentence)
