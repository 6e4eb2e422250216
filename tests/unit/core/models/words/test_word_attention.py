"""Attention heads on words: what their definition says, learned the same way from the same seed."""

from __future__ import annotations

from math import erf

import numpy as np
import pytest
import torch

from core.evaluation.training.training_data import training_data
from core.evaluation.training.word_reading import read_words
from core.models.words.head import HEADS, UNITS
from core.models.words.word_attention import WordAttention, attention_logits, fit_attention
from core.models.words.word_table import WordTable
from tests.unit.core.evaluation.training.hashed_words import WIDTH, encoder
from tests.unit.core.evaluation.training.training_process import items


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> WordTable:
    data = training_data(items(), 0, seed=0)
    reading = read_words(encoder().network, data.rows, tmp_path_factory.mktemp("states"))
    while True:
        try:
            next(reading)
        except StopIteration as end:
            found: WordTable = end.value
            return found


def fitted(table: WordTable, seed: int = 0) -> WordAttention:
    training = fit_attention(table, np.where(table.wrong >= 0, table.wrong, np.nan), seed)
    while True:
        try:
            next(training)
        except StopIteration as end:
            found: WordAttention = end.value
            return found


def test_logits_are_those_of_the_definition(table: WordTable) -> None:
    """Cosines of projected states by head, a softmax over the document, and a perceptron with GELU, word by word."""
    network = fitted(table)
    known = {name: tensor.astype(np.float64) for name, tensor in network.tensors().items()}
    words, found = next(iter(attention_logits(network, table, np.arange(len(table.row)))))
    document = table.states.of_document(0).astype(np.float64)
    per_head = UNITS // HEADS
    for place, logit in zip(range(words.start, words.stop), found, strict=True):
        state, features = table.states.words[place].astype(np.float64), table.values[place].astype(np.float64)
        query, own = state @ known["query"][0], state @ known["value"][0]
        attended, most, entropies = [], [], []
        for head in range(HEADS):
            part = slice(head * per_head, (head + 1) * per_head)
            keys, values = document @ known["key"][0][:, part], document @ known["value"][0][:, part]
            cosines = keys @ query[part] / np.linalg.norm(keys, axis=1) / np.linalg.norm(query[part])
            shares = np.exp(np.exp(known["sharpness"][0, 0, head, 0]) * cosines)
            shares /= shares.sum()
            attended.append(shares @ values)
            most.append(cosines.max())
            entropies.append(-(shares * np.log(shares + 1e-9)).sum())
        there = np.concatenate(attended)
        surface = (features - known["mean"][0, 0]) / known["spread"][0, 0]
        read = np.concatenate([own, there, np.abs(own - there), own * there, most, entropies, surface])
        inner = read @ known["hidden"][0] + known["hidden_bias"][0, 0]
        active = inner * 0.5 * (1 + np.array([erf(one / 2**0.5) for one in inner]))
        assert logit == pytest.approx(active @ known["out"][0, 0] + known["out_bias"][0, 0], abs=1e-3)


@pytest.mark.slow
def test_members_are_averaged(table: WordTable) -> None:
    members = [fitted(table, seed) for seed in range(2)]
    stacked = {name: np.concatenate([one.tensors()[name] for one in members]) for name in members[0].tensors()}
    [(_, both)] = attention_logits(WordAttention.from_tensors(stacked), table, np.array([3]))
    alone = [next(iter(attention_logits(one, table, np.array([3]))))[1] for one in members]
    assert np.abs(both - np.mean(alone, axis=0)).max() < 1e-5
    assert np.abs(alone[0] - alone[1]).max() > 1e-3


def test_a_text_without_full_stops_is_read_in_parts(table: WordTable) -> None:
    network = fitted(table)
    document = network.read_document(table.states.of_document(0).astype(np.float32))
    states = np.repeat(table.states.words[:50].astype(np.float32), 6, axis=0)
    features = np.repeat(table.values[:50], 6, axis=0)
    short = network.logits(document, states[::6].copy(), features[::6].copy())
    assert np.abs(network.logits(document, states, features) - np.repeat(short, 6)).max() < 1e-5


def test_wrong_words_get_higher_logits(table: WordTable) -> None:
    network = fitted(table)
    logits = np.concatenate([found for _, found in attention_logits(network, table, np.arange(len(table.row)))])
    assert logits[table.wrong == 1].mean() > logits[table.wrong == 0].mean() + 0.5


@pytest.mark.slow
def test_a_seed_gives_the_same_heads_whatever_else_draws_numbers(table: WordTable) -> None:
    torch.manual_seed(1)
    first = fitted(table).tensors()
    torch.manual_seed(2)
    again = fitted(table).tensors()
    assert all(np.array_equal(first[name], again[name]) for name in first)


def test_states_on_the_disk_are_those_of_the_encoder(table: WordTable) -> None:
    row = training_data(items(), 0, seed=0).rows[table.row[0]]
    states = encoder().network.read([row.document])[0].both
    assert states.shape[1] == 2 * WIDTH
    assert np.abs(table.states.of_document(int(table.states.document[0])) - states).max() < 1e-3
    assert table.words_in(0) == (0, int((table.sentence == 0).sum()))
