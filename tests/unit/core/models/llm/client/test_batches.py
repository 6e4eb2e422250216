"""Questions by the Batch API: submitted once, collected whenever, paid at its price, and cached as live answers are."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.models.llm.chat import Sampling, answer_text, first_question
from core.models.llm.client import batches
from core.models.llm.prompts import Messages
from core.models.llm.spending.budget import SpendTracker
from core.models.llm.spending.cost_log import read_costs
from core.scoring.engine import batch_exchange
from core.scoring.engine.batch_worker import BatchWorker
from core.scoring.engine.conversation import Conversation
from core.scoring.engine.engine import Engine
from core.settings import Settings
from core.types import Failure, Rounds
from tests.doubles.bench import pair
from tests.doubles.models import PATIENCE_S
from tests.unit.core.models.llm.batch_server import (
    BatchServer,
    Ending,
    Line,
    all_answered,
    answered,
    failed,
    jsonl,
    refused,
)
from tests.unit.core.models.llm.scripted import CHAT_MODEL, Body, Reply, refusal, serving
from tests.unit.core.scoring.engine.test_endpoint_worker import telling

WORDS = ["one", "two", "three", "four"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[BatchServer]:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"TOUCHSTONE_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setattr("core.scoring.engine.batch_worker._GATHER_S", 0.005)
    monkeypatch.setattr("core.scoring.engine.batch_worker._FIRST_POLL_S", 0.005)
    monkeypatch.setattr("core.models.llm.client.batches.backoff_s", lambda _: 0.0)
    monkeypatch.setattr("core.models.llm.client.client.backoff_s", lambda _: 0.0)
    scripted = BatchServer()
    with serving(scripted) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        yield scripted


def ask(folder: Path, *words: str, batch: bool = True) -> tuple[list[str], list[str]]:
    """What came of each word, and what was reported."""
    reported: list[str] = []
    settings = Settings(device="cpu", memory="1GB", cache_dir=folder)
    with closing(Engine.open(settings, partial(BatchWorker, report=reported.append) if batch else None)) as engine:
        found = [outcome for _, outcome in engine.converse(map(telling, words or WORDS))]
    return [one.error if isinstance(one, Failure) else one for one in found], reported


def test_what_a_batch_answered_is_asked_by_nobody_again(server: BatchServer, tmp_path: Path) -> None:
    server.polls = 3
    found, reported = ask(tmp_path)
    assert (found, server.submitted) == (WORDS, [4])
    assert reported == [
        "Batch batch_0: 4 questions submitted. Ctrl+C leaves it under way.",
        "Batch batch_0: in_progress, 0 of 4 done.",
        "Batch batch_0: completed, 4 of 4 done.",
        "Batch batch_0: 4 answers collected of 4 questions.",
    ]
    assert ask(tmp_path, batch=False)[0] == ask(tmp_path)[0] == WORDS
    assert (server.live, len(server.batches)) == (0, 1)
    assert [line["body"]["model"] for line in server.lines("batch_0")] == ["tiny"] * 4


def test_an_endpoint_of_another_api_than_chat_is_sent_no_batch(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("[claude]", f'base_url = "{Settings.read().llm_base_url}"', 'model = "tiny"', 'api = "anthropic"')
    (tmp_path / "endpoints.toml").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL")
    found, _ = ask(tmp_path)
    assert all("claude speaks anthropic. Leave --batch out" in one for one in found)
    assert (server.submitted, server.live) == ([], 0)


@pytest.mark.usefixtures("server")
def test_answers_cost_half_unless_the_endpoint_says_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "10")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "100")
    ask(tmp_path / "half")
    rows = read_costs(tmp_path / "half")
    assert [(row.prompt, row.money) for row in rows] == [
        (f"telling {word} ", pytest.approx(0.001)) for word in sorted(WORDS)
    ]
    spent = SpendTracker(tmp_path / "half").total()[""]
    assert (spent.questions, spent.read, spent.written, spent.money) == (4, 400, 40, pytest.approx(0.004))
    monkeypatch.setenv("TOUCHSTONE_LLM_BATCH_PRICE_FACTOR", "0.25")
    ask(tmp_path / "quarter")
    assert SpendTracker(tmp_path / "quarter").total()[""].money == pytest.approx(0.002)
    settings = Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "new")
    with (
        closing(Engine.open(settings)) as live,
        closing(Engine.open(settings, partial(BatchWorker, report=print))) as batch,
    ):
        asked = replace(telling("one"), checkpoints=(CHAT_MODEL,))
        whole, part = (engine.estimate([asked]).money for engine in (live, batch))
    assert part == pytest.approx(whole / 4)
    assert whole


ENDINGS: dict[str, tuple[Callable[[list[Line]], Ending], list[str]]] = {
    "lines out of order": (lambda lines: Ending(output=jsonl(map(answered, lines[::-1]))), WORDS),
    "no file at all": (lambda _: Ending(), ["its files hold no whole line"] * 4),
    "some in the file of errors": (
        lambda lines: Ending(
            output=jsonl(map(answered, lines[:2])),
            errors=jsonl([refused(lines[2], 400, "Too long."), failed(lines[3], "server_error", "It broke.")]),
        ),
        ["one", "two", "The endpoint refused the question in the batch: Too long.", "in the batch: It broke."],
    ),
    "all in the file of errors": (
        lambda lines: Ending(errors=jsonl(refused(line, 500, "It broke.") for line in lines)),
        ["It broke."] * 4,
    ),
    "expired with a part done": (
        lambda lines: Ending(
            "expired",
            output=jsonl(map(answered, lines[:2])),
            errors=jsonl([failed(lines[2], "batch_expired", "This request could not be executed in time.")]),
        ),
        ["one", "two", "could not be executed in time", "The batch expired before this was answered."],
    ),
    "cancelled with a part done": (
        lambda lines: Ending("cancelled", output=jsonl(map(answered, lines[:1]))),
        ["one", *["The batch was cancelled before this was answered."] * 3],
    ),
    "validation failed": (
        lambda _: Ending("failed", refused=({"code": "invalid_json_line", "line": 2, "message": "No JSON."},)),
        ["The endpoint refused the batch: line 2: No JSON."] * 4,
    ),
    "failed without a word": (lambda _: Ending("failed"), ["The endpoint refused the batch: failed."] * 4),
    "the same id twice, first with an error": (
        lambda lines: Ending(
            output=jsonl([*map(answered, lines), answered(lines[0], "another")]),
            errors=jsonl([failed(lines[1], "x", "It broke.")]),
        ),
        WORDS,
    ),
    "ids of others, blank lines, half a line, U+2028 and a mark in front": (
        lambda lines: Ending(
            output=b"\xef\xbb\xbf"
            + jsonl([{**answered(lines[0]), "custom_id": "theirs"}, {**answered(lines[0]), "custom_id": None}, 7])
            + jsonl([answered(lines[0], "on\u2028e"), answered(lines[1])]).replace(b"\n", b"\r\n\r\n")
            + jsonl([answered(lines[2]), answered(lines[3])])[:-30]
        ),
        ["on\u2028e", "two", "three", "its files hold no whole line"],
    ),
    "a completion that is none": (
        lambda lines: Ending(
            output=jsonl(
                [
                    {**answered(lines[0]), "response": {"status_code": 200, "body": {"choices": []}}},
                    {**answered(lines[1]), "response": "none"},
                    answered(lines[2], ""),
                    answered(lines[3]),
                ]
            )
        ),
        ["does not answer in the form of OpenAI", "status unknown", "The answer is empty.", "four"],
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_batch_ends_in_many_ways(server: BatchServer, tmp_path: Path, name: str) -> None:
    server.end, expected = ENDINGS[name]
    found, _ = ask(tmp_path)
    assert all(part in one for part, one in zip(expected, found, strict=True)), found
    missing = sum(word not in {one.replace("\u2028", "") for one in found} for word in WORDS)
    server.end = all_answered
    assert [one.replace("\u2028", "") for one in ask(tmp_path)[0]] == WORDS
    assert server.submitted == [4, *([missing] if missing else [])]
    assert server.live == 0


def stop_at(folder: Path, mark: str, *words: str) -> None:
    """Ask until a line with this mark is reported, and close the engine then."""
    marked = threading.Event()
    start = partial(BatchWorker, report=lambda line: marked.set() if mark in line else None)
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=folder), start)
    asking = threading.Thread(target=lambda: list(engine.converse(map(telling, words or WORDS))))
    asking.start()
    assert marked.wait(PATIENCE_S)
    engine.close()
    asking.join()


def test_a_second_start_collects_what_the_first_submitted(server: BatchServer, tmp_path: Path) -> None:
    server.polls = 1_000_000
    stop_at(tmp_path, "in_progress")
    server.polls = 1
    assert ask(tmp_path, *WORDS, "five")[0] == [*WORDS, "five"]
    assert server.submitted == [4, 1]


def test_a_batch_of_other_questions_is_collected_and_paid_for_too(server: BatchServer, tmp_path: Path) -> None:
    server.polls = 1_000_000
    stop_at(tmp_path, "in_progress")
    server.polls = 1
    ask(tmp_path, "five")
    assert SpendTracker(tmp_path).total()[""].questions == 5
    assert ask(tmp_path, batch=False)[0] == WORDS
    assert server.live == 0


def test_many_questions_make_several_batches(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MAX_LINES", 3)
    assert ask(tmp_path / "lines")[0] == WORDS
    monkeypatch.setattr(batches, "MAX_BYTES", 700)  # a line has about 300
    assert ask(tmp_path / "bytes")[0] == WORDS
    assert server.submitted == [3, 1, 2, 2]


def test_a_batch_with_too_many_tokens_is_halved_until_the_server_takes_it(server: BatchServer, tmp_path: Path) -> None:
    too_many = ({"code": "token_limit_exceeded", "line": None, "message": "Enqueued token limit reached."},)
    server.end = lambda lines: all_answered(lines) if len(lines) == 1 else Ending("failed", refused=too_many)
    assert ask(tmp_path)[0] == WORDS
    assert server.submitted == [4, 2, 1, 1, 1, 1]
    server.end = lambda _: Ending("failed", refused=too_many)
    assert ask(tmp_path, "five")[0] == ["The endpoint refused the batch: Enqueued token limit reached."]


def test_what_the_server_refuses_by_name_is_left_out_in_the_next_batch(server: BatchServer, tmp_path: Path) -> None:
    def end(lines: list[Line]) -> Ending:
        if "max_tokens" in lines[0]["body"]:
            return Ending(
                errors=jsonl(refused(line, 400, "Use max_completion_tokens.", "max_tokens") for line in lines)
            )
        return all_answered(lines)

    server.end = end
    assert ask(tmp_path)[0] == WORDS
    assert server.submitted == [4, 4]


class Unreliable:
    """A batch server of which the first replies to some requests are others."""

    def __init__(self, server: BatchServer, *replies: tuple[str, bool, Reply]) -> None:
        self.server = server
        self.replies = list(replies)

    def __call__(self, path: str, body: Body) -> Reply:
        if self.replies and self.replies[0][0] == f"{'POST' if body else 'GET'} {path.partition('?')[0]}":
            _, served, reply = self.replies.pop(0)
            if served:
                self.server(path, body)
            return reply
        return self.server(path, body)


LOST, BUSY = Reply(dropped=True), refusal(503, "Busy.")
FAULTS: dict[str, tuple[list[tuple[str, bool, Reply]], list[str], int]] = {
    "the upload fails for the moment": ([("POST /v1/files", False, BUSY)], WORDS, 1),
    "the answer to the creation is lost": ([("POST /v1/batches", True, LOST)], WORDS, 1),
    "the creation fails for the moment": ([("POST /v1/batches", False, BUSY)], WORDS, 1),
    "it cannot be looked at for a while": ([("GET /v1/batches/batch_0", False, BUSY)] * 5, WORDS, 1),
    "a file cannot be had for a while": ([("GET /v1/files/file-1/content", False, LOST)] * 3, WORDS, 1),
    "the creation is refused": ([("POST /v1/batches", False, refusal(400, "No money."))], ["No money."] * 4, 0),
    "it has no such path": (
        [("POST /v1/files", False, refusal(404, "No."))],
        ["has no Batch API. Start without"] * 4,
        0,
    ),
    "the key is refused": ([("GET /v1/batches/batch_0", False, refusal(401, "No."))], ["not accept the key"] * 4, 1),
    "it is unknown": ([("GET /v1/batches/batch_0", False, refusal(404, "No."))], ["does not know this batch"] * 4, 1),
    "it is no batch": ([("GET /v1/batches/batch_0", False, Reply([]))], ["not answer in the form"] * 4, 1),
    "no id comes": ([("POST /v1/files", False, Reply({"id": 3}))], ["not answer in the form of OpenAI"] * 4, 0),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_the_server_submits_twice(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: BatchServer
) -> None:
    replies, expected, submitted = FAULTS[name]
    with serving(Unreliable(server, *replies)) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        found, _ = ask(tmp_path)
        assert all(part in one for part, one in zip(expected, found, strict=True)), found
        assert len(server.batches) == submitted
        assert ask(tmp_path)[0] == WORDS
    assert len(server.batches) == (2 if name == "it is unknown" else 1)


@pytest.mark.parametrize("made", [True, False])
def test_a_batch_that_may_have_been_made_is_looked_for_before_another_is(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    lost = [("POST /v1/batches", made, LOST), ("GET /v1/batches", False, LOST)]
    with serving(
        Unreliable(server, *lost, *[("POST /v1/batches", False, LOST), ("GET /v1/batches", False, LOST)] * 2)
    ) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        assert "did not say whether it took the batch" in ask(tmp_path)[0][0]
        monkeypatch.setattr(batch_exchange, "_CREATING_S", 0.0)
        assert ask(tmp_path)[0] == WORDS
    assert server.submitted == [4]


def test_a_budget_submits_what_it_allows_and_the_rest_when_less_was_spent(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PRICE_READ": "0", "PRICE_WRITTEN": "1000", "BUDGET": "2.1"}.items():
        monkeypatch.setenv(f"TOUCHSTONE_LLM_{name}", value)  # 2048 tokens at most cost 1.024, 10 in truth 0.005
    assert ask(tmp_path)[0] == WORDS
    assert server.submitted == [2, 2]
    server.polls = 1_000_000
    stop_at(tmp_path, "in_progress", "five", "six")
    with closing(sqlite3.connect(tmp_path / "spending-1.sqlite")) as store:
        assert store.execute("SELECT sum(money) FROM reserved").fetchone() == (pytest.approx(2.048),)
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "1")
    server.polls = 1
    [seven] = ask(tmp_path, "seven")[0]
    assert seven.startswith(
        "The budget does not allow this question: 0.0300 of 1 are spent, and it may cost up to 1.0240."
    )


def test_half_a_character_fails_alone(server: BatchServer, tmp_path: Path) -> None:
    found = ask(tmp_path, "one", "\ud800")[0]
    assert found[0] == "one"
    assert "half a character" in found[1]
    assert server.submitted == [1]


def test_a_repair_is_another_batch(server: BatchServer, tmp_path: Path) -> None:
    """A second round waits until all first rounds are answered."""

    def asking(word: str) -> Conversation[str]:
        def rounds() -> Rounds[str]:
            [first] = yield [first_question(Messages("Say it again.", word), Sampling("tiny"))]
            [second] = yield [first_question(Messages("And again.", answer_text(first) * 2), Sampling("tiny"))]
            return answer_text(second)

        return Conversation(word, pair("Rain fell."), rounds, (Sampling("tiny").asked,))

    settings = Settings(device="cpu", memory="1GB", cache_dir=tmp_path)
    with closing(Engine.open(settings, partial(BatchWorker, report=lambda _: None))) as engine:
        assert [found for _, found in engine.converse(map(asking, WORDS))] == [word * 2 for word in WORDS]
    assert server.submitted == [4, 4]
