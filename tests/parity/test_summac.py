"""Our SummaC is that of its definition, one pair of sentences at a time with plain transformers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AlbertForSequenceClassification, DebertaConfig, PreTrainedTokenizerFast

from core.errors import LoadError
from core.models.networks.tokenizer import TextTokenizer
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, signature
from core.scoring.metrics import summac
from core.scoring.metrics.summac import SummaCConv, text_units
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Failure, Result, Score
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS
from tests.parity.tiny_entailment import albert_nli, summac_head
from tests.tiny import TEXT

pytestmark = pytest.mark.parity

Shares = Callable[[str, str], list[float]]
Image = list[list[list[float]]]
"""For each sentence of the document and each of the summary three probabilities."""

EDGES = [0, .01, .02, .03, .04, .07, .13, .37, .90, .91, .92, .93, .94, .95, .955, .96, .965, .97, .975, .98, .985, .99, .995, 1]  # fmt: skip
HEAD = json.loads(Path(summac.__file__).with_name("summac_conv_head.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return albert_nli(tmp_path_factory.mktemp("tiny") / "albert")


@pytest.fixture(scope="module")
def shares(folder: Path) -> Shares:
    """From a premise and a hypothesis to the probabilities of the three labels."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="<pad>")
    network = AlbertForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    known: dict[tuple[str, str], list[float]] = {}

    def ask(premise: str, hypothesis: str) -> list[float]:
        if (premise, hypothesis) not in known:
            options = {"truncation": "longest_first", "max_length": 500, "return_token_type_ids": True}
            inputs = tokenizer([premise], [hypothesis], return_tensors="pt", **options)
            with torch.no_grad():
                known[premise, hypothesis] = network(**inputs).logits[0].softmax(-1).tolist()
        return known[premise, hypothesis]

    return ask


def long_sentences(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text) if len(span.of(text)) > 10]


def image(shares: Shares, pair: tuple[str, str]) -> Image:
    """Metrics-core 4.3 to 4.5, word for word."""
    document, summary = long_sentences(pair[0])[:100], long_sentences(pair[1])
    if not document or not summary:
        return [[[0.0, 0.0, 0.0]]]
    return [[shares(premise, hypothesis) for hypothesis in summary] for premise in document]


def zero_shot(pixels: Image) -> list[float]:
    columns = range(len(pixels[0]))
    return [max(row[column][0] for row in pixels) - max(row[column][1] for row in pixels) for column in columns]


def ratings(pixels: Image) -> list[float]:
    """Metrics-core 4.7: a histogram of each of the first ten columns, and its product with the first layer."""
    found = []
    for column in range(min(len(pixels[0]), 10)):
        rating = HEAD["row_bias"]
        for row in pixels:
            last = len(EDGES) - 2
            place = next(i for i in range(last + 1) if row[column][0] < EDGES[i + 1] or i == last)
            rating += HEAD["row_weights"][place]
        found.append(rating)
    return found


def convolved(pixels: Image) -> float:
    mean = sum(ratings(pixels)) / len(ratings(pixels))
    logits = [sum(row) * mean + bias for row, bias in zip(HEAD["final_weights"], HEAD["final_bias"], strict=True)]
    return math.exp(logits[1]) / (math.exp(logits[0]) + math.exp(logits[1]))


@cache
def scored(folder: Path, name: str, pair: tuple[str, str], settings: str = "") -> Score:
    return drive(METRICS.parse(f"{name}[checkpoint={folder}{settings}]").rounds(Example("pair", *pair)))


def close(value: object) -> object:
    return pytest.approx(value, abs=1e-5)


