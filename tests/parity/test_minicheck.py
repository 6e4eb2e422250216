"""Our MiniCheck scores are those of the definition, evaluated one row at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    PreTrainedTokenizerFast,
    T5ForConditionalGeneration,
)

from core.errors import BadSettingError, UnscorableError
from core.scoring.metric import METRICS
from core.scoring.metrics.minicheck import document_units, pack_chunks
from core.text.segmentation import sentences
from core.types import Example
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS

pytestmark = pytest.mark.parity

Probability = Callable[[str], float]


def chunks(document: str, size: Callable[[str], int], budget: int) -> list[str]:
    """Metrics-core 2.3 and 2.4, word for word."""
    units: list[str] = []
    for number, line in enumerate(document.split("\n")):
        units += ["\n"] if number else []
        units += [span.of(line) for span in sentences(line)]
    texts, open_units, used = [], [], 0
    for unit in units:
        if used + size(unit) > budget:
            texts.append(open_units)
            open_units, used = [], 0
        open_units.append(unit)
        used += size(unit)
    texts.append(open_units)
    joined = [" ".join(text).replace(" \n ", "\n").strip() for text in texts]
    return [text for text in joined if text]


def expected(pair: tuple[str, str], passages: list[str], separator: str, ask: Probability) -> list[float]:
    claims = [span.of(pair[1]) for span in sentences(pair[1])]
    return [max(ask(passage + separator + claim) for passage in passages) for claim in claims]


@cache
def classifier(folder: Path, limit: int) -> tuple[PreTrainedTokenizerFast, Probability]:
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()

    def ask(text: str) -> float:
        ids = tokenizer([text], truncation=True, max_length=limit, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            return float(network(input_ids=ids).logits.softmax(-1)[0, 1])

    return tokenizer, ask


@cache
def generator(folder: Path) -> Probability:
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = T5ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    def ask(text: str) -> float:
        ids = tokenizer(["predict: " + text], truncation=True, max_length=2048, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = network(input_ids=ids, decoder_input_ids=torch.zeros(1, 1, dtype=torch.long)).logits
        return float(logits[0, 0, [3, 209]].softmax(-1)[1])

    return ask


def ours(spec: str, pair: tuple[str, str]) -> list[float]:
    return [part.score for part in drive(METRICS.parse(spec).rounds(Example("pair", *pair))).parts]


def close(values: list[float]) -> object:
    return pytest.approx(values, abs=1e-5)


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_roberta_scores_as_defined(tiny_roberta: Path, pair: tuple[str, str]) -> None:
    tokenizer, ask = classifier(tiny_roberta, 512)
    passages = chunks(pair[0], lambda unit: len(tokenizer([unit], add_special_tokens=False)["input_ids"][0]), 400)
    assert ours(f"minicheck-roberta[checkpoint={tiny_roberta}]", pair) == close(expected(pair, passages, "</s>", ask))


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_deberta_scores_as_defined(tiny_deberta: Path, pair: tuple[str, str]) -> None:
    tokenizer, ask = classifier(tiny_deberta, 2048)
    passages = chunks(pair[0], lambda unit: len(tokenizer([unit], add_special_tokens=False)["input_ids"][0]), 400)
    assert ours(f"minicheck-deberta[checkpoint={tiny_deberta}]", pair) == close(expected(pair, passages, "[SEP]", ask))


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_flan_t5_scores_as_defined(tiny_t5: Path, pair: tuple[str, str]) -> None:
    passages = chunks(pair[0], lambda unit: len(unit.split()), 500)
    assert ours(f"minicheck-flan-t5[checkpoint={tiny_t5}]", pair) == close(
        expected(pair, passages, "</s>", generator(tiny_t5))
    )


def test_a_whole_summary_is_one_claim_as_published(tiny_roberta: Path) -> None:
    document, summary = PAIRS["ordinary"]
    tokenizer, ask = classifier(tiny_roberta, 512)
    passages = chunks(document, lambda unit: len(tokenizer([unit], add_special_tokens=False)["input_ids"][0]), 400)
    whole = max(ask(passage + "</s>" + summary) for passage in passages)
    assert ours(f"minicheck-roberta[checkpoint={tiny_roberta},claims=whole]", (document, summary)) == close([whole])


def test_the_score_is_the_mean_over_the_sentences(tiny_roberta: Path) -> None:
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    score = drive(metric.rounds(Example("pair", *PAIRS["ordinary"])))
    assert score.value == pytest.approx(sum(part.score for part in score.parts) / len(score.parts))


@pytest.mark.slow
def test_the_tiny_models_tell_the_pairs_apart(tiny_roberta: Path, tiny_deberta: Path, tiny_t5: Path) -> None:
    folders = {"roberta": tiny_roberta, "deberta": tiny_deberta, "flan-t5": tiny_t5}
    for name, folder in folders.items():
        scores = [ours(f"minicheck-{name}[checkpoint={folder}]", pair)[0] for pair in list(PAIRS.values())[:4]]
        assert max(scores) - min(scores) > 0.1, name


def test_evidence_is_the_chunk_as_it_stands_in_the_document(tiny_roberta: Path) -> None:
    document = "\n\nRain fell.  It stopped.\n\n" + "The lamp was lit. " * 200
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    score = drive(metric.rounds(Example("pair", document, "It rained.")))
    texts = [piece.of(document) for piece in score.seen.pieces]
    assert texts[0].startswith("Rain fell.  It stopped.\n\nThe lamp")
    assert all(text.endswith("The lamp was lit.") for text in texts)
    assert "".join(texts).count("The lamp was lit.") == 200
    assert score.parts[0].evidence in score.seen.pieces


@pytest.mark.parametrize(
    ("budget", "texts"),
    [(4, ["Rain fell. It stopped."]), (3, ["Rain fell.", "It stopped."]), (1, ["Rain fell.", "It stopped."])],
)
def test_a_chunk_is_closed_when_a_unit_would_exceed_the_budget(budget: int, texts: list[str]) -> None:
    document = "Rain fell. It stopped."
    assert [chunk.text for chunk in pack_chunks(document, document_units(document), [2, 2], budget)] == texts


def test_two_newlines_in_a_row_leave_the_blank_that_the_authors_leave() -> None:
    document = "Rain fell.\n\nIt stopped.\nWe left."
    [chunk] = pack_chunks(document, document_units(document), [1] * 6, 100)
    assert chunk.text == "Rain fell.\n\n It stopped.\nWe left."


def test_a_claim_that_was_cut_is_noted(tiny_roberta: Path) -> None:
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    score = drive(metric.rounds(Example("pair", *PAIRS["a long claim after a long chunk"])))
    assert score.seen.cut > 0
    assert score.seen.notes[0].startswith("The claim of sentence 1 was cut by ")


@pytest.mark.parametrize("setting", ["max_tokens=8", "max_tokens=1000", "chunk_tokens=0"])
def test_a_setting_out_of_range_is_refused(setting: str) -> None:
    with pytest.raises(BadSettingError, match="minicheck-roberta"):
        METRICS.parse(f"minicheck-roberta[{setting}]")


def test_a_document_without_a_sentence_cannot_be_scored(tiny_roberta: Path) -> None:
    metric = METRICS.parse(f"minicheck-roberta[checkpoint={tiny_roberta}]")
    with pytest.raises(UnscorableError, match="nothing to compare"):
        drive(metric.rounds(Example("pair", "\n\n", "It rained.")))
