"""Synonyms by a tiny WordNet: what is sure is replaced, and what is not is left alone."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import nltk.data
import pytest

from core.edits.perturbation import PERTURBATIONS
from core.errors import UnscorableError
from core.text.edits import apply
from core.text.english.synonyms import wordnet_lexicon
from core.text.english.syntax import tokenize
from core.text.english.wordnet import load_wordnet
from core.types import Example
from tests.tiny_wordnet import write_wordnet


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """NLTK's only folder of data, empty."""
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    load_wordnet.cache_clear()
    yield tmp_path
    load_wordnet.cache_clear()


@pytest.fixture
def wordnet(data: Path) -> Path:
    write_wordnet(data)
    return data


def changes(summary: str) -> set[tuple[str, str]]:
    """Which words may be replaced by which."""
    lexicon = wordnet_lexicon()
    assert lexicon is not None
    return {
        (span.of(summary), new) for sentence in tokenize(summary) for span, new in lexicon.synonyms(summary, sentence)
    }


@pytest.mark.usefixtures("wordnet")
@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("The physician left.", {("physician", "doctor")}),
        ("Two inquests were held.", {("inquests", "enquiries")}),
        ("He bought the boat.", {("bought", "purchased")}),
        ("They saw a huge ship.", {("huge", "enormous")}),
        ("It rapidly grew.", {("rapidly", "speedily")}),
        ("He left in the truck.", {("truck", "lorry")}),
    ],
)
def test_a_word_of_one_meaning_gives_way_in_its_form(summary: str, expected: set[tuple[str, str]]) -> None:
    assert changes(summary) == expected


@pytest.mark.usefixtures("wordnet")
@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        ("He sat on the bank.", "two senses are about as frequent"),
        ("They shore it up.", "its synonym is mostly used in another sense"),
        ("Two men left.", "its plural is irregular"),
        ("Two tykes left.", "the plural of its synonym is irregular"),
        ("They truck it there.", "it may be a noun or a verb here"),
        ("A grand ship.", "it may be a noun or an adjective"),
        ("The fire engine came.", "it is a piece of an expression"),
        ("The truck engine died.", "it is a piece of a compound"),
        ("The Huge Physician Company left.", "it is a name"),
        ("The doctor left.", "its synonyms are a rare word and none that it mostly means"),
        ("The evening was dark.", "its synonym is mostly another part of speech"),
        ("Physician left.", "it opens a sentence with a capital"),
    ],
)
def test_a_word_that_is_not_sure_is_left_alone(summary: str, reason: str) -> None:
    assert changes(summary) == set(), reason


@pytest.mark.usefixtures("wordnet")
def test_the_signature_and_the_explanation_say_that_it_was_wordnet() -> None:
    synonyms = PERTURBATIONS.parse("synonyms[lexicon=wordnet]")
    summary = "The inquest was short."
    edits = synonyms.edits(Example("a", summary, summary), random.Random(0))
    assert apply(summary, edits) == "The enquiry was short."
    assert [edit.explanation for edit in edits] == ["Says the same by WordNet."]
    assert synonyms.signature.startswith("synonyms[lexicon=wordnet]|lexicon:wordnet#")


@pytest.mark.usefixtures("wordnet")
def test_wordnet_adds_to_the_bundled_list() -> None:
    synonyms = PERTURBATIONS.parse("synonyms[most=9]")
    summary = "Nobody came to the inquest."
    edits = synonyms.edits(Example("a", summary, summary), random.Random(0))
    assert apply(summary, edits) == "No one came to the enquiry."
    assert synonyms.signature.startswith("synonyms[most=9]|lexicon:bundled+wordnet#")


@pytest.mark.usefixtures("wordnet")
def test_the_article_follows_the_synonym() -> None:
    summary = "He led an inquest."
    edits = PERTURBATIONS.parse("synonyms").edits(Example("a", summary, summary), random.Random(0))
    assert apply(summary, edits) == "He led an enquiry."


def test_a_zip_file_as_nltk_leaves_it_is_read_alike(wordnet: Path) -> None:
    before = changes("The physician left.")
    shutil.make_archive(str(wordnet / "corpora" / "wordnet"), "zip", wordnet / "corpora", "wordnet")
    shutil.rmtree(wordnet / "corpora" / "wordnet")
    load_wordnet.cache_clear()
    assert changes("The physician left.") == before


@pytest.mark.usefixtures("data")
def test_without_wordnet_the_bundled_list_is_used_and_said() -> None:
    synonyms = PERTURBATIONS.parse("synonyms")
    summary = "Nobody came."
    [edit] = synonyms.edits(Example("a", summary, summary), random.Random(0))
    assert (edit.new, edit.explanation) == ("No one", "Says the same by the bundled list.")
    assert synonyms.signature == "synonyms|lexicon:bundled"


@pytest.mark.usefixtures("data")
def test_wordnet_can_be_insisted_on() -> None:
    with pytest.raises(UnscorableError, match="NLTK has no WordNet on this machine"):
        PERTURBATIONS.parse("synonyms[lexicon=wordnet]").edits(Example("a", "x", "Nobody came."), random.Random(0))