LONG = (" ".join(f"Boat {number} landed {number % 7} tonnes." for number in range(120)), PAIRS["ordinary"][1])
MANY = (PAIRS["ordinary"][0], " ".join(f"Boat {number} sank in the harbour." for number in range(14)))
PROBES = {**PAIRS, "a document of 120 sentences": LONG, "a summary of 14 sentences": MANY}
PROBE_CASES = [
    *PAIR_CASES,
    pytest.param(LONG, id="a document of 120 sentences", marks=pytest.mark.slow),
    pytest.param(MANY, id="a summary of 14 sentences", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("pair", PROBE_CASES)
def test_zero_shot_scores_as_defined(folder: Path, shares: Shares, pair: tuple[str, str]) -> None:
    score = scored(folder, "summac-zs", pair)
    each = zero_shot(image(shares, pair))
    assert score.value == close(sum(each) / len(each))
    assert [part.score for part in score.parts] == (close(each) if score.seen.pieces else [])


@pytest.mark.parametrize("pair", PROBE_CASES)
def test_conv_scores_as_defined(folder: Path, shares: Shares, pair: tuple[str, str]) -> None:
    assert scored(folder, "summac-conv", pair).value == close(convolved(image(shares, pair)))


@pytest.mark.parametrize("pair", PROBE_CASES)
def test_conv_agrees_with_its_closed_form(folder: Path, shares: Shares, pair: tuple[str, str]) -> None:
    found = ratings(image(shares, pair))
    closed = 1 / (1 + math.exp(1.6173 * sum(found) / len(found) + 0.3712))
    assert scored(folder, "summac-conv", pair).value == pytest.approx(closed, abs=1e-4)


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folder: Path) -> None:
    for name, spread in {"summac-zs": 0.5, "summac-conv": 0.1}.items():
        values = [scored(folder, name, pair).value for pair in PROBES.values()]
        assert max(values) - min(values) > spread, name


@pytest.mark.parametrize(
    ("places", "score"),
    [
        ([0.0], 0.200),
        ([0.0] * 10, 0.211),
        ([0.0] * 40, 0.250),
        ([0.0] * 100, 0.340),
        ([1.0], 0.919),
        ([1.0] + [0.0] * 99, 0.959),
    ],
)
def test_the_floor_and_the_ceiling_are_those_of_the_released_head(places: list[float], score: float) -> None:
    column = summac.np.array([places]).T
    assert SummaCConv().value(column, column) == pytest.approx(score, abs=6e-4)


@pytest.mark.parametrize(
    ("setting", "function"),
    [
        ("over_document=mean", lambda f, a: sum(f) / len(f) - sum(a) / len(a)),
        ("over_document=min", lambda f, a: min(f) - min(a)),
        ("labels=entailment", lambda f, _: max(f)),
        ("labels=contradiction", lambda _, a: 1 - max(a)),
    ],
)
def test_settings_of_zero_shot_are_as_defined(
    folder: Path, shares: Shares, setting: str, function: Callable[[list[float], list[float]], float]
) -> None:
    pair = PAIRS["ordinary"]
    pixels = image(shares, pair)
    columns = range(len(pixels[0]))
    each = [function([row[i][0] for row in pixels], [row[i][1] for row in pixels]) for i in columns]
    assert [part.score for part in scored(folder, "summac-zs", pair, f",{setting}").parts] == close(each)


@pytest.mark.parametrize("name", ["min", "max", "all"])
def test_settings_of_conv_are_as_defined(folder: Path, shares: Shares, name: str) -> None:
    found = ratings(image(shares, PAIRS["ordinary"]))
    mean = sum(found) / len(found)
    features = {"min": [min(found)] * 3, "max": [max(found)] * 3, "all": [min(found), mean, max(found)]}[name]
    layer = torch.tensor(HEAD["final_weights"]) @ torch.tensor(features) + torch.tensor(HEAD["final_bias"])
    score = scored(folder, "summac-conv", PAIRS["ordinary"], f",over_summary={name}")
    assert score.value == close(float(layer.softmax(-1)[1]))


def test_labels_stand_where_the_model_has_them(folder: Path, shares: Shares) -> None:
    pixels = image(shares, PAIRS["ordinary"])
    columns = range(len(pixels[0]))
    each = [max(row[i][2] for row in pixels) - max(row[i][0] for row in pixels) for i in columns]
    assert [part.score for part in scored(folder, "summac-zs", PAIRS["ordinary"], ",nli=mnli").parts] == close(each)


TEXTS = "One sentence stands here. Short. Another one stands here.\n\n  A paragraph of its own. \n\nTiny.\n\nThe end is near."


@pytest.mark.parametrize(
    ("granularity", "texts"),
    [
        ("document", [TEXTS]),
        (
            "paragraph",
            [
                "One sentence stands here. Short. Another one stands here.",
                "A paragraph of its own.",
                "The end is near.",
            ],
        ),
        (
            "sentence",
            ["One sentence stands here.", "Another one stands here.", "A paragraph of its own.", "The end is near."],
        ),
        (
            "2sents",
            [
                "One sentence stands here. Another one stands here.",
                "Another one stands here. A paragraph of its own.",
                "A paragraph of its own. The end is near.",
                "The end is near.",
            ],
        ),
    ],
)
def test_units_are_as_defined(granularity: summac.Units, texts: list[str]) -> None:
    found = text_units(TEXTS, granularity)
    assert [unit.text for unit in found] == texts
    if granularity != "2sents":
        assert [unit.span.of(TEXTS) for unit in found] == texts


def test_mixed_units_are_sentences_and_paragraphs() -> None:
    assert text_units(TEXTS, "mixed") == text_units(TEXTS, "sentence") + text_units(TEXTS, "paragraph")


def test_lines_are_paragraphs_where_no_line_is_blank() -> None:
    assert [unit.text for unit in text_units("The first line.\n The second line.", "paragraph")] == [
        "The first line.",
        "The second line.",
    ]


@pytest.mark.parametrize(("text", "number"), [("It rained.", 0), ("It drizzled", 1)])
def test_a_unit_has_more_than_ten_characters(text: str, number: int) -> None:
    assert len(text_units(text, "sentence")) == number


@pytest.mark.parametrize(("name", "score"), [("summac-zs", 0.0), ("summac-conv", 0.2001)])
def test_a_summary_of_short_sentences_gets_the_authors_number_and_a_remark(
    folder: Path, name: str, score: float
) -> None:
    found = scored(folder, name, (TEXT, "It rained. So it is."))
    assert found.value == pytest.approx(score, abs=1e-4)
    assert "No unit of the summary has more than ten characters" in found.seen.notes[0]


def test_what_does_not_count_is_told(folder: Path) -> None:
    assert any("20 units after the first 100" in note for note in scored(folder, "summac-zs", LONG).seen.notes)
    assert any("4 units after the first 10" in note for note in scored(folder, "summac-conv", MANY).seen.notes)
    assert not any("after the first" in note for note in scored(folder, "summac-zs", MANY).seen.notes)
    short = (TEXT, "It rained. The harbour was closed.")
    assert any("1 in the summary" in note for note in scored(folder, "summac-zs", short).seen.notes)


def test_a_model_with_other_labels_is_refused(tiny_roberta: Path) -> None:
    with pytest.raises(LoadError, match="has 2 labels, and the metric reads 3"):
        scored(tiny_roberta, "summac-zs", PAIRS["ordinary"])


def test_a_sentence_rests_on_the_sentence_that_entails_it_most(folder: Path, shares: Shares) -> None:
    document, summary = PAIRS["ordinary"]
    part = scored(folder, "summac-zs", (document, summary)).parts[0]
    assert part.evidence
    premises = long_sentences(document)
    assert part.evidence.of(document) == max(premises, key=lambda p: shares(p, part.span.of(summary))[0])


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", ["summac-zs", "summac-conv"])
def test_an_edited_sentence_is_asked_once_per_sentence_of_the_document(folder: Path, engine: Engine, name: str) -> None:
    metric = METRICS.parse(f"{name}[checkpoint={folder}]")
    document, summary = PAIRS["ordinary"]
    texts = [summary, summary, summary.replace("Nobody", "Everybody")]
    results = [found for text in texts for _, found in engine.run([metric], [Example("a", document, text)])]
    rows = len(long_sentences(document))
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [3 * rows, 0, rows]


def test_both_variants_ask_the_same(folder: Path, engine: Engine) -> None:
    metrics = [METRICS.parse(f"{name}[checkpoint={folder}]") for name in ("summac-zs", "summac-conv")]
    asked = [
        found.counts.asked
        for metric in metrics
        for _, found in engine.run([metric], [Example("a", *PAIRS["ordinary"])])
        if isinstance(found, Result)
    ]
    assert asked[0] > 0
    assert asked[1] == 0


def test_the_signature_is_the_same_wherever_the_weights_lie(folder: Path) -> None:
    metrics = [METRICS.parse("summac-zs"), METRICS.parse(f"summac-zs[checkpoint={folder}]")]
    first, second = (signature(metric, ["0123456789abcdef"], "punkt") for metric in metrics)
    assert first == second


def field(number: int, content: bytes) -> bytes:
    """A field of a protocol-buffer message whose content is shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def test_a_sentencepiece_file_gives_the_same_tokens(folder: Path, tmp_path: Path) -> None:
    saved = json.loads((folder / "tokenizer.json").read_text())
    model = b""
    for number, (text, score) in enumerate(saved["model"]["vocab"]):
        kind = 2 if text == "<unk>" else 3 if number < 5 else 1
        packed = field(1, text.encode()) + bytes([2 << 3 | 5]) + torch.tensor(score).numpy().tobytes()
        model += field(1, packed + bytes([3 << 3, kind]))
    (tmp_path / "spiece.model").write_bytes(model)
    (tmp_path / "config.json").write_text('{"model_type": "albert"}')
    ours, theirs = TextTokenizer.load(tmp_path), Tokenizer.from_file(str(folder / "tokenizer.json"))
    for premise, hypothesis in PAIRS.values():
        encoding = theirs.encode_batch([(premise, hypothesis)])[0]
        [tokens] = ours.encode([(premise, hypothesis)], [1 << 20])
        assert (tokens.ids, tokens.types) == (tuple(encoding.ids), tuple(encoding.type_ids))


def test_a_digit_and_a_comma_share_no_piece(tmp_path: Path) -> None:
    pieces = [("<pad>", 0.0, 3), ("<unk>", 0.0, 2), ("[CLS]", 0.0, 3), ("[SEP]", 0.0, 3), ("[MASK]", 0.0, 3)]
    pieces += [("▁9", -1.0, 1), (",", -1.0, 1), ("▁9,", -1.0, 1), ("a", -2.0, 1), ("▁", -2.0, 1)]
    packed = [
        field(
            1,
            field(1, text.encode())
            + bytes([2 << 3 | 5])
            + torch.tensor(score).numpy().tobytes()
            + bytes([3 << 3, kind]),
        )
        for text, score, kind in pieces
    ]
    (tmp_path / "spiece.model").write_bytes(b"".join(packed))
    (tmp_path / "config.json").write_text('{"model_type": "albert"}')
    [tokens] = TextTokenizer.load(tmp_path).encode(["  9, Á"], [1 << 20])
    names = [text for text, *_ in pieces]
    assert [names[number] for number in tokens.ids] == ["[CLS]", "▁9", ",", "▁", "a", "[SEP]"]


def test_a_pair_of_the_first_deberta_has_one_separator_and_two_types(tmp_path: Path) -> None:
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        special_tokens=special, initial_alphabet=alphabet, vocab_size=300, show_progress=False
    )
    backend.train_from_iterator(TEXT.splitlines(), trainer)
    backend.model.save(str(tmp_path))
    DebertaConfig(vocab_size=300).save_pretrained(tmp_path)
    [tokens] = TextTokenizer.load(tmp_path).encode([("a", "b")], [10])
    assert [backend.id_to_token(number) for number in tokens.ids] == ["[CLS]", "a", "[SEP]", "b", "[SEP]"]
    assert tokens.types == (0, 0, 0, 1, 1)


def test_a_head_that_the_authors_code_saved_can_be_given(folder: Path, engine: Engine, tmp_path: Path) -> None:
    same, other = summac_head(tmp_path / "same.bin"), summac_head(tmp_path / "other.bin", 1.0)
    settings = ["", f",head={same}", f",head={other}"]
    metrics = [METRICS.parse(f"summac-conv[checkpoint={folder}{setting}]") for setting in settings]
    found = [one for metric in metrics for _, one in engine.run([metric], [Example("a", *PAIRS["ordinary"])])]
    released, given, changed = [one for one in found if isinstance(one, Result)]
    assert given.score == pytest.approx(released.score, abs=1e-5)
    assert [part.score for part in given.parts] == pytest.approx([part.score for part in released.parts], abs=1e-5)
    assert changed.score > given.score
    assert len({one.signature for one in (released, given, changed)}) == 3


def test_a_file_that_is_no_head_is_refused(folder: Path, engine: Engine, tmp_path: Path) -> None:
    torch.save({"mlp.weight": torch.zeros(1, 50)}, tmp_path / "even50.bin")
    metric = METRICS.parse(f"summac-conv[checkpoint={folder},head={tmp_path / 'even50.bin'}]")
    [(_, found)] = engine.run([metric], [Example("a", *PAIRS["short"])])
    assert isinstance(found, Failure)
    assert "is no head of SummaC-Conv" in found.error
