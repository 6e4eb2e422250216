"""Our LettuceDetect probabilities and spans are those of the definition, one pair at a time with plain transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import ModernBertForTokenClassification, PreTrainedTokenizerFast

from core.errors import BadSettingError, UnscorableError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.lettucedetect import group_passages, prompt
from core.settings import Settings
from core.types import Example, Result, Score, Span
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS
from tests.parity.tiny_tokens import modernbert

pytestmark = pytest.mark.parity

Token = tuple[tuple[int, int], float, bool]
"""Where it stands in the answer, the probability that it is unsupported, and whether that label is the likelier."""
Tagged = Callable[[str, str, int], list[Token]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return modernbert(tmp_path_factory.mktemp("tiny") / "modernbert")


@pytest.fixture(scope="module")
def tagged(folder: Path) -> Tagged:
    """The tokens of an answer after a prompt, within a limit."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    network = ModernBertForTokenClassification.from_pretrained(folder, dtype=torch.float32).eval()

    def of(text: str, answer: str, limit: int) -> list[Token]:
        row = tokenizer(
            [text],
            [answer],
            truncation="only_first",
            max_length=limit,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            logits = network(input_ids=row["input_ids"], attention_mask=row["attention_mask"]).logits[0]
        start = len(logits) - len(tokenizer(answer, add_special_tokens=False)["input_ids"]) - 1
        places = [tuple(place) for place in row["offset_mapping"][0].tolist()]
        answered = list(zip(places, logits.softmax(-1)[:, 1].tolist(), logits.argmax(-1) == 1, strict=True))[start:]
        return [(place, share, bool(call)) for place, share, call in answered if place[0] < place[1]]

    return of


def template(*passages: str) -> str:
    numbered = "\n".join(f"passage {number}: {passage}" for number, passage in enumerate(passages, 1))
    return f"Summarize the following text:\n{numbered}\noutput:"


def spans(tokens: list[Token]) -> list[str]:
    """Consecutive flagged tokens as one stretch, told as our notes tell it, without its text."""
    found: list[tuple[int, int, float]] = []
    fresh = True
    for (start, end), share, call in tokens:
        if call and fresh:
            found.append((start, end, share))
        elif call:
            found[-1] = (found[-1][0], end, max(found[-1][2], share))
        fresh = not call
    return [f"probability {share:.2f}: characters {start} to {end}" for start, end, share in found]


def ours(folder: Path, pair: tuple[str, str], settings: str = "") -> Score:
    return drive(METRICS.parse(f"lettucedetect[checkpoint={folder}{settings}]").rounds(Example("pair", *pair)))


def noted(score: Score) -> list[str]:
    notes = [note for note in score.seen.notes if note.startswith("Unsupported")]
    return [note.removeprefix("Unsupported with ").split(", “")[0] for note in notes]


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_tokens_and_spans_are_as_defined(folder: Path, tagged: Tagged, pair: tuple[str, str]) -> None:
    tokens = tagged(template(pair[0]), pair[1], 4096)
    score = ours(folder, pair)
    assert score.value == pytest.approx(1 - max(share for _, share, _ in tokens), abs=1e-5)
    assert noted(score) == spans(tokens)


@pytest.mark.parametrize("name", ["ordinary", "odd punctuation", "literal separators"])
def test_the_mean_is_taken_over_the_same_tokens(folder: Path, tagged: Tagged, name: str) -> None:
    shares = [share for _, share, _ in tagged(template(PAIRS[name][0]), PAIRS[name][1], 4096)]
    assert ours(folder, PAIRS[name], ",over=mean").value == pytest.approx(1 - sum(shares) / len(shares), abs=1e-5)


def test_the_end_of_a_long_document_is_cut_and_the_summary_never(folder: Path, tagged: Tagged) -> None:
    pair = PAIRS["several chunks"]
    tokens = tagged(template(pair[0]), pair[1], 300)
    score = ours(folder, pair, ",max_tokens=300")
    assert score.value == pytest.approx(1 - max(share for _, share, _ in tokens), abs=1e-5)
    assert noted(score) == spans(tokens)
    assert score.seen.notes[0] == f"{score.seen.cut} tokens at the end of the document were not read."


def test_lines_are_read_in_groups_that_fit_and_the_worst_group_counts(folder: Path, tagged: Tagged) -> None:
    document, summary = PAIRS["ordinary"]
    lines = [line for line in document.split("\n") if line.strip()]
    limit, tokenizer = 400, PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))

    def size(text: str) -> int:
        return len(tokenizer(text, add_special_tokens=False)["input_ids"])

    budget = limit - 3 - size(summary) - size(template(""))
    texts: list[list[str]] = [[]]
    used = 0
    for number, line in enumerate(lines, 1):
        cost = size(f"passage {number}: {line}")
        if texts[-1] and used + cost + 1 > budget:
            texts.append([])
            used = 0
        used += cost + (1 if texts[-1] else 0)
        texts[-1].append(line)
    assert len(texts) > 2
    rows = [tagged(template(*group), summary, limit) for group in texts]
    largest = [max(token[1] for token in tokens) for tokens in zip(*rows, strict=True)]
    score = ours(folder, (document, summary), f",max_tokens={limit},passages=lines")
    assert score.value == pytest.approx(1 - max(largest), abs=1e-5)
    assert noted(score) == spans(
        [(token[0], share, share >= 0.5) for token, share in zip(rows[0], largest, strict=True)]
    )
    assert [piece.of(document) for piece in score.seen.pieces] == ["\n".join(group) for group in texts]


