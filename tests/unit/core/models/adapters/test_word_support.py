"""A long document is nearly all of the cost of its sentences: it is read once for all of a run, and so is a part that others have."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from core.model_reference import Checkpoint
from core.models.adapters.word_support import WordSupportModel
from core.models.networks.tokenizer import Tokens
from core.models.weights.locations import locate
from core.models.words.trained_head import read_head
from core.models.words.word_encoder import WordEncoder
from core.models.words.word_states import States
from core.scoring import METRICS, Engine
from core.settings import Settings
from core.types import Example, Result

TOWNS = ("Oslo", "Lima", "Cairo", "Quito", "Turin", "Dakar", "Malmo", "Porto", "Riga", "Sofia", "Tartu", "Bonn")


def document(town: str) -> str:
    return f"The council of {town} met on Monday. It decided to build a bridge over the river. The work begins in May."


@pytest.fixture
def windows_read(monkeypatch: pytest.MonkeyPatch) -> list[Tokens]:
    """The windows that pass through the network."""
    passed: list[Tokens] = []
    states = WordEncoder._states

    def counted(encoder: WordEncoder, tokens: Tokens) -> tuple[States, States]:
        passed.append(tokens)
        return states(encoder, tokens)

    monkeypatch.setattr(WordEncoder, "_states", counted)
    return passed


def test_a_document_is_read_once_for_the_sentences_of_a_run_whatever_their_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    read_document = WordSupportModel._read_document
    monkeypatch.setattr(
        WordSupportModel,
        "_read_document",
        lambda model, text, states: (read.append(text), read_document(model, text, states))[1],
    )
    documents = [document("San " * number + TOWNS[number % len(TOWNS)]) for number in range(2 * len(TOWNS))]
    summaries = [
        "A bridge.",
        "The council met and decided to build a bridge over the river.",
        "The work begins in May.",
    ]
    texts = [
        Example(f"{side} {number}", text, summary)
        for side, summary in enumerate(summaries)
        for number, text in enumerate(documents)
    ]
    with closing(Engine.open(Settings(cache_dir=tmp_path))) as engine:
        outcomes = [outcome for _, outcome in engine.run([METRICS.parse("word-support")], texts)]
    assert all(isinstance(outcome, Result) for outcome in outcomes)
    assert len(outcomes) == 3 * len(documents)
    assert sorted(read) == sorted(documents)


def test_a_window_that_another_text_had_is_read_once_and_has_the_same_states(windows_read: list[Tokens]) -> None:
    head = read_head(locate(METRICS.parse("word-support").checkpoints()[0]))
    checkpoint = Checkpoint(head.config.encoder, "word_support")
    part = " ".join(map(document, TOWNS))
    encoder = WordEncoder.load(locate(checkpoint), checkpoint, "cpu")
    [alone] = encoder.read([part])
    before = len(windows_read)
    [again] = encoder.read([part])
    assert before > 1
    assert len(windows_read) == before
    [longer] = encoder.read([f"{part}\n\n{document('Lagos')}"])
    assert len(windows_read) < 2 * before
    same = len(alone.forms)
    assert np.array_equal(again.both, alone.both)
    [fresh] = WordEncoder.load(locate(checkpoint), checkpoint, "cpu").read([f"{part}\n\n{document('Lagos')}"])
    assert np.array_equal(longer.both, fresh.both)
    assert longer.forms[:same] == alone.forms
