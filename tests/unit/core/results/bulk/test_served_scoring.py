"""A bulk run whose network a server computes: the scores are those of this machine, or nothing is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from transformers import RobertaForSequenceClassification

from core.errors import BadSettingError, TouchstoneError
from core.results.bulk.block_writer import Refusals, write_blocks
from core.results.bulk.blocks import block_names
from core.results.bulk.folder import Folder
from core.results.bulk.results import open_stored_results
from core.results.bulk.scorer import BlockScorer, ScoringJob
from core.results.bulk.served_scoring import checked_pairs
from core.scoring import METRICS, Engine, Metric
from core.scoring.plugins.checkpoints.checkpoint_file import checkpoint_classes
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Outcome, Result
from pages.server.score_forms import SCORE_FORMS, ScoreForm, VllmScore
from pages.server.score_service import ScoreService
from tests.doubles.http_server import serving_app
from tests.tiny import byte_level, random_network, roberta_config, saved
from tests.unit.core.models.llm.scripted import Body, Reply, refusal, serving
from tests.unit.core.results.bulk.test_blocks import written
from tests.unit.pages.commands.test_cli import own_settings, run

__all__ = ["own_settings"]

LABELS = ("contradiction", "neutral", "entailment")
WHOLE = 'chunk_words = 0\nclaims = "whole"\n'
PAIRS = [
    {
        "id": f"p{number}",
        "document": f"The tug {number} came at dawn. It was red. Nobody saw it leave.",
        "summary": f"The tug came {number % 7} times. It was blue.",
    }
    for number in range(120)
]


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiny networks with one label and with three, and metrics that ask them whole and in pieces."""
    folder, tokenizer = tmp_path_factory.mktemp("networks"), byte_level()
    for name, labels in {"one": ("score",), "three": LABELS}.items():
        network = random_network(
            lambda labels=labels: RobertaForSequenceClassification(roberta_config(tokenizer, len(labels)))  # type: ignore[misc]
        )
        network.config.id2label = dict(enumerate(labels))
        network.config.label2id = {label: place for place, label in enumerate(labels)}
        torch.nn.init.normal_(network.classifier.out_proj.weight, std=1.0, generator=torch.Generator().manual_seed(3))
        saved(network.eval(), tokenizer, folder / name)
    one = f'form = "regressor"\ncheckpoint = "{folder / "one"}"\n'
    three = f'form = "classifier"\ncheckpoint = "{folder / "three"}"\nlabels = "{", ".join(LABELS)}"\nlabel = "entailment"\n'
    tables = {
        "network": one + WHOLE,
        "query-first": f'{one}{WHOLE}first = "summary"\n',
        "pieces": f"{one}chunk_words = 4\n",
        "pieces-query-first": f'{one}chunk_words = 4\nfirst = "summary"\n',
        "labelled": f"{three}chunk_words = 4\n",
    }
    text = "".join(f"[{name}]\n{table}\n" for name, table in tables.items())
    (folder / "metrics.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def blocks(networks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TOUCHSTONE_PLUGINS", str(networks / "metrics.toml"))
    for metric in checkpoint_classes(str(networks / "metrics.toml")):
        monkeypatch.setitem(METRICS._classes, metric.name, metric)
    write_blocks(str(written(tmp_path / "in.jsonl", PAIRS)), Folder.at(str(tmp_path / "blocks")), Refusals())
    return str(tmp_path / "blocks")


@pytest.fixture
def engine(tmp_path: Path, blocks: str) -> Iterator[Engine]:  # noqa: ARG001  # its metrics
    with closing(Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "server"))) as opened:
        yield opened


def serve(engine: Engine, metric: str, form: type[ScoreForm]) -> Starlette:
    return ScoreService(engine, [METRICS.parse(metric)], "", form).app()


def score(blocks: str, to: Path, metric: str, *more: str) -> dict[str, Any]:
    done = run("score", blocks, "--to", to, "--metric", metric, "--stats", *more)
    if done.exit_code:
        raise AssertionError(done.stderr) from done.exception
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def results(to: Path) -> list[Result]:
    rows = [outcome for _, outcomes in open_stored_results(str(to)) for outcome in outcomes]
    return [row for row in rows if isinstance(row, Result)]