def test_lines_that_fit_are_one_group(folder: Path, tagged: Tagged) -> None:
    lines = ["The lamp was lit.", "Nobody spoke.", "A door closed."]
    tokens = tagged(template(*lines), "It was lit.", 4096)
    score = ours(folder, ("\n\n" + "\n".join(lines) + "\n", "It was lit."), ",passages=lines")
    assert score.value == pytest.approx(1 - max(share for _, share, _ in tokens), abs=1e-5)


def test_the_prompt_is_the_one_that_the_weights_know() -> None:
    assert hashlib.sha256(prompt(["A"]).encode()).hexdigest().startswith("880b87cf8a2b9a39")  # metrics-more M


def test_another_prompt_would_be_noticed(folder: Path, tagged: Tagged) -> None:
    document, summary = PAIRS["ordinary"]
    tokens = tagged(document, summary, 4096)
    assert abs(ours(folder, (document, summary)).value - (1 - max(share for _, share, _ in tokens))) > 1e-3


def test_a_part_is_read_from_the_tokens_of_its_sentence(folder: Path, tagged: Tagged) -> None:
    document, summary = "Rain fell.", "It rained. Nobody spoke."
    tokens = tagged(template(document), summary, 4096)
    second = summary.index("Nobody") - 1  # the first token begins with the blank before it
    score = ours(folder, (document, summary))
    assert [part.score for part in score.parts] == pytest.approx(
        [
            1 - max(share for (start, _), share, _ in tokens if start < second),
            1 - max(share for (start, _), share, _ in tokens if start >= second),
        ],
        abs=1e-5,
    )


def test_a_line_over_the_budget_stands_alone() -> None:
    spans = [Span(0, 1), Span(1, 2), Span(2, 3), Span(3, 4)]
    assert group_passages(spans, [2, 9, 2, 2], 5) == [[spans[0]], [spans[1]], spans[2:]]
    assert group_passages(spans, [2, 2, 2, 2], 4) == [[span] for span in spans]


def test_a_summary_that_leaves_no_room_is_refused(folder: Path) -> None:
    with pytest.raises(UnscorableError, match=r"The summary has \d+ tokens and the model reads 64"):
        ours(folder, PAIRS["a long claim"], ",max_tokens=64")


def test_a_limit_out_of_range_is_refused() -> None:
    with pytest.raises(BadSettingError, match="64 to 8192; got 9000"):
        METRICS.parse("lettucedetect[max_tokens=9000]")


def test_an_edit_reads_the_summary_again_and_the_same_text_asks_nothing(folder: Path, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(f"lettucedetect[checkpoint={folder}]")
    pairs = [Example("pair", PAIRS["short"][0], text) for text in ("It rained.", "It rained.", "It snowed.")]
    results = [outcome for pair in pairs for _, outcome in engine.run([metric], [pair])]
    engine.close()
    # two counts and the pair; then the count and the pair of the new summary
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [3, 0, 2]


def test_an_answer_is_read_after_its_question_and_passages() -> None:
    asked = prompt(["A", "B"], "Why?")
    assert asked.splitlines()[:2] == ["Briefly answer the following question:", "Why?"]
    assert "the following 2 passages:\npassage 1: A\npassage 2: B\nIn case" in asked
