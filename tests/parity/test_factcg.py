"""Our FactCG is that of its definition, one prompt at a time with plain transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from nltk.tokenize import NLTKWordTokenizer
from transformers import DebertaV2ForSequenceClassification, PreTrainedTokenizerFast

from core.errors import UnscorableError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.factcg import chunks, prompt
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Result, Score
from tests.drive import drive
from tests.parity.texts import LONG_SENTENCE, PAIR_CASES, PAIRS
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

Grounded = Callable[[str, str], float]
QUESTION = (
    "{}\n\nChoose your answer: based on the paragraph above can we conclude that "
    '"{}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
)


@pytest.fixture(scope="module")
def grounded(tiny_deberta: Path) -> Grounded:
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tiny_deberta / "tokenizer.json"))
    network = DebertaV2ForSequenceClassification.from_pretrained(tiny_deberta, dtype=torch.float32).eval()

    @cache
    def ask(chunk: str, claim: str) -> float:
        text = QUESTION.format(chunk, claim)
        ids = tokenizer([text], truncation=True, max_length=2048, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            return float(network(input_ids=ids).logits[0].softmax(-1)[1])

    return ask


def expected_chunks(document: str) -> list[str]:
    """Metrics-more 11.4: greedy, lines joined and stripped of newlines each time, the last chunk of blanks too."""
    tokenizer = NLTKWordTokenizer()
    done, chunk, used = [], "", 0
    for sentence in (span.of(document) for span in sentences(document)):
        words = sum(len(tokenizer.tokenize(span.of(sentence))) for span in sentences(sentence))
        if used + words > 550:
            done.append(chunk.strip("\n"))
            chunk, used = sentence, words
        else:
            chunk = (chunk + "\n" + sentence).strip("\n")
            used += words
    return [*done, chunk.replace(" \n ", "\n").strip("\n").strip()]


@cache
def scored(folder: Path, pair: tuple[str, str], settings: str = "") -> Score:
    return drive(METRICS.parse(f"factcg[checkpoint={folder}{settings}]").rounds(Example("pair", *pair)))


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_sentences_score_as_defined(tiny_deberta: Path, grounded: Grounded, pair: tuple[str, str]) -> None:
    score = scored(tiny_deberta, pair)
    passages = expected_chunks(pair[0])
    each = [max(grounded(passage, span.of(pair[1])) for passage in passages) for span in sentences(pair[1])]
    assert [part.score for part in score.parts] == close(each)
    assert score.value == close(sum(each) / len(each))


@pytest.mark.parametrize(
    "name",
    ["ordinary", pytest.param("several chunks", marks=pytest.mark.slow), "odd punctuation", "blanks around"],
)
def test_a_whole_summary_scores_as_published(tiny_deberta: Path, grounded: Grounded, name: str) -> None:
    document, summary = PAIRS[name]
    score = scored(tiny_deberta, (document, summary), ",claims=whole")
    assert score.value == close(max(grounded(passage, summary) for passage in expected_chunks(document)))


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(tiny_deberta: Path) -> None:
    values = [scored(tiny_deberta, pair).value for pair in PAIRS.values()]
    assert max(values) - min(values) > 0.5


def test_the_prompt_is_that_of_the_model() -> None:
    assert hashlib.sha256(prompt("A", "B").encode()).hexdigest().startswith("c8750a1d2f46a4b6")


@pytest.mark.parametrize(
    "document",
    [
        *(pair[0] for pair in PAIRS.values()),
        LONG_SENTENCE,
        f"{TEXT}\n\n{LONG_SENTENCE}\n\n{TEXT}",
        f"  {LONG_SENTENCE} \n \n Rain fell. \n  It  stopped.\n",
        "It rained. " * 1000,
        "\n\nRain fell \n on the roof.\n\n" * 200,
    ],
)
def test_chunks_are_as_defined(document: str) -> None:
    assert [chunk.text for chunk in chunks(document)] == expected_chunks(document)


def test_a_long_first_sentence_leaves_an_empty_chunk_which_is_no_evidence(tiny_deberta: Path) -> None:
    texts = [chunk.text for chunk in chunks(f"{LONG_SENTENCE} Rain fell.")]
    assert texts == ["", LONG_SENTENCE, "Rain fell."]
    score = scored(tiny_deberta, (f"{LONG_SENTENCE} Rain fell.", "It rained."))
    assert len(score.seen.pieces) == 2
    assert score.parts[0].evidence in (*score.seen.pieces, None)


def test_words_are_counted_as_by_nltk() -> None:
    assert len(chunks('"It\'s 5%," she said. ' * 55)) == 1
    assert len(chunks('"It\'s 5%," she said. ' * 56)) == 2


def test_chunks_stand_where_they_stand_in_the_document() -> None:
    document = "\n\n" + "Rain  fell here.\n\nIt stopped. " * 100
    found = [chunk.span.of(document) for chunk in chunks(document)]
    assert "".join("".join(found).split()) == "".join(document.split())


def test_a_document_without_a_sentence_is_refused(tiny_deberta: Path) -> None:
    with pytest.raises(UnscorableError, match="no sentence"):
        scored(tiny_deberta, ("\n\n", "It rained."))


def test_a_literal_brace_is_a_character(tiny_deberta: Path, grounded: Grounded) -> None:
    pair = ("The set {0} holds {text_b}.", "It holds {text_a}.")
    assert scored(tiny_deberta, pair).value == close(grounded(*pair))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


@pytest.mark.slow
def test_an_edited_sentence_is_asked_once_per_chunk(tiny_deberta: Path, engine: Engine) -> None:
    metric = METRICS.parse(f"factcg[checkpoint={tiny_deberta}]")
    document, summary = f"{TEXT} The end. {TEXT}", PAIRS["ordinary"][1]
    texts = [summary, summary, summary.replace("Nobody", "Everybody")]
    results = [found for text in texts for _, found in engine.run([metric], [Example("a", document, text)])]
    rows = len(chunks(document))
    assert rows == 2
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [3 * rows, 0, rows]
