"""Our BARTScore is that of the definition, evaluated one token at a time with plain transformers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from transformers import BartForConditionalGeneration, PreTrainedTokenizerFast

from core.errors import BadSettingError, LoadError
from core.model_reference import Checkpoint
from core.models.adapters import seq2seq_likelihood
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Question, Result
from tests.drive import drive
from tests.parity import tiny_likelihood
from tests.parity.texts import LONG_SENTENCE, PAIR_CASES, PAIRS, SUMMARY
from tests.tiny import TEXT
from tests.unit.command_line import done

pytestmark = pytest.mark.parity

Likelihoods = Callable[[str, str], list[float]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_likelihood.bart(tmp_path_factory.mktemp("tiny") / "bart")


@pytest.fixture(scope="module")
def reading(folder: Path) -> tuple[PreTrainedTokenizerFast, BartForConditionalGeneration]:
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    return tokenizer, BartForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def likelihoods(reading: tuple[PreTrainedTokenizerFast, BartForConditionalGeneration]) -> Likelihoods:
    """The log-probability of each token of a target, as metrics-core 6.3 and 6.4 have it."""
    tokenizer, network = reading

    def of(source: str, target: str) -> list[float]:
        read, wrote = tokenizer([source, target], truncation=True, max_length=1024)["input_ids"]
        with torch.no_grad():
            logits = network(torch.tensor([read]), decoder_input_ids=torch.tensor([[2, *wrote[:-1]]])).logits[0]
        return [float(row.log_softmax(-1)[token]) for row, token in zip(logits, wrote, strict=True)]

    return of


def ours(spec: str, pair: tuple[str, str]) -> float:
    return drive(METRICS.parse(spec).rounds(Example("pair", *pair))).value


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_score_is_as_defined(folder: Path, likelihoods: Likelihoods, pair: tuple[str, str]) -> None:
    values = likelihoods(*pair)
    assert ours(f"bartscore[checkpoint={folder}]", pair) == pytest.approx(sum(values) / len(values), abs=1e-5)


def test_words_are_compared_some_at_a_time(
    folder: Path, likelihoods: Likelihoods, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seq2seq_likelihood, "_WORDS_PER_PASS", 50)
    monkeypatch.setattr(seq2seq_likelihood, "_TOKENS_PER_PASS", 3)
    sizes, multiply = [], seq2seq_likelihood.multiply
    monkeypatch.setattr(
        seq2seq_likelihood, "multiply", lambda *args: sizes.append(multiply(*args).shape) or multiply(*args)
    )
    source = f"No other test reads this. {TEXT}"  # a source that was read keeps the values of its target
    score = ours(f"bartscore[checkpoint={folder}]", (source, SUMMARY))
    values = likelihoods(source, SUMMARY)
    assert score == pytest.approx(sum(values) / len(values), abs=1e-5)
    assert max(tokens for tokens, _ in sizes) == 3
    assert max(words for _, words in sizes) == 50


def test_exponentiated_it_is_the_geometric_mean_of_probabilities(folder: Path, likelihoods: Likelihoods) -> None:
    values = likelihoods(TEXT, SUMMARY)
    metric = METRICS.parse(f"bartscore[checkpoint={folder},scale=exp]")
    score = drive(metric.rounds(Example("pair", TEXT, SUMMARY)))
    assert score.value == pytest.approx(math.prod(math.exp(value) for value in values) ** (1 / len(values)), abs=1e-5)
    assert (metric.card.low, metric.card.high) == (0.0, 1.0)
    assert (METRICS.get("bartscore").card.low, METRICS.get("bartscore").card.high) == (None, 0.0)


def test_the_tokens_of_the_template_count(folder: Path, likelihoods: Likelihoods) -> None:
    inner = likelihoods(TEXT, SUMMARY)[1:-1]
    assert abs(ours(f"bartscore[checkpoint={folder}]", (TEXT, SUMMARY)) - sum(inner) / len(inner)) > 1e-3


def test_the_summary_is_written_after_the_document_and_not_before_it(folder: Path, likelihoods: Likelihoods) -> None:
    turned = likelihoods(SUMMARY, TEXT)
    assert abs(ours(f"bartscore[checkpoint={folder}]", (TEXT, SUMMARY)) - sum(turned) / len(turned)) > 1e-3


def test_the_score_of_a_sentence_is_the_mean_over_its_tokens(folder: Path, likelihoods: Likelihoods) -> None:
    first, second = "Nobody was hurt.", " The mayor said that."
    score = drive(METRICS.parse(f"bartscore[checkpoint={folder}]").rounds(Example("pair", TEXT, first + second)))
    values = likelihoods(TEXT, first + second)[1:-1]
    length = len(likelihoods(TEXT, first)) - 2
    assert [part.score for part in score.parts] == pytest.approx(
        [sum(some) / len(some) for some in (values[:length], values[length:])], abs=1e-5
    )


def test_the_end_of_a_long_document_is_not_read_and_this_is_said(folder: Path) -> None:
    metric = METRICS.parse(f"bartscore[checkpoint={folder}]")
    whole, longer = (
        drive(metric.rounds(Example("pair", LONG_SENTENCE * 3 + end, SUMMARY))) for end in ("", " Nobody was hurt.")
    )
    assert whole.value == pytest.approx(longer.value, abs=1e-5)
    assert whole.seen.notes == (f"{whole.seen.cut} tokens beyond the limit were not read.",)


def test_a_body_without_a_head_gets_the_head_of_its_words(folder: Path, tmp_path: Path) -> None:
    body = tiny_likelihood.bart_without_head(tmp_path / "body")
    values = [ours(f"bartscore[checkpoint={path}]", (TEXT, SUMMARY)) for path in (folder, body)]
    assert values[0] == pytest.approx(values[1], abs=1e-5)


def test_another_architecture_is_refused(tiny_t5: Path) -> None:
    checkpoint = Checkpoint(str(tiny_t5), "seq2seq_likelihood")
    with pytest.raises(LoadError):
        seq2seq_likelihood.load(tiny_t5, checkpoint, "cpu")


@pytest.mark.parametrize("tokens", [7, 1025])
def test_a_limit_out_of_range_is_refused(tokens: int) -> None:
    with pytest.raises(BadSettingError, match="bartscore: max_tokens"):
        METRICS.parse(f"bartscore[max_tokens={tokens}]")


def question(folder: Path, source: str, target: str, limits: tuple[int, int] = (1024, 1024)) -> Question:
    return Question(Checkpoint(str(folder), "seq2seq_likelihood"), (source, target), (("limits", limits),))


@pytest.fixture
def teacher(folder: Path) -> seq2seq_likelihood.LikelihoodModel:
    return seq2seq_likelihood.load(folder, Checkpoint(str(folder), "seq2seq_likelihood"), "cpu")


@pytest.fixture
def encoded(teacher: seq2seq_likelihood.LikelihoodModel) -> Iterator[list[int]]:
    """How many sources each pass of the encoder reads."""
    passes: list[int] = []
    encoder = teacher._network.model.encoder
    hook = encoder.register_forward_pre_hook(
        lambda _, __, inputs: passes.append(len(inputs["input_ids"])), with_kwargs=True
    )
    yield passes
    hook.remove()


@pytest.mark.slow
def test_batching_changes_no_value_and_no_order(folder: Path, teacher: seq2seq_likelihood.LikelihoodModel) -> None:
    questions = [question(folder, *pair) for pair in PAIRS.values()]
    together = teacher.forward(teacher.encode(questions))
    for asked, answer in zip(questions, together, strict=True):
        fresh = seq2seq_likelihood.load(folder, asked.checkpoint, "cpu")
        [alone] = fresh.forward(fresh.encode([asked]))
        assert answer.values == pytest.approx(alone.values, abs=1e-4)
        assert (answer.spans, answer.tokens, answer.cut) == (alone.spans, alone.tokens, alone.cut)


def test_a_source_that_was_read_before_is_not_read_again(
    folder: Path, teacher: seq2seq_likelihood.LikelihoodModel, encoded: list[int]
) -> None:
    rows = teacher.encode([question(folder, TEXT, target) for target in ("It rained.", "It was dry.")])
    teacher.forward(rows)
    teacher.forward(teacher.encode([question(folder, TEXT, "Nobody came.")]))
    assert encoded == [1]


@pytest.mark.parametrize(
    "targets",
    [
        ("One came. Two left. Three stayed.", "One came. Two slept. Three stayed."),
        (
            "One came. Two left. Three stayed.",
            "None came. Two left. Three stayed.",
            "One came. Two left. Three stayed.",
        ),
        ("One came.", "One came. Two left. Three stayed.", "One came. Two left."),
        ("One came.", "One came.", "", "One came."),
    ],
    ids=["an edit", "an edit and back", "longer and shorter", "the same and nothing"],
)
def test_what_is_kept_of_a_target_changes_no_value_of_the_next(
    folder: Path, teacher: seq2seq_likelihood.LikelihoodModel, likelihoods: Likelihoods, targets: tuple[str, ...]
) -> None:
    for target in targets:
        [answer] = teacher.forward(teacher.encode([question(folder, TEXT, target)]))
        assert answer.values == pytest.approx(likelihoods(TEXT, target), abs=1e-5)


def test_after_an_edit_only_the_tokens_from_the_first_changed_one_on_are_run(
    folder: Path, teacher: seq2seq_likelihood.LikelihoodModel
) -> None:
    run: list[int] = []
    decoder = teacher._network.model.decoder
    watched = decoder.register_forward_pre_hook(
        lambda _, __, inputs: run.append(inputs["input_ids"].shape[1]), with_kwargs=True
    )
    for target in ("One came. Two left. Three stayed.", "One came. Two left. Three stayed away."):
        teacher.forward(teacher.encode([question(folder, TEXT, target)]))
    watched.remove()
    assert run[1] < run[0] / 2


def test_threads_that_read_one_source_do_not_disturb_each_other(
    folder: Path, teacher: seq2seq_likelihood.LikelihoodModel, likelihoods: Likelihoods
) -> None:
    targets = [f"One came. {word} left. Three stayed." for word in ("Two", "Ten", "None", "All")]
    with ThreadPoolExecutor(4) as threads:
        asked = [
            threads.submit(teacher.forward, teacher.encode([question(folder, TEXT, target)])) for target in targets * 3
        ]
    for future, target in zip(asked, targets * 3, strict=True):
        assert future.result()[0].values == pytest.approx(likelihoods(TEXT, target), abs=1e-5)


def test_what_is_remembered_of_sources_is_bounded(
    folder: Path, teacher: seq2seq_likelihood.LikelihoodModel, encoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seq2seq_likelihood, "_SOURCE_BYTES", 32 * 4 * 40)  # 40 tokens
    for source in ("It rained.", TEXT[:90], "It rained.", TEXT, TEXT):
        teacher.forward(teacher.encode([question(folder, source, "So it was.")]))
        assert sum(states.nbytes for states in teacher._sources.values()) <= 32 * 4 * 40
    assert encoded == [1] * len(encoded)
    assert len(encoded) >= 4  # the whole text is too long to be kept


def test_what_is_remembered_makes_room_for_a_text_that_does_not_fit_beside_it(
    folder: Path, teacher: seq2seq_likelihood.LikelihoodModel, likelihoods: Likelihoods
) -> None:
    def refuse_beside_others(*_: object) -> None:
        if teacher._sources or teacher._readings:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    teacher._network.model.encoder.register_forward_pre_hook(refuse_beside_others)
    for sources in ((TEXT,), ("It rained.", "It was dry."), (TEXT,)):
        answers = teacher.forward(teacher.encode([question(folder, source, SUMMARY) for source in sources]))
        for source, answer in zip(sources, answers, strict=True):
            assert answer.values == pytest.approx(likelihoods(source, SUMMARY), abs=1e-4)


def test_source_and_target_have_limits_of_their_own(folder: Path, teacher: seq2seq_likelihood.LikelihoodModel) -> None:
    [answer] = teacher.forward(teacher.encode([question(folder, TEXT, SUMMARY, (50, 10))]))
    assert (answer.tokens, len(answer.values)) == (60, 10)
    assert answer.cut > 0


def test_limits_that_are_no_pair_are_refused(folder: Path, teacher: seq2seq_likelihood.LikelihoodModel) -> None:
    with pytest.raises(BadSettingError, match="two whole numbers"):
        teacher.encode([Question(Checkpoint(str(folder), "seq2seq_likelihood"), ("a", "b"), (("limits", 12),))])


def test_an_edit_asks_once_more_and_asking_again_asks_nothing(folder: Path, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path))
    metric = METRICS.parse(f"bartscore[checkpoint={folder}]")
    asked = []
    for summary in (SUMMARY, SUMMARY, SUMMARY + " Rain fell."):
        [(_, result)] = engine.run([metric], [Example("pair", TEXT, summary)])
        assert isinstance(result, Result)
        asked.append(result.counts.asked)
    engine.close()
    assert asked == [1, 0, 1]


def test_the_command_line_scores_a_file(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text(json.dumps({"id": "a", "document": TEXT, "summary": SUMMARY}) + "\n", "utf-8")
    done("score", pairs, "--metric", f"bartscore[checkpoint={folder}]", "-o", out, "--device", "cpu")
    [line] = out.read_text("utf-8").splitlines()
    assert json.loads(line)["score"] == pytest.approx(
        ours(f"bartscore[checkpoint={folder}]", (TEXT, SUMMARY)), abs=1e-5
    )
