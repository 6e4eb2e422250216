"""The generation gap is the likelihood of the summary less that of what transformers' own beam search writes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import BartForConditionalGeneration, PreTrainedTokenizerFast

from core.scoring.metric import METRICS
from core.types import Example
from tests.drive import drive
from tests.parity.tiny_likelihood import bart

pytestmark = pytest.mark.parity

DOCUMENT = "The ferry left the harbour at noon. It carried forty cars, and fog held it back for an hour."
SUMMARY = "The ferry left at noon with forty cars."


def test_it_is_the_difference_of_two_likelihoods(tmp_path: Path) -> None:
    folder = bart(tmp_path / "bart")
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = BartForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        ids = torch.tensor([tokenizer(DOCUMENT)["input_ids"]])
        written = network.generate(input_ids=ids, do_sample=False, num_beams=3, early_stopping=True, max_length=20)
    text = tokenizer.decode(written[0], skip_special_tokens=True).strip()
    score = drive(METRICS.parse(f"generation-gap[checkpoint={folder},beams=3]").rounds(Example("a", DOCUMENT, SUMMARY)))
    likelihood = METRICS.parse(f"bartscore[checkpoint={folder}]")
    own, given = (drive(likelihood.rounds(Example("a", DOCUMENT, summary))).value for summary in (text, SUMMARY))
    assert score.value == pytest.approx(given - own, abs=1e-4)
    assert score.seen.notes[0].startswith("The model's own summary: ")
    [part] = score.parts
    assert part.score == pytest.approx(score.value, abs=0.5)
