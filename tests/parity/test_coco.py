"""Our CoCo is that of the definition, one text and one token at a time with plain transformers and a parser of rules."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from transformers import BartForConditionalGeneration, PreTrainedTokenizerFast

from core.errors import BadSettingError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.coco import MASK, content_words, decoded_words, mask_document
from core.settings import Settings
from core.types import Answer, Example, Question, Result, Score, Span
from tests import drive as driving
from tests.parity import tiny_likelihood
from tests.parity.texts import LONG_SENTENCE, PAIR_CASES, PAIRS
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

SUMMARY = "The harbour of Lindvale was closed . Nobody in the storm was hurt , said Ana Brekke ."
UNIMPORTANT = {"PUNCT", "SYM", "DET", "PART", "CCONJ", "SCONJ", "SPACE"}
STRATEGIES = ["token", "span", "sent", "doc"]


class Rules:
    """Stands where the module of kind "spacy_parse" would, and is its model too."""

    nbytes = 0

    def load(self, path: Path, checkpoint: Checkpoint, device: str) -> Rules:  # noqa: ARG002  # as every kind
        return self

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [Row(question, 0, ()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        return [self.read(row.question.inputs[0], str(dict(row.question.options)["of"])) for row in rows]

    def read(self, text: str, what: str) -> Answer:
        if what == "sentences":
            return Answer(spans=tuple(Span(*found.span()) for found in re.finditer(r"[^.!?]+(?:[.!?]+|$)", text)))
        spans = [Span(*found.span()) for found in re.finditer(r"\w+|[^\w\s]|(?<=\s)\s+", text)]
        return Answer(spans=tuple(spans), texts=tuple(self.kind(span.of(text)) for span in spans))

    def kind(self, word: str) -> str:
        if not word.strip():
            return "SPACE"
        if not re.match(r"\w", word):
            return "PUNCT"
        return "DET" if word.lower() in {"the", "a", "an", "that"} else "NUM" if word.isdigit() else "NOUN"


RULES = Rules()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    favoured = SUMMARY + " ".join(summary for _, summary in PAIRS.values())
    return tiny_likelihood.summarizer(tmp_path_factory.mktemp("tiny") / "bart", favoured)


def ours(spec: str, document: str, summary: str) -> Score:
    conversation = METRICS.parse(spec).rounds(Example("pair", document, summary))
    try:
        questions = next(conversation)
        while True:
            questions = conversation.send([told(question) for question in questions])
    except StopIteration as end:
        score: Score = end.value
        return score


def told(question: Question) -> Answer:
    if question.checkpoint.kind == "spacy_parse":
        return RULES.read(question.inputs[0], str(dict(question.options)["of"]))
    return driving.answer(question)


Probabilities = Callable[[list[int], list[int]], list[float]]


class Definition:
    """Metrics-more 6, word for word."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
        self.network = BartForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
        self.mask = self.tokenizer.convert_tokens_to_ids(MASK)

    def pieces(self, text: str) -> list[int]:
        return self.tokenizer([text], add_special_tokens=False)["input_ids"][0]

    def encode(self, text: str) -> list[int]:
        """Ids with those of the ends; nothing between two masks takes one of the 1,022 places."""
        places: list[int | None] = []
        spans = text.split(MASK)
        for number, span in enumerate(spans):
            places += self.pieces(span.rstrip() if len(spans) > 1 else span) or [None]
            places += [self.mask] if number < len(spans) - 1 else []
        while len(places) > 1 and places[0] is None:
            places = places[1:]
        while len(places) > 1 and places[-1] is None:
            places = places[:-1]
        return [0, *(token for token in places[:1022] if token is not None), 2]

    def probabilities(self, document: str, summary: str) -> list[float]:
        read, wrote = self.encode(document), self.encode(summary)
        with torch.no_grad():
            logits = self.network(torch.tensor([read]), decoder_input_ids=torch.tensor([[2, *wrote[:-1]]])).logits[0]
        return [float(row.softmax(-1)[token]) for row, token in zip(logits, wrote, strict=True)]

    def words(self, summary: str) -> list[tuple[str, int]]:
        """Pieces joined at leading blanks, with the place of the first."""
        found: list[tuple[str, int]] = []
        for place, token in enumerate(self.encode(summary)):
            piece = self.tokenizer.decode([token])
            if place == 0 or token == 2 or piece in {"", " "}:
                continue
            if piece.startswith(" ") or not found:
                found.append((piece, place))
            else:
                found[-1] = (found[-1][0] + piece, found[-1][1])
        return [(word.lstrip(), place) for word, place in found]

    def masked(self, document: str, keys: set[str], strategy: str) -> str:
        words = [span.of(document) for span in RULES.read(document, "words").spans]
        hit = [word.lower() in {key.lower() for key in keys} for word in words]
        if strategy == "doc":
            hit = [True] * len(words)
        if strategy == "span":
            hit = [any(hit[max(0, i - 2) : i + 3]) for i in range(len(words))]
        if strategy == "sent":
            hit, taken = [], 0
            for sentence in RULES.read(document, "sentences").spans:
                inside = [
                    s.of(document)
                    for s in RULES.read(document, "words").spans
                    if sentence.start <= s.start < sentence.end
                ]
                hit += [any(word.lower() in {key.lower() for key in keys} for word in inside)] * len(inside)
                taken += len(inside)
            hit += [False] * (len(words) - taken)
        return " ".join(MASK if struck else word for struck, word in zip(hit, words, strict=True))

    def score(self, document: str, summary: str, strategy: str) -> float:
        document, summary = (" ".join(re.split(r"[\n\r]", text)).strip() for text in (document, summary))
        read = RULES.read(summary, "words")
        keys = {s.of(summary) for s, kind in zip(read.spans, read.texts, strict=True) if kind not in UNIMPORTANT}
        plain = self.probabilities(document, summary)
        masked = self.probabilities(self.masked(document, keys, strategy), summary)
        changes = [plain[place] - masked[place] for word, place in self.words(summary) if word in keys]
        return sum(changes) / len(changes) if changes else 0.0


