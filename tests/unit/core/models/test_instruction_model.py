"""An encoder-decoder in the place of a chat model: greedy as plain transformers, batched without a difference."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration

from core.model_reference import Checkpoint
from core.models.adapters.local_chat import InstructionModel, load
from core.models.llm.chat import Sampling, chat_question
from core.types import Answer, Question
from tests.conftest import Weights
from tests.tiny import t5
from tests.unit.command_line import run

TEXTS = ("Rain fell.", "Is it true that the harbour of Lindvale was closed on Tuesday after a storm?", "Yes.")
SAMPLING = Sampling("local:tiny", max_tokens=8)


@pytest.fixture(scope="module")
def folder(weights: Weights) -> Path:
    return weights(t5)


def loaded(folder: Path) -> InstructionModel:
    model = load(folder, Checkpoint(str(folder), "local_chat"), "cpu")
    assert isinstance(model, InstructionModel)
    return model


def question(user: str, sampling: Sampling = SAMPLING) -> Question:
    return chat_question(("Answer in a word.", user), sampling)


def said(model: InstructionModel, *asked: Question) -> list[Answer]:
    return model.forward(model.encode(asked))


def test_decoding_is_greedy_and_batching_changes_nothing(folder: Path) -> None:
    model, network = loaded(folder), T5ForConditionalGeneration.from_pretrained(folder).eval()
    words = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    together = said(model, *map(question, TEXTS))
    for text, answer in zip(TEXTS, together, strict=True):
        ids = words(f"Answer in a word.\n\n{text}", return_tensors="pt").input_ids
        assert answer.tokens == ids.shape[1]
        written = torch.zeros((1, 1), dtype=torch.long)
        for _ in range(SAMPLING.max_tokens):
            with torch.inference_mode():
                following = network(input_ids=ids, decoder_input_ids=written).logits[:, -1:].argmax(-1)
            written = torch.cat([written, following], dim=1)
            if following.item() == network.config.eos_token_id:
                break
        assert answer.texts[0] == words.decode(written[0, 1:], skip_special_tokens=True).strip()
        assert answer.values == (written.shape[1] - 1,)
        assert said(model, question(text)) == [answer]


def test_a_draw_is_the_same_for_the_same_sample_and_another_for_another(folder: Path) -> None:
    model, drawn = loaded(folder), replace(SAMPLING, temperature=1.0)
    [first, again, other] = said(model, *(question(TEXTS[0], replace(drawn, sample=sample)) for sample in (0, 0, 1)))
    assert first == again
    assert first != other


def test_a_perturbation_asks_it_and_says_what_its_answer_lacks(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    pairs, output = tmp_path / "pairs.jsonl", tmp_path / "variants.jsonl"
    pairs.write_text(json.dumps({"id": "a", "document": "Rain fell.", "summary": "It rained."}), encoding="utf-8")
    done = run("perturb", pairs, "--kind", f"paraphrased-llm[model=local:{folder},max_tokens=8]", "-o", output)
    [row] = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert row["status"] == "ok" or "The model said" in row["error"], done.output
    assert row["form"] == "prompt"
