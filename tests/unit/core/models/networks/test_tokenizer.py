"""Pairs assembled from texts that were tokenized once: the ids, types and cuts of the tokenizer's own pairs."""

from __future__ import annotations

import itertools

import pytest
from tokenizers import Tokenizer, processors

from core.models.networks.tokenizer import TextTokenizer
from tests.bench.random_weights import train_tokenizer

TEXTS = [
    *(
        "",
        " ",
        "a",
        "The harbour closed.",
        "  leading",
        "trailing  ",
        "tabs\tand\nlines",
        "é naïve café",
        "日本語の文章",
    ),
    *("[SEP] in a text", "<s>two</s>", "</s>", "👩‍👩‍👧", "zero\u200bwidth", "\ufeffmark", "x" * 90, "word " * 40),
]
PAIRS = list(itertools.product(TEXTS, TEXTS))


def trained(architecture: str) -> Tokenizer:
    return train_tokenizer(architecture, TEXTS)


def assert_same_pairs(tokenizer: TextTokenizer, limits: list[int]) -> None:
    own, assembled = tokenizer.encode(PAIRS, limits), tokenizer.encode_ids(PAIRS, limits)
    assert [(one.ids, one.types, one.cut) for one in assembled] == [(one.ids, one.types, one.cut) for one in own]


@pytest.mark.parametrize("architecture", ["roberta", "bert", "t5"])
@pytest.mark.parametrize("limit", [8, 24, 512])
def test_pairs_are_those_of_the_tokenizer(architecture: str, limit: int) -> None:
    assert_same_pairs(TextTokenizer(trained(architecture)), [limit] * len(PAIRS))


def test_pairs_without_a_template_are_the_two_texts() -> None:
    backend = trained("bert")
    backend.post_processor = processors.Sequence([])
    assert_same_pairs(TextTokenizer(backend), [16] * len(PAIRS))


def test_a_template_that_turns_the_texts_around_is_left_to_the_tokenizer() -> None:
    backend = trained("bert")
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", pair="[CLS] $B [SEP] $A", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    assert_same_pairs(TextTokenizer(backend), [512] * len(PAIRS))


def test_a_text_is_tokenized_once_for_all_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = TextTokenizer(trained("roberta"))
    read: list[str] = []
    backend = tokenizer._backend

    class Counting:
        def __getattr__(self, name: str) -> object:
            return getattr(backend, name)

        def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> object:
            read.extend(texts)
            return backend.encode_batch_fast(texts, add_special_tokens=add_special_tokens)

    monkeypatch.setattr(tokenizer, "_backend", Counting())
    for _ in range(2):
        tokenizer.encode_ids([("one", "two"), ("one", "three"), ("four", "two")], [512] * 3)
    assert sorted(read) == ["four", "one", "three", "two"]
