"""The tags of words, and what corrects them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.text.english.syntax import split_tokens
from core.text.english.tagger import part_of_speech_tags
from core.text.english.tagger_training import accuracy, read_treebank, train
from core.text.english.verb_phrases import finite_verb, sentence_tags

_TREEBANK = """# text = The dogs didn't bark at Ann's cat.
1\tThe\tthe\tDET\tDT\t_
2\tdogs\tdog\tNOUN\tNNS\t_
3-4\tdidn't\t_\t_\t_\t_
3\tdid\tdo\tAUX\tVBD\t_
4\tn't\tnot\tPART\tRB\t_
5\tbark\tbark\tVERB\tVB\t_
6\tat\tat\tADP\tIN\t_
7-8\tAnn's\t_\t_\t_\t_
7\tAnn\tAnn\tPROPN\tNNP\t_
8\t's\t's\tPART\tPOS\t_
9\tcat\tcat\tNOUN\tNN\t_
10\t.\t.\tPUNCT\t.\t_
"""


def tags(text: str) -> tuple[str, ...]:
    return sentence_tags(split_tokens(text))


def test_a_sentence_gets_the_tags_of_the_treebank() -> None:
    words = tuple("The old man the boats .".split())
    assert part_of_speech_tags(words)[:2] == ("DT", "JJ")
    assert part_of_speech_tags(tuple("She sold her car in May .".split())) == (
        "PRP",
        "VBD",
        "PRP$",
        "NN",
        "IN",
        "NNP",
        ".",
    )


@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("The council has rejected the plan.", 3, "VBN"),
        ("Later her barber noticed minor burns.", 3, "VBD"),
        ("He most recently performed in Rome.", 3, "VBD"),
        ("A disease called Alagille syndrome spread.", 2, "VBN"),
    ],
)
def test_a_past_form_and_a_participle_are_told_apart_by_their_neighbours(text: str, word: int, tag: str) -> None:
    assert tags(text)[word] == tag


def test_a_plural_noun_before_a_verb_is_no_verb() -> None:
    sentence = split_tokens("Blackpool fans protested against it.")
    assert finite_verb(sentence, 1) is None


def test_a_token_with_a_clitic_has_the_tags_of_both(tmp_path: Path) -> None:
    file = tmp_path / "one.conllu"
    file.write_text(_TREEBANK, encoding="utf-8")
    [(words, found)] = read_treebank([file])
    assert words == ("The", "dogs", "didn't", "bark", "at", "Ann's", "cat", ".")
    assert found == ("DT", "NNS", "VBD+RB", "VB", "IN", "NNP+POS", "NN", ".")


def test_training_twice_gives_the_same_weights(tmp_path: Path) -> None:
    file = tmp_path / "one.conllu"
    file.write_text(_TREEBANK, encoding="utf-8")
    sentences = [*read_treebank([file])] * 10
    weights = train(sentences)
    assert weights == train(sentences)
    assert 0 < accuracy(weights, sentences) <= 1
