"""Our BERTScore with DeBERTa is that of the definition, one text and one token at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import DebertaModel, PreTrainedTokenizerFast

from core.errors import BadSettingError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Result
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS
from tests.parity.tiny_tokens import deberta_v1

pytestmark = pytest.mark.parity

States = Callable[[str], tuple[list[int], torch.Tensor]]
CLS, SEP = 1, 2
BASELINE = 0.5169066  # metrics-more 8, row of layer 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return deberta_v1(tmp_path_factory.mktemp("tiny") / "deberta-v1")


@pytest.fixture(scope="module")
def states(folder: Path) -> States:
    """From a text as it is read to its ids and states of unit length after layer 40."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = DebertaModel.from_pretrained(folder, dtype=torch.float32).eval()

    def of(text: str) -> tuple[list[int], torch.Tensor]:
        ids = tokenizer([text], truncation=True, max_length=512)["input_ids"][0]
        with torch.no_grad():
            hidden = network(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[40][0]
        return ids, hidden / hidden.norm(dim=-1, keepdim=True)

    return of


def precision(states: States, pair: tuple[str, str], before: str = " ") -> float:
    """The blank that the tokenizer of 2022 put before every text makes its first word a word like the others."""
    _, document = states(before + pair[0].strip())
    ids, summary = states(before + pair[1].strip())
    best = [max((document @ row).tolist()) for token, row in zip(ids, summary, strict=True) if token not in {CLS, SEP}]
    return sum(best) / len(best)


def ours(folder: Path, pair: tuple[str, str], settings: str = "") -> float:
    return drive(METRICS.parse(f"bertscore[checkpoint={folder}{settings}]").rounds(Example("pair", *pair))).value


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_precision_is_as_defined(folder: Path, states: States, pair: tuple[str, str]) -> None:
    assert ours(folder, pair) == pytest.approx(precision(states, pair), abs=1e-5)


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(states: States) -> None:
    values = [precision(states, PAIRS[name]) for name in ("short", "odd punctuation", "a long claim")]
    assert max(values) - min(values) > 0.1


def test_the_blank_before_a_text_moves_the_score_and_can_be_left_out(folder: Path, states: States) -> None:
    with_blank, without = precision(states, PAIRS["short"]), precision(states, PAIRS["short"], before="")
    assert abs(with_blank - without) > 1e-3
    assert ours(folder, PAIRS["short"], ",leading_space=false") == pytest.approx(without, abs=1e-5)


def test_another_layer_would_be_noticed(folder: Path) -> None:
    pair = PAIRS["short"]
    assert abs(ours(folder, pair) - ours(folder, pair, ",layer=39")) > 1e-4


def test_a_rescaled_score_is_measured_from_the_baseline(folder: Path, states: States, tmp_path: Path) -> None:
    raw = precision(states, PAIRS["short"])
    named = tmp_path / "deberta-xlarge-mnli"
    named.symlink_to(folder)
    assert ours(named, PAIRS["short"], ",rescaled=true") == pytest.approx((raw - BASELINE) / (1 - BASELINE), abs=1e-5)


def test_the_baseline_is_refused_for_other_weights_of_as_many_layers(folder: Path) -> None:
    with pytest.raises(BadSettingError, match="baseline is that of microsoft/deberta-xlarge-mnli"):
        METRICS.parse(f"bertscore[checkpoint={folder},rescaled=true]")


def test_the_baseline_is_refused_for_a_layer_that_it_is_not_of() -> None:
    with pytest.raises(BadSettingError, match="layer 40 only; got layer=24"):
        METRICS.parse("bertscore[layer=24,rescaled=true]")


def test_every_sentence_has_a_part_and_rests_on_a_sentence_of_the_document(folder: Path) -> None:
    document = "The harbour was closed. Rain fell on the roof."
    pair = Example("pair", "  " + document, " Rain fell. It was closed.")
    score = drive(METRICS.parse(f"bertscore[checkpoint={folder}]").rounds(pair))
    assert [part.span.of(pair.summary).strip() for part in score.parts] == ["Rain fell.", "It was closed."]
    assert all(part.evidence and part.evidence.of(pair.document).strip() in document for part in score.parts)


def test_an_edit_asks_once_and_the_same_text_again_asks_nothing(folder: Path, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(f"bertscore[checkpoint={folder}]")
    pairs = [Example("pair", PAIRS["short"][0], text) for text in ("It rained.", "It rained.", "It snowed.")]
    results = [outcome for pair in pairs for _, outcome in engine.run([metric], [pair])]
    engine.close()
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [1, 0, 1]
