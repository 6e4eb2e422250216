"""Our UniEval scores are those of the definition, evaluated one sentence at a time with plain transformers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedTokenizerFast, T5ForConditionalGeneration

from core.errors import BadSettingError, LoadError, UnscorableError
from core.scoring.metric import METRICS
from core.text.segmentation import sentences
from core.types import Example
from tests.drive import drive
from tests.parity import tiny_likelihood
from tests.parity.texts import LONG_SENTENCE, PAIR_CASES, PAIRS, SUMMARY
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

Probability = Callable[[str], float]


@pytest.fixture(scope="module", params=[{}, {"no": 700, "yes": 480}], ids=["ids of T5", "other ids"])
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    return tiny_likelihood.unieval(tmp_path_factory.mktemp("tiny") / "unieval", **request.param)


@pytest.fixture(scope="module")
def ask(folder: Path) -> Probability:
    """From a text to the probability of yes among yes and no, as metrics-core 5.5 has it."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = T5ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    yes, no = (tokenizer([word])["input_ids"][0][0] for word in ("Yes", "No"))

    def probability(text: str) -> float:
        ids = tokenizer([text], truncation=True, max_length=1024, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = network(input_ids=ids, decoder_input_ids=torch.zeros(1, 1, dtype=torch.long)).logits
        shares = logits[0, 0].softmax(-1)
        return float(shares[yes] / (shares[yes] + shares[no]))

    return probability


def template(document: str, claim: str) -> str:
    fields = ["question: Is this claim consistent with the document?", "claim: " + claim, "document: " + document]
    return " </s> ".join(fields)


def expected(ask: Probability, document: str, summary: str) -> list[float]:
    return [ask(template(document, span.of(summary))) for span in sentences(summary)]


def ours(spec: str, document: str, summary: str) -> list[float]:
    score = drive(METRICS.parse(spec).rounds(Example("pair", document, summary)))
    assert score.value == pytest.approx(sum(part.score for part in score.parts) / len(score.parts))
    return [part.score for part in score.parts]


@pytest.mark.parametrize("name", ["unieval-fact", "unieval-sum"])
@pytest.mark.parametrize("pair", PAIR_CASES)
def test_scores_are_as_defined(folder: Path, ask: Probability, name: str, pair: tuple[str, str]) -> None:
    assert ours(f"{name}[checkpoint={folder}]", *pair) == pytest.approx(expected(ask, *pair), abs=1e-5)


@pytest.mark.slow
def test_the_scores_of_the_tiny_model_spread(ask: Probability) -> None:
    values = [value for pair in PAIRS.values() for value in expected(ask, *pair)]
    assert min(values) < 0.3
    assert max(values) > 0.7


def test_the_blank_before_the_end_of_a_field_is_read(folder: Path, ask: Probability) -> None:
    [value] = ours(f"unieval-fact[checkpoint={folder}]", TEXT, "Nobody was hurt.")
    without = template(TEXT, "Nobody was hurt.").replace(" </s>", "</s>")
    assert abs(value - ask(without)) > 5e-5


def test_the_end_of_a_long_document_is_not_read_and_this_is_said(folder: Path) -> None:
    metric = METRICS.parse(f"unieval-fact[checkpoint={folder}]")
    scores = [
        drive(metric.rounds(Example("pair", document, SUMMARY)))
        for document in (LONG_SENTENCE * 3, LONG_SENTENCE * 3 + " Nobody was hurt.")
    ]
    assert scores[0].value == scores[1].value
    assert scores[0].seen.cut > 0
    assert scores[0].seen.notes[0].startswith("For sentence 1 the last ")


def test_a_tokenizer_that_does_not_tell_yes_from_no_is_refused(tmp_path: Path) -> None:
    folder = tiny_likelihood.unieval(tmp_path / "unieval")
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    for piece in tokenizer["model"]["vocab"]:
        piece[0] = piece[0].replace("Yes", "Ja").replace("No", "Nei")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    with pytest.raises(LoadError, match="no tokens of its own for Yes and No"):
        ours(f"unieval-fact[checkpoint={folder}]", TEXT, SUMMARY)


def test_a_summary_without_a_sentence_cannot_be_scored(folder: Path) -> None:
    with pytest.raises(UnscorableError, match="no sentence"):
        drive(METRICS.parse(f"unieval-fact[checkpoint={folder}]").rounds(Example("pair", TEXT, "\n ")))


@pytest.mark.parametrize("tokens", [63, 70_000])
def test_a_limit_out_of_range_is_refused(tokens: int) -> None:
    with pytest.raises(BadSettingError, match="unieval-sum: max_tokens"):
        METRICS.parse(f"unieval-sum[max_tokens={tokens}]")
