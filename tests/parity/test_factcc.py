"""Our FactCC is that of its definition, one pair at a time with plain transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from transformers import BertForSequenceClassification, BertTokenizer

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.tokenizer import TextTokenizer
from core.models.weights.integrity import Fingerprints
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Result, Score
from tests.drive import drive
from tests.parity.texts import LONG_CLAIM, LONG_SENTENCE, PAIR_CASES, PAIRS
from tests.parity.tiny_entailment import albert_nli, factcc

pytestmark = pytest.mark.parity

Inputs = tuple[list[int], list[int]]
Correct = Callable[[str, str], float]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return factcc(tmp_path_factory.mktemp("tiny") / "bert")


@pytest.fixture(scope="module")
def encoded(folder: Path) -> Callable[[str, str], Inputs]:
    """Metrics-more 1.2, word for word: one token at a time from the end of the longer side, of the claim's at a tie."""
    tokenizer = BertTokenizer.from_pretrained(folder)

    def encode(document: str, claim: str) -> Inputs:
        first, second = (tokenizer([text], add_special_tokens=False)["input_ids"][0] for text in (document, claim))
        while len(first) + len(second) > 512 - 3:
            (first if len(first) > len(second) else second).pop()
        return [2, *first, 3, *second, 3], [0] * (len(first) + 2) + [1] * (len(second) + 1)

    return encode


@pytest.fixture(scope="module")
def correct(folder: Path, encoded: Callable[[str, str], Inputs]) -> Correct:
    network = BertForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()

    @cache
    def ask(document: str, claim: str) -> float:
        ids, types = encoded(document, claim)
        missing = 512 - len(ids)
        with torch.no_grad():
            logits = network(
                input_ids=torch.tensor([ids + [0] * missing]),
                token_type_ids=torch.tensor([types + [0] * missing]),
                attention_mask=torch.tensor([[1] * len(ids) + [0] * missing]),
            ).logits
        return float(logits[0].softmax(-1)[0])

    return ask


@cache
def scored(folder: Path, pair: tuple[str, str], settings: str = "") -> Score:
    return drive(METRICS.parse(f"factcc[checkpoint={folder}{settings}]").rounds(Example("pair", *pair)))


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_sentences_score_as_defined(folder: Path, correct: Correct, pair: tuple[str, str]) -> None:
    score = scored(folder, pair)
    each = [correct(pair[0], span.of(pair[1])) for span in sentences(pair[1])]
    assert [part.score for part in score.parts] == close(each)
    assert score.value == close(sum(each) / len(each))


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_a_whole_summary_scores_as_defined(folder: Path, correct: Correct, pair: tuple[str, str]) -> None:
    score = scored(folder, pair, ",claims=whole")
    assert score.value == close(correct(*pair))
    assert [part.score for part in score.parts] == [part.score for part in scored(folder, pair).parts]


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folder: Path) -> None:
    values = [scored(folder, pair).value for pair in PAIRS.values()]
    assert max(values) - min(values) > 0.5


@pytest.mark.parametrize("words", range(120, 260, 7))
def test_the_longer_side_is_cut_as_by_the_authors(
    folder: Path, encoded: Callable[[str, str], Inputs], words: int
) -> None:
    claim = " ".join(LONG_CLAIM.split()[:words])
    [tokens] = TextTokenizer.load(folder).encode([(LONG_SENTENCE, claim)], [512])
    assert (list(tokens.ids), list(tokens.types)) == encoded(LONG_SENTENCE, claim)


def test_segment_types_are_read(folder: Path, correct: Correct, encoded: Callable[[str, str], Inputs]) -> None:
    network = BertForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        ids = torch.tensor([encoded(*PAIRS["ordinary"])[0]])
        without = float(network(input_ids=ids).logits[0].softmax(-1)[0])
    assert abs(without - correct(*PAIRS["ordinary"])) > 1e-4


def test_what_was_cut_is_noted_by_claim(folder: Path) -> None:
    score = scored(folder, PAIRS["a long claim"])
    assert score.seen.cut > 0
    assert [note.split(":")[0] for note in score.seen.notes[:2]] == ["Claim 1", "Claim 2"]


def test_a_model_with_other_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="has 3 labels, and the metric reads 2"):
        scored(albert_nli(tmp_path / "albert"), PAIRS["short"])


def test_a_vocabulary_decides_the_hash(folder: Path, tmp_path: Path) -> None:
    hashes = Fingerprints(tmp_path / "cache")
    copy = factcc(tmp_path / "copy")
    before = hashes.of(Checkpoint(str(folder), "token_count"))
    assert hashes.of(Checkpoint(str(copy), "token_count")) == before
    (copy / "vocab.txt").write_text("[PAD]\n[UNK]\n")
    assert hashes.of(Checkpoint(str(copy), "token_count")) != before


def test_a_folder_without_any_tokenizer_says_what_to_do(tmp_path: Path) -> None:
    copy = factcc(tmp_path / "copy")
    (copy / "vocab.txt").unlink()
    with pytest.raises(LoadError, match=r"has no tokenizer that is known here"):
        TextTokenizer.load(copy)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


def test_an_edited_sentence_alone_is_asked_again(folder: Path, engine: Engine, correct: Correct) -> None:
    metric = METRICS.parse(f"factcc[checkpoint={folder}]")
    document, summary = PAIRS["ordinary"]
    texts = [summary, summary, summary.replace("Nobody", "Everybody")]
    results = [found for text in texts for _, found in engine.run([metric], [Example("a", document, text)])]
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [3, 0, 1]
    assert isinstance(results[2], Result)
    assert results[2].parts[1].score == close(correct(document, "Everybody was hurt!"))
