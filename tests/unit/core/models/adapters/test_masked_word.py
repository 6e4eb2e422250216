"""The words that a masked language model proposes: those that are one token there, as transformers ranks them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, PreTrainedTokenizerFast

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.adapters.masked_word import MaskedWordModel, load
from core.types import Answer, Question
from tests.conftest import Weights
from tests.tiny_masked import masked_bert, masked_roberta

BUILDS = {"<mask>": masked_roberta, "[MASK]": masked_bert}
PLACES = (
    ("The ", " was closed on Tuesday."),
    ("Fishermen must now sail to the ", ", a long way to the north."),
    ("", " fell."),
)

over_models = pytest.mark.parametrize(("mask", "build"), BUILDS.items(), ids=["roberta", "bert"])


def loaded(folder: Path) -> tuple[MaskedWordModel, Checkpoint]:
    checkpoint = Checkpoint(str(folder), "masked_word")
    return load(folder, checkpoint, "cpu"), checkpoint


def proposals(folder: Path, *places: tuple[str, str]) -> list[Answer]:
    model, checkpoint = loaded(folder)
    return model.forward(model.encode([Question(checkpoint, place, (("top", 30),)) for place in places]))


@over_models
def test_its_words_are_those_of_transformers_that_stand_alone(
    weights: Weights, mask: str, build: Callable[[Path], Path]
) -> None:
    folder = weights(build)
    words = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), mask_token=mask)
    network = AutoModelForMaskedLM.from_pretrained(folder).eval()
    for (before, after), answer in zip(PLACES, proposals(folder, *PLACES), strict=True):
        ids = words(f"{before}{mask}{after}", return_tensors="pt").input_ids
        place = ids[0].tolist().index(words.mask_token_id)
        with torch.inference_mode():
            shares = network(input_ids=ids).logits[0, place].softmax(-1)
        top = {
            words.decode([token]).strip(): share
            for share, token in zip(*map(torch.Tensor.tolist, shares.topk(30)), strict=True)
        }
        assert answer.texts
        assert answer.values == pytest.approx([top[word] for word in answer.texts], abs=1e-5)
        assert list(answer.values) == sorted(answer.values, reverse=True)


@over_models
def test_batching_changes_no_answer(weights: Weights, mask: str, build: Callable[[Path], Path]) -> None:  # noqa: ARG001
    folder = weights(build)
    for place, together in zip(PLACES, proposals(folder, *PLACES), strict=True):
        [alone] = proposals(folder, place)
        assert (alone.texts, alone.tokens) == (together.texts, together.tokens)
        assert alone.values == pytest.approx(together.values, abs=1e-5)


def test_a_piece_of_a_word_is_no_word(weights: Weights) -> None:
    [answer] = proposals(weights(masked_bert), ("The ", " was closed."))
    assert "ferry" in answer.texts[:3]
    assert not [text for text in answer.texts if "ing" in text[:3] or text.startswith("##")]


def test_a_mask_in_the_text_itself_is_read_as_characters(weights: Weights) -> None:
    plain, odd = proposals(weights(masked_roberta), ("The ", " was closed."), ("The <mask> of the ", " was closed."))
    assert odd.tokens > plain.tokens + 3
    assert odd.texts


def test_a_tokenizer_without_a_mask_is_refused(tiny_t5: Path) -> None:
    with pytest.raises(LoadError, match=r"has no mask .* Set checkpoint= to a masked language model"):
        loaded(tiny_t5)


def test_an_encoder_without_a_head_is_refused(weights: Weights, tiny_roberta: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_roberta, tmp_path / "model")
    with pytest.raises(LoadError, match="of another kind: it lacks"):
        loaded(folder)
    assert loaded(weights(masked_roberta))