@pytest.mark.parametrize(
    ("form", "served", "metric"),
    [
        ("vllm-score", "network", "pieces"),
        ("vllm-rerank", "query-first", "pieces-query-first"),
        ("tei-rerank", "query-first", "pieces-query-first"),
        ("tei-predict", "network", "pieces"),
    ],
)
def test_scores_are_those_of_this_machine_and_say_how_far_they_are(
    form: str, served: str, metric: str, engine: Engine, blocks: str, tmp_path: Path
) -> None:
    score(blocks, tmp_path / "here", metric)
    with serving_app(serve(engine, served, SCORE_FORMS[form])) as url:
        stats = score(blocks, tmp_path / "there", metric, "--executor", f"{form}={url}")
    here, there = results(tmp_path / "here"), results(tmp_path / "there")
    assert [row.example_id for row in there] == [row.example_id for row in here]
    assert len({row.score for row in here}) > 5
    assert max(abs(row.score - other.score) for row, other in zip(here, there, strict=True)) < 1e-6
    assert [row.parts[0].span for row in there] == [row.parts[0].span for row in here]
    assert stats["parity"]["pairs"] == 50
    assert stats["parity"]["largest"] < 1e-6
    assert all(f"executor:{form}" in row.signature and row.device == form for row in there)
    assert "the largest difference is" in there[0].seen.notes[-1]


class ALittleOff(VllmScore):
    """A server of other weights."""

    def answer(self, scores: Sequence[float], metric: str) -> object:
        return super().answer([score + 0.01 if place == 3 else score for place, score in enumerate(scores)], metric)


def test_a_server_that_is_a_hundredth_off_is_refused(engine: Engine, blocks: str, tmp_path: Path) -> None:
    with serving_app(serve(engine, "network", ALittleOff)) as url:
        done = run("score", blocks, "--to", tmp_path / "to", "--metric", "network", "--executor", f"vllm-score={url}")
    assert done.exit_code
    assert "further apart than 0.001, and nothing is kept" in done.stderr
    assert results(tmp_path / "to") == []


def test_the_probabilities_of_labels_are_put_in_the_order_of_the_metric(
    networks: Path, blocks: str, tmp_path: Path
) -> None:
    network = RobertaForSequenceClassification.from_pretrained(networks / "three").eval()
    tokenizer = byte_level()

    async def predict(request: Request) -> JSONResponse:
        rows = []
        for first, second in (await request.json())["inputs"]:
            with torch.inference_mode():
                [shares] = network(torch.tensor([tokenizer.encode(first, second).ids])).logits.softmax(-1).tolist()
            labels = [{"label": label.upper(), "score": share} for label, share in zip(LABELS, shares, strict=True)]
            rows.append(sorted(labels, key=lambda label: -label["score"]))  # as TEI has them
        return JSONResponse(rows)

    score(blocks, tmp_path / "here", "labelled")
    with serving_app(Starlette(routes=[Route("/predict", predict, methods=["POST"])])) as url:
        score(blocks, tmp_path / "there", "labelled", "--executor", f"tei-predict={url}")
    pairs = zip(results(tmp_path / "here"), results(tmp_path / "there"), strict=True)
    assert max(abs(row.score - other.score) for row, other in pairs) < 1e-6


def test_a_text_that_the_server_refuses_is_a_failure_of_its_own(engine: Engine, blocks: str, tmp_path: Path) -> None:
    form = SCORE_FORMS["vllm-score"]

    def reply(_path: str, body: Body) -> Reply:
        texts: list[str] = body["text_1"]
        if any("tug 7 " in text for text in texts):
            return refusal(400, "This model's maximum context length is 8 tokens.")
        request = form.model_validate(dict(body))
        outcomes = engine.run([METRICS.parse("network")], _examples(request.pairs))
        return Reply(request.answer([outcome.score for _, outcome in outcomes], "network"))  # type: ignore[union-attr]

    with serving(reply) as endpoint:
        record = score(blocks, tmp_path / "to", "network", "--executor", f"vllm-score={endpoint.url}")
    assert record["failures"] == {"input": 1}
    assert len(results(tmp_path / "to")) == 119


def _examples(pairs: Sequence[tuple[str, str]]) -> list[Any]:
    return [Example(str(place), *pair) for place, pair in enumerate(pairs)]


def test_what_no_server_computes_is_refused_before_anything_is_sent(blocks: str, tmp_path: Path) -> None:
    def refused(*arguments: object) -> str:
        error = run("score", *arguments).exception
        assert isinstance(error, TouchstoneError)
        return str(error)

    to = ("--to", tmp_path / "to", "--executor")
    assert "Score it here" in refused(blocks, "--metric", "rouge2", *to, "vllm-score=http://127.0.0.1:9")
    assert "Score it here" in refused(blocks, "--metric", "labelled", *to, "vllm-score=http://127.0.0.1:9")
    assert "names no executor" in refused(blocks, "--metric", "network", *to, "vllm=http://127.0.0.1:9")
    with pytest.raises(BadSettingError):
        raise run("score", blocks, "--metric", "network", *to, "tei-predict").exception or AssertionError


