"""The languages of a document and its summary in words."""

from __future__ import annotations

import pytest

from core.data.datasets.bundled import bundled_items
from core.text.named_languages import format_named_languages, name_language, name_languages

GERMAN = "Die Brücke soll laut dem Bürgermeister im März wieder öffnen. Das teilte die Stadt am Dienstag allen Anwohnern mit."
ENGLISH = "The bridge is to reopen in March, as the mayor said. The town told everybody who lives there on Tuesday."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ENGLISH, "English"),
        (GERMAN, "German"),
        ("市長は橋が三月に再開すると述べた。", "Japanese"),
        (f"{GERMAN} {ENGLISH}", "mixed German and English"),
        (f"{ENGLISH}\n\n- {GERMAN}", "mixed German and English"),
        ("नगर पुल मार्च", "Devanagari script"),
        ("Xqzt wvbrk plomf gnarv trelk", "uncertain"),
        ("No.", ""),
        ("1,204 – 17 %", ""),
    ],
)
def test_a_language_has_its_name(text: str, name: str) -> None:
    if name.startswith("mixed"):
        assert {*name_language(text).split()} == {*name.split()}
    else:
        assert name_language(text) == name


def test_bundled_texts_are_english_and_nothing_is_said() -> None:
    examples = [item.example for item in bundled_items()]
    assert {name_languages(example.document, example.summary) for example in examples} == {
        "English document, English summary"
    }


def test_the_line_is_there_only_where_something_is_not_english() -> None:
    assert format_named_languages({name_languages(GERMAN, ENGLISH): 1}) == "Language: German document, English summary"
    assert format_named_languages({name_languages(ENGLISH, "No."): 1, name_languages("", ENGLISH): 2, "": 1}) == ""
    counts = {name_languages(ENGLISH, ENGLISH): 2, name_languages(GERMAN, ENGLISH): 3}
    assert format_named_languages(counts) == (
        "Languages: German document, English summary (3); English document, English summary (2)"
    )