@pytest.fixture(scope="module")
def definition(folder: Path) -> Definition:
    return Definition(folder)


# the authors read literal marks as letters, we as marks: the definition above cannot tell
TEXTS = [case for case in PAIR_CASES if case.id != "literal separators"]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("pair", [pytest.param((TEXT, SUMMARY), id="words apart"), *TEXTS])
def test_score_is_as_defined(folder: Path, definition: Definition, strategy: str, pair: tuple[str, str]) -> None:
    score = ours(f"coco[checkpoint={folder},mask={strategy}]", *pair)
    assert score.value == pytest.approx(definition.score(*pair, strategy), rel=1e-4, abs=2e-7)


def test_the_scores_of_the_tiny_model_spread(definition: Definition) -> None:
    values = [definition.score(TEXT, SUMMARY, strategy) for strategy in STRATEGIES]
    assert max(values) - min(values) > 1e-3
    assert len(set(values)) == 4


def test_a_heavily_masked_document_is_cut_earlier(folder: Path, definition: Definition) -> None:
    document = LONG_SENTENCE * 3 + " Nobody sailed. " * 100
    summary = "boat sailed north with nine tonnes of herring"
    score = ours(f"coco[checkpoint={folder}]", document, summary)
    assert score.seen.cut > 0
    assert score.value == pytest.approx(definition.score(document, summary, "token"), rel=1e-4, abs=2e-7)


def test_a_word_before_a_full_stop_is_not_compared(folder: Path) -> None:
    spec = f"coco[checkpoint={folder}]"
    assert ours(spec, TEXT, "Lindvale closed the harbour.").seen.notes[0] == "2 of 4 words were compared."
    assert ours(spec, TEXT, "Lindvale closed the harbour").seen.notes[0] == "3 of 4 words were compared."


def test_without_a_word_to_compare_the_score_is_nought_and_says_so(folder: Path) -> None:
    score = ours(f"coco[checkpoint={folder}]", TEXT, "Closed.")
    assert (score.value, score.parts) == (0.0, ())
    assert "No word of the summary could be compared, which the metric scores 0." in score.seen.notes


def test_the_score_of_a_sentence_is_the_mean_over_its_words(folder: Path) -> None:
    score = ours(f"coco[checkpoint={folder}]", TEXT, "\n " + SUMMARY)
    first = ours(f"coco[checkpoint={folder}]", TEXT, SUMMARY)
    assert [part.score for part in score.parts] == [part.score for part in first.parts]
    assert [part.span.start for part in score.parts] == [0, 2 + SUMMARY.index("Nobody")]
    assert min(part.score for part in score.parts) < score.value < max(part.score for part in score.parts)


def test_words_begin_where_a_blank_does() -> None:
    text = "a  b 東c d"
    tokens = [(0, 0), (0, 1), (2, 2), (3, 4), (5, 5), (5, 6), (5, 6), (6, 7), (8, 9), (0, 0)]
    words = decoded_words(text, [Span(*token) for token in tokens])
    assert [(word.span.of(text), word.token, word.whole) for word in words] == [
        ("a", 1, True),
        ("b 東c", 3, False),
        ("d", 8, True),
    ]


def test_masks_take_the_blanks_before_them() -> None:
    document = "Rain fell on the dry roof."
    words = RULES.read(document, "words")
    keys = content_words("rain on roof", RULES.read("rain on roof", "words"))
    assert MASK.join(mask_document("token", document, words, (), keys)) == "<mask> fell<mask> the dry<mask> ."


def test_an_edit_asks_the_two_likelihoods_and_what_depends_on_the_words(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "core.models.adapters.spacy_parse", RULES)  # type: ignore[arg-type]  # it has the function that a kind needs
    parser = tmp_path / "parser"
    parser.mkdir()
    for name, content in {"config.cfg": b"", "config.json": b"{}", "model.safetensors": b"toy"}.items():
        (parser / name).write_bytes(content)
    engine = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path / "cache"))
    metric = METRICS.parse(f"coco[checkpoint={folder},parser={parser}]")
    asked = []
    for summary in (SUMMARY, SUMMARY, SUMMARY.replace("Nobody", "Somebody")):
        [(_, result)] = engine.run([metric], [Example("pair", TEXT, summary)])
        assert isinstance(result, Result), result
        assert result.score == pytest.approx(ours(metric.spec, TEXT, summary).value, rel=1e-4)
        asked.append(result.counts.asked)
    engine.close()
    assert asked == [5, 0, 4]  # all; nothing; all but the words of the document


def test_a_limit_out_of_range_is_refused() -> None:
    with pytest.raises(BadSettingError, match="coco: max_tokens"):
        METRICS.parse("coco[max_tokens=2000]")
