"""The larger encoder that `make larger-encoder` gets is the published one, and embeds and compares texts."""

from __future__ import annotations

import hashlib

import pytest

from core.model_reference import Checkpoint
from core.types import Question
from tests.drive import answer
from tests.sources import ROOT

pytestmark = pytest.mark.parity
FOLDER = ROOT / "var" / "models" / "all-mpnet-base-v2"
WEIGHTS = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"


@pytest.fixture(autouse=True)
def present() -> None:
    if not FOLDER.is_dir():
        pytest.skip("needs make larger-encoder")


def test_its_weights_are_those_that_were_compared() -> None:
    assert hashlib.sha256((FOLDER / "model.safetensors").read_bytes()).hexdigest() == WEIGHTS


def test_it_finds_a_paraphrase_nearer_than_another_matter() -> None:
    checkpoint = Checkpoint(str(FOLDER), "sentence_embedding")
    texts = ("The harbour was closed.", "They shut the port.", "The cat slept all day.")
    one, near, far = (answer(Question(checkpoint, (text,))).values for text in texts)
    cosine = [sum(x * y for x, y in zip(one, other, strict=True)) for other in (near, far)]
    assert cosine[0] > 0.5 > cosine[1]


def test_it_compares_the_tokens_of_a_summary_with_those_of_the_document() -> None:
    question = Question(
        Checkpoint(str(FOLDER), "bertscore"),
        ("The harbour was closed after a storm.", "The harbour was closed."),
        (("layer", 12), ("limit", 384)),
    )
    values = answer(question).values
    assert len(values) >= 5
    assert min(values) > 0.5
