"""Our FENICE is that of the authors' package without coreference, one pair at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import DebertaV2ForSequenceClassification, T5ForConditionalGeneration

from core.errors import BadSettingError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.fenice import Fenice
from core.settings import Settings
from core.types import Example, Result, Score
from tests.drive import drive
from tests.parity import reading, tiny_qa, toy_parser
from tests.parity.reading import decoded, read_by_t5
from tests.parity.texts import LONG_SENTENCE
from tests.parity.tiny_qa import PAIRS_OF_QUESTIONS
from tests.parity.toy_parser import ToyParser, sentence_spans
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

PAIRS = {
    **PAIRS_OF_QUESTIONS,
    "five sentences": ("One came. Two left. Three sat. Four ran. Five slept.", "Two left."),
    "six sentences": ("One came. Two left. Three sat. Four ran. Five slept. Six ate.", "Two left."),
    "windows beyond the limit": (f"{TEXT} {LONG_SENTENCE} It rained.", "The ferries sailed north with nine tonnes."),
}


@dataclass(frozen=True)
class Models:
    """Folders of tiny checkpoints."""

    extractor: Path
    entailment: Path
    parser: Path

    def spec(self, more: str = "") -> str:
        return f"fenice[{','.join(f'{name}={folder}' for name, folder in vars(self).items())}{more}]"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Models]:
    folder = tmp_path_factory.mktemp("fenice")
    with pytest.MonkeyPatch.context() as patch:
        ToyParser().install(patch)
        yield Models(
            tiny_qa.extractor(folder / "extractor"),
            tiny_qa.deberta(folder / "entailment"),
            toy_parser.parser(folder / "parser"),
        )


class Reference:
    """The definition, section 10 of the sheet."""

    def __init__(self, models: Models) -> None:
        self.words, self.pieces = reading.fast(models.extractor), reading.fast(models.entailment)
        self.extractor = T5ForConditionalGeneration.from_pretrained(models.extractor, dtype=torch.float32).eval()
        self.judge = DebertaV2ForSequenceClassification.from_pretrained(models.entailment, dtype=torch.float32).eval()
        self.aligned = cache(self._aligned)
        self.less = 1  # the label whose probability is taken away

    def score(self, document: str, summary: str) -> float:
        sentences = [span.of(document) for span in sentence_spans(document)]
        windows = [" ".join(sentences[start : start + 5]) for start in range(len(sentences) - 4)]
        scores = []
        for claim in self.claims(summary):
            levels = [max(self.aligned(sentence, claim, 1024) for sentence in sentences)]
            if len(windows) > 1:
                levels.append(max(self.aligned(window, claim, 1024) for window in windows))
                levels.append(self.aligned(document, claim, 4096))
            scores.append(max(levels))
        return sum(scores) / len(scores)

    @torch.no_grad()
    def claims(self, summary: str) -> list[str]:
        """The lengths are those of the checkpoint's generation_config.json; a claim counts once."""
        wrote = [0]
        read = self.extractor.encoder(input_ids=torch.tensor([read_by_t5(self.words, summary)]))
        while len(wrote) < 60 and (len(wrote) == 1 or wrote[-1] != 1):
            logits = self.extractor(encoder_outputs=read, decoder_input_ids=torch.tensor([wrote])).logits[0, -1]
            again = [wrote[place + 1] for place in range(len(wrote) - 1) if wrote[place] == wrote[-1]]
            logits[again] = -torch.inf
            wrote.append(int(logits.argmax()))
        text = decoded(self.words, wrote)
        return list(dict.fromkeys(span.of(text) for span in sentence_spans(text)))

    @torch.no_grad()
    def _aligned(self, premise: str, claim: str, limit: int) -> float:
        ids = self.pieces([(premise, claim)], truncation="longest_first", max_length=limit)["input_ids"]
        shares = self.judge(input_ids=torch.tensor(ids)).logits.softmax(-1)[0]
        return float(shares[0] - shares[self.less])


@pytest.fixture(scope="module")
def reference(models: Models) -> Reference:
    return Reference(models)


@cache
def ours(models: Models, pair: tuple[str, str], more: str = "") -> Score:
    return drive(METRICS.parse(models.spec(more)).rounds(Example("pair", *pair)))


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(pair, id=name, marks=() if name in {"ordinary", "five sentences"} else pytest.mark.slow)
        for name, pair in PAIRS.items()
    ],
)
def test_the_score_is_as_defined(models: Models, reference: Reference, pair: tuple[str, str]) -> None:
    assert ours(models, pair).value == pytest.approx(reference.score(*pair), abs=1e-5)


def test_neutrality_is_taken_away_and_not_contradiction(models: Models) -> None:
    other = Reference(models)
    other.less = 2
    pair = PAIRS["ordinary"]
    assert abs(ours(models, pair).value - other.score(*pair)) > 1e-3


def test_windows_and_the_whole_document_are_premises_from_six_sentences_on() -> None:
    documents = [PAIRS[name][0] for name in ("five sentences", "six sentences")]
    assert [len(Fenice().premises(document, sentence_spans(document))) for document in documents] == [5, 6 + 2 + 1]


@pytest.mark.slow
def test_the_window_is_a_setting(models: Models) -> None:
    pair = PAIRS["more than the models read"]
    scores = {ours(models, pair, more).value for more in ("", ",window=1", ",window=2", ",limit=24,document_limit=24")}
    assert len(scores) > 1


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(BadSettingError, match="window and stride"):
        METRICS.parse("fenice[window=0]")


def test_a_claim_lends_its_score_to_the_sentence_closest_in_words(models: Models) -> None:
    document, summary = PAIRS["ordinary"]
    score = ours(models, (document, summary))
    assert score.parts
    assert all(part.evidence and part.evidence.of(document) for part in score.parts)


def test_after_an_edit_known_claims_cost_nothing(models: Models, tmp_path: Path) -> None:
    document, summary = PAIRS["ordinary"]
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(models.spec())
    found = [
        outcome
        for text in (summary, summary, summary + " \n")
        for _, outcome in engine.run([metric], [Example("pair", document, text)])
    ]
    engine.close()
    first, again, blank = [outcome for outcome in found if isinstance(outcome, Result)]
    assert again.counts.asked == 0
    assert blank.counts.asked == 1  # the claims are extracted again, and are the same
    assert first.score == pytest.approx(ours(models, (document, summary)).value, abs=1e-5)


def test_the_command_line_scores_it(models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiny_qa.command_line(models.spec(), tmp_path, monkeypatch)["status"] == "ok"