@pytest.mark.parametrize(
    ("blocks", "size", "checked"),
    [
        (1, 20, 20),  # fewer than 50
        (1, 2_000, 50),
        (50, 2_000, 100),
        (5_000, 2_000, 10_000),
        (70, 10, 70),  # one of each block
        (2, 33, 50),
        (7, 100, 50),  # 7 and 8 in turn
        (333, 1_999, 666),
    ],
)
def test_the_share_is_of_the_whole_run_and_never_less_than_a_pair_of_a_block(
    blocks: int, size: int, checked: int
) -> None:
    numbers = checked_pairs({str(number): size for number in range(blocks)})
    assert len(numbers) == blocks
    assert sum(numbers.values()) == checked
    assert 1 <= min(numbers.values()) <= max(numbers.values()) <= min(numbers.values()) + 1


def test_empty_blocks_have_none() -> None:
    assert checked_pairs({}) == {}
    assert checked_pairs({"one": 0}) == {"one": 0}


def half(_path: str, body: Body) -> Reply:
    """The score of a network that is far from ours, for each pair."""
    return Reply({"data": [{"index": place, "score": 0.5} for place in range(len(body["text_1"]))]})


@pytest.fixture
def scored_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[FailureKind, str], list[str]]:
    """Let this machine score one pair alone, as one whose memory is full; the ids of the pairs that it tried."""
    computed, tried = Engine.run, list[str]()

    def scores(kind: FailureKind, id: str) -> list[str]:
        def run(
            engine: Engine, metrics: Sequence[Metric], examples: Sequence[Example]
        ) -> Iterator[tuple[Example, Outcome]]:
            tried.extend(example.id for example in examples)
            for example, outcome in computed(engine, metrics, examples):
                yield example, outcome if example.id == id else Failure(example.id, "network", kind, "It does not fit.")

        monkeypatch.setattr(Engine, "run", run)
        return tried

    return scores


def fault(blocks: str, to: Path, answer: Callable[[str, Body], Reply]) -> str:
    """The fault of the block in a run whose server answers so, of which nothing may be kept."""
    with serving(answer) as endpoint:
        job = ScoringJob(blocks, str(to), ("network",), "cpu", f"vllm-score={endpoint.url}")
        with closing(BlockScorer(job)) as scorer:
            report = scorer.score(block_names(Folder.at(blocks))[0])
    assert not list(to.rglob(f"{report.block}*"))
    return report.fault


def test_a_block_of_which_this_machine_scores_no_pair_is_refused(
    blocks: str, tmp_path: Path, scored_here: Callable[[FailureKind, str], list[str]]
) -> None:
    tried = scored_here(FailureKind.INPUT, "")
    assert "this machine for none of its 120. They cannot be compared" in fault(blocks, tmp_path / "to", half)
    assert len(tried) == len(set(tried)) == 120


def test_pairs_are_drawn_until_one_can_be_compared(
    blocks: str, tmp_path: Path, scored_here: Callable[[FailureKind, str], list[str]]
) -> None:
    scored_here(FailureKind.INPUT, "p77")
    assert "the pair p77 has 0.5000, and computed here" in fault(blocks, tmp_path / "to", half)


def test_an_error_of_this_machine_ends_the_comparison(
    blocks: str, tmp_path: Path, scored_here: Callable[[FailureKind, str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.results.bulk.served_scoring._LEAST_CHECKED", 2)
    tried = scored_here(FailureKind.OUT_OF_MEMORY, "")
    message = fault(blocks, tmp_path / "to", half)
    assert "this machine computes no score that those of" in message
    assert "It does not fit." in message
    assert len(tried) == 10


def test_pairs_without_a_score_here_and_there_are_failures(
    blocks: str, tmp_path: Path, scored_here: Callable[[FailureKind, str], list[str]]
) -> None:
    scored_here(FailureKind.INPUT, "")
    with serving(lambda _path, _body: refusal(400, "This model's maximum context length is 64 tokens.")) as endpoint:
        job = ScoringJob(blocks, str(tmp_path / "to"), ("network",), "cpu", f"vllm-score={endpoint.url}")
        with closing(BlockScorer(job)) as scorer:
            report = scorer.score(block_names(Folder.at(blocks))[0])
    assert (report.fault, report.failures, report.parity.pairs) == ("", {"input": 120}, 0)


@pytest.mark.parametrize("answers", [0, 31, 33])
def test_too_few_or_too_many_answers_are_refused(answers: int, blocks: str, tmp_path: Path) -> None:
    def reply(_path: str, _body: Body) -> Reply:
        return Reply({"data": [{"index": place, "score": 0.5} for place in range(answers)]})

    assert f"{answers} scores for 32 pairs" in fault(blocks, tmp_path / "to", reply)
