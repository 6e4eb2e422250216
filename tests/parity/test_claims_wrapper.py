"""A metric inside the claims wrapper gives what it gives each claim alone, and the mean or the least consistent of these."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSequenceClassification, PreTrainedTokenizerFast

from core.scoring.metric import METRICS
from core.text.segmentation import sentences
from core.types import ClaimList, Example, Score, Span, SummaryClaim
from tests.drive import drive
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

SUMMARY = "The harbour was closed. Repairs take until June and cost 3.4 million crowns. Nobody was hurt."
CLAIMS = {
    "The harbour of Lindvale was closed on Tuesday.": 0,
    "Repairs take until June.": 1,
    "Repairs cost 3.4 million crowns.": 1,
    "Ana Brekke was hurt.": None,  # of no sentence that is known
}
DOCUMENT = TEXT.split("\n")[0]  # one chunk


@pytest.fixture(scope="module")
def example() -> Example:
    spans: dict[int | None, Span] = dict(enumerate(sentences(SUMMARY)))
    claims = tuple(SummaryClaim(text, spans.get(place)) for text, place in CLAIMS.items())
    return Example("pair", DOCUMENT, SUMMARY, claims=ClaimList(SUMMARY, claims))


@pytest.fixture(scope="module")
def expected(tiny_roberta: Path) -> list[float]:
    """The probability of support of each claim, one pair at a time with plain transformers."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tiny_roberta / "tokenizer.json"))
    network = AutoModelForSequenceClassification.from_pretrained(tiny_roberta, dtype=torch.float32).eval()
    found = []
    for claim in CLAIMS:
        ids = tokenizer([f"{DOCUMENT}</s>{claim}"], truncation=True, max_length=512, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            found.append(float(network(input_ids=ids).logits.softmax(-1)[0, 1]))
    return found


def ours(folder: Path, example: Example, combine: str) -> Score:
    spec = f"claims[metric=minicheck-roberta[checkpoint={folder},claims=whole],by=given,combine={combine}]"
    return drive(METRICS.parse(spec).rounds(example))


def test_the_mean_is_that_over_all_claims(tiny_roberta: Path, example: Example, expected: list[float]) -> None:
    score = ours(tiny_roberta, example, "mean")
    assert [one.score for one in score.claims] == pytest.approx(expected, abs=1e-5)
    assert score.value == pytest.approx(sum(expected) / len(expected), abs=1e-5)
    first, second = score.parts
    assert [part.span.of(SUMMARY) for part in score.parts] == [span.of(SUMMARY) for span in sentences(SUMMARY)[:2]]
    assert (first.score, second.score) == pytest.approx((expected[0], (expected[1] + expected[2]) / 2), abs=1e-5)


def test_the_minimum_is_the_least_consistent_claim(tiny_roberta: Path, example: Example, expected: list[float]) -> None:
    score = ours(tiny_roberta, example, "min")
    assert score.value == pytest.approx(min(expected), abs=1e-5)
    assert score.parts[1].score == pytest.approx(min(expected[1:3]), abs=1e-5)
    assert max(expected) - min(expected) > 1e-3


def test_the_least_consistent_claim_has_the_highest_score_where_lower_is_better() -> None:
    copied, invented = "Nobody was hurt.", "Olaf Vik sails to Rome."
    claims = ClaimList(SUMMARY, (SummaryClaim(copied), SummaryClaim(invented)))
    metric = METRICS.parse("claims[metric=word-novelty,by=given,combine=min]")
    alone = [
        drive(METRICS.parse("word-novelty").rounds(Example("one", TEXT, claim))).value for claim in (copied, invented)
    ]
    score = drive(metric.rounds(Example("pair", TEXT, SUMMARY, claims=claims)))
    assert alone[0] < alone[1]
    assert score.value == pytest.approx(alone[1])


@pytest.mark.parametrize("metric", ["rouge2", "bertscore-minilm"])
def test_by_sentence_a_claim_is_scored_as_a_summary_of_its_own(metric: str) -> None:
    alone = [
        drive(METRICS.parse(metric).rounds(Example("one", TEXT, span.of(SUMMARY)))).value for span in sentences(SUMMARY)
    ]
    score = drive(METRICS.parse(f"claims[metric={metric}]").rounds(Example("pair", TEXT, SUMMARY)))
    assert [part.score for part in score.parts] == pytest.approx(alone, abs=1e-5)
    assert score.value == pytest.approx(sum(alone) / len(alone), abs=1e-5)
